// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/cli/commands.h"
#include "host/cli/info_table.h"
#include "host/cli/warnings.h"
#include "host/files/output_file.h"
#include "host/mesh/math/point_math.h"
#include "host/mesh/scale.h"
#include "host/mesh/topology/edge_table.h"
#include "host/mesh/topology/element_check.h"
#include "host/mesh/topology/surface_refinement.h"
#include "host/meshing/mesher.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/isopatch.h"

namespace isopatch::cli {

using namespace detail;

namespace {

/// In edge lengths: the halves of an edge that is longer are nearer to the edge length than the whole.
constexpr double kLongestEdge = std::numbers::sqrt2;

/// Removes the points that no triangle uses.
void drop_unused_points(TriangleMesh& mesh) {
  std::vector<std::int32_t> image(mesh.points.size(), -1);
  std::vector<Point3> points;
  for (Triangle& triangle : mesh.triangles) {
    for (std::int32_t& v : triangle) {
      std::int32_t& new_index = image[v];
      if (new_index < 0) {
        new_index = static_cast<std::int32_t>(points.size());
        points.push_back(mesh.points[v]);
      }
      v = new_index;
    }
  }
  mesh.points = std::move(points);
}

double longest_edge(const TetMesh& mesh) {
  double longest = 0;
  for (const Tet& tet : mesh.tets) {
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        longest = std::max(longest, norm(point_at(mesh, tet[i]) - point_at(mesh, tet[k])));
      }
    }
  }
  return longest;
}

}  // namespace

void tetrahedralize_command(const TetrahedralizeArguments& arguments) {
  const StandardArithmetic standard;
  if (arguments.edge_length && !(std::isfinite(*arguments.edge_length) && *arguments.edge_length > 0)) {
    throw_error("--edge-length: must be finite and greater than 0, found {}", *arguments.edge_length);
  }
  check_output("output", arguments.output, {".vtk"});
  TriangleMesh surface = read_triangle_mesh(arguments.input);
  const std::size_t points = surface.points.size(), triangles = surface.triangles.size();
  check_indices(surface.triangles, surface.points.size(), arguments.input);
  TriangleMesh as_in_file = surface;
  weld(surface);
  // checked unchanged, so that errors name the indices in the file; seams of points that are there twice are none
  if (open_edges(surface).edges > 0 || open_edges(as_in_file).edges == 0) check_and_repair(as_in_file, arguments.input);
  const MeshReport report = check_and_repair(surface, arguments.input);
  drop_unused_points(surface);
  print_doubt_of_units(arguments.input, longest_side(surface));

  const Mesher mesher = find_mesher(arguments.mesher);
  const std::string as_read =
      fmt::format("triangles of {} in the file, with {} of {} points", triangles, surface.points.size(), points);
  const std::size_t read = surface.triangles.size();
  if (arguments.edge_length) refine(surface, kLongestEdge * *arguments.edge_length, arguments.input);
  TetMesh mesh = fill_with_tets(surface, report.volume, mesher, arguments.edge_length, arguments.input);
  const Geometry geometry = make_tet_mesh(arguments.output, std::move(mesh));
  write_vtk(geometry.mesh, arguments.output);

  const MeshReport& made = geometry.report;
  fmt::print("{}\n", escaped(arguments.output));
  print_row("mesher", mesher.name, escaped(mesher.program.string()));
  print_row("surface", read, as_read);
  if (surface.triangles.size() > read) print_row("cut into", surface.triangles.size(), "triangles by --edge-length");
  print_row("points", made.points, fmt::format("{} inside", made.interior_points));
  print_row("crossing edges", made.crossing_edges, "of the mesher, through the inside from surface to surface");
  print_row("all-boundary tets", made.all_boundary_tets, "of the mesher");
  print_row("tets", made.tets, fmt::format("{} of the mesher were split: the layer split", made.split_tets));
  print_row("longest edge", fmt::format("{:.4g}", longest_edge(geometry.mesh)), "m");
  print_row("volume", fmt::format("{:.6g}", made.volume), "m^3");
  print_row("smallest quality", fmt::format("{:.4f}", made.min_quality), "3 x inradius / circumradius");
  print_row("mean quality", fmt::format("{:.4f}", made.mean_quality));
}

}  // namespace isopatch::cli
