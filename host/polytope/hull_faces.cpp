// SPDX-License-Identifier: Apache-2.0
#include "host/polytope/convex_shape.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "host/mesh/math/fixed_math.h"
#include "host/mesh/math/point_math.h"
#include "host/mesh/primitives/convex_hull.h"
#include "host/text/throw_error.h"
#include "isopatch/limits.h"

namespace isopatch::detail {
namespace {

constexpr double kSameAngle = 1e-6;  // rad
constexpr double kSamePlane = 1e-9;  // of the size

using Loop = std::vector<std::int32_t>;

/// A facet, or several in one plane.
struct Facet {
  Point3 normal;
  std::vector<std::int32_t> vertices;  // ascending
};

/// Points about their middle and by their size, so that tolerances are the same for all.
std::vector<Point3> scaled(const std::vector<Point3>& points) {
  Box box;
  for (const Point3& p : points) box.add(p);
  const Point3 middle = box.low + 0.5 * (box.high - box.low);
  const double size = norm(box.high - box.low);
  if (!(std::isfinite(size) && std::isfinite(1 / size))) {
    throw_error("convex hull: the points span {} m; this must be finite and not too near to 0", size);
  }
  std::vector<Point3> result;
  for (const Point3& p : points) result.push_back((1 / size) * (p - middle));
  return result;
}

/// The facets of the hull. Of points that are the same, the first.
std::vector<Facet> facets_of(const std::vector<Point3>& points) {
  std::map<Point3, std::int32_t> first;
  for (std::size_t i = 0; i < points.size(); ++i) first.try_emplace(points[i], static_cast<std::int32_t>(i));
  std::vector<double> coordinates;
  std::vector<std::int32_t> index;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (first.at(points[i]) != static_cast<std::int32_t>(i)) continue;
    coordinates.insert(coordinates.end(), points[i].begin(), points[i].end());
    index.push_back(static_cast<std::int32_t>(i));
  }
  std::vector<Facet> facets;
  for (const HullFacet& found : convex_hull(std::move(coordinates), 3)) {
    Facet facet{{found.normal[0], found.normal[1], found.normal[2]}, {}};
    for (const std::int32_t v : found.vertices) facet.vertices.push_back(index[static_cast<std::size_t>(v)]);
    std::sort(facet.vertices.begin(), facet.vertices.end());
    facets.push_back(std::move(facet));
  }
  if (facets.empty()) {
    throw_error("convex hull: the {} points lie in a plane; a hull needs four that do not", points.size());
  }
  if (facets.size() > limits::kMaxHullFaces) {  // of which merged() compares any two
    throw_error("convex hull: the hull of the {} points has {} faces, the limit is {}; use fewer points", points.size(),
                facets.size(), limits::kMaxHullFaces);
  }
  std::sort(facets.begin(), facets.end(), [](const Facet& a, const Facet& b) { return a.vertices < b.vertices; });
  return facets;
}

bool are_level(const Facet& a, const Facet& b, const std::vector<Point3>& points) {
  if (!(dot(a.normal, b.normal) > 0 && norm(cross(a.normal, b.normal)) <= kSameAngle)) return false;
  std::vector<std::int32_t> shared;
  std::set_intersection(a.vertices.begin(), a.vertices.end(), b.vertices.begin(), b.vertices.end(),
                        std::back_inserter(shared));
  if (shared.size() < 2) return false;
  const Point3& p = points[static_cast<std::size_t>(shared[0])];
  const auto in_plane = [&](const Facet& from, const Facet& of) {
    return std::all_of(from.vertices.begin(), from.vertices.end(), [&](std::int32_t v) {
      return std::fabs(dot(of.normal, points[static_cast<std::size_t>(v)] - p)) <= kSamePlane;
    });
  };
  return in_plane(a, b) && in_plane(b, a);
}

/// Facets that are level with a neighbour become one with it.
std::vector<Facet> merged(const std::vector<Facet>& facets, const std::vector<Point3>& points) {
  std::vector<std::size_t> group(facets.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto root = [&](std::size_t i) {
    while (group[i] != i) i = group[i];
    return i;
  };
  for (std::size_t i = 0; i < facets.size(); ++i) {
    for (std::size_t j = i + 1; j < facets.size(); ++j) {
      if (!are_level(facets[i], facets[j], points)) continue;
      const std::size_t a = root(i), b = root(j);
      group[std::max(a, b)] = std::min(a, b);
    }
  }
  std::map<std::size_t, Facet> result;
  for (std::size_t i = 0; i < facets.size(); ++i) {
    Facet& facet = result.try_emplace(root(i), Facet{facets[root(i)].normal, {}}).first->second;
    facet.vertices.insert(facet.vertices.end(), facets[i].vertices.begin(), facets[i].vertices.end());
  }
  std::vector<Facet> list;
  for (auto& [first, facet] : result) {
    std::sort(facet.vertices.begin(), facet.vertices.end());
    facet.vertices.erase(std::unique(facet.vertices.begin(), facet.vertices.end()), facet.vertices.end());
    list.push_back(std::move(facet));
  }
  return list;
}

/// The corners of a facet in the order about its normal; a vertex on the line of its neighbours is no corner.
Loop loop_of(const Facet& facet, const std::vector<Point3>& points) {
  const auto at = [&](std::int32_t v) { return points[static_cast<std::size_t>(v)]; };
  Point3 middle{};
  for (const std::int32_t v : facet.vertices) {
    middle = middle + (1 / static_cast<double>(facet.vertices.size())) * at(v);
  }
  const std::int32_t far = *std::max_element(facet.vertices.begin(), facet.vertices.end(), [&](auto a, auto b) {
    return norm(at(a) - middle) < norm(at(b) - middle);
  });
  const Point3 u = at(far) - middle, w = cross(facet.normal, u);
  Loop loop = facet.vertices;
  std::sort(loop.begin(), loop.end(), [&](std::int32_t a, std::int32_t b) {
    const Point3 to_a = at(a) - middle, to_b = at(b) - middle;
    return angle_order(dot(to_a, w), dot(to_a, u)) < angle_order(dot(to_b, w), dot(to_b, u));
  });
  for (std::size_t i = 0; i < loop.size() && loop.size() > 2;) {
    const Point3 before = at(loop[(i + loop.size() - 1) % loop.size()]), after = at(loop[(i + 1) % loop.size()]);
    const Point3 along = after - before;
    const double outside = dot(cross(at(loop[i]) - before, along), facet.normal);  // distance times length
    if (!(outside > kSamePlane * norm(along))) {
      loop.erase(loop.begin() + static_cast<std::ptrdiff_t>(i));
      i = i == 0 ? 0 : i - 1;  // its neighbours may be next
    } else {
      ++i;
    }
  }
  return loop;
}

}  // namespace

std::vector<Loop> hull_faces(const std::vector<Point3>& points) {
  if (points.size() < 4) throw_error("convex hull: {} points; it needs at least four", points.size());
  const std::vector<Point3> in_unit = scaled(points);
  std::vector<Loop> loops;
  for (const Facet& facet : merged(facets_of(in_unit), in_unit)) loops.push_back(loop_of(facet, in_unit));

  // what is left of a vertex in the middle of an edge or face lies in fewer than three faces
  std::map<std::int32_t, int> count;
  for (const Loop& loop : loops) {
    for (const std::int32_t v : loop) ++count[v];
  }
  std::map<std::pair<std::int32_t, std::int32_t>, int> edges;
  for (Loop& loop : loops) {
    std::erase_if(loop, [&](std::int32_t v) { return count[v] < 3; });
    for (std::size_t i = 0; i < loop.size(); ++i) ++edges[{loop[i], loop[(i + 1) % loop.size()]}];
  }
  bool closed = loops.size() >= 4 && std::all_of(loops.begin(), loops.end(), [](auto& l) { return l.size() >= 3; });
  for (const auto& [edge, times] : edges) {
    const auto back = edges.find({edge.second, edge.first});
    closed = closed && times == 1 && back != edges.end() && back->second == 1;
  }
  if (!closed) {
    throw_error(
        "convex hull: some of the {} points are nearly, but not quite, on a face or edge of the others; move "
        "them or leave them out",
        points.size());
  }
  return loops;
}

}  // namespace isopatch::detail
