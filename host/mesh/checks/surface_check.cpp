// SPDX-License-Identifier: Apache-2.0
//
// The checks a triangle surface must pass before it can bound a rigid body.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "host/mesh/checks/self_cuts.h"
#include "host/mesh/math/point_math.h"
#include "host/mesh/topology/element_check.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/error.h"
#include "isopatch/geometry/triangle_mesh.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

const Point3& corner(const TriangleMesh& mesh, std::int32_t index) {
  return mesh.points[static_cast<std::size_t>(index)];
}

void check_counts(const TriangleMesh& mesh, const std::string& source) {
  if (mesh.triangles.empty()) throw Error(source + ": the mesh has no triangles; a closed surface is needed");
  for (const std::size_t count : {mesh.points.size(), mesh.triangles.size()}) {
    if (static_cast<std::int64_t>(count) > limits::kMaxElements) {
      throw Error(fmt::format("{}: {} elements; at most {} points and triangles can be indexed", source, count,
                              limits::kMaxElements));
    }
  }
}

void check_vertices(const TriangleMesh& mesh, const std::string& source) {
  check_indices(mesh.triangles, mesh.points.size(), source);
  for (std::size_t index = 0; index < mesh.triangles.size(); ++index) {
    const Triangle& t = mesh.triangles[index];
    for (std::size_t i = 0; i < 3; ++i) {
      if (t[i] != t[(i + 1) % 3]) continue;
      throw Error(fmt::format("{}: {} has vertex {} twice; the three must differ", source, describe(index, t), t[i]));
    }
  }
}

/// Whether the triangle is an even permutation of its sorted vertices.
bool is_even(const Triangle& t) { return (t[0] < t[1]) == ((t[1] < t[2]) == (t[0] < t[2])); }

/// Removes pairs of triangles that lie back to back and enclose nothing; returns the count of removed triangles. Throws
/// for a duplicate that faces the same way, since its pressure would count twice.
std::int64_t remove_folds(TriangleMesh& mesh, const std::string& source) {
  std::vector<std::pair<Triangle, std::size_t>> sorted;
  sorted.reserve(mesh.triangles.size());
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    sorted.emplace_back(mesh.triangles[i], i);
    std::sort(sorted.back().first.begin(), sorted.back().first.end());
  }
  std::sort(sorted.begin(), sorted.end());

  std::vector<std::uint8_t> folded(mesh.triangles.size(), 0);
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].first != sorted[i - 1].first) continue;
    const std::size_t first = sorted[i - 1].second, second = sorted[i].second;
    if (folded[first] != 0) continue;
    if (is_even(mesh.triangles[first]) == is_even(mesh.triangles[second])) {
      throw Error(fmt::format("{}: {} is a duplicate of triangle {}; remove one", source,
                              describe(second, mesh.triangles[second]), first));
    }
    folded[first] = folded[second] = 1;
  }
  std::size_t index = 0;
  return static_cast<std::int64_t>(
      std::erase_if(mesh.triangles, [&](const Triangle&) { return folded[index++] != 0; }));
}

/// One triangle's use of an edge.
struct EdgeUse {
  std::int32_t low, high;  // its vertices
  bool ascending;          // whether the triangle runs from low to high
  std::int32_t triangle;
};

std::vector<EdgeUse> sorted_edges(const TriangleMesh& mesh) {
  std::vector<EdgeUse> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int32_t from = mesh.triangles[t][i], to = mesh.triangles[t][(i + 1) % 3];
      edges.push_back({std::min(from, to), std::max(from, to), from < to, static_cast<std::int32_t>(t)});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const EdgeUse& a, const EdgeUse& b) {
    return std::tie(a.low, a.high, a.ascending, a.triangle) < std::tie(b.low, b.high, b.ascending, b.triangle);
  });
  return edges;
}

[[noreturn]] void refuse_edge(const TriangleMesh& mesh, const EdgeUse* first, std::int64_t uses, const EdgeUse& clash,
                              const std::string& source) {
  const Point3 &a = corner(mesh, first->low), &b = corner(mesh, first->high);
  const std::string edge = fmt::format("{}: the edge from point {} ({}, {}, {}) to point {} ({}, {}, {})", source,
                                       first->low, a[0], a[1], a[2], first->high, b[0], b[1], b[2]);
  if (uses == 1) {
    throw Error(
        fmt::format("{} belongs to triangle {} only; the surface must be closed, with two triangles at each edge", edge,
                    first->triangle));
  }
  if (uses % 2 == 1) {
    throw Error(fmt::format("{} belongs to {} triangles, the first is triangle {}; an even number is needed", edge,
                            uses, first->triangle));
  }
  throw Error(
      fmt::format("{} has the same direction in triangles {} and {}; neighbours must run along it in opposite "
                  "directions: turn one of them",
                  edge, clash.triangle, (&clash)[1].triangle));
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

double enclosed_volume(const TriangleMesh& mesh) {
  // about a point of the mesh, so that a mesh far from the origin loses no digits
  const Point3& origin = corner(mesh, mesh.triangles[0][0]);
  double six_v = 0;
  for (const Triangle& t : mesh.triangles) {
    six_v += six_volumes(origin, corner(mesh, t[0]), corner(mesh, t[1]), corner(mesh, t[2]));
  }
  return six_v / 6;
}

}  // namespace

MeshReport check_and_repair(TriangleMesh& mesh, const std::string& source) {
  const StandardArithmetic standard;
  check_counts(mesh, source);
  check_points(mesh.points, source);
  check_vertices(mesh, source);

  MeshReport report;
  report.duplicate_triangles = remove_folds(mesh, source);
  if (mesh.triangles.empty()) throw Error(source + ": all triangles lie back to back; a body with an inside is needed");
  report.nonmanifold_edges = check_neighbours(mesh, source);
  report.volume = enclosed_volume(mesh);
  const double size = check_size(mesh.points, mesh.triangles, source);
  if (!(std::fabs(report.volume) > kFlat * size * size * size)) {
    throw Error(fmt::format("{}: the surface encloses a volume of {} m^3; a body with an inside is needed", source,
                            report.volume));
  }
  if (report.volume < 0) {
    report.volume = -report.volume;
    report.flipped_triangles = static_cast<std::int64_t>(mesh.triangles.size());
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  }
  report.flat_triangles = static_cast<std::int64_t>(
      std::erase_if(mesh.triangles, [&](const Triangle& t) { return is_flat(mesh.points, t); }));
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) check_edges(mesh.points, mesh.triangles[i], i, source);

  const SelfCuts cuts = find_self_cuts(mesh.points, mesh.triangles, size);
  report.cut_triangles = cuts.triangles;
  report.first_cut = cuts.first;

  std::vector<std::uint8_t> used(mesh.points.size(), 0);
  for (const Triangle& t : mesh.triangles) {
    for (const std::int32_t v : t) used[static_cast<std::size_t>(v)] = 1;
  }
  report.points = static_cast<std::int64_t>(mesh.points.size());
  report.boundary_triangles = static_cast<std::int64_t>(mesh.triangles.size());
  report.unused_points = report.points - std::accumulate(used.begin(), used.end(), std::int64_t{0});
  return report;
}

}  // namespace isopatch
