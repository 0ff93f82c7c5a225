// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

namespace isopatch {

/// Where the meshes are that are not part of this project: the environment's ISOPATCH_DATA_DIR, for a build that was
/// carried to another machine, or the folder the build was told of.
inline std::string data_folder() {
  const char* given = std::getenv("ISOPATCH_DATA_DIR");
  return given != nullptr ? given : ISOPATCH_DATA_DIR;
}

}  // namespace isopatch
