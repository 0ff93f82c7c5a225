// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "host/cli/commands.h"
#include "host/cli/info_table.h"
#include "host/cli/process/progress.h"
#include "host/cli/render/browser.h"
#include "host/cli/render/picture_frames.h"
#include "host/cli/render/python_picture.h"
#include "host/cli/warnings.h"
#include "host/files/input_file.h"
#include "host/files/output_file.h"
#include "host/render/glb.h"
#include "host/render/page.h"
#include "host/render/render.h"
#include "host/text/quote.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/host_evaluator.h"

namespace isopatch::cli {

using namespace detail;

namespace {

/// A picture in the one format that all others are made of.
struct Picture {
  std::string name;    // of the scene, without the ending
  std::string title;   // the names of its files
  std::string frames;  // what there is, in words
  std::string glb;
};

Picture drawn_picture(const RenderArguments& arguments) {
  require_render();
  PictureSource source = picture_source(arguments);
  if (!arguments.output.empty()) check_writable(arguments.output);  // now that the inputs are known
  const Frames& frames = source.frames;
  for (const Geometry& geometry : source.scene.geometries) {
    for (const std::string& warning : geometry.warnings) print_warning(warning);
  }
  const HostEvaluator evaluator(Scene(std::move(source.scene)), {.is_cancelled = interrupted});
  Progress progress(frames.count(), "frames");
  const FrameContacts contacts =
      evaluated_contacts(evaluator, frames, [&progress](std::int64_t done) { progress.update(done); });
  Picture picture;
  picture.name = source.name;
  picture.title = source.title;
  picture.glb = glb_of(evaluator.scene().description(), frames, contacts.all(), source.title);
  progress.update(frames.count());
  if (!frames.times.empty()) {
    picture.frames =
        fmt::format("of environment {}, {:g} to {:g} s", frames.environment, frames.times.front(), frames.times.back());
  } else if (frames.count() > 1) {
    picture.frames = "environments";
  }
  picture.frames = fmt::format("{} {}", frames.count(), picture.frames);
  return picture;
}

void print_picture(const std::string& path, const Picture& picture, std::size_t bytes) {
  fmt::print("{}\n", escaped(path));
  print_row("frames", picture.frames);
  print_row("size", fmt::format("{:.2f}", static_cast<double>(bytes) / 1e6), "MB");
}

}  // namespace

void render_command(const RenderArguments& given) {
  const StandardArithmetic standard;
  RenderArguments arguments = given;
  if (arguments.output.empty()) {
    arguments.output = std::filesystem::path(arguments.source).replace_extension(".html").string();
  }
  check_output("--output", arguments.output, {".html", ".glb", ".png", ".mp4", ".gif"});
  const KeptInputs kept;
  const Picture picture = drawn_picture(arguments);
  std::string bytes;
  if (arguments.output.ends_with(".html")) {
    bytes = page_of(picture.glb, picture.title);
  } else if (is_drawn_by_python(arguments.output)) {
    const Interruptible interruptible;
    bytes = python_picture(picture.glb, arguments.output, [&interruptible] { interruptible.check(); });
  } else {
    bytes = picture.glb;
  }
  write_output_file(arguments.output, bytes);
  print_picture(arguments.output, picture, bytes.size());
}

void view_command(const RenderArguments& arguments) {
  const StandardArithmetic standard;
  const Picture picture = drawn_picture(arguments);
  const std::string page = page_of(picture.glb, picture.title);
  const std::string path = write_temporary_page(picture.name, page);
  print_picture(path, picture, page.size());
  const std::string problem = open_in_browser(path);
  if (!problem.empty()) print_warning("the page was not opened in a browser: " + problem + "; open the file by hand");
}

}  // namespace isopatch::cli
