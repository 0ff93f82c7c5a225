// SPDX-License-Identifier: Apache-2.0
#include "tests/support/paths/paths.h"

namespace isopatch {

std::string source_path(const std::string& name) {
  const std::string root = ISOPATCH_SOURCE_DIR;
  return name.empty() ? root : root + "/" + name;
}

std::string program_path() { return ISOPATCH_CLI; }

std::string configured_data_folder() { return ISOPATCH_DATA_DIR; }

}  // namespace isopatch
