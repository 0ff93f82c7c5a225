// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "host/cli/commands.h"
#include "host/cli/info_table.h"
#include "host/cli/process/progress.h"
#include "host/cli/render/other_programs.h"
#include "host/cli/render/picture_frames.h"
#include "host/cli/warnings.h"
#include "host/files/input_file.h"
#include "host/files/output_file.h"
#include "host/render/glb.h"
#include "host/render/page.h"
#include "host/render/render.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"
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
  std::vector<std::string> glbs;
  std::vector<std::int64_t> environments;  // their numbers

  std::string page() const { return page_of({glbs.begin(), glbs.end()}, environments, title); }
};

std::string frames_text(const std::vector<Frames>& environments) {
  const Frames& first = environments.front();
  if (first.times.empty()) return first.count() > 1 ? fmt::format("{} environments", first.count()) : "1";
  const std::string whose = environments.size() > 1 ? fmt::format("each of {} environments", environments.size())
                                                    : fmt::format("environment {}", first.environment);
  return fmt::format("{} of {}, {:g} to {:g} s", first.count(), whose, first.times.front(), first.times.back());
}

Picture drawn_picture(const RenderArguments& arguments) {
  require_render();
  PictureSource source = picture_source(arguments);
  const std::vector<Frames>& environments = source.environments;
  if (environments.size() > 1 && !arguments.output.empty() && !arguments.output.ends_with(".html")) {
    throw_error("--env {}: {} shows one environment of a rollout; name one, or write a page (.html), which shows all",
                arguments.env, arguments.output);
  }
  if (!arguments.output.empty()) check_writable(arguments.output);  // now that the inputs are known
  for (const Geometry& geometry : source.scene.geometries) {
    for (const std::string& warning : geometry.warnings) print_warning(warning);
  }
  const HostEvaluator evaluator(Scene(std::move(source.scene)), {.is_cancelled = interrupted});
  Progress progress(count_of(environments), "frames");
  const FrameContacts contacts =
      evaluated_contacts(evaluator, environments, [&progress](std::int64_t done) { progress.update(done); });
  Picture picture;
  picture.name = source.name;
  picture.title = source.title;
  picture.frames = frames_text(environments);
  for (const Frames& frames : environments) picture.environments.push_back(frames.environment);
  picture.glbs = glbs_of(evaluator.scene().description(), environments, contacts.all(), source.title);
  progress.update(count_of(environments));
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
    bytes = picture.page();
  } else if (is_drawn_by_python(arguments.output)) {
    const Interruptible interruptible;
    bytes = python_picture(picture.glbs[0], arguments.output, [&interruptible] { interruptible.check(); });
  } else {
    bytes = picture.glbs[0];
  }
  write_output_file(arguments.output, bytes);
  print_picture(arguments.output, picture, bytes.size());
}

void view_command(const RenderArguments& arguments) {
  const StandardArithmetic standard;
  const Picture picture = drawn_picture(arguments);
  const std::string page = picture.page();
  const std::string path = write_temporary_page(picture.name, page);
  print_picture(path, picture, page.size());
  const std::string problem = open_in_browser(path);
  if (!problem.empty()) print_warning("the page was not opened in a browser: " + problem + "; open the file by hand");
}

}  // namespace isopatch::cli
