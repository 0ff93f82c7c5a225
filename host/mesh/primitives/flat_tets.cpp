// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/primitives/medial_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "host/mesh/math/point_math.h"

namespace isopatch::detail {
namespace {

/// Passes over all tets. The first removes nearly all that can be.
constexpr int kMaxPasses = 4;

/// A vertex of more tets stays, since others can move onto it; so the time is linear in the number of tets.
constexpr std::size_t kMaxTetsAround = 100;

class FlatTets {
 public:
  FlatTets(TetMesh& mesh, const std::vector<std::uint8_t>& on_surface, const Polyhedron& hull, double flat,
           double error)
      : mesh_(mesh), on_surface_(on_surface), hull_(hull), flat_(flat), error_(error), tets_at_(mesh.points.size()) {
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      values_.push_back(on_surface[v] != 0 ? 0 : hull.depth(mesh.points[v]));
    }
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
      for (const std::int32_t v : mesh.tets[t]) tets_at_[v].push_back(t);
    }
    alive_.assign(mesh.tets.size(), 1);
  }

  void remove() {
    bool changed = true;
    for (int round = 0; round < kMaxPasses && changed; ++round) {
      changed = false;
      for (std::size_t t = 0; t < mesh_.tets.size(); ++t) {
        if (alive_[t] != 0 && quality(mesh_.tets[t]) < flat_ && collapse(mesh_.tets[t])) changed = true;
      }
    }
    std::size_t index = 0;
    std::erase_if(mesh_.tets, [&](const Tet&) { return alive_[index++] == 0; });
  }

 private:
  const Point3& at(std::int32_t v) const { return mesh_.points[v]; }
  double quality(const Tet& tet) const { return six_volumes(mesh_, tet) / edge_product(mesh_, tet); }

  /// Moves a vertex of the tet onto another, along the shortest edge that allows it.
  bool collapse(const Tet& tet) {
    std::vector<std::pair<double, std::array<std::int32_t, 2>>> moves;
    for (const std::int32_t from : tet) {
      for (const std::int32_t to : tet) {
        if (from != to) moves.push_back({norm(at(from) - at(to)), {from, to}});
      }
    }
    std::sort(moves.begin(), moves.end());
    return std::any_of(moves.begin(), moves.end(), [&](const auto& move) {
      const auto [from, to] = move.second;
      if (on_surface_[from] != 0 || tets_at_[from].size() > kMaxTetsAround || !can_move(from, to)) return false;
      apply(from, to);
      return true;
    });
  }

  static Tet with(Tet tet, std::int32_t from, std::int32_t to) {
    std::replace(tet.begin(), tet.end(), from, to);
    return tet;
  }

  static bool has(const Tet& tet, std::int32_t v) { return std::find(tet.begin(), tet.end(), v) != tet.end(); }

  bool can_move(std::int32_t from, std::int32_t to) const {
    std::ptrdiff_t flat_before = 0, flat_after = 0;
    double least = flat_;
    for (const std::size_t t : tets_at_[from]) {
      const double before = quality(mesh_.tets[t]);
      if (before < flat_) ++flat_before;
      least = std::min(least, before);
    }
    for (const std::size_t t : tets_at_[from]) {
      const Tet& tet = mesh_.tets[t];
      if (has(tet, to)) continue;
      const Tet now = with(tet, from, to);
      const double after = quality(now);
      if (!(after >= least)) return false;
      if (after < flat_) ++flat_after;
      if (std::all_of(now.begin(), now.end(), [&](auto v) { return on_surface_[v] != 0; })) return false;
    }
    if (flat_after >= flat_before) return false;
    return std::all_of(tets_at_[from].begin(), tets_at_[from].end(), [&](std::size_t t) {
      return has(mesh_.tets[t], to) || keeps_field(with(mesh_.tets[t], from, to));
    });
  }

  /// Whether the distance in the middle of the tet is what it would be if it were linear.
  bool keeps_field(const Tet& tet) const {
    Point3 middle{};
    double value = 0;
    for (const std::int32_t v : tet) {
      middle = middle + 0.25 * at(v);
      value += 0.25 * values_[v];
    }
    return std::fabs(hull_.depth(middle) - value) <= error_;
  }

  void apply(std::int32_t from, std::int32_t to) {
    for (const std::size_t t : tets_at_[from]) {
      Tet& tet = mesh_.tets[t];
      if (has(tet, to)) {
        alive_[t] = 0;
        for (const std::int32_t v : tet) {
          if (v != from) std::erase(tets_at_[v], t);
        }
      } else {
        tet = with(tet, from, to);
        tets_at_[to].push_back(t);
      }
    }
    tets_at_[from].clear();
  }

  TetMesh& mesh_;
  const std::vector<std::uint8_t>& on_surface_;
  const Polyhedron& hull_;
  std::vector<double> values_;
  const double flat_, error_;
  std::vector<std::vector<std::size_t>> tets_at_;
  std::vector<std::uint8_t> alive_;
};

}  // namespace

void remove_flat_tets(TetMesh& mesh, const std::vector<std::uint8_t>& on_surface, const Polyhedron& hull, double flat,
                      double error) {
  FlatTets(mesh, on_surface, hull, flat, error).remove();
}

}  // namespace isopatch::detail
