// SPDX-License-Identifier: Apache-2.0
//
// Regular refinement: four pieces at a tet's corners, and the octahedron between them in four about its shortest
// diagonal (Bey, "Tetrahedral grid refinement", Computing 1995).
#include <algorithm>
#include <utility>

#include "host/mesh/checks/geometry_check.h"
#include "host/mesh/math/point_math.h"
#include "host/text/throw_error.h"
#include "isopatch/geometry/geometry.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

using Edge = std::pair<std::int32_t, std::int32_t>;  // ascending

constexpr std::array<std::array<std::size_t, 2>, 6> kEdges = {{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};

/// The diagonals of the octahedron, as indices of kEdges whose middles they join, and the ring of middles about each.
struct Diagonal {
  std::size_t from, to;
  std::array<std::size_t, 4> ring;
};
constexpr std::array<Diagonal, 3> kDiagonals = {{{0, 5, {1, 3, 4, 2}}, {1, 4, {0, 3, 5, 2}}, {2, 3, {0, 4, 5, 1}}}};

Edge edge_of(const Tet& tet, std::size_t index) {
  const auto& [a, b] = kEdges[index];
  return std::minmax(tet[a], tet[b]);
}

std::vector<Edge> edges_of(const std::vector<Tet>& tets) {
  std::vector<Edge> edges;
  for (const Tet& tet : tets) {
    for (std::size_t i = 0; i < kEdges.size(); ++i) edges.push_back(edge_of(tet, i));
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

void add_means(const std::vector<Edge>& edges, std::vector<double>& values) {
  for (const auto& [a, b] : edges) values.push_back(0.5 * (values[a] + values[b]));
}

/// The pieces of a tet, with the middles of its edges in the order of kEdges.
std::array<Tet, 8> pieces_of(const TetMesh& mesh, const Tet& tet, const std::array<std::int32_t, 6>& middle) {
  const auto& [ab, ac, ad, bc, bd, cd] = middle;
  std::array<Tet, 8> pieces = {
      {{tet[0], ab, ac, ad}, {ab, tet[1], bc, bd}, {ac, bc, tet[2], cd}, {ad, bd, cd, tet[3]}}};
  const auto squared_length = [&](const Diagonal& d) {
    const Point3 along = point_at(mesh, middle[d.to]) - point_at(mesh, middle[d.from]);
    return dot(along, along);
  };
  const Diagonal& shortest =
      *std::min_element(kDiagonals.begin(), kDiagonals.end(),
                        [&](const Diagonal& a, const Diagonal& b) { return squared_length(a) < squared_length(b); });
  for (std::size_t i = 0; i < 4; ++i) {
    pieces[4 + i] = {middle[shortest.from], middle[shortest.to], middle[shortest.ring[i]],
                     middle[shortest.ring[(i + 1) % 4]]};
  }
  for (Tet& piece : pieces) piece = positively_oriented(mesh, piece);
  return pieces;
}

void refine_once(TetMesh& mesh, std::vector<double>& extent) {
  const std::vector<Edge> edges = edges_of(mesh.tets);
  const std::size_t old_points = mesh.points.size();
  for (const auto& [a, b] : edges) mesh.points.push_back(0.5 * (point_at(mesh, a) + point_at(mesh, b)));
  add_means(edges, extent);
  for (auto& [name, values] : mesh.point_data) add_means(edges, values);

  std::vector<Tet> tets;
  tets.reserve(8 * mesh.tets.size());
  for (const Tet& tet : mesh.tets) {
    std::array<std::int32_t, 6> middle;
    for (std::size_t i = 0; i < middle.size(); ++i) {
      const auto at = std::lower_bound(edges.begin(), edges.end(), edge_of(tet, i)) - edges.begin();
      middle[i] = static_cast<std::int32_t>(old_points + static_cast<std::size_t>(at));
    }
    const std::array<Tet, 8> pieces = pieces_of(mesh, tet, middle);
    tets.insert(tets.end(), pieces.begin(), pieces.end());
  }
  mesh.tets = std::move(tets);
}

}  // namespace

Geometry refine(Geometry geometry, int times) {
  if (geometry.mesh.tets.empty()) throw Error(geometry.name + ": only a geometry with tets can be refined");
  if (times < 0 || times > limits::kMaxRefinements) {
    throw_error("{}: refined {} times; it must be from 0 to {} times", geometry.name, times, limits::kMaxRefinements);
  }
  if (times == 0) return geometry;
  const auto tets = std::ssize(geometry.mesh.tets);
  if (tets > limits::kMaxElements >> 3 * times) {
    throw_error("{}: refining its {} tets {} times exceeds the {} that can be indexed", geometry.name, tets, times,
                limits::kMaxElements);
  }
  for (int i = 0; i < times; ++i) refine_once(geometry.mesh, geometry.extent);
  measure_again(geometry);
  return geometry;
}

}  // namespace isopatch
