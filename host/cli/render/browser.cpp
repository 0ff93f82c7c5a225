// SPDX-License-Identifier: Apache-2.0
#include "host/cli/render/browser.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "host/files/output_file.h"
#include "host/files/process.h"
#include "isopatch/error.h"

namespace isopatch::cli {

using namespace detail;

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
