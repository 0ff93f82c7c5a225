// SPDX-License-Identifier: Apache-2.0
#include "host/files/input_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "host/files/descriptor.h"
#include "host/text/throw_error.h"
#include "host/threads/work_counter.h"

namespace isopatch::detail {
namespace {

[[noreturn]] void fail_to_read(const std::string& path, int error) {
  const std::string found = error == ENOENT  ? "no such file"
                            : error == ENXIO ? "not a regular file but a socket"  // the error of open() for one
                                             : std::string("cannot be read: ") + std::strerror(error);
  throw Error(path + ": " + found, ErrorKind::kFile, {.where = path, .found = found, .code = error});
}

using FileId = std::pair<dev_t, ino_t>;

struct ReadFiles {
  std::mutex mutex;
  std::optional<std::set<FileId>> kept;
};

ReadFiles& read_files() {
  static ReadFiles files;
  return files;
}

void keep(const struct stat& status) {
  ReadFiles& files = read_files();
  const std::lock_guard lock(files.mutex);
  if (files.kept) files.kept->emplace(status.st_dev, status.st_ino);
}

constexpr std::size_t kAtOnce = std::size_t{16} << 20;  // bytes, which a slow disk takes a fraction of a second for

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

}  // namespace

std::string read_input_file(const std::string& path, std::uint64_t most) {
  if (path.find('\0') != std::string::npos) fail_to_read(path, ENOENT);
  // without O_NONBLOCK, opening a pipe would wait for its writer
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0) fail_to_read(path, errno);
  struct stat status = {};
  if (fstat(file.get(), &status) != 0) fail_to_read(path, errno);
  if (!S_ISREG(status.st_mode)) {
    const std::string found = std::string("not a regular file but ") + kind_of(status.st_mode);
    throw Error(path + ": " + found, ErrorKind::kFile,
                {.where = path, .found = found, .code = S_ISDIR(status.st_mode) ? EISDIR : EINVAL});
  }
  keep(status);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > most) throw_error("{}: {} bytes; the limit is {}", path, size, most);

  std::string bytes(static_cast<std::size_t>(size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    check_cancelled();
    const ssize_t count = ::read(file.get(), bytes.data() + done, std::min(kAtOnce, bytes.size() - done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_read(path, errno);
    if (count == 0) break;  // it was truncated while being read
    done += static_cast<std::size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

KeptInputs::KeptInputs() {
  const std::lock_guard lock(read_files().mutex);
  read_files().kept.emplace();
}

KeptInputs::~KeptInputs() {
  const std::lock_guard lock(read_files().mutex);
  read_files().kept.reset();
}

bool is_kept_input(const struct stat& status) {
  const std::lock_guard lock(read_files().mutex);
  return read_files().kept && read_files().kept->contains({status.st_dev, status.st_ino});
}

}  // namespace isopatch::detail
