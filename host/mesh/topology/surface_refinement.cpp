// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/topology/cuts.h"

#include <algorithm>
#include <map>
#include <numbers>
#include <queue>
#include <utility>

#include "host/mesh/math/point_math.h"
#include "host/text/throw_error.h"
#include "host/threads/work_counter.h"

namespace isopatch::detail {
namespace {

constexpr double kMaxTriangles = 1e7;

/// A triangle with edges of at most `edge_length` has at most the area of the regular one.
void check_count(const TriangleMesh& mesh, double edge_length, const std::string& source) {
  double area = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    area += norm(cross(point_at(mesh, b) - point_at(mesh, a), point_at(mesh, c) - point_at(mesh, a))) / 2;
  }
  const double fewest = area / (std::numbers::sqrt3 / 4 * edge_length * edge_length);
  if (fewest <= kMaxTriangles) return;
  throw_error(
      "{}: edges of {} m make at least {:.3g} triangles of its surface; at most {:.0e} are made: take longer edges",
      source, edge_length, fewest, kMaxTriangles);
}

class Refinement {
 public:
  Refinement(TriangleMesh& mesh, double edge_length) : mesh_(mesh), squared_length_(edge_length * edge_length) {
    WorkCounter counter;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      counter.add(8);
      add_edges(static_cast<std::int32_t>(t));
    }
    for (const auto& [edge, triangles] : triangles_at_) add_if_long(edge);
  }

  void bisect_long_edges() {
    WorkCounter counter;
    while (!long_edges_.empty()) {
      counter.add(8);  // maps of edges
      const Edge edge = long_edges_.top().second;
      long_edges_.pop();
      bisect(edge);
    }
  }

 private:
  using Edge = std::pair<std::int32_t, std::int32_t>;  // ascending

  static Edge edge_of(std::int32_t a, std::int32_t b) { return {std::min(a, b), std::max(a, b)}; }

  Triangle& triangle(std::int32_t t) { return mesh_.triangles[t]; }

  void add_edges(std::int32_t t) {
    const auto [a, b, c] = triangle(t);
    for (const Edge& edge : {edge_of(a, b), edge_of(b, c), edge_of(c, a)}) triangles_at_[edge].push_back(t);
  }

  void add_if_long(const Edge& edge) {
    const Point3 along = point_at(mesh_, edge.second) - point_at(mesh_, edge.first);
    if (const double squared = dot(along, along); squared > squared_length_) long_edges_.push({squared, edge});
  }

  /// Each triangle (a, b, c) at the edge becomes (a, m, c), in its place, and (m, b, c).
  void bisect(const Edge& edge) {
    const std::int32_t a = edge.first, b = edge.second;
    const auto m = static_cast<std::int32_t>(mesh_.points.size());
    mesh_.points.push_back(0.5 * (point_at(mesh_, a) + point_at(mesh_, b)));

    const std::vector<std::int32_t> around = std::move(triangles_at_[edge]);
    triangles_at_.erase(edge);
    for (const std::int32_t t : around) {
      const auto added = static_cast<std::int32_t>(mesh_.triangles.size());
      const Triangle whole = triangle(t);
      mesh_.triangles.push_back(whole);
      std::replace(triangle(t).begin(), triangle(t).end(), b, m);
      std::replace(triangle(added).begin(), triangle(added).end(), a, m);

      const std::int32_t c = *std::find_if(whole.begin(), whole.end(), [&](auto v) { return v != a && v != b; });
      std::vector<std::int32_t>& opposite_a = triangles_at_[edge_of(b, c)];
      std::replace(opposite_a.begin(), opposite_a.end(), t, added);
      triangles_at_[{c, m}] = {t, added};  // m is the largest index
      triangles_at_[{a, m}].push_back(t);
      triangles_at_[{b, m}].push_back(added);
      add_if_long({c, m});
    }
    add_if_long({a, m});
    add_if_long({b, m});
  }

  TriangleMesh& mesh_;
  double squared_length_;
  std::map<Edge, std::vector<std::int32_t>> triangles_at_;
  std::priority_queue<std::pair<double, Edge>> long_edges_;
};

}  // namespace

void refine(TriangleMesh& mesh, double edge_length, const std::string& source) {
  check_count(mesh, edge_length, source);
  Refinement(mesh, edge_length).bisect_long_edges();
}

}  // namespace isopatch::detail
