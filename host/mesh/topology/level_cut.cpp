// SPDX-License-Identifier: Apache-2.0
//
// A level cuts off a convex piece of a tet, the next one a piece of what is left, and so on. Each piece is divided into
// tets about the vertex with the smallest index, and its faces about theirs, which neighbours see alike.
//
// Where a vertex is, is its rank: 2 k + 1 on level k, 2 k between the levels k - 1 and k. All decisions are made with
// ranks, so rounding has no part in them.
#include "host/mesh/topology/cuts.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "host/mesh/math/point_math.h"
#include "host/mesh/topology/element_check.h"
#include "host/text/throw_error.h"
#include "host/threads/work_counter.h"
#include "isopatch/limits.h"

namespace isopatch::detail {
namespace {

/// A vertex closer to a level than this part of the distance between two levels counts as on it.
constexpr double kNear = 1.0 / 64;

constexpr std::array<std::array<std::size_t, 2>, 6> kEdges = {{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};

using Loop = std::vector<std::int32_t>;  // the vertices around a face, in order

int rank_of(double value, const std::vector<double>& levels) {
  const auto upper = std::lower_bound(levels.begin(), levels.end(), value);
  if (upper == levels.begin()) return 1;
  const auto k = static_cast<int>(upper - levels.begin());
  const double near = kNear * (*upper - *(upper - 1));
  return *upper - value <= near ? 2 * k + 1 : value - *(upper - 1) <= near ? 2 * k - 1 : 2 * k;
}

/// An edge that levels cross, from its lower to its higher end; its new vertices follow each other.
struct CrossedEdge {
  std::int32_t low, high;
  std::int32_t first_vertex = 0;

  bool operator<(const CrossedEdge& other) const { return std::tie(low, high) < std::tie(other.low, other.high); }
  bool operator==(const CrossedEdge& other) const { return low == other.low && high == other.high; }
};

/// The first level above a vertex of this rank; the end of those below one.
int first_above(int rank) { return (rank + 1) / 2; }
int end_below(int rank) { return rank / 2; }

class LevelCutter {
 public:
  LevelCutter(TetMesh& mesh, const std::vector<double>& values, const std::vector<double>& levels,
              const std::string& source)
      : mesh_(mesh), levels_(levels), source_(source) {
    for (const double value : values) rank_.push_back(rank_of(value, levels));
    for (std::size_t i = 0; i < rank_.size(); ++i) {
      ends_.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(i)});
    }
    add_vertices(values);
  }

  std::vector<std::size_t> cut() {
    std::vector<Tet> tets = std::move(mesh_.tets);
    mesh_.tets.clear();
    WorkCounter counter;
    for (std::size_t t = 0; t < tets.size(); ++t) {
      const Tet& tet = tets[t];
      const auto [lowest, highest] = std::minmax({rank(tet[0]), rank(tet[1]), rank(tet[2]), rank(tet[3])});
      if (first_above(lowest) >= end_below(highest)) {
        mesh_.tets.push_back(tet);
        continue;
      }
      faces_.clear();
      for (std::size_t i = 0; i < 4; ++i) faces_.push_back({tet[(i + 1) % 4], tet[(i + 2) % 4], tet[(i + 3) % 4]});
      for (int level = first_above(lowest); level < end_below(highest); ++level) {
        counter.add(1);
        cut_off_below(level);
        add_piece(below_, t, tet);
      }
      add_piece(faces_, t, tet);
      check_count(mesh_.tets.size());
    }
    return std::move(level_of_new_);
  }

 private:
  int rank(std::int32_t vertex) const { return rank_[vertex]; }

  void check_count(std::size_t count) const {
    if (static_cast<std::int64_t>(count) <= limits::kMaxElements) return;
    throw_error("{}: cutting its tets at {} levels exceeds the {} points and tets that can be indexed", source_,
                levels_.size(), limits::kMaxElements);
  }

  void add_vertices(const std::vector<double>& values) {
    for (const Tet& tet : mesh_.tets) {
      for (const auto& [i, k] : kEdges) {
        const auto [first, second] = std::minmax(tet[i], tet[k]);
        const bool rises = rank(first) <= rank(second);
        const std::int32_t low = rises ? first : second, high = rises ? second : first;
        if (first_above(rank(low)) < end_below(rank(high))) edges_.push_back({low, high});
      }
    }
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    WorkCounter counter;
    for (CrossedEdge& edge : edges_) {
      counter.add(end_below(rank(edge.high)) - first_above(rank(edge.low)));
      edge.first_vertex = static_cast<std::int32_t>(mesh_.points.size());
      const auto low = static_cast<std::size_t>(edge.low), high = static_cast<std::size_t>(edge.high);
      for (int level = first_above(rank(edge.low)); level < end_below(rank(edge.high)); ++level) {
        const double at = levels_[level];
        const double t = (at - values[low]) / (values[high] - values[low]);
        mesh_.points.push_back(mesh_.points[low] + t * (mesh_.points[high] - mesh_.points[low]));
        for (auto& [name, own] : mesh_.point_data) own.push_back(own[low] + t * (own[high] - own[low]));
        rank_.push_back(2 * level + 1);
        level_of_new_.push_back(static_cast<std::size_t>(level));
        ends_.push_back({edge.low, edge.high});
      }
      check_count(mesh_.points.size());
    }
  }

  /// Where a level crosses the part of an edge between two vertices on it.
  std::int32_t crossing(std::int32_t below, std::int32_t above, int level) const {
    const CrossedEdge wanted = {ends_[below].first, ends_[above].second};
    const auto edge = std::lower_bound(edges_.begin(), edges_.end(), wanted);
    return edge->first_vertex + level - first_above(rank(edge->low));
  }

  /// Divides faces_ at a level: what is below it goes to below_, the rest stays.
  void cut_off_below(int level) {
    const int here = 2 * level + 1;
    below_.clear();
    above_.clear();
    std::vector<std::pair<std::int32_t, std::int32_t>> sides;  // of the face between the two pieces
    for (const Loop& face : faces_) {
      Loop low, high, on;
      for (std::size_t i = 0; i < face.size(); ++i) {
        const std::int32_t from = face[i], to = face[(i + 1) % face.size()];
        if (rank(from) <= here) low.push_back(from);
        if (rank(from) >= here) high.push_back(from);
        if (rank(from) == here) on.push_back(from);
        const bool rises = rank(from) < here && here < rank(to), falls = rank(to) < here && here < rank(from);
        if (!rises && !falls) continue;
        const std::int32_t middle = rises ? crossing(from, to, level) : crossing(to, from, level);
        for (Loop* loop : {&low, &high, &on}) loop->push_back(middle);
      }
      if (low.size() > 2) below_.push_back(std::move(low));
      if (high.size() > 2) above_.push_back(std::move(high));
      if (on.size() == 2) sides.push_back(std::minmax(on[0], on[1]));
    }
    std::sort(sides.begin(), sides.end());
    sides.erase(std::unique(sides.begin(), sides.end()), sides.end());
    const Loop between = joined(std::move(sides));
    below_.push_back(between);
    above_.push_back(between);
    std::swap(faces_, above_);
  }

  /// The loop that sides make.
  static Loop joined(std::vector<std::pair<std::int32_t, std::int32_t>> sides) {
    Loop loop = {sides.front().first};
    std::int32_t at = sides.front().second;
    sides.erase(sides.begin());
    while (!sides.empty()) {
      loop.push_back(at);
      const auto next = std::find_if(sides.begin(), sides.end(),
                                     [&](const auto& side) { return side.first == at || side.second == at; });
      at = next->first == at ? next->second : next->first;
      sides.erase(next);
    }
    return loop;
  }

  /// Adds the tets of a convex piece of a tet.
  void add_piece(const std::vector<Loop>& faces, std::size_t index, const Tet& of) {
    std::int32_t apex = faces[0][0];
    for (const Loop& face : faces) apex = std::min(apex, *std::min_element(face.begin(), face.end()));
    for (const Loop& face : faces) {
      if (std::find(face.begin(), face.end(), apex) != face.end()) continue;
      const auto first = static_cast<std::size_t>(std::min_element(face.begin(), face.end()) - face.begin());
      const auto at = [&](std::size_t i) { return face[(first + i) % face.size()]; };
      for (std::size_t i = 1; i + 1 < face.size(); ++i) {
        const Tet piece = positively_oriented(mesh_, {apex, at(0), at(i), at(i + 1)});
        if (!(six_volumes(mesh_, piece) > kFlat * edge_product(mesh_, piece))) {
          throw_error(
              "{}: {} is too flat to be cut at its {} levels; give a mesh without such tets, or a map with fewer "
              "levels",
              source_, describe(index, of), levels_.size());
        }
        mesh_.tets.push_back(piece);
      }
    }
  }

  TetMesh& mesh_;
  const std::vector<double>& levels_;
  const std::string& source_;
  std::vector<int> rank_;
  std::vector<std::pair<std::int32_t, std::int32_t>> ends_;  // of the edge that a vertex is on; itself if it is old
  std::vector<CrossedEdge> edges_;
  std::vector<std::size_t> level_of_new_;
  std::vector<Loop> faces_, below_, above_;
};

}  // namespace

std::vector<std::size_t> cut_at_levels(TetMesh& mesh, const std::vector<double>& values,
                                       const std::vector<double>& levels, const std::string& source) {
  return LevelCutter(mesh, values, levels, source).cut();
}

}  // namespace isopatch::detail
