// SPDX-License-Identifier: Apache-2.0
#include "host/cli/batch_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/cli/warnings.h"
#include "host/meshing/interrupt.h"
#include "host/text/quote.h"
#include "isopatch/status.h"

namespace isopatch::cli {

using namespace detail;

namespace {

const char* backend_name(Backend backend) {
  return backend == Backend::kCuda ? "cuda" : backend == Backend::kReference ? "reference" : "cpu";
}

}  // namespace

EvaluatorOptions evaluator_options(const BatchArguments& arguments) {
  EvaluatorOptions options;
  if (arguments.backend == "cuda" || (arguments.backend == "auto" && cuda_available())) {
    options.backend = Backend::kCuda;
  }
  if (arguments.backend == "reference") options.backend = Backend::kReference;
  if (arguments.precision == "double") options.precision = Precision::kDouble;
  options.num_threads = arguments.threads;
  options.is_cancelled = interrupted;
  return options;
}

void print_warnings(const SceneDescription& scene) {
  for (const Geometry& geometry : scene.geometries) {
    for (const std::string& warning : geometry.warnings) print_warning(geometry.name + ": " + warning);
  }
}

void print_heading(const BatchArguments& arguments, const SceneDescription& scene, const EvaluatorOptions& options) {
  fmt::print("scene             {}: {} {}, {} {}\n", escaped(arguments.scene), scene.bodies.size(),
             scene.bodies.size() == 1 ? "body" : "bodies", scene.pairs->size(),
             scene.pairs->size() == 1 ? "pair" : "pairs");
  const bool is_double = options.precision == Precision::kDouble || options.backend == Backend::kReference;
  fmt::print("backend           {}, {}\n", backend_name(options.backend), is_double ? "double" : "float");
}

void print_row(const char* name, const std::string& value, const std::string& note) {
  fmt::print("{:<18}{:>16}{}{}\n", name, value, note.empty() ? "" : "   ", note);
}

void print_status(const BatchArguments& arguments, const char* name, const std::vector<std::uint32_t>& status) {
  std::string bits;
  for (std::uint32_t bit = 1; bit != 0; bit <<= 1) {
    const auto is_set = [bit](std::uint32_t word) { return (word & bit) != 0; };
    const auto first = std::find_if(status.begin(), status.end(), is_set);
    if (first == status.end()) continue;
    bits += fmt::format("{}{} in {}, first in environment {}", bits.empty() ? "" : "; ", status_text(bit),
                        std::count_if(first, status.end(), is_set), arguments.first + (first - status.begin()));
  }
  const auto bad = std::count_if(status.begin(), status.end(), [](std::uint32_t word) { return word != kOk; });
  print_row(name, fmt::to_string(bad), bits);
}

void print_environments(const BatchArguments& arguments, std::int64_t num_environments) {
  print_row("environments", fmt::to_string(num_environments),
            arguments.first > 0 ? fmt::format("from {} on", arguments.first) : "");
}

}  // namespace isopatch::cli
