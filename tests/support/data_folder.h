// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/paths/paths.h"

namespace isopatch {

/// The folder of the meshes that are not part of this project: the environment variable ISOPATCH_DATA_DIR, for a build
/// that was carried to another machine, or the folder that the build was configured with. Empty if neither is set.
inline std::string data_folder() {
  const char* given = std::getenv("ISOPATCH_DATA_DIR");
  return given != nullptr ? given : configured_data_folder();
}

inline std::string data_file(const std::string& name) { return data_folder() + "/" + name; }

inline bool have_data_file(const std::string& name) {
  return !data_folder().empty() && std::filesystem::exists(data_file(name));
}

/// The reason why something that needs the file is left out.
inline std::string missing_data_file(const std::string& name) {
  return name + " is missing: set ISOPATCH_DATA_DIR, in the environment or for CMake, to the folder of the real meshes";
}

}  // namespace isopatch
