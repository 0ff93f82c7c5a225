// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/topology/connectivity.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "host/mesh/math/point_math.h"
#include "host/mesh/topology/element_check.h"
#include "host/mesh/topology/point_index.h"
#include "host/threads/parallel_for.h"

namespace isopatch::detail {
namespace {

/// Of two faces in one row.
bool comes_before(const FaceUse& a, const FaceUse& b) {
  if (a.sorted[1] != b.sorted[1]) return a.sorted[1] < b.sorted[1];
  if (a.sorted[2] != b.sorted[2]) return a.sorted[2] < b.sorted[2];
  return a.tet < b.tet;  // the four faces of a tet differ
}

/// The face's vertices in ascending order; a call of std::sort() costs more than these.
Triangle ascending(Triangle t) {
  if (t[1] < t[0]) std::swap(t[0], t[1]);
  if (t[2] < t[1]) std::swap(t[1], t[2]);
  if (t[1] < t[0]) std::swap(t[0], t[1]);
  return t;
}

/// The vertex of each face of a tet that is first in ascending order.
std::array<std::int32_t, 4> first_vertices(const Tet& tet) {
  const std::int32_t ab = std::min(tet[0], tet[1]), cd = std::min(tet[2], tet[3]);
  return {std::min(tet[1], cd), std::min(tet[0], cd), std::min(ab, tet[3]), std::min(ab, tet[2])};
}

std::size_t first_vertex(const Tet& tet) { return static_cast<std::size_t>(tet[0]); }

}  // namespace

bool is_even(const Triangle& t) { return (t[0] < t[1]) == ((t[1] < t[2]) == (t[0] < t[2])); }

Triangle tet_face(const Tet& tet, int face) {
  constexpr std::array<std::array<std::size_t, 3>, 4> kOutward{{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};
  const auto& corner = kOutward[face];
  return {tet[corner[0]], tet[corner[1]], tet[corner[2]]};
}

/// A counting sort puts every face into the row of its first vertex; each row is short and sorted on its own.
std::vector<FaceUse> sorted_faces(const std::vector<Tet>& tets) {
  std::int32_t last = 0;
  for (const Tet& tet : tets) last = std::max(last, *std::max_element(tet.begin(), tet.end()));
  std::vector<std::size_t> end(static_cast<std::size_t>(last) + 2,
                               0);  // of the row before each; filling a row advances it
  for (const Tet& tet : tets) {
    for (const std::int32_t v : first_vertices(tet)) ++end[static_cast<std::size_t>(v) + 1];
  }
  std::partial_sum(end.begin(), end.end(), end.begin());

  std::vector<FaceUse> faces(4 * tets.size());
  for (std::size_t t = 0; t < tets.size(); ++t) {
    for (int f = 0; f < 4; ++f) {
      const Triangle face = tet_face(tets[t], f), sorted = ascending(face);
      faces[end[static_cast<std::size_t>(sorted[0])]++] = {sorted, static_cast<std::int32_t>(t),
                                                           static_cast<std::int8_t>(f), is_even(face)};
    }
  }
  parallel_for(std::ssize(tets), std::int64_t{last} + 1, 256, [&](std::size_t v) {
    const auto row = [&](std::size_t before) {
      return faces.begin() + static_cast<std::ptrdiff_t>(before == 0 ? 0 : end[before - 1]);
    };
    std::sort(row(v), row(v + 1), comes_before);
  });
  return faces;
}

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

OpenEdges open_edges(const TriangleMesh& mesh) {
  const auto is_same = [](const EdgeUse& a, const EdgeUse& b) { return a.low == b.low && a.high == b.high; };
  const std::vector<EdgeUse> edges = sorted_edges(mesh);
  OpenEdges open;
  DisjointSets groups(mesh.points.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if ((i > 0 && is_same(edges[i], edges[i - 1])) || (i + 1 < edges.size() && is_same(edges[i], edges[i + 1])))
      continue;
    const auto low = static_cast<std::size_t>(edges[i].low), high = static_cast<std::size_t>(edges[i].high);
    ++open.edges;
    // a group has one point more than edges that joined two groups, so each other edge closes a ring
    if (groups.find(low) == groups.find(high)) ++open.holes;
    groups.join(low, high);
  }
  return open;
}

void weld(TriangleMesh& mesh) {
  std::vector<std::int32_t> image;
  std::vector<Point3> points;
  PointIndex index(points);
  for (const Point3& p : mesh.points) image.push_back(index.add(p));
  for (Triangle& triangle : mesh.triangles) {
    for (std::int32_t& v : triangle) v = image[static_cast<std::size_t>(v)];
  }
  std::erase_if(mesh.triangles, [](const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
  mesh.points = std::move(points);
}

std::vector<Point3> component_points(const TetMesh& mesh) {
  check_indices(mesh.tets, mesh.points.size(), "component_points");
  DisjointSets sets(mesh.points.size());
  for (const Tet& tet : mesh.tets) {
    for (const std::int32_t vertex : tet) sets.join(first_vertex(tet), static_cast<std::size_t>(vertex));
  }

  std::vector<Point3> points;
  std::vector<bool> seen(mesh.points.size(), false);
  for (const Tet& tet : mesh.tets) {
    const std::size_t component = sets.find(first_vertex(tet));
    if (seen[component]) continue;
    seen[component] = true;
    Point3 sum = {0, 0, 0};
    for (const std::int32_t vertex : tet) sum = sum + point_at(mesh, vertex);
    points.push_back(0.25 * sum);
  }
  return points;
}

}  // namespace isopatch::detail

namespace isopatch {

using namespace detail;

std::vector<Triangle> boundary_triangles(const TetMesh& mesh) {
  check_indices(mesh.tets, mesh.points.size(), "boundary_triangles");
  return boundary_triangles(mesh, sorted_faces(mesh.tets));
}

std::vector<Triangle> detail::boundary_triangles(const TetMesh& mesh, const std::vector<FaceUse>& faces) {
  std::vector<std::array<bool, 4>> inner(mesh.tets.size(), {false, false, false, false});
  const auto mark = [&](const FaceUse& use) { inner[use.tet][use.face] = true; };
  for (std::size_t i = 1; i < faces.size(); ++i) {
    if (faces[i - 1].sorted == faces[i].sorted) mark(faces[i - 1]), mark(faces[i]);
  }

  std::vector<Triangle> boundary;
  for (std::size_t t = 0; t < inner.size(); ++t) {
    for (int f = 0; f < 4; ++f) {
      if (!inner[t][f]) boundary.push_back(tet_face(mesh.tets[t], f));
    }
  }
  return boundary;
}

std::vector<std::uint8_t> boundary_points(const TetMesh& mesh, const std::vector<Triangle>& boundary) {
  check_indices(boundary, mesh.points.size(), "boundary_points");
  return used_points(boundary, mesh.points.size());
}

}  // namespace isopatch
