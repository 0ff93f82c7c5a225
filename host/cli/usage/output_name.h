// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace isopatch::cli {

/// Throws Error unless the name of an output file ends in one of these extensions, which say the format that is
/// written, and the file can be written. `what` names the argument in the first case.
void check_output(const std::string& what, const std::string& path, const std::vector<std::string>& extensions);

}  // namespace isopatch::cli
