// SPDX-License-Identifier: Apache-2.0
//
// Other programs that show a picture or draw it: a browser and, for pictures and films (.png, .mp4, .gif), VTK through
// the Python package.
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

/// Writes a page as NAME.html to a new folder for temporary files, and returns its path.
std::string write_temporary_page(const std::string& name, const std::string& page);

/// Opens a file with $BROWSER or the system's program for that, which goes on by itself. Returns why it could not be
/// opened, or nothing.
std::string open_in_browser(const std::string& path);

}  // namespace isopatch::cli
