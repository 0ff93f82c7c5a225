// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace isopatch::cli {

/// What `isopatch --version` prints: the version, the compiler, and what this build has.
std::string version_text();

}  // namespace isopatch::cli
