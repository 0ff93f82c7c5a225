// SPDX-License-Identifier: Apache-2.0
#include "host/cli/render/other_programs.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "host/files/input_file.h"
#include "host/files/output_file.h"
#include "host/files/process.h"
#include "host/render/frames.h"
#include "host/text/throw_error.h"
#include "isopatch/error.h"

namespace isopatch::cli {

using namespace detail;

namespace {

/// The Python that runs this program, if one does, or the first on PATH.
std::optional<std::filesystem::path> find_python() {
  const char* own = std::getenv("ISOPATCH_PYTHON");
  if (own != nullptr && *own != '\0') return own;
  for (const char* name : {"python3", "python"}) {
    if (auto found = find_program(name)) return found;
  }
  return std::nullopt;
}

}  // namespace

bool is_drawn_by_python(const std::string& path) {
  return path.ends_with(".png") || path.ends_with(".mp4") || path.ends_with(".gif");
}

std::string python_picture(std::string_view glb, const std::string& path, const std::function<void()>& check) {
  static constexpr const char* kInstall = "pip install \"isopatch[pictures]\"";
  const auto python = find_python();
  if (!python) throw_error("{}: needs Python, which is not on PATH, with the package: {}", path, kInstall);
  const TemporaryFolder folder("isopatch_picture_");
  write_output_file(folder.file("picture.glb"), glb);
  const std::string drawn = folder.file(("drawn" + path.substr(path.size() - 4)).c_str());
  const auto [problem, last_line] =
      run_process(*python, {"-m", "isopatch._src.picture.draw", folder.file("picture.glb"), drawn}, check);
  if (!problem.empty()) {
    const bool is_missing =
        last_line.starts_with("ModuleNotFoundError") || last_line.find("No module named") != std::string::npos;
    if (is_missing) {
      throw_error("{}: {} has no package that draws it: {}", path, python->string(), kInstall);
    }
    throw_error("{}: {}", path, last_line.empty() ? python->string() + " " + problem : last_line);
  }
  return read_input_file(drawn, static_cast<std::uint64_t>(kMaxPictureBytes));
}

std::string write_temporary_page(const std::string& name, const std::string& page) {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) throw Error("the folder for temporary files: " + error.message(), ErrorKind::kFile);
  std::string folder = (parent / "isopatch_view_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw Error(folder + ": " + std::strerror(errno), ErrorKind::kFile);
  std::string path = (std::filesystem::path(folder) / (name + ".html")).string();
  write_output_file(path, page);
  return path;
}

std::string open_in_browser(const std::string& path) {
  const char* chosen = std::getenv("BROWSER");
  if (chosen != nullptr && *chosen != '\0') {
    const auto program = find_program(chosen);
    return start_process(program ? *program : std::filesystem::path(chosen), {path});
  }
  for (const char* name : {"xdg-open", "sensible-browser", "x-www-browser", "open"}) {
    if (const auto program = find_program(name)) return start_process(*program, {path});
  }
  return "neither xdg-open nor another program that opens pages is on PATH";
}

}  // namespace isopatch::cli
