// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/topology/crossing_simplices.h"

#include <algorithm>

namespace isopatch::detail {
namespace {

void make_unique(std::vector<Simplex>& simplices) {
  std::sort(simplices.begin(), simplices.end());
  simplices.erase(std::unique(simplices.begin(), simplices.end()), simplices.end());
}

/// The vertices, edges and triangles of a surface.
class Surface {
 public:
  Surface(const TetMesh& mesh, const std::vector<Triangle>& boundary) : has_vertex_(boundary_points(mesh, boundary)) {
    for (Triangle t : boundary) {
      std::sort(t.begin(), t.end());
      triangles_.push_back({kNoVertex, t[0], t[1], t[2]});
      for (const auto& [a, b] : {std::pair{t[0], t[1]}, {t[1], t[2]}, {t[0], t[2]}}) {
        edges_.push_back({kNoVertex, kNoVertex, a, b});
      }
    }
    make_unique(triangles_);
    make_unique(edges_);
  }

  /// Those of a tet's corners that lie on the surface, one bit for each.
  unsigned corners_of(const Tet& tet) const {
    unsigned corners = 0;
    for (std::size_t i = 0; i < 4; ++i) corners |= unsigned{has_vertex_[static_cast<std::size_t>(tet[i])]} << i;
    return corners;
  }

  bool has(const Simplex& simplex) const {
    const std::vector<Simplex>& own = is_edge(simplex) ? edges_ : triangles_;
    return std::binary_search(own.begin(), own.end(), simplex);
  }

 private:
  std::vector<std::uint8_t> has_vertex_;
  std::vector<Simplex> edges_, triangles_;  // ascending
};

void add_crossing(const Surface& surface, const Tet& tet, std::vector<Simplex>& found) {
  const unsigned on_surface = surface.corners_of(tet);
  std::vector<unsigned> crossing;
  for (const unsigned corners : kCornersOfSimplices) {
    if ((corners & ~on_surface) != 0) continue;
    const auto is_inside = [&](unsigned smaller) { return (smaller & ~corners) == 0; };
    if (std::any_of(crossing.begin(), crossing.end(), is_inside)) continue;
    const Simplex simplex = simplex_of(tet, corners);
    if (surface.has(simplex)) continue;
    crossing.push_back(corners);
    found.push_back(simplex);
  }
}

}  // namespace

Simplex simplex_of(const Tet& tet, unsigned corners) {
  Simplex simplex = {kNoVertex, kNoVertex, kNoVertex, kNoVertex};
  for (std::size_t i = 0; i < 4; ++i) {
    if ((corners >> i & 1) != 0) simplex[i] = tet[i];
  }
  std::sort(simplex.begin(), simplex.end());
  return simplex;
}

std::vector<Simplex> crossing_simplices(const TetMesh& mesh, const std::vector<Triangle>& boundary) {
  const Surface surface(mesh, boundary);
  std::vector<Simplex> found;
  for (const Tet& tet : mesh.tets) add_crossing(surface, tet, found);
  make_unique(found);
  return found;
}

}  // namespace isopatch::detail
