// SPDX-License-Identifier: Apache-2.0
#include "host/cli/atomic_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "isopatch/error.h"

namespace isopatch::cli {
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw Error(fmt::format("{}: cannot be written: {}", path, error != 0 ? std::strerror(error) : "write failed"));
}

}  // namespace

void write_file(const std::string& path, const std::string& bytes) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  errno = 0;
  std::ofstream file(temporary, std::ios::binary);
  if (!file) fail(path, errno);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  const int write_error = file ? 0 : errno;

  std::error_code error;
  if (file) std::filesystem::rename(temporary, path, error);
  if (file && !error) return;
  std::error_code ignored;
  std::filesystem::remove(temporary, ignored);
  fail(path, error ? error.value() : write_error);
}

void check_writable(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const std::string directory = parent.empty() ? "." : parent.string();
  if (std::filesystem::is_directory(path)) fail(path, EISDIR);
  if (access(directory.c_str(), W_OK | X_OK) != 0) fail(path, errno);
}

}  // namespace isopatch::cli
