// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace isopatch {

/// Where the meshes are that are not part of this project: the environment's ISOPATCH_DATA_DIR, for a build that was
/// carried to another machine, or the folder the build was told of. Empty where neither is set.
inline std::string data_folder() {
  const char* given = std::getenv("ISOPATCH_DATA_DIR");
  return given != nullptr ? given : ISOPATCH_DATA_DIR;
}

inline std::string data_file(const std::string& name) { return data_folder() + "/" + name; }

inline bool have_data_file(const std::string& name) {
  return !data_folder().empty() && std::filesystem::exists(data_file(name));
}

/// Why something is left out that needs the file.
inline std::string missing_data_file(const std::string& name) {
  return name + " is missing: set ISOPATCH_DATA_DIR, in the environment or for CMake, to the folder of the real meshes";
}

}  // namespace isopatch
