// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace isopatch::detail {

/// Whether the current device has this much memory free.
bool has_device_memory(std::size_t bytes);

/// Throws Error unless the current device has this much memory free. `what` needs it: "the scene's meshes need".
void require_device_memory(std::size_t bytes, const std::string& what);

/// "12.3 MiB"
std::string mebibytes(std::size_t bytes);

}  // namespace isopatch::detail
