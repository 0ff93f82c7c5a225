// SPDX-License-Identifier: Apache-2.0
#include "host/meshing/mesher.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numbers>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "host/files/descriptor.h"
#include "host/files/output_file.h"
#include "host/mesh/math/point_math.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"

namespace isopatch::detail {

namespace {

/// The most bytes a program may print before it is killed. Only the last ones are kept.
constexpr std::size_t kMaxOutput = std::size_t{64} << 20;

struct ProcessEnd {
  std::string problem;    // "exited with status 3"; empty if all went well
  std::string last_line;  // the last line of stdout and stderr that is not blank, up to 4 KiB of it
};

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

/// Runs a program without input and waits for it. Kills it if it prints more than kMaxOutput bytes, or check() throws.
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
    const ssize_t count = read(output.get(), buffer.data(), buffer.size());
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

/// Tets that fill the surface have its volume up to rounding, unless the mesher left a part out.
constexpr double kSameVolume = 1e-6;

const std::vector<std::string> kMeshers = {"tetgen", "gmsh"};

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

constexpr std::string_view kFolderPrefix = "isopatch_mesher_";
constexpr std::chrono::minutes kSurelyLocked(1);  // a folder older than this has been locked by its run

/// A folder that is removed with its files. A lock distinguishes it from folders that killed runs left behind.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    if (error) throw Error("the folder for temporary files: " + error.message(), ErrorKind::kFile);
    remove_left_behind(folder);
    std::string pattern = (folder / fmt::format("{}XXXXXX", kFolderPrefix)).string();
    if (mkdtemp(pattern.data()) == nullptr) throw Error(pattern + ": " + std::strerror(errno), ErrorKind::kFile);
    path_ = pattern;
    lock_ = take(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  /// Locks a folder if it belongs to this user and is not locked; returns none otherwise.
  static Descriptor take(const std::filesystem::path& path) {
    Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status = {};
    const bool own = folder.get() >= 0 && fstat(folder.get(), &status) == 0 && status.st_uid == geteuid();
    return own && flock(folder.get(), LOCK_EX | LOCK_NB) == 0 ? std::move(folder) : Descriptor();
  }

  static void remove_left_behind(const std::filesystem::path& parent) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(parent, ignored)) {
      if (!entry.path().filename().string().starts_with(kFolderPrefix)) continue;
      const auto made = entry.last_write_time(ignored);
      if (ignored || std::filesystem::file_time_type::clock::now() - made < kSurelyLocked) continue;
      const Descriptor unlocked = take(entry.path());
      if (unlocked.get() >= 0) std::filesystem::remove_all(entry.path(), ignored);
    }
  }

  std::filesystem::path path_;
  Descriptor lock_;
};

/// Medit's ASCII format, which both meshers read. All triangles belong to surface 1.
std::string medit_text(const TriangleMesh& surface) {
  std::string text = fmt::format("MeshVersionFormatted 2\nDimension 3\nVertices\n{}\n", surface.points.size());
  for (const Point3& p : surface.points) text += fmt::format("{:.17g} {:.17g} {:.17g} 1\n", p[0], p[1], p[2]);
  text += fmt::format("Triangles\n{}\n", surface.triangles.size());
  for (const auto& [a, b, c] : surface.triangles) text += fmt::format("{} {} {} 1\n", a + 1, b + 1, c + 1);
  return text + "End\n";
}

struct Call {
  std::vector<std::string> arguments;
  std::string result;  // the file it writes
};

/// -p fills a surface, -Y keeps its triangles, -q bounds radius over edge, -a the volume, -k writes VTK, and -NEFI
/// leaves its own formats unwritten.
Call tetgen_call(const TemporaryFolder& folder, std::optional<double> edge_length) {
  std::string options = "-pYkNEFIq1.5/10";
  if (edge_length) options += fmt::format("a{:.17g}", std::pow(*edge_length, 3) * std::numbers::sqrt2 / 12);
  return {{options, folder.file("surface.mesh")}, folder.file("surface.vtk")};
}

Call gmsh_call(const TemporaryFolder& folder, std::optional<double> edge_length) {
  std::string script = "Merge \"surface.mesh\";\nSurface Loop(1) = {1};\nVolume(1) = {1};\n";
  if (edge_length) script += fmt::format("Mesh.CharacteristicLengthMax = {:.17g};\n", *edge_length);
  write_output_file(folder.file("fill.geo"), script);
  return {{"-3", "-nt", "1", "-format", "msh22", "-o", folder.file("filled.msh"), folder.file("fill.geo")},
          folder.file("filled.msh")};
}

/// Of tets of either orientation.
double filled_volume(const TetMesh& mesh) {
  double six_v = 0;
  for (const Tet& tet : mesh.tets) six_v += std::fabs(six_volumes(mesh, tet));
  return six_v / 6;
}

}  // namespace

Mesher find_mesher(const std::string& name) {
  for (const std::string& candidate : kMeshers) {
    if (name != "auto" && name != candidate) continue;
    if (const auto program = find_program(candidate)) return {candidate, *program};
  }
  const bool any = name == "auto";
  if (!any && std::find(kMeshers.begin(), kMeshers.end(), name) == kMeshers.end()) {
    throw wrong_value("mesher", in_quotes(name, '"'), "it must be auto, tetgen or gmsh");
  }
  throw Error(fmt::format("no {} on PATH; install {} (on Debian: apt-get install {})",
                          any ? "mesher, TetGen or Gmsh," : name, any ? "one of them" : "it", any ? "tetgen" : name),
              ErrorKind::kFile, {.where = any ? "tetgen" : name, .code = ENOENT});
}

TetMesh fill_with_tets(const TriangleMesh& surface, double volume, const Mesher& mesher,
                       std::optional<double> edge_length, const std::string& source,
                       const std::function<void()>& check) {
  const TemporaryFolder folder;
  write_output_file(folder.file("surface.mesh"), medit_text(surface));
  const Call call = mesher.name == "tetgen" ? tetgen_call(folder, edge_length) : gmsh_call(folder, edge_length);
  auto [problem, last_line] = run_process(mesher.program, call.arguments, check);
  if (problem.empty() && !std::filesystem::exists(call.result)) problem = "wrote no mesh";
  if (!problem.empty()) {
    throw_error("{}: {} {}; it last printed: {}. A surface that cuts through itself cannot be filled", source,
                mesher.program.string(), problem, in_quotes(last_line, '"'));
  }
  TetMesh mesh = read_tet_mesh(call.result);
  mesh.notes.clear();  // the triangles of the surface, in the same file
  if (const double found = filled_volume(mesh); !(std::fabs(found - volume) <= kSameVolume * volume)) {
    throw_error(
        "{}: the tets of {} have a volume of {:.6g} m^3, the surface one of {:.6g} m^3; it may cut through itself",
        source, mesher.program.string(), found, volume);
  }
  return mesh;
}

}  // namespace isopatch::detail
