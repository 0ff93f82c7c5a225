// SPDX-License-Identifier: Apache-2.0
//
// A folder of a test's own: tests run side by side, so that none may write to a name that another knows.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace isopatch::testing {

/// An empty folder that is removed, with what was written into it, when this ends.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "isopatch_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error(pattern + ": no such folder can be made");
    folder_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

}  // namespace isopatch::testing
