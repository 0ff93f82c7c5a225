// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "host/cli/commands.h"
#include "host/files/output_file.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/isopatch.h"

namespace isopatch::cli {

using namespace detail;

namespace {

FieldOptions options_of(const FieldArguments& arguments) {
  FieldOptions options;
  const int cores =
      int{arguments.core_depth.has_value()} + int{!arguments.core_ball.empty()} + int{!arguments.core_vertices.empty()};
  if (cores > 1) throw Error("--core-depth, --core-ball and --core-vertices exclude each other; give one");
  if (arguments.true_strain && arguments.power) throw Error("--true-strain and --power exclude each other; give one");
  if (arguments.kind == "laplace") {
    options.kind = FieldOptions::Kind::kLaplace;
  } else if (cores > 0) {
    throw Error("a core is part of a laplace field; add --kind laplace");
  }

  if (arguments.core_depth) {
    if (!(std::isfinite(*arguments.core_depth) && *arguments.core_depth > 0)) {
      throw_error("--core-depth: must be finite and greater than 0, found {}", *arguments.core_depth);
    }
    options.core.kind = FieldCore::Kind::kDepth;
    options.core.depth = *arguments.core_depth;
  } else if (!arguments.core_ball.empty()) {
    const auto& ball = arguments.core_ball;
    options.core.kind = FieldCore::Kind::kBall;
    options.core.center = {ball[0], ball[1], ball[2]};
    options.core.radius = ball[3];
    const bool finite = std::all_of(ball.begin(), ball.end(), [](double value) { return std::isfinite(value); });
    if (!finite || !(ball[3] > 0)) {
      throw_error("--core-ball: must be a finite center and a radius greater than 0, found {}", fmt::join(ball, " "));
    }
  } else if (!arguments.core_vertices.empty()) {
    options.core.kind = FieldCore::Kind::kVertices;
    options.core.vertices = arguments.core_vertices;
  }
  if (arguments.true_strain) {
    options.strain.kind = StrainMap::Kind::kTrue;
    options.strain.parameter = *arguments.true_strain;
  } else if (arguments.power) {
    options.strain.kind = StrainMap::Kind::kPower;
    options.strain.parameter = *arguments.power;
  }
  check_strain_map(options.strain);
  return options;
}

/// Other programs show names as they are, so only printable characters are allowed.
void check_name(const std::string& name) {
  constexpr std::size_t kLongest = 60;
  if (name.empty() || name.size() > kLongest || escaped(name) != name) {
    throw_error("--name: must be 1 to {} bytes of printable characters, found {}", kLongest, in_quotes(name));
  }
}

template <typename T>
void print_row(const char* name, const T& value, const char* note = "") {
  fmt::print("  {:<22}{:>12}{}{}\n", name, value, *note != '\0' ? "  " : "", note);
}

}  // namespace

void field_command(const FieldArguments& arguments) {
  const StandardArithmetic standard;
  const FieldOptions options = options_of(arguments);
  check_name(arguments.name);
  check_output("output", arguments.output, {".vtk"});
  Geometry geometry = make_tet_mesh(arguments.input, read_vtk(arguments.input), options);
  const FieldQuality quality = measure_field(geometry.mesh, geometry.surface, geometry.extent);
  geometry.mesh.point_data[arguments.name] = geometry.extent;
  write_vtk(geometry.mesh, arguments.output);

  fmt::print("{}\n", escaped(arguments.output));
  print_row("points", geometry.report.points);
  print_row("tets", geometry.report.tets);
  print_row("points below 1", quality.free_points, "inside, with an extent between 0 and 1");
  print_row("aligned faces", fmt::format("{:.1f} %", 100 * quality.aligned_faces),
            "of the surface: mean gradient at the corners within 30 degrees of the normal");
  print_row("all-boundary tets", quality.all_boundary_tets);
  print_row("tets without gradient", quality.tets_without_gradient);
  print_row("kinks", quality.kinks,
            fmt::format("of {} inner faces: the gradient turns by more than 60 degrees, or ends", quality.inner_faces)
                .c_str());
  for (const std::string& warning : geometry.warnings) fmt::print("  warning: {}\n", message_text(warning));
}

}  // namespace isopatch::cli
