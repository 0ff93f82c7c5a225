// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "host/files/descriptor.h"

namespace isopatch::detail {

/// A folder among those for temporary files that is removed with its files. A lock distinguishes it from folders that
/// killed runs left behind, which are removed when the next one with this `prefix` is made. Throws Error if there is no
/// place for it.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string_view prefix);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
  Descriptor lock_;
};

}  // namespace isopatch::detail
