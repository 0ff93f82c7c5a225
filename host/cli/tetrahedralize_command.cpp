// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "host/cli/commands.h"
#include "host/cli/mesher.h"
#include "host/files/output_file.h"
#include "host/text/quote.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/isopatch.h"

namespace isopatch::cli {

using namespace detail;

namespace {

/// Merges points with the same coordinates, which meshers refuse, and removes triangles that then have two equal
/// corners.
void weld(TriangleMesh& mesh) {
  std::map<Point3, std::int32_t> index;
  std::vector<std::int32_t> image;
  std::vector<Point3> points;
  for (const Point3& p : mesh.points) {
    const auto [found, is_new] = index.try_emplace(p, static_cast<std::int32_t>(points.size()));
    if (is_new) points.push_back(p);
    image.push_back(found->second);
  }
  for (Triangle& triangle : mesh.triangles) {
    for (std::int32_t& v : triangle) v = image[static_cast<std::size_t>(v)];
  }
  std::erase_if(mesh.triangles, [](const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
  mesh.points = std::move(points);
}

/// Removes the points that no triangle uses.
void drop_unused_points(TriangleMesh& mesh) {
  std::vector<std::int32_t> image(mesh.points.size(), -1);
  std::vector<Point3> points;
  for (Triangle& triangle : mesh.triangles) {
    for (std::int32_t& v : triangle) {
      std::int32_t& new_index = image[static_cast<std::size_t>(v)];
      if (new_index < 0) {
        new_index = static_cast<std::int32_t>(points.size());
        points.push_back(mesh.points[static_cast<std::size_t>(v)]);
      }
      v = new_index;
    }
  }
  mesh.points = std::move(points);
}

template <typename T>
void print_row(const char* name, const T& value, const std::string& note = "") {
  fmt::print("  {:<20}{:>14}{}{}\n", name, value, note.empty() ? "" : "  ", note);
}

}  // namespace

void tetrahedralize_command(const TetrahedralizeArguments& arguments) {
  const StandardArithmetic standard;
  if (arguments.edge_length && !(std::isfinite(*arguments.edge_length) && *arguments.edge_length > 0)) {
    throw Error(fmt::format("--edge-length: must be finite and greater than 0, found {}", *arguments.edge_length));
  }
  check_writable(arguments.output);
  TriangleMesh surface = read_triangle_mesh(arguments.input);
  const std::size_t points = surface.points.size(), triangles = surface.triangles.size();
  // checked unchanged first, so that errors name the indices in the file
  TriangleMesh as_in_file = surface;
  check_and_repair(as_in_file, arguments.input);
  weld(surface);
  const MeshReport report = check_and_repair(surface, arguments.input);
  drop_unused_points(surface);

  const Mesher mesher = find_mesher(arguments.mesher);
  TetMesh mesh = fill_with_tets(surface, report.volume, mesher, arguments.edge_length, arguments.input);
  const Geometry geometry = make_tet_mesh(arguments.output, std::move(mesh));
  write_vtk(geometry.mesh, arguments.output);

  fmt::print("{}\n", escaped(arguments.output));
  print_row("mesher", mesher.name, escaped(mesher.program.string()));
  print_row("surface", surface.triangles.size(),
            fmt::format("triangles of {} in the file, with {} of {} points", triangles, surface.points.size(), points));
  print_row("points", geometry.report.points, fmt::format("{} inside", geometry.report.interior_points));
  print_row("tets", geometry.report.tets,
            fmt::format("{} were split: all vertices on the surface", geometry.report.split_tets));
  print_row("volume", fmt::format("{:.6g}", geometry.report.volume), "m^3");
  print_row("smallest quality", fmt::format("{:.4f}", geometry.report.min_quality), "3 x inradius / circumradius");
}

}  // namespace isopatch::cli
