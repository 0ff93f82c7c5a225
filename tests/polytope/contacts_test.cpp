// SPDX-License-Identifier: Apache-2.0
//
// Gaps, normals and points of contacts, and how gaps change with motion.
#include "isopatch/detail/polytope/contacts.h"

#include <gtest/gtest.h>

#include "tests/polytope/polytope_fixture.h"

namespace isopatch::test {
namespace {

using detail::contact_code;

/// Every contact of a pair but those of edges that are nearly parallel, whose normals turn fast.
std::vector<ContactCode> all_contacts(const PolytopePair& pair) {
  std::vector<ContactCode> codes;
  for (int v = 0; v < pair.a.num_vertices; ++v) {
    for (int f = 0; f < pair.b.num_faces; ++f) codes.push_back(contact_code(kVertexOnFace, v, f));
  }
  for (int f = 0; f < pair.a.num_faces; ++f) {
    for (int w = 0; w < pair.b.num_vertices; ++w) codes.push_back(contact_code(kFaceUnderVertex, f, w));
  }
  for (int e = 0; e < pair.a.num_edges; ++e) {
    for (int k = 0; k < pair.b.num_edges; ++k) {
      const auto a = edge_of(pair.a, pair.a.edges[e]), b = edge_of(pair.b, pair.b.edges[k], pair.X_AB);
      if (edge_pair(a, b).squared_sine > 0.1) codes.push_back(contact_code(kEdgeOnEdge, e, k));
    }
  }
  return codes;
}

PolytopePair pair_of(const Placed& a, const Placed& b) {
  return polytope_pair(a.shape->view(), b.shape->view(), a.X, b.X);
}

/// A pose after a velocity and an angular velocity about a point of the body have acted for a time.
Transform<double> moved(const Transform<double>& X, Vec3d center, Vec3d velocity, Vec3d spin, double time) {
  const Vec3d at_center = apply(X, center);
  Transform<double> turn = turned(spin, time * norm(spin));
  Transform<double> Y = product(turn, Transform<double>{{X.row[0], X.row[1], X.row[2]}, {0, 0, 0}});
  Y.translation = at_center + time * velocity - rotate(Y, center);
  return Y;
}

TEST(PolytopeContacts, HaveGapsWhoseDerivativesAreTheirRows) {
  PolytopeRandom random(11);
  double worst = 0;
  for (int k = 0; k < 40; ++k) {
    const bool planar = k % 4 == 0;
    const ConvexShape shape_a = random.shape(planar, 6), shape_b = random.shape(planar, 6);
    Placed a{&shape_a, random.rotation(planar)}, b{&shape_b, random.rotation(planar)};
    a.X.translation = 2 * random.direction(planar);
    const Vec3d center_a = 0.3 * random.direction(planar), center_b = 0.3 * random.direction(planar);
    const Vec3d v_a = random.direction(planar), v_b = random.direction(planar);
    const Vec3d w_a = planar ? Vec3d{0, 0, 0.7} : random.direction(false);
    const Vec3d w_b = planar ? Vec3d{0, 0, -0.4} : random.direction(false);
    constexpr double kStep = 3e-6;  // the difference has 1e-11 of third derivatives as error, and 1e-10 of rounding
    std::array<PolytopePair, 2> pairs;
    for (std::size_t side = 0; side < 2; ++side) {
      const double time = side == 0 ? -kStep : kStep;
      pairs[side] =
          pair_of({&shape_a, moved(a.X, center_a, v_a, w_a, time)}, {&shape_b, moved(b.X, center_b, v_b, w_b, time)});
    }
    const PolytopePair pair = pair_of(a, b);
    for (const ContactCode code : all_contacts(pair)) {
      const ContactGeometry contact = contact_geometry(pair, code);
      const detail::ContactRow row = contact_row(pair, a.X, contact, center_a, center_b);
      const double rate = dot(row.linear, v_a - v_b) + dot(row.angular_a, w_a) - dot(row.angular_b, w_b);
      const double before = contact_geometry(pairs[0], code, contact.normal).gap;
      const double after = contact_geometry(pairs[1], code, contact.normal).gap;
      worst = std::max(worst, std::fabs((after - before) / (2 * kStep) - rate));
    }
  }
  EXPECT_LT(worst, 1e-8);
}

// A body on a joint has one velocity: of a slide along an axis, or of a turn about one that does not go through its
// centre of mass. The twist of the centre of mass that it gives is that at the present pose.
TEST(PolytopeContacts, HaveGapsWhoseDerivativesByAJointAreTheirRowsAlongItsAxis) {
  PolytopeRandom random(15);
  double worst = 0;
  int contacts = 0;
  for (int k = 0; k < 40; ++k) {
    const bool planar = k % 4 == 0, slides = k % 8 < 4;
    const ConvexShape shape_a = random.shape(planar, 6), shape_b = random.shape(planar, 6);
    Placed a{&shape_a, random.rotation(planar)}, b{&shape_b, random.rotation(planar)};
    a.X.translation = 2 * random.direction(planar);
    const Vec3d center_a = 0.3 * random.direction(planar), center_b = 0.3 * random.direction(planar);
    const Vec3d axis = planar && !slides ? Vec3d{0, 0, 1} : random.direction(planar);
    const Vec3d anchor = random.direction(planar);  // a point of the axis
    constexpr double kStep = 3e-6;                  // m or rad, as above
    const auto placed_at = [&](double position) {
      Placed at_joint = a;
      if (slides) {
        at_joint.X.translation = a.X.translation + position * axis;
      } else {
        Transform<double> turn = turned(axis, position);
        turn.translation = anchor - rotate(turn, anchor);
        at_joint.X = product(turn, a.X);
      }
      return at_joint;
    };
    const PolytopePair pair = pair_of(a, b), before = pair_of(placed_at(-kStep), b),
                       after = pair_of(placed_at(kStep), b);
    const Vec3d linear = slides ? axis : cross(axis, apply(a.X, center_a) - anchor);
    const Vec3d angular = slides ? Vec3d{0, 0, 0} : axis;
    for (const ContactCode code : all_contacts(pair)) {
      const ContactGeometry contact = contact_geometry(pair, code);
      const detail::ContactRow row = contact_row(pair, a.X, contact, center_a, center_b);
      const double rate = dot(row.linear, linear) + dot(row.angular_a, angular);
      const double difference =
          contact_geometry(after, code, contact.normal).gap - contact_geometry(before, code, contact.normal).gap;
      worst = std::max(worst, std::fabs(difference / (2 * kStep) - rate));
      ++contacts;
    }
  }
  EXPECT_LT(worst, 1e-8);
  EXPECT_GT(contacts, 2000);
  RecordProperty("worst", std::to_string(1e9 * worst) + "e-9");
}

TEST(PolytopeContacts, AreMirroredWhenTheBodiesAreSwapped) {
  PolytopeRandom random(12);
  for (int k = 0; k < 40; ++k) {
    const bool planar = k % 4 == 0;
    const ConvexShape shape_a = random.shape(planar, 6), shape_b = random.shape(planar, 6);
    Placed a{&shape_a, random.rotation(planar)}, b{&shape_b, random.rotation(planar)};
    a.X.translation = 2 * random.direction(planar);
    const PolytopePair pair = pair_of(a, b), swapped = pair_of(b, a);
    for (const ContactCode code : all_contacts(pair)) {
      const std::int32_t kind = detail::kind_of(code);
      const ContactCode other =
          contact_code(kind == 2 ? 2 : 1 - kind, detail::feature_b_of(code), detail::feature_a_of(code));
      const ContactGeometry one = contact_geometry(pair, code), two = contact_geometry(swapped, other);
      EXPECT_NEAR(one.gap, two.gap, 1e-13);
      EXPECT_NEAR(one.applicability, two.applicability, 1e-13);
      EXPECT_LT(norm(rotate(a.X, one.normal) + rotate(b.X, two.normal)), 1e-13);
      EXPECT_LT(norm(apply(a.X, one.point) - apply(b.X, two.point)), 1e-11);
    }
  }
}

TEST(PolytopeContacts, AreTheSameFarFromTheOrigin) {
  PolytopeRandom random(13);
  for (int k = 0; k < 20; ++k) {
    const ConvexShape shape_a = random.shape(false, 6), shape_b = random.shape(false, 6);
    Placed a{&shape_a, random.rotation(false)}, b{&shape_b, random.rotation(false)};
    a.X.translation = 2 * random.direction(false);
    const Transform<double> far = turned(random.direction(false), 1, {1e6, -1e6, 1e6});
    const PolytopePair pair = pair_of(a, b);
    const PolytopePair distant = pair_of({&shape_a, product(far, a.X)}, {&shape_b, product(far, b.X)});
    for (const ContactCode code : all_contacts(pair)) {
      const ContactGeometry one = contact_geometry(pair, code), two = contact_geometry(distant, code);
      EXPECT_NEAR(one.gap, two.gap, 1e-9);
      EXPECT_NEAR(one.applicability, two.applicability, 1e-13);
    }
  }
}

TEST(PolytopeContacts, OfCrossedEdgesAreHalfwayBetweenTheLines) {
  const ConvexShape cube = ConvexShape::box({0.5, 0.5, 0.5});
  const double s = std::sqrt(0.5);
  // one on an edge along y, above it one on an edge along x
  const Placed b{&cube, turned({0, 1, 0}, std::numbers::pi / 4)};
  const Placed a{&cube, turned({1, 0, 0}, std::numbers::pi / 4, {0.1, 0.2, 2 * s + 0.01})};
  const Found found = find(a, b, options(0.05));
  ASSERT_EQ(found.contacts.size(), 1u);
  EXPECT_EQ(found.kinds(), "1 U");
  const PotentialContact& contact = found.contacts[0];
  EXPECT_EQ(contact.pair, 3);
  EXPECT_EQ(contact.part_a, 5);
  EXPECT_EQ(contact.part_b, 7);
  EXPECT_EQ(contact.kind, kEdgeOnEdge);
  EXPECT_NEAR(contact.gap, 0.01, 1e-8);
  EXPECT_NEAR(contact.applicability, s, 1e-7);
  EXPECT_NEAR(contact.normal[2], 1, 1e-7);
  EXPECT_NEAR(contact.point[0], 0, 1e-7);
  EXPECT_NEAR(contact.point[1], 0.2, 1e-7);
  EXPECT_NEAR(contact.point[2], s + 0.005, 1e-7);
}

TEST(PolytopeContacts, OfEdgesThatBecomeParallelKeepTheirNormal) {
  const ConvexShape cube = ConvexShape::box({0.5, 0.5, 0.5});
  const PolytopePair pair = pair_of({&cube, at({0, 0, 1.25})}, {&cube, at({0, 0, 0})});
  for (int e = 0; e < 12; ++e) {
    const ContactGeometry contact = contact_geometry(pair, contact_code(kEdgeOnEdge, e, e), {0, 0, 1});
    EXPECT_EQ(norm(contact.normal - Vec3d{0, 0, 1}), 0);
    EXPECT_NEAR(contact.gap, 1.25, 1e-15);
  }
}

}  // namespace
}  // namespace isopatch::test
