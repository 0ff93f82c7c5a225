// SPDX-License-Identifier: Apache-2.0
#include "host/reference/polytope/contacts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "host/reference/polytope/distances.h"
#include "host/reference/polytope/relations.h"
#include "tests/reference/polytope/random_shapes.h"

namespace isopatch::reference::polytope {
namespace {

constexpr double kExact = 1e-17;
const Real kRoot = std::sqrt(2.0L);
constexpr Real kEighth = std::numbers::pi_v<Real> / 4;

void expect_contact(const std::optional<Contact>& contact, Real gap, Real applicability, const Vector3& normal,
                    const Vector3& point) {
  ASSERT_TRUE(contact);
  EXPECT_NEAR(static_cast<double>(contact->gap - gap), 0, kExact);
  EXPECT_NEAR(static_cast<double>(contact->applicability - applicability), 0, kExact);
  EXPECT_LT(static_cast<double>((contact->normal - normal).norm()), kExact) << contact->normal.transpose();
  EXPECT_LT(static_cast<double>((contact->point - point).norm()), kExact) << contact->point.transpose();
}

TEST(PolytopeContacts, OfASquareOnItsTipBesideACorner) {
  const ConvexShape fixed = rectangle(-1, -1, 0, 0);
  const Vector3 tip(0.02L, -0.01L, 0);
  const ConvexShape square = shifted(turned(rectangle(0, 0, 0.2L, 0.2L), kEighth, Vector3::UnitZ()), tip);
  const auto on_face = [&](int f) { return find_contact(square, fixed, {ContactKind::kVertexOnFace, 0, f}); };
  const auto under_corner = [&](int f) { return find_contact(square, fixed, {ContactKind::kFaceUnderVertex, f, 2}); };
  expect_contact(on_face(1), 0.02L, -1 / kRoot, {1, 0, 0}, tip);
  expect_contact(on_face(2), -0.01L, 1 / kRoot, {0, 1, 0}, tip);
  const Vector3 right = Vector3(1, -1, 0) / kRoot, left = Vector3(-1, -1, 0) / kRoot;
  expect_contact(under_corner(0), -0.03L / kRoot, -1 / kRoot, -right, {0, 0, 0});
  expect_contact(under_corner(3), 0.01L / kRoot, 1 / kRoot, -left, {0, 0, 0});
}

TEST(PolytopeContacts, OfCrossedBars) {
  const ConvexShape lower = turned(box({0.1L, 1, 0.1L}), kEighth, Vector3::UnitY());
  const ConvexShape upper =
      shifted(turned(box({1, 0.1L, 0.1L}), kEighth, Vector3::UnitX()), {0.05L, 0.02L, 0.1L * kRoot + 0.001L});
  int found = 0;
  for (int e = 0; e < 12; ++e) {
    for (int f = 0; f < 12; ++f) {
      if (edge_distance(upper, e, lower, f) > 0.01L) continue;
      ++found;
      expect_contact(find_contact(upper, lower, {ContactKind::kEdgeOnEdge, e, f}), 0.001L, 1 / kRoot, {0, 0, 1},
                     {0, 0.02L, 0.05L * kRoot + 0.0005L});
      expect_contact(find_contact(lower, upper, {ContactKind::kEdgeOnEdge, f, e}), 0.001L, 1 / kRoot, {0, 0, -1},
                     {0, 0.02L, 0.05L * kRoot + 0.0005L});
    }
  }
  EXPECT_EQ(found, 1);
}

TEST(PolytopeContacts, ParallelEdgesHaveNone) {
  const ConvexShape a = box({1, 1, 1}), b = shifted(a, {0, 0, 1});
  int contacts = 0;
  for (int e = 0; e < 12; ++e) {
    for (int f = 0; f < 12; ++f) contacts += find_contact(a, b, {ContactKind::kEdgeOnEdge, e, f}).has_value() ? 1 : 0;
  }
  EXPECT_EQ(contacts, 3 * 4 * 8);  // with the edges along the two other axes
}

/// Only vertices, for distances by a method that needs no more.
ConvexShape of_points(const std::vector<Vector3>& points) {
  ConvexShape shape;
  shape.vertices = points;
  return shape;
}

TEST(PolytopeContacts, DistancesOfFeaturesAreThoseOfTheirVertices) {
  constexpr double kTolerance = 1e-15;
  RandomShapes random(2);
  for (int k = 0; k < 300; ++k) {
    const Vector3 x = random.normal_point(false), y = random.normal_point(false), z = random.normal_point(false),
                  w = k % 4 == 0 ? Vector3(z + 0.3L * (y - x)) : random.normal_point(false);  // also parallel
    const HullDistance expected = hull_distance(of_points({x, y}), of_points({z, w}));
    EXPECT_NEAR(static_cast<double>(segment_distance(x, y, z, w) - expected.at_most), 0, kTolerance);
    const ConvexShape shape = random.hull(8, false);
    const int f = random.integer(0, static_cast<int>(shape.faces.size()) - 1);
    std::vector<Vector3> corners;
    for (int v : shape.faces[static_cast<std::size_t>(f)].loop) {
      corners.push_back(shape.vertices[static_cast<std::size_t>(v)]);
    }
    EXPECT_NEAR(
        static_cast<double>(face_distance(x, shape, f) - hull_distance(of_points({x}), of_points(corners)).at_most), 0,
        kTolerance);
  }
}

/// A motion with constant velocities about a centre.
Transform motion(const Vector3& center, const Vector3& velocity, const Vector3& turning, Real time) {
  Transform result;
  result.rotation = Eigen::AngleAxis<Real>(turning.norm() * time, turning.normalized()).toRotationMatrix();
  result.translation = center + time * velocity - result.rotation * center;
  return result;
}

TEST(PolytopeContacts, RowsAreTheDerivativesOfGaps) {
  constexpr double kTolerance = 1e-8;
  constexpr Real kStep = 1e-7L, kSmallestSine = 0.05L;
  RandomShapes random(3);
  int compared = 0;
  for (int k = 0; k < 40; ++k) {
    const bool is_planar = k % 2 == 0;
    const ConvexShape b = random.hull(7, is_planar), a = random.at_distance(random.hull(7, is_planar), b, 0.05L);
    const Vector3 center_a = middle_of(a), center_b = middle_of(b);
    const auto velocity = [&] { return random.normal_point(is_planar); };
    const auto turning = [&]() -> Vector3 {
      return is_planar ? Vector3(random.uniform(-1, 1) * Vector3::UnitZ()) : random.normal_point(false);
    };
    const Vector3 v_a = velocity(), w_a = turning(), v_b = velocity(), w_b = turning();
    GapRow velocities;
    velocities << v_a, w_a, v_b, w_b;
    for (const Contact& contact : find_relations(a, b, {0.5L, 0, 0}, RelationMode::kUnilateral).contacts) {
      if (contact.features.kind == ContactKind::kEdgeOnEdge) {
        const auto direction = [](const ConvexShape& shape, int e) {
          return shape.edges[static_cast<std::size_t>(e)].direction;
        };
        const Vector3 cross = direction(a, contact.features.feature_a).cross(direction(b, contact.features.feature_b));
        if (cross.norm() < kSmallestSine) continue;  // differences are worse there
      }
      const auto gap_at = [&](Real time) {
        return find_contact(moved(a, motion(center_a, v_a, w_a, time)), moved(b, motion(center_b, v_b, w_b, time)),
                            contact.features)
            ->gap;
      };
      const Real expected = (gap_at(kStep) - gap_at(-kStep)) / (2 * kStep);
      EXPECT_NEAR(static_cast<double>(gap_row(contact, center_a, center_b).dot(velocities) - expected), 0, kTolerance)
          << "shapes " << k << ", kind " << static_cast<int>(contact.features.kind);
      ++compared;
    }
  }
  EXPECT_GT(compared, 500);
}

}  // namespace
}  // namespace isopatch::reference::polytope
