// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace isopatch::detail {

/// The bytes of a file: the one way in which input is opened. Waits for nothing and reads nothing without end: whatever
/// is not a regular file (a pipe, a device, a directory, a link to one) and what is larger than `most` bytes is an
/// Error, as is a file that cannot be opened. All of them name `path`.
std::string read_input_file(const std::string& path, std::uint64_t most);

}  // namespace isopatch::detail
