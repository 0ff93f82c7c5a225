// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

namespace isopatch::detail {

/// The bytes of a file. All input is opened by this function, which never blocks and never reads without end. Throws
/// Error, naming `path`, for what is not a regular file (a pipe, a device, a directory, a link to one), for a file
/// larger than `most` bytes, and for one that cannot be opened.
std::string read_input_file(const std::string& path, std::uint64_t most);

/// While there is one, output files (output_file.h) may not take the place of files that are read, by any of their
/// names. There may be one at a time.
class KeptInputs {
 public:
  KeptInputs();
  ~KeptInputs();
  KeptInputs(const KeptInputs&) = delete;
  KeptInputs& operator=(const KeptInputs&) = delete;
};

/// Whether `status` is of a file that was read, while they are kept.
bool is_kept_input(const struct stat& status);

}  // namespace isopatch::detail
