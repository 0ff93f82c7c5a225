// SPDX-License-Identifier: Apache-2.0
//
// The plate in place of an overlap.
#include "isopatch/detail/force_law/contact_patch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace isopatch::detail {
namespace {

/// Of a box with edges `size`, pressed into a plane with normal z.
OverlapMoments box_overlap(Vec3d size) {
  const double volume = size.x * size.y * size.z;
  const auto second = [&](double edge) { return volume * edge * edge / 12; };
  return {volume, {0, 0, 0}, {second(size.x), second(size.y), second(size.z), 0, 0, 0}, {0, 0, size.x * size.y}};
}

/// A wedge with a right angle: a box's edge, turned about y, below the plane z = 0. `slope` is that of the shallow
/// side.
OverlapMoments wedge_overlap(double slope) {
  // the triangle (0, 0), (c, 0), and its lowest corner, a right angle, with legs c cos and c sin; 1 m along y
  const double angle = std::atan(slope), c = 1, x = c * std::cos(angle) * std::cos(angle);
  const double z = -c * std::cos(angle) * std::sin(angle), area = 0.5 * c * -z;
  const double px[] = {0, c, x}, pz[] = {0, 0, z}, mx = (c + x) / 3, mz = z / 3;
  double xx = 0, zz = 0, xz = 0;  // of a triangle: area / 12 times the sum over corners about the centroid
  for (int i = 0; i < 3; ++i) {
    xx += area / 12 * (px[i] - mx) * (px[i] - mx);
    zz += area / 12 * (pz[i] - mz) * (pz[i] - mz);
    xz += area / 12 * (px[i] - mx) * (pz[i] - mz);
  }
  return {area, {mx, 0, mz}, {xx, area / 12, zz, 0, xz, 0}, {0, 0, c}};
}

TEST(ContactPatch, OfAFlatBoxFacesAsItDoes) {
  const ContactPatch patch = contact_patch(box_overlap({0.1, 0.05, 1e-3}), false);
  EXPECT_NEAR(patch.normal.z, 1, 1e-15);
  EXPECT_NEAR(patch.radius, std::sqrt((0.01 + 0.0025) / 12), 1e-15);
  EXPECT_NEAR(patch.spread.xx, 0.01 / 12, 1e-16);
  EXPECT_NEAR(patch.spread.zz, 0, 1e-20);
}

TEST(ContactPatch, OfAWedgeHalvesItsAngle) {
  for (const double slope : {0.01, 0.1}) {
    const ContactPatch patch = contact_patch(wedge_overlap(slope), false);
    const double lean = std::atan2(std::hypot(patch.normal.x, patch.normal.y), patch.normal.z);
    // the principal axis leans half way, nearly; far less for the vector area, which is the plane's
    EXPECT_NEAR(lean / std::atan(slope), 0.5, 0.02 + slope) << slope;
    EXPECT_EQ(contact_patch(wedge_overlap(slope), true).normal.z, 1);
  }
}

TEST(ContactPatch, GoesOverToTheVectorAreaAsItGetsThick) {
  // a peg of 1 cm, ever deeper: its principal axis would turn by a right angle where it is as deep as wide
  double before = 1;
  for (double depth = 1e-4; depth < 0.05; depth *= 1.01) {
    OverlapMoments peg = box_overlap({0.01, 0.0099, depth});
    peg.area = {2e-6, 1e-6, 0.99e-4};
    const double cosine = dot(contact_patch(peg, false).normal, {0, 0, 1});
    EXPECT_LT(std::fabs(cosine - before), 1e-3) << depth;
    before = cosine;
  }
  EXPECT_DOUBLE_EQ(before, 0.99e-4 / std::sqrt(4e-12 + 1e-12 + 0.99e-4 * 0.99e-4));
}

TEST(ContactPatch, WithoutAreaOrVolumeIsNoContact) {
  OverlapMoments inside = box_overlap({0.1, 0.1, 0.1});
  inside.area = {0, 0, 0};
  EXPECT_EQ(contact_patch(inside, false).metric, 0);
  OverlapMoments empty = box_overlap({0.1, 0.1, 0.1});
  empty.volume = 0;
  EXPECT_EQ(contact_patch(empty, false).metric, 0);
}

TEST(ContactPatch, WithoutMomentsIsAPoint) {
  OverlapMoments overlap = box_overlap({0.1, 0.1, 0.001});
  overlap.second = {};
  const ContactPatch patch = contact_patch(overlap, false);
  EXPECT_EQ(patch.normal.z, 1);
  EXPECT_EQ(patch.radius, 0);
}

TEST(PrincipalAxes, DiagonaliseAnyMatrix) {
  constexpr double kRounding = 1e-15;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> entry(-1, 1);
  for (int i = 0; i < 10000; ++i) {
    Symmetric3 m = {entry(random), entry(random), entry(random), entry(random), entry(random), entry(random)};
    if (i % 3 == 0) m = {1, 1, 1, entry(random) * 1e-9, entry(random) * 1e-9, 0};  // nearly equal
    if (i % 7 == 0) m = {entry(random), 0, 0, 0, 0, 0};
    const PrincipalAxes axes = principal_axes(m);
    for (int k = 0; k < 3; ++k) {
      const Vec3d u = axes.axis[k];
      EXPECT_NEAR(norm(u), 1, 4 * kRounding);
      EXPECT_LE(norm(m * u - axes.value[k] * u), 10 * kRounding) << i;
      EXPECT_NEAR(dot(u, axes.axis[(k + 1) % 3]), 0, 4 * kRounding);
    }
  }
}

TEST(BallOverlap, OfTheWholeBallIsTheBall) {
  constexpr double kPi = 3.14159265358979324, kRadius = 0.1;
  const OverlapMoments all = ball_overlap({0, 0, -1}, kRadius, {0, 0, 1}, 1.1);
  EXPECT_NEAR(all.volume, 4 * kPi / 3 * 1e-3, 1e-17);
  EXPECT_NEAR(all.centroid.z, -1, 1e-15);
  EXPECT_NEAR(all.second.xx, all.volume * 1e-2 / 5, 1e-19);
  EXPECT_NEAR(all.second.zz, all.volume * 1e-2 / 5, 1e-19);
  EXPECT_EQ(norm(all.area), 0);
  EXPECT_EQ(ball_overlap({0, 0, 1}, kRadius, {0, 0, 1}, -0.9).volume, 0);
}

}  // namespace
}  // namespace isopatch::detail
