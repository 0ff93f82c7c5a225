// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/topology/point_merging.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "host/mesh/math/point_math.h"
#include "host/mesh/topology/connectivity.h"
#include "host/mesh/topology/element_check.h"
#include "host/mesh/topology/point_index.h"
#include "host/threads/work_counter.h"

namespace isopatch::detail {
namespace {

/// The most pairs of near points that are looked at, per point. Points parted by rounding have a few.
constexpr std::size_t kMaxNearPairs = 64;

/// Of the size of a surface.
constexpr double kRounding = 1e-7, kMaxAdvised = 1e-2;

double size_of(const TriangleMesh& mesh) {
  const Box box = box_of(mesh.points, mesh.triangles);
  return norm(box.high - box.low);
}

/// With three digits.
double rounded_up(double value) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
  return std::ceil(value / unit) * unit;
}

struct NearPair {
  double distance;
  std::int32_t a, b;
};

/// The points at the ends of edges along which more triangles run one way than the other.
std::vector<std::int32_t> open_points(const TriangleMesh& mesh) {
  const std::vector<EdgeUse> edges = sorted_edges(mesh);
  std::vector<std::int32_t> points;
  for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
    std::int64_t balance = 0;
    while (end < edges.size() && edges[end].low == edges[begin].low && edges[end].high == edges[begin].high) {
      balance += edges[end++].ascending ? 1 : -1;
    }
    if (balance == 0 || edges[begin].low == edges[begin].high) continue;
    points.push_back(edges[begin].low);
    points.push_back(edges[begin].high);
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

/// The pairs of `points` that are at most `distance` apart, the nearest first; none if there are too many.
std::vector<NearPair> near_pairs(const TriangleMesh& mesh, const std::vector<std::int32_t>& points, double distance) {
  // a grid of cells several times as wide, so that most points have all that are near in their own
  const double width = 4 * distance;
  const Point3 low = box_of(mesh.points, mesh.triangles).low;
  const auto cell = [&](const Point3& p, std::size_t k, double offset) {
    return static_cast<std::int64_t>(std::floor((p[k] + offset - low[k]) / width));
  };
  const auto key = [](std::int64_t i, std::int64_t j, std::int64_t k) {
    return mixed(mixed(mixed(static_cast<std::uint64_t>(i)) + static_cast<std::uint64_t>(j)) +
                 static_cast<std::uint64_t>(k));
  };
  std::vector<std::pair<std::uint64_t, std::int32_t>> cells;
  cells.reserve(points.size());
  for (const std::int32_t v : points) {
    const Point3& p = point_at(mesh, v);
    cells.emplace_back(key(cell(p, 0, 0), cell(p, 1, 0), cell(p, 2, 0)), v);
  }
  std::sort(cells.begin(), cells.end());

  std::vector<NearPair> pairs;
  std::size_t left = kMaxNearPairs * points.size();
  WorkCounter counter;
  for (const std::int32_t v : points) {
    const Point3& p = point_at(mesh, v);
    std::array<std::array<std::int64_t, 2>, 3> range;
    for (std::size_t k = 0; k < 3; ++k) range[k] = {cell(p, k, -distance), cell(p, k, distance)};
    for (std::int64_t i = range[0][0]; i <= range[0][1]; ++i) {
      for (std::int64_t j = range[1][0]; j <= range[1][1]; ++j) {
        for (std::int64_t k = range[2][0]; k <= range[2][1]; ++k) {
          const std::pair<std::uint64_t, std::int32_t> after_v = {key(i, j, k), v + 1};
          for (auto near = std::lower_bound(cells.begin(), cells.end(), after_v);
               near != cells.end() && near->first == after_v.first; ++near) {
            counter.add(1);
            if (left-- == 0) return {};
            const double length = norm(point_at(mesh, near->second) - p);
            if (length <= distance) pairs.push_back({length, v, near->second});
          }
        }
      }
    }
  }
  std::sort(pairs.begin(), pairs.end(), [](const NearPair& a, const NearPair& b) {
    return std::tie(a.distance, a.a, a.b) < std::tie(b.distance, b.a, b.b);
  });
  return pairs;
}

class Merger {
 public:
  Merger(const TriangleMesh& mesh, double distance) : mesh_(mesh), distance_(distance), first_(mesh.points.size()) {
    std::iota(first_.begin(), first_.end(), 0);
    const std::vector<std::int32_t> places = merge_equal(open_points(mesh));
    if (distance == 0) return;
    find_short_edges();
    for (const NearPair& pair : near_pairs(mesh, places, distance)) join(pair.a, pair.b);
  }

  /// The first of the points that this one is one with.
  std::int32_t first(std::int32_t point) const { return first_[first_[point]]; }
  const PointMerge& done() const { return done_; }

 private:
  /// Merges points in the same place; returns the first in each.
  std::vector<std::int32_t> merge_equal(const std::vector<std::int32_t>& points) {
    std::vector<Point3> places;
    std::vector<std::int32_t> firsts;
    PointIndex index(places);
    for (const std::int32_t v : points) {
      const auto place = static_cast<std::size_t>(index.add(point_at(mesh_, v)));
      if (place == firsts.size()) firsts.push_back(v);
      first_[v] = firsts[place];
    }
    done_.points = std::ssize(points) - std::ssize(firsts);
    return firsts;
  }

  /// The ends of short edges of triangles that have an area, which must not merge.
  void find_short_edges() {
    for (const Triangle& t : mesh_.triangles) {
      for (std::size_t i = 0; i < 3; ++i) {
        const std::int32_t a = first_[t[i]], b = first_[t[(i + 1) % 3]];
        if (norm(point_at(mesh_, a) - point_at(mesh_, b)) > distance_ || is_flat(mesh_.points, t)) continue;
        kept_apart_.push_back({std::min(a, b), std::max(a, b)});
      }
    }
    std::sort(kept_apart_.begin(), kept_apart_.end());
  }

  /// Makes two groups one if any two of their points may be.
  void join(std::int32_t a, std::int32_t b) {
    std::vector<std::int32_t> one = group(a), other = group(b);
    if (one.front() == other.front()) return;
    double longest = 0;
    for (const std::int32_t p : one) {
      for (const std::int32_t q : other) {
        const double length = norm(point_at(mesh_, p) - point_at(mesh_, q));
        if (length > distance_ || !may_merge(p, q)) return;
        longest = std::max(longest, length);
      }
    }
    done_.distance = std::max(done_.distance, longest);
    ++done_.points;
    if (other.front() < one.front()) std::swap(one, other);
    one.insert(one.end(), other.begin(), other.end());
    for (const std::int32_t p : other) first_[p] = one.front();
    groups_[one.front()] = std::move(one);
  }

  std::vector<std::int32_t> group(std::int32_t p) const {
    const std::int32_t first = first_[p];
    const auto found = groups_.find(first);
    return found == groups_.end() ? std::vector<std::int32_t>{first} : found->second;
  }

  bool may_merge(std::int32_t p, std::int32_t q) const {
    return !std::binary_search(kept_apart_.begin(), kept_apart_.end(),
                               std::array<std::int32_t, 2>{std::min(p, q), std::max(p, q)});
  }

  const TriangleMesh& mesh_;
  const double distance_;
  std::vector<std::array<std::int32_t, 2>> kept_apart_;  // ascending pairs
  std::vector<std::int32_t> first_;
  std::unordered_map<std::int32_t, std::vector<std::int32_t>> groups_;  // of two or more, by the first
  PointMerge done_ = {0, 0};
};

}  // namespace

bool is_closed(const std::vector<Triangle>& triangles) {
  // Sums of numbers that are random but the same for the same edge: they cancel where the edges do, and elsewhere by
  // chance once in 2^64. Sorting the edges takes ten times as long.
  std::uint64_t sum = 0;
  for (const Triangle& t : triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto from = static_cast<std::uint32_t>(t[i]), to = static_cast<std::uint32_t>(t[(i + 1) % 3]);
      if (from < to) sum += mixed(1 + (std::uint64_t{from} << 32 | to));
      if (from > to) sum -= mixed(1 + (std::uint64_t{to} << 32 | from));
    }
  }
  return sum == 0;
}

std::optional<PointMerge> close_by_merging(TriangleMesh& mesh, double distance) {
  const Merger merger(mesh, distance);
  if (merger.done().points == 0) return {};
  std::vector<Triangle> triangles = mesh.triangles;
  for (Triangle& t : triangles) {
    for (std::int32_t& v : t) v = merger.first(v);
  }
  if (!is_closed(triangles)) return {};
  for (std::size_t i = 0; i < triangles.size(); ++i) {  // a corner that moves may flatten a triangle
    if (triangles[i] == mesh.triangles[i]) continue;
    if (is_flat(mesh.points, triangles[i]) && !is_flat(mesh.points, mesh.triangles[i])) return {};
  }

  std::vector<std::int32_t> image(mesh.points.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    const auto first = static_cast<std::size_t>(merger.first(static_cast<std::int32_t>(i)));
    if (first == i) mesh.points[kept] = mesh.points[i];
    image[i] = first == i ? static_cast<std::int32_t>(kept++) : image[first];
  }
  mesh.points.resize(kept);
  for (Triangle& t : triangles) {
    for (std::int32_t& v : t) v = image[static_cast<std::size_t>(v)];
  }
  mesh.triangles = std::move(triangles);
  return merger.done();
}

std::optional<PointMerge> close_within_rounding(TriangleMesh& mesh) {
  if (mesh.triangles.empty()) return {};
  if (const auto merged = close_by_merging(mesh, 0)) return merged;
  return close_by_merging(mesh, kRounding * size_of(mesh));
}

std::optional<double> closing_distance(const TriangleMesh& mesh) {
  const double size = size_of(mesh);
  for (double fraction = 10 * kRounding; fraction <= kMaxAdvised; fraction *= 10) {
    TriangleMesh merged = mesh;
    if (const auto found = close_by_merging(merged, fraction * size)) return rounded_up(found->distance);
  }
  return {};
}

}  // namespace isopatch::detail
