// SPDX-License-Identifier: Apache-2.0
//
// A vertex in the middle of a simplex, with every tet around it cut into as many as the simplex has vertices, is a
// stellar subdivision. All simplices that get one are known from the start: none is in another, so a cut leaves the
// others whole; and every new edge ends at a vertex inside, so no new one crosses. So each tet can be cut on its own,
// and neighbours cut their common face alike, since they cut its edges in the same order.
#include "host/mesh/topology/cuts.h"

#include <algorithm>
#include <tuple>

#include "host/mesh/math/point_math.h"
#include "host/mesh/topology/element_check.h"
#include "host/text/throw_error.h"
#include "isopatch/limits.h"

namespace isopatch::detail {
namespace {

/// The corners of a tet as sets, one bit for each: its edges, then its faces, then itself.
constexpr std::array<unsigned, 11> kCornersOfSimplices = {0b0011, 0b0101, 0b0110, 0b1001, 0b1010, 0b1100,
                                                          0b0111, 0b1011, 0b1101, 0b1110, 0b1111};

/// The simplex of these corners of a tet.
Simplex simplex_of(const Tet& tet, unsigned corners) {
  Simplex simplex = {kNoVertex, kNoVertex, kNoVertex, kNoVertex};
  for (std::size_t i = 0; i < 4; ++i) {
    if ((corners >> i & 1) != 0) simplex[i] = tet[i];
  }
  std::sort(simplex.begin(), simplex.end());
  return simplex;
}

// --- what crosses the mesh

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
    for (std::size_t i = 0; i < 4; ++i) corners |= unsigned{has_vertex_[tet[i]]} << i;
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

// --- the cuts

/// A simplex with its vertices in their order in space.
struct Ranked {
  double squared_length;  // of an edge, else 0
  Simplex ranks;
  Simplex simplex;  // the same vertices by their indices, ascending

  /// Edges by length, then faces, then tets, since kNoVertex is below every rank.
  bool operator<(const Ranked& other) const {
    if (squared_length != other.squared_length) return squared_length > other.squared_length;
    return ranks < other.ranks;
  }
};

/// A simplex and the vertex in its middle. Of two, the one with the smaller index is cut first.
struct Cut {
  Simplex simplex;
  std::int32_t middle;
};

/// Whether each of `count` points is a vertex of one of the simplices.
std::vector<std::uint8_t> vertices_of(const std::vector<Simplex>& simplices, std::size_t count) {
  std::vector<std::uint8_t> is_vertex(count, 0);
  for (const Simplex& simplex : simplices) {
    for (const std::int32_t v : simplex) {
      if (v != kNoVertex) is_vertex[v] = 1;
    }
  }
  return is_vertex;
}

/// The chosen points in the order of their coordinates; those in the same place in the order of their indices.
std::vector<std::int32_t> in_order_of_space(const std::vector<Point3>& points,
                                            const std::vector<std::uint8_t>& chosen) {
  std::vector<std::int32_t> order;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i] != 0) order.push_back(static_cast<std::int32_t>(i));
  }
  std::sort(order.begin(), order.end(),
            [&](std::int32_t i, std::int32_t k) { return std::tie(points[i], i) < std::tie(points[k], k); });
  return order;
}

/// In the order in which they are cut.
std::vector<Ranked> ranked(const TetMesh& mesh, const std::vector<Simplex>& simplices,
                           const std::vector<std::int32_t>& in_space) {
  std::vector<std::int32_t> rank(mesh.points.size());
  for (std::size_t i = 0; i < in_space.size(); ++i) rank[in_space[i]] = static_cast<std::int32_t>(i);
  std::vector<Ranked> result;
  for (const Simplex& simplex : simplices) {
    Ranked next = {0, simplex, simplex};
    for (std::int32_t& v : next.ranks) v = v == kNoVertex ? v : rank[v];
    std::sort(next.ranks.begin(), next.ranks.end());
    if (is_edge(simplex)) {
      const Point3 edge = point_at(mesh, simplex[3]) - point_at(mesh, simplex[2]);
      next.squared_length = dot(edge, edge);
    }
    result.push_back(next);
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// Adds the mean of points, and of their point data. The sums are formed in the order in which they are given.
void add_middle(TetMesh& mesh, const std::vector<std::int32_t>& vertices) {
  const auto mean = [&](const auto& value) {
    double sum = 0;
    for (const std::int32_t v : vertices) sum += value(static_cast<std::size_t>(v));
    return sum / static_cast<double>(vertices.size());
  };
  Point3 middle;
  for (std::size_t k = 0; k < 3; ++k) middle[k] = mean([&](std::size_t v) { return mesh.points[v][k]; });
  mesh.points.push_back(middle);
  for (auto& [name, values] : mesh.point_data) {
    values.push_back(mean([&own = values](std::size_t v) { return own[v]; }));
  }
}

/// Adds a vertex in the middle of every simplex, in the order in which these are cut; returns the cuts by simplex,
/// ascending.
std::vector<Cut> add_middles(TetMesh& mesh, const std::vector<Simplex>& simplices,
                             const std::vector<std::uint8_t>& is_vertex) {
  const std::vector<std::int32_t> in_space = in_order_of_space(mesh.points, is_vertex);
  std::vector<Cut> cuts;
  for (const Ranked& next : ranked(mesh, simplices, in_space)) {
    std::vector<std::int32_t> vertices;
    for (const std::int32_t rank : next.ranks) {
      if (rank != kNoVertex) vertices.push_back(in_space[rank]);
    }
    cuts.push_back({next.simplex, static_cast<std::int32_t>(mesh.points.size())});
    add_middle(mesh, vertices);
  }
  std::sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) { return a.simplex < b.simplex; });
  return cuts;
}

/// The cuts of a tet, in their order.
std::vector<Cut> cuts_of(const Tet& tet, const std::vector<Cut>& all) {
  std::vector<Cut> own;
  for (const unsigned corners : kCornersOfSimplices) {
    const Simplex simplex = simplex_of(tet, corners);
    const auto found = std::lower_bound(all.begin(), all.end(), simplex,
                                        [](const Cut& cut, const Simplex& wanted) { return cut.simplex < wanted; });
    if (found != all.end() && found->simplex == simplex) own.push_back(*found);
  }
  std::sort(own.begin(), own.end(), [](const Cut& a, const Cut& b) { return a.middle < b.middle; });
  return own;
}

bool has(const Tet& tet, std::int32_t vertex) { return std::find(tet.begin(), tet.end(), vertex) != tet.end(); }

/// Replaces every piece around the cut's simplex by those with the middle in place of one of its vertices.
void subdivide(std::vector<Tet>& pieces, const Cut& cut) {
  std::vector<Tet> result;
  for (const Tet& piece : pieces) {
    const bool around = std::all_of(cut.simplex.begin(), cut.simplex.end(),
                                    [&](std::int32_t v) { return v == kNoVertex || has(piece, v); });
    if (!around) result.push_back(piece);
    for (std::size_t i = 0; around && i < 4; ++i) {
      if (std::find(cut.simplex.begin(), cut.simplex.end(), piece[i]) == cut.simplex.end()) continue;
      result.push_back(piece);
      result.back()[i] = cut.middle;
    }
  }
  pieces = std::move(result);
}

void check_pieces(const TetMesh& mesh, const std::vector<Tet>& pieces, std::size_t index, const std::string& source) {
  for (const Tet& piece : pieces) {
    if (six_volumes(mesh, piece) > kFlat * edge_product(mesh, piece)) continue;
    throw_error("{}: {} is too flat to be split; remove it", source, describe(index, mesh.tets[index]));
  }
}

void check_count(std::size_t count, const std::string& source) {
  if (static_cast<std::int64_t>(count) <= limits::kMaxElements) return;
  throw_error("{}: splitting its tets exceeds the {} points and tets that can be indexed", source,
              limits::kMaxElements);
}

}  // namespace

std::vector<Simplex> crossing_simplices(const TetMesh& mesh, const std::vector<Triangle>& boundary) {
  const Surface surface(mesh, boundary);
  std::vector<Simplex> found;
  for (const Tet& tet : mesh.tets) add_crossing(surface, tet, found);
  make_unique(found);
  return found;
}

std::int64_t split_layers(TetMesh& mesh, const std::vector<Simplex>& crossing, const std::string& source) {
  if (crossing.empty()) return 0;
  check_count(mesh.points.size() + crossing.size(), source);
  const std::vector<std::uint8_t> is_vertex = vertices_of(crossing, mesh.points.size());
  const std::vector<Cut> cuts = add_middles(mesh, crossing, is_vertex);

  std::int64_t split = 0;
  std::vector<Tet> tets;
  tets.reserve(mesh.tets.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const Tet& tet = mesh.tets[t];
    const auto may_be_cut = [&](std::int32_t v) { return is_vertex[v] != 0; };
    if (std::count_if(tet.begin(), tet.end(), may_be_cut) < 2) {
      tets.push_back(tet);
      continue;
    }
    std::vector<Tet> pieces = {tet};
    for (const Cut& cut : cuts_of(tet, cuts)) subdivide(pieces, cut);
    if (pieces.size() > 1) {
      check_pieces(mesh, pieces, t, source);
      ++split;
    }
    tets.insert(tets.end(), pieces.begin(), pieces.end());
    check_count(tets.size(), source);
  }
  mesh.tets = std::move(tets);
  return split;
}

}  // namespace isopatch::detail
