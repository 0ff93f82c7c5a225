// SPDX-License-Identifier: Apache-2.0
#include "host/files/output_file.h"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "host/files/descriptor.h"
#include "host/files/input_file.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"

namespace isopatch::detail {
namespace {

constexpr int kAttempts = 100;

/// The file being written, for remove_unfinished_output(); if several threads write, the first one's.
std::atomic<const char*> unfinished = nullptr;
static_assert(std::atomic<const char*>::is_always_lock_free, "a signal handler reads it");

[[noreturn]] void fail_to_write(const std::string& path, const std::string& reason, int error = 0) {
  const std::string found = "cannot be written: " + reason;
  throw Error(path + ": " + found, ErrorKind::kFile, {.where = path, .found = found, .code = error});
}
[[noreturn]] void fail_to_write(const std::string& path, int error) {
  fail_to_write(path, std::strerror(error), error);
}

/// Where the bytes go: `path`, or what it links to. Sets `mode` to the mode of an existing file.
std::string destination(const std::string& path, mode_t& mode) {
  if (path.empty() || path.find('\0') != std::string::npos) fail_to_write(path, ENOENT);
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) fail_to_write(path, errno);
    std::error_code error;
    if (std::filesystem::is_symlink(path, error)) fail_to_write(path, "it is a link to nothing");
    return path;
  }
  if (S_ISDIR(status.st_mode)) fail_to_write(path, EISDIR);
  if (!S_ISREG(status.st_mode)) fail_to_write(path, "it exists already and is not a regular file");
  if (is_kept_input(status)) fail_to_write(path, "it is an input, which would be lost; give another name");
  mode = status.st_mode & 07777;
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

std::filesystem::path folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

bool is_the_file(int descriptor, const std::string& name) {
  struct stat open_one = {}, named_one = {};
  return fstat(descriptor, &open_one) == 0 && lstat(name.c_str(), &named_one) == 0 &&
         open_one.st_dev == named_one.st_dev && open_one.st_ino == named_one.st_ino;
}

}  // namespace

/// The temporary file, locked.
class OutputFile::Temporary {
 public:
  explicit Temporary(const std::string& shown) : shown_(shown) {
    mode_t mode = 0;
    target_ = destination(shown, mode);
    const std::filesystem::path path(target_);
    name_ = (folder_of(target_) / fmt::format(".{}.isopatch", path.filename().string())).string();
    for (int i = 0; i < kAttempts; ++i) {
      const bool is_new = open_file();
      if (file_.get() < 0) continue;  // it was renamed or removed just now
      const int locked = flock(file_.get(), LOCK_EX | LOCK_NB);
      if (locked != 0 && errno == EWOULDBLOCK) break;
      // some file systems have no locks; on others, the run that held it may just have renamed or removed the file
      if (!is_the_file(file_.get(), name_)) continue;
      if (!is_new) empty_own();
      take();
      return;
    }
    fail_to_write(shown_, "another run is writing it");
  }
  ~Temporary() {
    if (taken_ && !renamed_ && owner_ == getpid()) unlink(name_.c_str());
    const char* mine = name_.c_str();
    unfinished.compare_exchange_strong(mine, nullptr);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  int descriptor() const { return file_.get(); }

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(file_.get(), bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail_to_write(shown_, errno);
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  void finish() {
    mode_t mode = 0;
    target_ = destination(shown_, mode);
    if (mode != 0 && fchmod(file_.get(), mode) != 0) fail_to_write(shown_, errno);
    if (fsync(file_.get()) != 0 && errno != EINVAL && errno != ENOSYS) fail_to_write(shown_, errno);
    // while it is locked, so that no other run takes the name in between
    if (std::rename(name_.c_str(), target_.c_str()) != 0) fail_to_write(shown_, errno);
    renamed_ = true;
  }

  void close() {
    if (file_.close() != 0) fail_to_write(shown_, errno);
  }

 private:
  /// Makes the file, or opens one that is there. Returns whether it is new; with neither, there is no descriptor.
  bool open_file() {
    constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    file_ = Descriptor(open(name_.c_str(), kFlags | O_CREAT | O_EXCL, 0666));
    if (file_.get() >= 0) return true;
    if (errno != EEXIST) fail_to_write(shown_, errno);
    file_ = Descriptor(open(name_.c_str(), kFlags));
    if (file_.get() < 0 && errno != ENOENT) fail_to_write(shown_, errno);
    return false;
  }

  /// Empties what a killed run left behind, and nothing else that has its name.
  void empty_own() {
    struct stat status = {};
    if (fstat(file_.get(), &status) != 0) fail_to_write(shown_, errno);
    if (!S_ISREG(status.st_mode) || status.st_uid != geteuid() || status.st_nlink != 1) {
      fail_to_write(shown_, fmt::format("{} beside it is not a file of this user alone; remove it",
                                        std::filesystem::path(name_).filename().string()));
    }
    if (ftruncate(file_.get(), 0) != 0) fail_to_write(shown_, errno);
  }

  void take() {
    const char* none = nullptr;
    unfinished.compare_exchange_strong(none, name_.c_str());
    taken_ = true;
  }

  std::string shown_, target_, name_;
  Descriptor file_;
  bool taken_ = false, renamed_ = false;
  pid_t owner_ = getpid();  // a process that was forked meanwhile leaves the file alone
};

OutputFile::OutputFile(const std::string& path) : temporary_(std::make_unique<Temporary>(path)) {}
OutputFile::~OutputFile() = default;
OutputFile::OutputFile(OutputFile&&) noexcept = default;

int OutputFile::descriptor() const { return temporary_->descriptor(); }

void OutputFile::write(std::string_view bytes) { temporary_->write(bytes); }

void OutputFile::finish() { temporary_->finish(); }

void OutputFile::close() { temporary_->close(); }

void write_output_file(const std::string& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.finish();
  file.close();
}

void check_writable(const std::string& path) {
  mode_t mode = 0;
  const std::string folder = folder_of(destination(path, mode)).string();
  if (access(folder.c_str(), W_OK | X_OK) != 0) fail_to_write(path, errno);
}

void check_output(const std::string& what, const std::string& path, const std::vector<std::string>& extensions) {
  if (std::none_of(extensions.begin(), extensions.end(), [&](const auto& end) { return path.ends_with(end); })) {
    throw_error("{} {}: the name must end in {}", what, in_quotes(path), fmt::join(extensions, " or "));
  }
  check_writable(path);
}

void remove_unfinished_output() noexcept {
  if (const char* name = unfinished.load()) unlink(name);
}

}  // namespace isopatch::detail
