// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace isopatch::detail {

/// The bytes of a file. All input is opened by this function, which never blocks and never reads without end. Throws
/// Error, naming `path`, for what is not a regular file (a pipe, a device, a directory, a link to one), for a file
/// larger than `most` bytes, and for one that cannot be opened.
std::string read_input_file(const std::string& path, std::uint64_t most);

}  // namespace isopatch::detail
