// SPDX-License-Identifier: Apache-2.0
#include "host/files/temporary_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "isopatch/error.h"

namespace isopatch::detail {
namespace {

constexpr std::chrono::minutes kSurelyLocked(1);  // a folder older than this has been locked by its run

/// Locks a folder if it belongs to this user and is not locked; returns none otherwise.
Descriptor take(const std::filesystem::path& path) {
  Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status = {};
  const bool own = folder.get() >= 0 && fstat(folder.get(), &status) == 0 && status.st_uid == geteuid();
  return own && flock(folder.get(), LOCK_EX | LOCK_NB) == 0 ? std::move(folder) : Descriptor();
}

void remove_left_behind(const std::filesystem::path& parent, std::string_view prefix) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(parent, ignored)) {
    if (!entry.path().filename().string().starts_with(prefix)) continue;
    const auto made = entry.last_write_time(ignored);
    if (ignored || std::filesystem::file_time_type::clock::now() - made < kSurelyLocked) continue;
    const Descriptor unlocked = take(entry.path());
    if (unlocked.get() >= 0) std::filesystem::remove_all(entry.path(), ignored);
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder(std::string_view prefix) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) throw Error("the folder for temporary files: " + error.message(), ErrorKind::kFile);
  remove_left_behind(folder, prefix);
  std::string pattern = (folder / (std::string(prefix) + "XXXXXX")).string();
  if (mkdtemp(pattern.data()) == nullptr) throw Error(pattern + ": " + std::strerror(errno), ErrorKind::kFile);
  path_ = pattern;
  lock_ = take(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace isopatch::detail
