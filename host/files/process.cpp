// SPDX-License-Identifier: Apache-2.0
#include "host/files/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>

#include "host/text/throw_error.h"
#include "isopatch/error.h"

namespace isopatch::detail {
namespace {

/// The most bytes a program may print before it is killed. Only the last ones are kept.
constexpr std::size_t kMaxOutput = std::size_t{64} << 20;

constexpr std::size_t kKept = 4096;
constexpr int kPollMilliseconds = 50;

/// A child process in a process group of its own; the destructor kills it.
class Child {
 public:
  Child(const std::filesystem::path& program, std::vector<std::string>& arguments, int output) {
    std::string name = program.string();
    std::vector<char*> argv = {name.data()};
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    failure_ = posix_spawn(&id_, name.c_str(), &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    running_ = failure_ == 0;
  }
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int failure() const { return failure_; }
  int status() const { return status_; }

  bool is_running() {
    if (running_ && waitpid(id_, &status_, WNOHANG) == id_) running_ = false;
    return running_;
  }

  void end() {
    if (!is_running()) return;
    kill(-id_, SIGKILL);
    while (waitpid(id_, &status_, 0) < 0 && errno == EINTR) {
    }
    running_ = false;
  }

 private:
  pid_t id_ = 0;
  int failure_ = 0, status_ = 0;
  bool running_ = false;
};

/// The last line that is not blank.
std::string last_line(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos) return "";
  text = text.substr(0, last + 1);
  const std::size_t before = text.find_last_of("\r\n");
  return std::string(before == std::string_view::npos ? text : text.substr(before + 1));
}

std::string problem_of(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  }
  return WEXITSTATUS(status) == 0 ? "" : fmt::format("exited with status {}", WEXITSTATUS(status));
}

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

std::optional<std::filesystem::path> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path program = std::filesystem::path(folder.empty() ? "." : folder) / name;
    std::error_code error;
    if (std::filesystem::is_regular_file(program, error) && access(program.c_str(), X_OK) == 0) return program;
  }
  return std::nullopt;
}

ProcessEnd run_process(const std::filesystem::path& program, std::vector<std::string> arguments,
                       const std::function<void()>& check) {
  std::array<int, 2> ends = {};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw_error("{}: {}", program.string(), std::strerror(errno));
  const Descriptor output(ends[0]);
  Descriptor input(ends[1]);
  Child child(program, arguments, input.get());
  input.close();
  if (child.failure() != 0) return {std::string("could not be started: ") + std::strerror(child.failure()), ""};

  std::string kept;
  std::size_t printed = 0;
  std::array<char, 1 << 16> buffer;
  for (bool more = true; more;) {
    check();
    // once the child has ended, nothing more is expected: processes that it started may hold the pipe open
    const bool running = child.is_running();
    pollfd waiting = {output.get(), POLLIN, 0};
    if (poll(&waiting, 1, running ? kPollMilliseconds : 0) <= 0) {
      more = running;
      continue;
    }
    const ssize_t count = ::read(output.get(), buffer.data(), buffer.size());
    if (count <= 0) break;
    printed += static_cast<std::size_t>(count);
    kept.append(buffer.data(), static_cast<std::size_t>(count));
    if (kept.size() > kKept) kept.erase(0, kept.size() - kKept);
    if (printed > kMaxOutput) {
      return {fmt::format("was killed: it printed more than {} MiB", kMaxOutput >> 20), last_line(kept)};
    }
  }
  while (child.is_running()) {  // it closed its output before it ended
    check();
    poll(nullptr, 0, kPollMilliseconds);
  }
  return {problem_of(child.status()), last_line(kept)};
}

std::string start_process(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  std::string name = program.string();
  std::vector<std::string> values = arguments;
  std::vector<char*> argv = {name.data()};
  for (std::string& value : values) argv.push_back(value.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t id = 0;
  const int failure = posix_spawn(&id, name.c_str(), &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failure == 0 ? "" : std::strerror(failure);
}

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
