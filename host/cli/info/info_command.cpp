// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <utility>

#include "host/cli/commands.h"
#include "host/cli/info/mesh_advice.h"
#include "host/cli/info_table.h"
#include "host/cli/warnings.h"
#include "host/hierarchy/hierarchy.h"
#include "host/mesh/checks/geometry_check.h"
#include "host/mesh/files/mesh_files.h"
#include "host/mesh/math/point_math.h"
#include "host/mesh/scale.h"
#include "host/scene_file/robot_file.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/isopatch.h"

namespace isopatch::cli {

using namespace detail;

namespace {

void print_hierarchy(const Geometry& geometry) {
  const HierarchyStatistics hierarchy = hierarchy_statistics(geometry);
  print_row("hierarchy", hierarchy.nodes, fmt::format("nodes, {} leaves, depth {}", hierarchy.leaves, hierarchy.depth));
}

void print_points(const MeshReport& report) {
  print_row("points", report.points, report.unused_points > 0 ? fmt::format("{} unused", report.unused_points) : "");
}

void print_mass_properties(const Geometry& geometry) {
  const auto [x, y, z, xx, yy, zz, xy, xz, yz] = mass_numbers(mass_properties(geometry));
  print_row("volume", fmt::format("{:.6g}", geometry.report.volume), "m^3");
  print_row("center of mass", fmt::format("{} {} {}", x, y, z), "m");
  print_row("inertia xx yy zz", fmt::format("{} {} {}", xx, yy, zz), "kg m^2 about the center, at 1 kg/m^3");
  print_row("inertia xy xz yz", fmt::format("{} {} {}", xy, xz, yz), "kg m^2");
}

/// The checked surface. If it is refused, what is known of it stands before the error.
Geometry checked_surface(const std::string& file, TriangleMesh mesh) {
  const std::size_t points = mesh.points.size(), triangles = mesh.triangles.size();
  Box box;
  for (const Point3& p : mesh.points) box.add(p);
  try {
    return make_surface_mesh(file, std::move(mesh));
  } catch (const Error&) {
    fmt::print("{}\n", escaped(file));
    print_row("points", points);
    print_row("triangles", triangles);
    if (points > 0) {
      print_row("lowest x y z", fmt::format("{:g} {:g} {:g}", box.low[0], box.low[1], box.low[2]), "m");
      print_row("highest x y z", fmt::format("{:g} {:g} {:g}", box.high[0], box.high[1], box.high[2]), "m");
    }
    std::fflush(stdout);
    throw;
  }
}

void surface_info(const std::string& file) {
  const Geometry geometry = checked_surface(file, read_triangle_mesh(file));
  const MeshReport& report = geometry.report;

  fmt::print("{}\n", escaped(file));
  print_points(report);
  print_row("triangles", report.boundary_triangles, "a closed surface, for rigid bodies");
  print_row("non-manifold edges", report.nonmanifold_edges, "with more than two triangles");
  print_mass_properties(geometry);
  print_hierarchy(geometry);
  print_warnings(geometry.warnings);
  print_doubt_of_units(file, longest_side(geometry));
}

void print_field(const Geometry& geometry, const std::string& name) {
  const auto [lowest, highest] = std::minmax_element(geometry.extent.begin(), geometry.extent.end());
  const FieldQuality quality = measure_field(geometry.mesh, geometry.surface, geometry.extent);
  print_row("field", name, fmt::format("from {:g} to {:g}", *lowest, *highest));
  print_row("without pressure", count_tets_without_extent(geometry.mesh, geometry.extent), "tets");
  print_row("aligned faces", fmt::format("{:.1f} %", 100 * quality.aligned_faces),
            "of the surface: mean gradient within 30 degrees of the normal");
  print_row("kinks", quality.kinks, fmt::format("of {} inner faces", quality.inner_faces));
}

void mesh_info(const std::string& file, const std::string& field) {
  TetMesh mesh = read_tet_mesh(file);
  std::string fields;
  for (const auto& [name, values] : mesh.point_data) fields += (fields.empty() ? "" : ", ") + escaped(name);

  FieldOptions options;
  options.kind = field == "distance"  ? FieldOptions::Kind::kDistance
                 : field == "laplace" ? FieldOptions::Kind::kLaplace
                                      : FieldOptions::Kind::kPointData;
  options.point_data = field;
  const Geometry geometry = make_tet_mesh(file, std::move(mesh), options);
  const std::vector<double> depths = distance_to_surface(geometry.mesh, geometry.surface);
  const MeshReport& report = geometry.report;

  fmt::print("{}\n", escaped(file));
  print_points(report);
  print_row("tets", report.tets, report.inverted_tets > 0 ? fmt::format("{} were inverted", report.inverted_tets) : "");
  const bool was_split = report.split_tets > 0;
  print_row("crossing edges", report.crossing_edges,
            fmt::format("through the inside from surface to surface{}", was_split ? ", as found" : ""));
  print_row("all-boundary tets", report.all_boundary_tets, was_split ? "as found" : "");
  if (was_split) print_row("split tets", report.split_tets, "by the layer split");
  print_row("boundary triangles", report.boundary_triangles);
  print_row("interior points", report.interior_points);
  print_mass_properties(geometry);
  print_row("largest depth",
            fmt::format("{:.6g}", depths.empty() ? 0 : *std::max_element(depths.begin(), depths.end())),
            "m, of a vertex");
  print_row("smallest quality", fmt::format("{:.4f}", report.min_quality), "3 x inradius / circumradius");
  print_row("mean quality", fmt::format("{:.4f}", report.mean_quality));
  print_hierarchy(geometry);
  if (!fields.empty()) fmt::print("  {:<20}{}\n", "point data", fields);
  print_field(geometry, escaped(field));
  print_warnings(geometry.warnings);
  print_doubt_of_units(file, longest_side(geometry));
}

}  // namespace

void info_command(const std::vector<std::string>& files, const std::string& field,
                  const std::optional<std::string>& data, std::optional<double> within) {
  const StandardArithmetic standard;
  if (within && !(*within > 0 && *within < 1)) {
    throw_error("--within: must be greater than 0 and less than 1, as 0.01 for 1 %, found {}", *within);
  }
  for (const std::string& file : files) {
    if (&file != &files.front()) fmt::print("\n");
    const std::string extension = extension_of(file);
    if (is_tet_mesh_file(file)) {
      mesh_info(file, field);
    } else if (is_surface_file(file)) {
      surface_info(file);
    } else if (extension == ".json" || is_robot_extension(extension)) {
      scene_info(file, data);
    } else {
      const std::string advice = advice_for_format(file);
      throw Error(file + ": " +
                  (advice.empty()
                       ? "info reads .vtk, .vtu, .msh, .obj, .stl, .ply, .off, .glb and .gltf meshes and .json scenes"
                       : advice));
    }
    if (within) print_mesh_advice(file, data, *within);
  }
}

}  // namespace isopatch::cli
