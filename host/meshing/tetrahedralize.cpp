// SPDX-License-Identifier: Apache-2.0
#include "host/meshing/tetrahedralize.h"

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "host/mesh/checks/geometry_check.h"
#include "host/mesh/topology/edge_table.h"
#include "host/mesh/topology/element_check.h"
#include "host/mesh/topology/surface_refinement.h"
#include "host/meshing/coarsening.h"
#include "host/text/throw_error.h"

namespace isopatch::detail {

namespace {

/// In edge lengths: the halves of an edge that is longer are nearer to the edge length than the whole.
constexpr double kLongestEdge = std::numbers::sqrt2;

/// Of coarsening, each with some fewer triangles.
constexpr std::size_t kTries = 8;
constexpr std::size_t kFewer = 32;  // a 32nd part of them

constexpr std::int64_t kFewestTriangles = 4;

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

void refuse_self_cuts(const TriangleMesh& mesh, const MeshReport& report, const std::string& source) {
  if (report.cut_triangles == 0) return;
  throw_error(
      "{}: {}, so it cannot be filled with tets; unite its parts, in Blender or by trimesh's boolean.union(), or cut "
      "the triangles there out and fill the holes in MeshLab",
      source, self_cuts_text(mesh, report));
}

Tetrahedralized fill(MesherInput input, std::size_t coarsened, const Mesher& mesher, std::optional<double> edge_length,
                     const std::string& name, const std::string& source, const std::function<void()>& check) {
  if (edge_length) refine(input.surface, kLongestEdge * *edge_length, source);
  TetMesh mesh = fill_with_tets(input.surface, input.volume, mesher, edge_length, source, check);
  return {make_tet_mesh(name, std::move(mesh)), coarsened, 0, input.surface.triangles.size(), ""};
}

}  // namespace

MesherInput mesher_input(TriangleMesh surface, const std::string& source) {
  check_indices(surface.triangles, surface.points.size(), source);
  TriangleMesh as_given = surface;
  weld(surface);
  // checked unchanged, so that errors name the indices that it came with; seams of points that are there twice are none
  if (open_edges(surface).edges > 0 || open_edges(as_given).edges == 0) {
    refuse_self_cuts(as_given, check_and_repair(as_given, source), source);
  }
  const MeshReport report = check_and_repair(surface, source);
  refuse_self_cuts(surface, report, source);
  drop_unused_points(surface);
  return {std::move(surface), report.volume};
}

Tetrahedralized tetrahedralize(MesherInput input, const Mesher& mesher, const MeshSize& size, const std::string& name,
                               const std::string& source, const std::function<void()>& check) {
  if (size.edge_length && !(std::isfinite(*size.edge_length) && *size.edge_length > 0)) {
    throw wrong_value(source + ": edge_length", fmt::format("{}", *size.edge_length),
                      "it must be finite and greater than 0");
  }
  const std::size_t before = input.surface.triangles.size();
  if (!size.triangles) return fill(std::move(input), before, mesher, size.edge_length, name, source, check);
  if (*size.triangles < kFewestTriangles) {
    throw wrong_value(source + ": triangles", fmt::format("{}", *size.triangles),
                      fmt::format("a closed surface has at least {}", kFewestTriangles));
  }
  const auto wanted = static_cast<std::size_t>(*size.triangles);
  if (before <= wanted) {
    Tetrahedralized made = fill(std::move(input), before, mesher, size.edge_length, name, source, check);
    made.note = fmt::format("the surface has only {} triangles, which stay as they are", before);
    return made;
  }
  for (std::size_t k = 0;; ++k) {
    TriangleMesh surface = input.surface;
    const double moved = coarsen(surface, wanted - k * wanted / kFewer, source);
    const std::size_t triangles = surface.triangles.size();
    const std::string coarser = fmt::format("{}, coarsened to {} triangles", source, triangles);
    try {
      Tetrahedralized made =
          fill(mesher_input(std::move(surface), coarser), triangles, mesher, size.edge_length, name, coarser, check);
      made.moved = moved;
      if (triangles > wanted) {
        made.note = fmt::format("fewer than {} would change what is connected", triangles);
      } else if (k > 0) {
        made.note = fmt::format("it has {}, since with more of them the surface would cut through itself", triangles);
      }
      return made;
    } catch (const Error&) {
      if (k + 1 == kTries) throw;
    }
  }
}

}  // namespace isopatch::detail
