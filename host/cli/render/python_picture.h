// SPDX-License-Identifier: Apache-2.0
//
// Pictures and films (.png, .mp4, .gif) are drawn by VTK, through the Python package.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace isopatch::cli {

/// Whether Python draws files with this name.
bool is_drawn_by_python(const std::string& path);

/// The bytes of a file of the type of `path`. `check` is called every 50 ms, and ends it by throwing. Throws Error,
/// which says what to install, if there is no Python with isopatch[pictures] on PATH, and what it said if it fails.
std::string python_picture(std::string_view glb, const std::string& path, const std::function<void()>& check);

}  // namespace isopatch::cli
