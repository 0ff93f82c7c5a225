// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "host/hierarchy/hierarchy.h"
#include "host/mesh/topology/connectivity.h"
#include "host/random/random.h"
#include "host/threads/work_counter.h"

namespace isopatch::detail {

namespace {

constexpr std::int32_t kNone = -1;

/// The tets beyond the faces of each tet, by corner; kNone for none.
using Neighbours = std::vector<std::array<std::int32_t, 4>>;

/// Corner of a cell that is at a vertex of the mesh.
std::size_t corner_at(const Tet& vertices, std::int32_t vertex) {
  return static_cast<std::size_t>(std::find(vertices.begin(), vertices.end(), vertex) - vertices.begin());
}

struct FluxMesh {
  std::vector<Tet> vertices;                 // of each cell, by corner
  Neighbours beyond;                         // faces on which the extent is not 0 everywhere, as the fields are
  std::vector<std::array<double, 4>> depth;  // of the faces of each cell, by the corner opposite: the sum of extents
  std::vector<double> mean_extent;           // of each cell
  const std::vector<double>& extent;         // of each vertex
  bool is_closed = true;                     // no face has more than two tets, and the extent is 0 on the surface

  FluxMesh(const Geometry& geometry, const std::vector<Cell>& cells)
      : beyond(cells.size(), {kNone, kNone, kNone, kNone}), extent(geometry.extent) {
    const std::vector<Tet>& tets = geometry.mesh.tets;
    vertices.reserve(cells.size());
    for (std::size_t t = 0; t < cells.size(); ++t) {
      vertices.push_back(vertices_of(cells[t], tets[t], geometry.mesh.points));
      add_extents(cells[t]);
    }
    const std::vector<FaceUse> faces = sorted_faces(tets);
    for (std::size_t i = 0; i < faces.size();) {
      std::size_t end = i + 1;
      while (end < faces.size() && faces[end].sorted == faces[i].sorted) ++end;
      if (end - i == 2) {
        join(tets, faces[i], faces[i + 1]);
        join(tets, faces[i + 1], faces[i]);
      } else {
        is_closed = is_closed && end - i == 1;
        for (const std::int32_t vertex : faces[i].sorted) {
          is_closed = is_closed && extent[static_cast<std::size_t>(vertex)] == 0;
        }
      }
      i = end;
    }
  }

 private:
  void add_extents(const Cell& cell) {
    double sum = 0;
    for (const Cell::Corner& corner : cell.corner) sum += corner.extent;
    mean_extent.push_back(0.25 * sum);
    std::array<double, 4>& faces = depth.emplace_back();
    for (std::size_t i = 0; i < 4; ++i) {
      std::array<double, 3> extents;
      for (std::size_t k = 0; k < 3; ++k) extents[k] = cell.corner[(i + 1 + k) & 3].extent;
      std::sort(extents.begin(), extents.end());  // both tets of a face have the same sum
      faces[i] = extents[0] + extents[1] + extents[2];
    }
  }

  void join(const std::vector<Tet>& tets, const FaceUse& own, const FaceUse& other) {
    const auto tet = static_cast<std::size_t>(own.tet);
    const std::size_t corner = corner_at(vertices[tet], tets[tet][static_cast<std::size_t>(own.face)]);
    if (depth[tet][corner] > 0) beyond[tet][corner] = other.tet;
  }
};

/// The tets of a component, each after the one that it flows to.
struct Tree {
  std::vector<std::int32_t> order;
  std::vector<std::uint8_t> back;   // of each tet of the mesh: the corner opposite the face towards the root
  std::vector<std::int32_t> steps;  // of each tet of the mesh: faces to the root
};

/// Visits the component of `root`, through the deepest faces first. What flows to the root then comes up to a ridge and
/// follows it, and hardly more flows through a tet at the surface than what it has itself: the energy of a shallow
/// contact is not the small difference of large fluxes. `seen` is false for the tets of the component, and true after
/// that.
void grow(const FluxMesh& mesh, std::int32_t root, std::vector<bool>& seen, Tree& tree) {
  using Face = std::tuple<double, std::int32_t, std::int32_t>;  // depth, the tet beyond, the tet it is reached from
  std::priority_queue<Face> faces;
  const auto add = [&](std::int32_t tet, std::int32_t steps) {
    const auto at = static_cast<std::size_t>(tet);
    seen[at] = true;
    tree.steps[at] = steps;
    tree.order.push_back(tet);
    for (std::size_t i = 0; i < 4; ++i) {
      const std::int32_t next = mesh.beyond[at][i];
      if (next != kNone && !seen[static_cast<std::size_t>(next)]) faces.emplace(mesh.depth[at][i], next, tet);
    }
  };
  tree.order.clear();
  add(root, 0);
  while (!faces.empty()) {
    const auto [depth, tet, from] = faces.top();
    faces.pop();
    const auto at = static_cast<std::size_t>(tet);
    if (seen[at]) continue;
    const auto& beyond = mesh.beyond[at];
    tree.back[at] = static_cast<std::uint8_t>(std::find(beyond.begin(), beyond.end(), from) - beyond.begin());
    add(tet, tree.steps[static_cast<std::size_t>(from)] + 1);
  }
}

void forget(const Tree& tree, std::vector<bool>& seen) {
  for (const std::int32_t tet : tree.order) seen[static_cast<std::size_t>(tet)] = false;
}

using Fluxes = std::vector<std::array<double, 4>>;  // out of each tet, by corner

/// Lets what each tet has flow along the tree to its root. Returns how much arrives.
double flow(const FluxMesh& mesh, const Tree& tree, const std::vector<double>& amounts, Fluxes& fluxes) {
  double total = 0;
  for (std::size_t i = tree.order.size(); i-- > 0;) {
    const auto tet = static_cast<std::size_t>(tree.order[i]);
    double amount = amounts[tet];
    for (const double flux : fluxes[tet]) amount -= flux;  // what has come in is negative
    total = amount;
    if (i == 0) break;
    const auto back = static_cast<std::size_t>(tree.back[tet]);
    const std::int32_t next = mesh.beyond[tet][back];
    const auto& faces = mesh.beyond[static_cast<std::size_t>(next)];
    const auto opposite =
        static_cast<std::size_t>(std::find(faces.begin(), faces.end(), static_cast<std::int32_t>(tet)) - faces.begin());
    fluxes[tet][back] = amount;
    fluxes[static_cast<std::size_t>(next)][opposite] = -amount;
  }
  return total;
}

/// A number in [-1, 1] for an edge, from its two vertices.
double random_of(std::int32_t from, std::int32_t to) {
  const auto [low, high] = std::minmax(from, to);
  const std::uint64_t key = static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint32_t>(high);
  const double value = 0x1p-63 * static_cast<double>(static_cast<std::int64_t>(SplitMix64(key).next()));
  return from < to ? value : -value;
}

/// How large fluxes are at each vertex, per extent: their mean through the faces inside that meet there, each over the
/// sum of the extents at its vertices.
std::vector<double> sizes_at_vertices(const FluxMesh& mesh, const Tree& tree, const Fluxes& fluxes) {
  std::vector<double> sum(mesh.extent.size(), 0), count = sum;
  for (const std::int32_t index : tree.order) {
    const auto tet = static_cast<std::size_t>(index);
    for (std::size_t i = 0; i < 4; ++i) {
      if (mesh.beyond[tet][i] == kNone) continue;
      for (const std::int32_t vertex : tet_face(mesh.vertices[tet], static_cast<int>(i))) {
        sum[static_cast<std::size_t>(vertex)] += std::fabs(fluxes[tet][i]) / mesh.depth[tet][i];
        ++count[static_cast<std::size_t>(vertex)];
      }
    }
  }
  for (std::size_t v = 0; v < sum.size(); ++v) sum[v] /= std::max(count[v], 1.0);
  return sum;
}

/// Adds fluxes of circulations about the edges, which have no divergence. Each is as large as the extents at both ends
/// times the smaller one of the `sizes` there, so none is large beside the extents of a face.
void add_circulations(const FluxMesh& mesh, const Tree& tree, const std::vector<double>& sizes, Fluxes& fluxes) {
  const auto circulation = [&](std::int32_t from, std::int32_t to) {
    const auto a = static_cast<std::size_t>(from), b = static_cast<std::size_t>(to);
    return std::min(sizes[a], sizes[b]) * (mesh.extent[a] + mesh.extent[b]) * random_of(from, to);
  };
  for (const std::int32_t index : tree.order) {
    const auto tet = static_cast<std::size_t>(index);
    const Tet& v = mesh.vertices[tet];
    for (std::size_t i = 0; i < 4; ++i) {
      if (mesh.beyond[tet][i] == kNone) continue;
      // the same sum for both tets of a face, with the opposite sign
      const Triangle face = tet_face(v, static_cast<int>(i));
      Triangle sorted = face;
      std::sort(sorted.begin(), sorted.end());
      const double sum =
          circulation(sorted[0], sorted[1]) + circulation(sorted[1], sorted[2]) + circulation(sorted[2], sorted[0]);
      fluxes[tet][i] += is_even(face) ? sum : -sum;
    }
  }
}

/// The deepest tet of a tree.
std::int32_t deepest(const FluxMesh& mesh, const Tree& tree) {
  return *std::max_element(tree.order.begin(), tree.order.end(), [&](std::int32_t a, std::int32_t b) {
    return std::pair(mesh.mean_extent[static_cast<std::size_t>(a)], b) <
           std::pair(mesh.mean_extent[static_cast<std::size_t>(b)], a);
  });
}

/// The tet with the longest way to the root of those that are at least half as deep as it is.
std::int32_t farthest(const FluxMesh& mesh, const Tree& tree) {
  const auto depth = [&](std::int32_t tet) { return mesh.mean_extent[static_cast<std::size_t>(tet)]; };
  const auto steps = [&](std::int32_t tet) { return tree.steps[static_cast<std::size_t>(tet)]; };
  std::int32_t found = tree.order.front();
  for (const std::int32_t tet : tree.order) {
    if (2 * depth(tet) >= depth(tree.order.front()) && steps(tet) > steps(found)) found = tet;
  }
  return found;
}

}  // namespace

CellFluxes cell_fluxes(const Geometry& geometry, const Hierarchy& solid) {
  const std::vector<Cell>& cells = solid.cells;
  const FluxMesh mesh(geometry, cells);
  if (!mesh.is_closed) return {};

  std::vector<double> amounts(cells.size());  // integrals of the extent
  for (std::size_t t = 0; t < cells.size(); ++t) amounts[t] = mesh.mean_extent[t] * volume_of(cells[t]);
  std::vector<std::int32_t> leaf(cells.size());
  for (std::size_t i = 0; i < solid.nodes.size(); ++i) {
    if (solid.nodes[i].is_leaf()) leaf[static_cast<std::size_t>(solid.nodes[i].cell())] = static_cast<std::int32_t>(i);
  }

  CellFluxes out;
  out.fluxes.resize(cells.size());
  std::vector<bool> seen(cells.size(), false);
  Fluxes first(cells.size(), {0, 0, 0, 0}), second = first;
  Tree tree = {{}, std::vector<std::uint8_t>(cells.size(), 0), std::vector<std::int32_t>(cells.size(), 0)};
  for (std::size_t start = 0; start < cells.size(); ++start) {
    if (seen[start]) continue;
    check_cancelled();
    grow(mesh, static_cast<std::int32_t>(start), seen, tree);
    const std::int32_t root = deepest(mesh, tree);
    forget(tree, seen);
    grow(mesh, root, seen, tree);
    const double total = flow(mesh, tree, amounts, first);
    check_cancelled();
    const std::vector<double> sizes = sizes_at_vertices(mesh, tree, first);
    const std::int32_t other_root = farthest(mesh, tree);
    forget(tree, seen);
    grow(mesh, other_root, seen, tree);
    const double other_total = flow(mesh, tree, amounts, second);
    add_circulations(mesh, tree, sizes, second);

    const auto add_sink = [&](std::int32_t cell, double amount, double check) {
      const auto at = static_cast<std::size_t>(cell);
      const double of_extent = amounts[at] > 0 ? 1 / amounts[at] : 0.0;
      out.sinks.push_back({cell, leaf[at], amount * of_extent, check * of_extent});
    };
    add_sink(root, total, total);
    add_sink(other_root, 0, -other_total);
  }
  for (std::size_t t = 0; t < cells.size(); ++t) {
    for (std::size_t i = 0; i < 4; ++i) {
      if (mesh.beyond[t][i] == kNone) continue;
      out.fluxes[t].outward[i] = first[t][i] / mesh.depth[t][i];
      out.fluxes[t].check[i] = (first[t][i] - second[t][i]) / mesh.depth[t][i];
    }
  }
  return out;
}

}  // namespace isopatch::detail
