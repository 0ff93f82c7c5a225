// SPDX-License-Identifier: Apache-2.0
//
// Pairs of convex shapes, their relations, and what separates them by brute force over directions.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "host/polytope/convex_shape.h"
#include "host/random/random.h"
#include "isopatch/detail/polytope/relations.h"

namespace isopatch::test {

using detail::ContactCode;
using detail::ContactGeometry;
using detail::ConvexShape;
using detail::PolytopePair;
using detail::RelationMode;
using detail::Transform;
using detail::Vec3d;
using detail::Vec3f;

inline Transform<double> at(Vec3d translation) { return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, translation}; }

/// Turned by an angle about an axis.
inline Transform<double> turned(Vec3d axis, double angle, Vec3d translation = {0, 0, 0}) {
  const double s = std::sin(angle / 2) / norm(axis);
  Transform<double> X = detail::rotation_of(std::cos(angle / 2), s * axis.x, s * axis.y, s * axis.z);
  X.translation = translation;
  return X;
}

/// Records and double-precision geometry of one pair's relations.
struct Found {
  std::vector<PotentialContact> contacts;
  std::vector<Relation> relations;
  std::vector<std::int32_t> members;
  std::vector<ContactGeometry> geometry;  // of the contacts, in the frame of body A
  detail::Separation separation{};
  PolytopePair pair;

  ContactCode code(std::int32_t contact) const {
    const PotentialContact& c = contacts[static_cast<std::size_t>(contact)];
    return detail::contact_code(c.kind, c.feature_a, c.feature_b);
  }
  int count_of_kind(std::int32_t kind) const {
    return static_cast<int>(
        std::count_if(relations.begin(), relations.end(), [&](const Relation& r) { return r.kind == kind; }));
  }
  /// As "2 I, 1 X".
  std::string kinds() const {
    std::string text;
    const char* const names[3] = {"U", "I", "X"};
    for (int k = 0; k < 3; ++k) {
      if (count_of_kind(k) == 0) continue;
      text += (text.empty() ? "" : ", ") + std::to_string(count_of_kind(k)) + " " + names[k];
    }
    return text;
  }
};

struct Placed {
  const ConvexShape* shape;
  Transform<double> X;
};

template <class Warp>
detail::RelationCounts run_relations(Warp& warp, const PolytopePair& pair, const detail::RelationOptions& options,
                                     const Transform<double>& X_WA, const detail::FeatureMemory& memory,
                                     const detail::RelationArrays& arrays, detail::RelationCounts counts,
                                     detail::Separation& separation) {
  separation = find_relations(warp, pair, memory, options, X_WA, {3, 5, 7}, arrays, counts);
  return counts;
}

inline Found find(const Placed& a, const Placed& b, const detail::RelationOptions& options) {
  Found found;
  found.pair = polytope_pair(a.shape->view(), b.shape->view(), a.X, b.X);
  std::vector<double> memory(detail::feature_memory_size(found.pair.a, found.pair.b) / 8);
  const detail::FeatureMemory m = detail::feature_memory(found.pair.a, found.pair.b, memory.data());
  detail::SerialWarp warp;
  PotentialContact no_contact{};
  Relation no_relation{};
  std::int32_t no_member = 0;
  const detail::RelationCounts counts =
      run_relations(warp, found.pair, options, a.X, m, {&no_contact, &no_relation, &no_member, {0, 0, 0}}, {0, 0, 0},
                    found.separation);
  found.contacts.resize(static_cast<std::size_t>(counts.contacts));
  found.relations.resize(static_cast<std::size_t>(counts.relations));
  found.members.resize(static_cast<std::size_t>(counts.members));
  run_relations(warp, found.pair, options, a.X, m,
                {found.contacts.data(), found.relations.data(), found.members.data(), counts}, {0, 0, 0},
                found.separation);
  for (std::int32_t c = 0; c < counts.contacts; ++c) {
    found.geometry.push_back(detail::contact_geometry(found.pair, found.code(c)));
  }
  return found;
}

/// How far two shapes are apart.
inline double separation_of(const Placed& a, const Placed& b) {
  const PolytopePair pair = polytope_pair(a.shape->view(), b.shape->view(), a.X, b.X);
  std::vector<double> memory(detail::feature_memory_size(pair.a, pair.b) / 8);
  const detail::FeatureMemory m = detail::feature_memory(pair.a, pair.b, memory.data());
  detail::SerialWarp warp;
  fill(warp, pair, m);
  return find_separation(warp, pair, m, 0.0).value;
}

/// Options of a test: reach, no angle, the default tolerance of shapes of size 1.
inline detail::RelationOptions options(double reach, RelationMode mode = RelationMode::kExact, double angle = 0,
                                       double tolerance = 1e-6) {
  return {reach, angle, tolerance, mode};
}

/// Whether every relation holds, within a tolerance, after A has moved by a translation of its own frame.
inline bool is_allowed(const Found& found, Vec3d shift, double tolerance = 0) {
  for (const Relation& relation : found.relations) {
    double largest = -HUGE_VAL;
    for (std::int32_t k = relation.first; k < relation.first + relation.count; ++k) {
      const ContactGeometry& c = found.geometry[static_cast<std::size_t>(found.members[static_cast<std::size_t>(k)])];
      largest = std::max(largest, c.gap + dot(c.normal, shift));
    }
    if (largest < -tolerance) return false;
  }
  return true;
}

/// The directions in which faces of the Minkowski difference of two shapes lie, in the frame of A from B into A, each
/// with the gap along it. It knows vertices alone, neither faces nor edges: of all planes through three vertices of
/// one, and all pairs of lines through two vertices of each, those that touch four vertices from outside; of polygons,
/// all lines through two vertices that touch three.
class DenseDirections {
 public:
  DenseDirections(const Placed& a, const Placed& b) : needed_(a.shape->is_planar() ? 3 : 4) {
    const Transform<double> X_AB = relative(a.X, b.X);
    std::vector<Vec3d> points_a = a.shape->vertices(), points_b;
    for (const Vec3d& v : b.shape->vertices()) points_b.push_back(apply(X_AB, v));
    if (a.shape->is_planar()) {
      for (const auto* points : {&points_a, &points_b}) {
        for (const Vec3d& p : *points) {
          for (const Vec3d& q : *points) add({q.y - p.y, p.x - q.x, 0}, points_a, points_b);
        }
      }
      return;
    }
    const std::vector<Vec3d> lines_a = lines(points_a), lines_b = lines(points_b);
    for (const auto* of : {&lines_a, &lines_b}) {
      for (const Vec3d& d : *of) {
        for (const Vec3d& e : *of) add(cross(d, e), points_a, points_b);
      }
    }
    for (const Vec3d& d : lines_a) {
      for (const Vec3d& e : lines_b) {
        add(cross(d, e), points_a, points_b);
        add(cross(e, d), points_a, points_b);
      }
    }
  }

  /// After A has moved by a translation of its own frame.
  double separation(Vec3d shift = {0, 0, 0}) const {
    double largest = -HUGE_VAL;
    for (const auto& [normal, gap] : directions_) largest = std::max(largest, gap + dot(normal, shift));
    return largest;
  }

 private:
  static std::vector<Vec3d> lines(const std::vector<Vec3d>& points) {
    std::vector<Vec3d> found;
    for (std::size_t i = 0; i < points.size(); ++i) {
      for (std::size_t j = i + 1; j < points.size(); ++j) {
        const Vec3d d = points[j] - points[i];
        found.push_back((1 / norm(d)) * d);
      }
    }
    return found;
  }

  void add(Vec3d along, const std::vector<Vec3d>& points_a, const std::vector<Vec3d>& points_b) {
    const double length = norm(along);
    if (!(length > 1e-9)) return;
    const Vec3d n = (1 / length) * along;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const Vec3d& p : points_a) low = std::min(low, dot(n, p));
    for (const Vec3d& p : points_b) high = std::max(high, dot(n, p));
    int touched = 0;
    for (const Vec3d& p : points_a) touched += dot(n, p) <= low + 1e-9 ? 1 : 0;
    for (const Vec3d& p : points_b) touched += dot(n, p) >= high - 1e-9 ? 1 : 0;
    if (touched >= needed_) directions_.push_back({n, low - high});
  }

  int needed_;
  std::vector<std::pair<Vec3d, double>> directions_;
};

namespace polytopes {  // tests/support/scenes.h has another PolytopeRandom

/// The same numbers on every machine, but for the C library's logarithms and cosines.
class PolytopeRandom {
 public:
  explicit PolytopeRandom(std::uint64_t seed) : bits_(seed) {}
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(bits_.next() >> 11) * 0x1p-53;
  }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform(0x1p-53, 1)));
    return radius * std::cos(uniform(0, 2 * std::numbers::pi));
  }
  int integer(int low, int high) { return low + static_cast<int>(uniform(0, high - low + 1)); }
  Vec3d direction(bool planar) {
    const double x = normal(), y = normal(), z = planar ? 0 : normal();
    const Vec3d d{x, y, z};
    return (1 / norm(d)) * d;
  }
  Transform<double> rotation(bool planar) {
    const double angle = uniform(0, 2 * std::numbers::pi);
    return planar ? turned({0, 0, 1}, angle) : turned(direction(false), angle);
  }
  /// The hull of `count` points of the normal distribution.
  ConvexShape shape(bool planar, int count) {
    if (planar) {
      std::vector<std::array<double, 2>> points;
      for (int i = 0; i < count; ++i) {
        const double x = normal(), y = normal();
        points.push_back({x, y});
      }
      return ConvexShape::polygon(points);
    }
    std::vector<Point3> points;
    for (int i = 0; i < count; ++i) {
      const double x = normal(), y = normal(), z = normal();
      points.push_back({x, y, z});
    }
    return ConvexShape::hull(points);
  }
  /// The same, but shorter along x, by 3 to 100 times: features are shorter than the reach.
  ConvexShape thin_shape(bool planar, int count) {
    const double width = std::pow(10.0, -uniform(0.5, 2));
    const ConvexShape wide = shape(planar, count);
    std::vector<std::array<double, 2>> corners;
    std::vector<Point3> points;
    for (const Vec3d& v : wide.vertices()) {
      corners.push_back({width * v.x, v.y});
      points.push_back({width * v.x, v.y, v.z});
    }
    return planar ? ConvexShape::polygon(corners) : ConvexShape::hull(points);
  }
  /// The hull of points on a sphere.
  ConvexShape round_shape(int count, double radius) {
    std::vector<Point3> points;
    for (int i = 0; i < count; ++i) {
      const Vec3d d = radius * direction(false);
      points.push_back({d.x, d.y, d.z});
    }
    return ConvexShape::hull(points);
  }

 private:
  detail::SplitMix64 bits_;
};

}  // namespace polytopes

using polytopes::PolytopeRandom;

/// Moves A along a direction until the separation by brute force is `gap`. Directions are of A's frame, which does not
/// turn.
inline double translation_for_gap(const DenseDirections& directions, Vec3d along, double gap) {
  double low = 0, high = 20;  // gaps grow along the direction, once A is out of B
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (directions.separation(middle * along) < gap ? low : high) = middle;
  }
  return high;
}

}  // namespace isopatch::test
