// SPDX-License-Identifier: Apache-2.0
//
// The checks a triangle surface must pass before it can bound a rigid body.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "host/mesh/checks/geometry_check.h"
#include "host/mesh/checks/shells.h"
#include "host/mesh/math/point_math.h"
#include "host/mesh/topology/connectivity.h"
#include "host/mesh/topology/element_check.h"
#include "host/mesh/topology/point_merging.h"
#include "host/mesh/topology/triangle_tree.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "host/threads/work_counter.h"
#include "isopatch/geometry/triangle_mesh.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

// --- elements

void check_elements(const TriangleMesh& mesh, const std::string& source) {
  if (mesh.triangles.empty() && !mesh.points.empty()) {
    throw_error(
        "{}: the mesh has no triangles, only {} points; a closed surface is needed: make one of a point cloud in "
        "MeshLab or by PyVista's reconstruct_surface(), or take its convex hull",
        source, mesh.points.size());
  }
  check_counts(mesh.points.size(), mesh.triangles.size(), "triangles", "a closed surface", source);
  check_points(mesh.points, source);
  check_indices(mesh.triangles, mesh.points.size(), source);
}

/// Merges points if the surface is open and that closes it.
void merge_points(TriangleMesh& mesh) {
  if (is_closed(mesh.triangles)) return;
  const auto merged = close_within_rounding(mesh);
  if (!merged) return;
  mesh.notes.push_back(
      merged->distance == 0
          ? fmt::format("{} points were merged with others in the same place, which closed the surface", merged->points)
          : fmt::format("{} points were merged with others at most {:.3g} m from them, which closed the "
                        "surface",
                        merged->points, merged->distance));
}

/// Removes triangles with two corners at one point; returns their count.
std::int64_t remove_repeated_corners(TriangleMesh& mesh, const std::string& source) {
  const auto removed = static_cast<std::int64_t>(
      std::erase_if(mesh.triangles, [](const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; }));
  if (mesh.triangles.empty()) throw Error(source + ": no triangle has three corners; a closed surface is needed");
  return removed;
}

/// Removes pairs of triangles that lie back to back and enclose nothing; returns the count of removed triangles. Throws
/// for a duplicate that faces the same way, since its pressure would count twice.
std::int64_t remove_folds(TriangleMesh& mesh, const std::string& source) {
  const std::vector<std::pair<Triangle, std::size_t>> sorted = sorted_elements(mesh.triangles);
  std::vector<std::uint8_t> folded(mesh.triangles.size(), 0);
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].first != sorted[i - 1].first) continue;
    const std::size_t first = sorted[i - 1].second, second = sorted[i].second;
    if (folded[first] != 0) continue;
    if (is_even(mesh.triangles[first]) == is_even(mesh.triangles[second])) {
      throw_error("{}: {} is a duplicate of triangle {}; remove one", source, describe(second, mesh.triangles[second]),
                  first);
    }
    folded[first] = folded[second] = 1;
  }
  std::size_t index = 0;
  return static_cast<std::int64_t>(
      std::erase_if(mesh.triangles, [&](const Triangle&) { return folded[index++] != 0; }));
}

/// How an open surface can be closed.
std::string remedy(const TriangleMesh& mesh, const OpenEdges& open) {
  TriangleMesh merged = mesh;
  weld(merged);
  const std::int64_t left = open_edges(merged).edges;
  std::string merge = "merge points with the same coordinates, as trimesh's merge_vertices() does";
  const std::string fill = "fill the hole{}, in MeshLab or by PyVista's fill_holes()";
  if (left == 0) return merge + ", and turn the triangles that then run along an edge in the same direction";
  if (const auto distance = closing_distance(mesh)) {
    return fmt::format("points within {:.3g} m of each other merged would close it", *distance);
  }
  return (left < open.edges ? merge + ", and " : "") + fmt::format(fmt::runtime(fill), open.holes == 1 ? "" : "s");
}

[[noreturn]] void refuse_edge(const TriangleMesh& mesh, const EdgeUse* first, std::int64_t uses, const EdgeUse& clash,
                              const std::string& source) {
  const Point3 &a = point_at(mesh, first->low), &b = point_at(mesh, first->high);
  const std::string edge = fmt::format("{}: the edge from point {} ({}, {}, {}) to point {} ({}, {}, {})", source,
                                       first->low, a[0], a[1], a[2], first->high, b[0], b[1], b[2]);
  if (uses == 1) {
    const OpenEdges open = open_edges(mesh);
    throw_error(
        "{} belongs to triangle {} only, one of {} open edge{} around {} hole{}; the surface must be closed: {}", edge,
        first->triangle, open.edges, open.edges == 1 ? "" : "s", open.holes, open.holes == 1 ? "" : "s",
        remedy(mesh, open));
  }
  if (uses % 2 == 1) {
    throw_error("{} belongs to {} triangles, the first is triangle {}; an even number is needed", edge, uses,
                first->triangle);
  }
  throw_error(
      "{} has the same direction in triangles {} and {}; neighbours must run along it in opposite directions: turn one "
      "of them",
      edge, clash.triangle, (&clash)[1].triangle);
}

/// Throws unless along every edge as many triangles run one way as the other; returns the count of edges with more than
/// two triangles.
std::int64_t check_neighbours(const TriangleMesh& mesh, const std::string& source) {
  const std::vector<EdgeUse> edges = sorted_edges(mesh);
  std::int64_t of_many = 0;
  for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
    std::int64_t balance = 0;
    while (end < edges.size() && edges[end].low == edges[begin].low && edges[end].high == edges[begin].high) {
      balance += edges[end++].ascending ? 1 : -1;
    }
    // descending uses come first, so if their number is even but they are unbalanced, the first two or the last two are
    // alike
    const auto uses = static_cast<std::int64_t>(end - begin);
    if (balance != 0) refuse_edge(mesh, &edges[begin], uses, edges[balance < 0 || uses < 2 ? begin : end - 2], source);
    if (uses > 2) ++of_many;
  }
  return of_many;
}

// --- where the surface cuts through itself

/// Relative to the size of the mesh: above the rounding of coordinates, below any intended detail.
constexpr double kMargin = 1e-9;

/// The most pairs of neighbouring triangles that are tested, per triangle; a good mesh has 10 to 50.
constexpr std::size_t kMaxPairs = 500;

using Corners = std::array<Point3, 3>;

/// The heights of `other` over the plane of a triangle, and whether they are on both sides.
struct Sides {
  std::array<double, 3> height;
  bool both;
};

Sides sides_of(const Corners& triangle, const Point3& unit_normal, const Corners& other, double margin) {
  Sides sides = {};
  for (std::size_t i = 0; i < 3; ++i) sides.height[i] = dot(unit_normal, other[i] - triangle[0]);
  const auto ends = std::minmax_element(sides.height.begin(), sides.height.end());
  const double lowest = *ends.first, highest = *ends.second;
  sides.both = lowest < -margin && highest > margin;
  return sides;
}

Point3 unit_normal(const Corners& t) {
  const Point3 n = cross(t[1] - t[0], t[2] - t[0]);
  return (1 / norm(n)) * n;
}

/// Whether p, in the triangle's plane, is inside the triangle and farther than `margin` from its edges.
bool is_well_inside(const Corners& t, const Point3& normal, const Point3& p, double margin) {
  for (std::size_t i = 0; i < 3; ++i) {
    const Point3 edge = t[(i + 1) % 3] - t[i];
    if (!(dot(cross(normal, edge), p - t[i]) > margin * norm(edge))) return false;
  }
  return true;
}

/// Whether an edge of `other` passes through the triangle.
bool is_pierced(const Corners& triangle, const Point3& normal, const Corners& other, const Sides& sides,
                double margin) {
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t k = (i + 1) % 3;
    const double a = sides.height[i], b = sides.height[k];
    if (!(std::min(a, b) < -margin && std::max(a, b) > margin)) continue;
    if (is_well_inside(triangle, normal, other[i] + (a / (a - b)) * (other[k] - other[i]), margin)) return true;
  }
  return false;
}

bool cut_each_other(const Corners& a, const Corners& b, double margin) {
  const Point3 normal_a = unit_normal(a);
  const Sides of_b = sides_of(a, normal_a, b, margin);
  if (!of_b.both) return false;
  const Point3 normal_b = unit_normal(b);
  const Sides of_a = sides_of(b, normal_b, a, margin);
  if (!of_a.both) return false;
  return is_pierced(a, normal_a, b, of_b, margin) || is_pierced(b, normal_b, a, of_a, margin);
}

bool share_a_vertex(const Triangle& a, const Triangle& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

struct SelfCuts {
  std::int64_t triangles = 0;                    // that another triangle cuts
  std::array<std::int64_t, 2> first = {-1, -1};  // the pair with the lowest indices
  std::vector<std::uint8_t> shells;              // whether a shell is cut by another
};

/// Two triangles cut each other where an edge of one passes through the other, by more than 1e-9 of the mesh's `size`
/// on both sides and away from the other's edges: triangles that share a vertex, touch, or lie face to face within that
/// margin do not count. Tests triangles that are near each other, but not all of them if they are very many, as in a
/// bundle of needles.
SelfCuts find_self_cuts(const TriangleMesh& mesh, const TriangleTree& tree, const Shells& shells, double size) {
  const std::vector<Point3>& points = mesh.points;
  const std::vector<Triangle>& triangles = mesh.triangles;
  SelfCuts cuts;
  cuts.shells.resize(shells.count, 0);
  const auto corners = [&](std::size_t t) {
    const auto at = [&](std::size_t i) { return points[triangles[t][i]]; };
    return Corners{at(0), at(1), at(2)};
  };
  std::vector<Box> boxes(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (const Point3& p : corners(t)) boxes[t].add(p);
  }
  std::vector<std::uint8_t> is_cut(triangles.size(), 0);
  std::size_t left = kMaxPairs * triangles.size();
  WorkCounter counter;
  tree.for_each_near_pair([&](std::size_t a, std::size_t b) {
    counter.add(1);
    if (left-- == 0) return false;
    if (!boxes[a].overlaps(boxes[b]) || share_a_vertex(triangles[a], triangles[b]) ||
        !cut_each_other(corners(a), corners(b), kMargin * size)) {
      return true;
    }
    is_cut[a] = is_cut[b] = 1;
    if (const std::int32_t one = shells.of_triangle[a], other = shells.of_triangle[b]; one != other) {
      cuts.shells[one] = cuts.shells[other] = 1;
    }
    const std::array<std::int64_t, 2> pair = {static_cast<std::int64_t>(std::min(a, b)),
                                              static_cast<std::int64_t>(std::max(a, b))};
    if (cuts.first[0] < 0 || pair < cuts.first) cuts.first = pair;
    return true;
  });
  cuts.triangles = std::count(is_cut.begin(), is_cut.end(), 1);
  return cuts;
}

/// Finds cuts, and makes the shells those of the matter that they have together. `report` has the volume of the surface
/// as it is.
void repair_matter(TriangleMesh& mesh, double size, MeshReport& report) {
  const Shells shells = find_shells(mesh);
  const TriangleTree tree(mesh.points, mesh.triangles);
  SelfCuts cuts = find_self_cuts(mesh, tree, shells, size);
  const std::int64_t triangles = std::ssize(mesh.triangles);
  if (shells.count > 1) {
    const std::int64_t turned = repair_shells(mesh, shells, cuts.shells, tree);
    const bool removed = std::ssize(mesh.triangles) < triangles;
    if (turned == std::ssize(mesh.triangles)) report.flipped_triangles = turned;
    if (turned > 0 || removed) report.volume = volume_of(mesh);
    if (removed && cuts.triangles > 0) {
      cuts = find_self_cuts(mesh, TriangleTree(mesh.points, mesh.triangles), find_shells(mesh), size);
    }
  }
  if (report.volume < 0) {  // of one shell, or of shells that cut each other
    report.volume = -report.volume;
    report.flipped_triangles = std::ssize(mesh.triangles);
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  }
  report.cut_triangles = cuts.triangles;
  report.first_cut = cuts.first;
}

}  // namespace

std::string detail::self_cuts_text(const TriangleMesh& mesh, const MeshReport& report) {
  const auto cut = [&](std::int64_t t) {
    return describe(static_cast<std::size_t>(t), mesh.triangles[static_cast<std::size_t>(t)]);
  };
  return fmt::format("the surface cuts through itself at {} triangles, first at {} and {}", report.cut_triangles,
                     cut(report.first_cut[0]), cut(report.first_cut[1]));
}

MeshReport check_and_repair(TriangleMesh& mesh, const std::string& source) {
  const StandardArithmetic standard;
  check_elements(mesh, source);
  merge_points(mesh);

  MeshReport report;
  check_cancelled();
  report.flat_triangles = remove_repeated_corners(mesh, source);
  report.duplicate_triangles = remove_folds(mesh, source);
  if (mesh.triangles.empty()) throw Error(source + ": all triangles lie back to back; a body with an inside is needed");
  check_cancelled();
  report.nonmanifold_edges = check_neighbours(mesh, source);
  report.volume = volume_of(mesh);
  const double size = check_size(mesh.points, mesh.triangles, source);
  report.flat_triangles += static_cast<std::int64_t>(
      std::erase_if(mesh.triangles, [&](const Triangle& t) { return is_flat(mesh.points, t); }));
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) check_edges(mesh.points, mesh.triangles[i], i, source);

  check_cancelled();
  if (!mesh.triangles.empty()) repair_matter(mesh, size, report);
  if (!(std::fabs(report.volume) > kFlat * size * size * size)) {
    throw_error("{}: the surface encloses a volume of {} m^3; a body with an inside is needed", source, report.volume);
  }

  const std::vector<std::uint8_t> used = used_points(mesh.triangles, mesh.points.size());
  report.points = std::ssize(mesh.points);
  report.boundary_triangles = std::ssize(mesh.triangles);
  report.unused_points = report.points - std::accumulate(used.begin(), used.end(), std::int64_t{0});
  return report;
}

}  // namespace isopatch
