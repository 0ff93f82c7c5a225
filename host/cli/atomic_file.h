// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace isopatch::cli {

/// Writes a whole file or nothing: to a temporary name beside `path`, then renamed. Throws Error naming `path`.
void write_file(const std::string& path, const std::string& bytes);

/// Throws Error if write_file(path) could not work, so that nobody waits for an evaluation in vain.
void check_writable(const std::string& path);

}  // namespace isopatch::cli
