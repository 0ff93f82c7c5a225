// SPDX-License-Identifier: Apache-2.0
//
// What two parts have in common, against closed forms and exact figures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/overlap/two_parts.h"

namespace isopatch::test {
namespace {

constexpr double kPi = 3.14159265358979323846;

TEST(PartOverlap, OfFlushCubesIsExact) {
  const Two two(cube(0.1), cube(0.1));
  for (const double x : {0.0, 0.05, 0.1}) {
    for (const double h : {5e-3, 1e-3, 1e-9, 0.0, -1e-15}) {
      SCOPED_TRACE(::testing::Message() << x << ", " << h);
      const PartOverlap o = two.overlap(at(x, 0, 0.1 - h), at(0, 0, 0));
      EXPECT_NEAR(o.volume, (0.1 - x) * 0.1 * std::max(h, 0.0), 1e-17);
      if (x == 0.1) {
        EXPECT_EQ(o.volume, 0);
      } else if (h >= 1e-3) {
        EXPECT_NEAR(o.area.z, (0.1 - x) * 0.1, 1e-14);
        EXPECT_NEAR(o.area.x, x > 0 ? 0.1 * h : 0.0, 1e-14);
      }
    }
  }
}

TEST(PartOverlap, OfASphereWithAHalfSpaceIsThatOfItsMesh) {
  const double expected[] = {1.12099437706e-6, 2.94212829320e-6, 3.57252857497e-6, 3.73866594677e-6, 3.78170389349e-6};
  for (int subdivisions = 1; subdivisions <= 5; ++subdivisions) {
    const Two two(make_sphere("ball", 0.05, subdivisions), make_half_space("ground", 0.1));
    const PartOverlap o = two.overlap(at(0.01, 0.02, 0.045), at(0, 0, 0));
    EXPECT_NEAR(o.volume, expected[subdivisions - 1], 1e-11 * expected[subdivisions - 1]);
    if (subdivisions == 5) {
      EXPECT_NEAR(o.second.xx, 3.013630639e-10, 1e-9 * 3e-10);
    }
    EXPECT_LT(norm(o.area - norm(o.area) * Vec3d{0, 0, 1}), 1e-15);
  }
}

TEST(PartOverlap, OfTwoSpheresConverges) {
  const double R = 1, r = 0.7, d = 1.62, left = R + r - d;
  const double exact = kPi * left * left * (d * d + 2 * d * (R + r) - 3 * (R - r) * (R - r)) / (12 * d);
  const double error[] = {-0.4393, -0.1228, -0.0312};
  for (int subdivisions = 2; subdivisions <= 4; ++subdivisions) {
    const Two two(make_sphere("a", R, subdivisions), make_sphere("b", r, subdivisions));
    EXPECT_NEAR(two.overlap(at(0, 0, d), at(0, 0, 0)).volume / exact - 1, error[subdivisions - 2], 6e-5);
  }
}

TEST(PartOverlap, HasTheSameBitsByBruteForceAndIsSymmetric) {
  std::mt19937 random(7);
  const Geometry shapes[] = {make_sphere("sphere", 0.05, 2), cube(0.09), make_cylinder("cylinder", 0.04, 0.1, 12),
                             make_half_space("ground", 0.1)};
  int touching = 0;
  for (int i = 0; i < 60; ++i) {
    const Geometry &a = shapes[random() % 4], &b = shapes[random() % 3];
    const Transform<double> X_A = random_pose(random, 0.03), X_B = random_pose(random, 0.03);
    const Two two(a, b), swapped(b, a);
    const PartOverlap o = two.overlap(X_A, X_B), brute = two.overlap<false, true>(X_A, X_B),
                      turned = swapped.overlap(X_B, X_A);
    EXPECT_EQ(o.volume, brute.volume);
    EXPECT_EQ(o.second.xx, brute.second.xx);
    EXPECT_EQ(o.area.x, brute.area.x);
    touching += o.volume > 0 ? 1 : 0;
    EXPECT_NEAR(o.volume, turned.volume, 1e-12 * o.volume + 1e-19);
    EXPECT_LT(norm(o.area + turned.area), 1e-12 * o.surface + 1e-18);
  }
  EXPECT_GT(touching, 30);
}

/// A body against itself in pieces of another mesh: the volume is that of the smaller.
TEST(PartOverlap, OfNestedBodiesIsTheInnerOne) {
  const Two two(cube(0.05), cube(0.1));
  const PartOverlap o = two.overlap(at(0.01, -0.005, 0.002), at(0, 0, 0));
  EXPECT_NEAR(o.volume, 1.25e-4, 1e-17);
  EXPECT_LT(norm(o.area), 1e-16);
  EXPECT_NEAR(o.surface, 0.015, 1e-15);
  EXPECT_NEAR(o.second.xx, 1.25e-4 * 0.0025 / 12, 1e-19);
  EXPECT_NEAR(o.second.xy, 0, 1e-19);
}

TEST(PartOverlap, OfABodyBelowAPlaneIsAllOfIt) {
  const Two two(cube(0.1), make_half_space("ground", 0.1));
  for (const double z : {-0.06, -0.2, -1.0, -30.0}) {
    const PartOverlap o = two.overlap(at(0.01, -0.005, z), at(0, 0, 0));
    EXPECT_NEAR(o.volume, 1e-3, 1e-14) << z;
    EXPECT_LT(norm(o.area), 1e-15);
    EXPECT_FALSE(o.overflows);
  }
}

TEST(PartOverlap, OfASurfaceMeshIsThatOfItsTets) {
  const Geometry solid = make_cylinder("cylinder", 0.04, 0.1, 12);
  const Geometry surface = make_surface_mesh("surface", {solid.mesh.points, solid.surface});
  std::mt19937 random(3);
  const Two tets(solid, cube(0.09)), cones(surface, cube(0.09)), turned(cube(0.09), surface);
  for (int i = 0; i < 20; ++i) {
    const Transform<double> X_A = random_pose(random, 0.03), X_B = random_pose(random, 0.03);
    const PartOverlap o = tets.overlap(X_A, X_B), c = cones.overlap(X_A, X_B), t = turned.overlap(X_B, X_A);
    EXPECT_NEAR(o.volume, c.volume, 1e-13 * 1e-4);
    EXPECT_NEAR(o.volume, t.volume, 1e-13 * 1e-4);
    EXPECT_LT(norm(o.area - c.area), 1e-15);
  }
}

TEST(PartOverlap, RatesAreThoseOfDifferences) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  const Geometry shapes[] = {make_sphere("sphere", 0.05, 2), cube(0.09), make_half_space("ground", 0.1)};
  for (int i = 0; i < 40; ++i) {
    const int first = static_cast<int>(random() % 3),
              second = first == 2 ? static_cast<int>(random() % 2) : static_cast<int>(random() % 3);
    const Two two(shapes[first], shapes[second]);
    const Transform<double> X_A = random_pose(random, 0.03), X_B = random_pose(random, 0.03);
    const auto vec = [&](double size) {
      return Vec3d{size * normal(random), size * normal(random), size * normal(random)};
    };
    const Twist a = {vec(1), vec(20)}, b = {vec(1), vec(20)};
    const PartOverlap o = two.overlap<true>(X_A, X_B, a, b);
    if (!(o.volume > 1e-7)) continue;
    const auto moved = [](const Transform<double>& X, const Twist& twist, double h) {
      const double angle = norm(twist.angular) * h, s = std::sin(angle / 2);
      const Vec3d axis = (1 / norm(twist.angular)) * twist.angular;
      Transform<double> turn = rotation_of(std::cos(angle / 2), s * axis.x, s * axis.y, s * axis.z);
      Transform<double> out = product(turn, X);
      out.translation = fma(h, twist.linear, X.translation);
      return out;
    };
    const double h = 1e-7;
    const auto seen_from_b =
        [&](double step) {  // volume, and the first moment about the centroid now, in axes of b now
          const Transform<double> A = moved(X_A, a, step), B = moved(X_B, b, step);
          const PartOverlap then = two.overlap(A, B);
          const Vec3d in_b = apply_back(B, A.translation + then.centroid);     // of the centroid then
          const Vec3d before = apply_back(X_B, X_A.translation + o.centroid);  // of the one now
          return std::pair{then.volume, then.volume * rotate(X_B, in_b - before)};
        };
    const auto [volume_p, moment_p] = seen_from_b(h);
    const auto [volume_m, moment_m] = seen_from_b(-h);
    EXPECT_NEAR((volume_p - volume_m) / (2 * h), o.volume_rate, 2e-6 * o.surface);
    EXPECT_LT(norm((0.5 / h) * (moment_p - moment_m) - o.volume * o.velocity), 2e-6 * o.surface * 0.1)
        << first << second;
  }
}

}  // namespace
}  // namespace isopatch::test
