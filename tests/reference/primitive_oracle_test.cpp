// SPDX-License-Identifier: Apache-2.0
//
// Forces of round primitives on a rigid plane, known in closed form: the integral of the pressure over the plane inside
// the shape. Every mesh is inscribed in its shape, so the errors fall with the second order of the edge length.
#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>
#include <vector>

#include "tests/reference/oracle_helpers.h"

namespace isopatch::oracle {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kModulus = 1e6;

struct PrimitiveOracle : Oracle {};

/// Presses the body's lowest point `depth` into the plane, with its origin `height` above its lowest point.
Outcome press(const Geometry& geometry, double height, double depth, const Quaterniond& orientation,
              const BackendCase& backend) {
  SceneDescription scene = two_bodies(geometry, make_half_space("table", 0.1));
  scene.bodies[0].modulus = kModulus;
  scene.bodies[1].rigid = true;
  set_pose(scene.bodies[0], {0.01, -0.02, height - depth}, orientation);
  return evaluate(scene, backend);
}

// What is left of the error when the two finest meshes are extrapolated to a mesh of size zero.
constexpr double kExtrapolated = 1e-4;

/// Presses finer and finer meshes, prints the errors, and expects each to be a quarter of the last.
void expect_second_order(const char* name, const std::vector<int>& resolutions, double expected,
                         const std::function<Outcome(int)>& evaluate_at) {
  std::vector<double> errors;
  for (const int n : resolutions) {
    errors.push_back(evaluate_at(n).force.z() / expected - 1);
    std::printf("  %-28s %5d  %12.6f N  error %10.3e", name, n, expected * (1 + errors.back()), errors.back());
    if (errors.size() > 1) std::printf("  ratio %5.2f", errors[errors.size() - 2] / errors.back());
    std::printf("\n");
  }
  for (std::size_t i = 1; i < errors.size(); ++i)
    EXPECT_LT(std::abs(errors[i]), std::abs(errors[i - 1]) / 3.3) << name << ", resolution " << resolutions[i];
  const double last = errors[errors.size() - 1];
  EXPECT_LT(std::abs(4 * last - errors[errors.size() - 2]) / 3, kExtrapolated) << name;
}

// The design's cylinder: with the extent min(R - r, depth below the cap)/m, m = min(R, H/2) the largest distance, the
// plane at depth x under the cap has the pressure E x/m on the disk of radius R - x and E (R - r)/m on the ring around:
//   F = (E/m) [pi (R-x)^2 x + 2 pi int_{R-x}^R (R-r) r dr] = (pi E/m) (x R^2 - R x^2 + x^3/3).
double upright_cylinder(double radius, double height, double x) {
  const double m = std::min(radius, height / 2);
  return kPi * kModulus / m * (x * radius * radius - radius * x * x + x * x * x / 3);
}

TEST_P(PrimitiveOracle, CylinderUpright) {
  constexpr double kRadius = 0.05, kDepth = 5e-3;
  for (const double height : {0.06, 0.1, 0.3}) {
    const double expected = upright_cylinder(kRadius, height, kDepth);
    expect_second_order("upright cylinder", {16, 32, 64, 128}, expected, [&](int segments) {
      return press(make_cylinder("c", kRadius, height, segments), height / 2, kDepth, roll_pitch_yaw(0, 0, 0.2),
                   GetParam());
    });
  }
}

// The cap's field does not depend on the number of segments, and symmetry leaves no torque.
TEST_P(PrimitiveOracle, CylinderUprightHasNoTorque) {
  const Outcome outcome = press(make_cylinder("c", 0.05, 0.06, 16), 0.03, 5e-3, Quaterniond::Identity(), GetParam());
  EXPECT_LT(outcome.torque.norm(), 1e-12 * outcome.force.norm());
  EXPECT_LT(std::hypot(outcome.force.x(), outcome.force.y()), 1e-12 * outcome.force.norm());
}

// int (R - |(s, d)|) ds over the chord |s| < w of a circle at distance d = R - x from its centre, w^2 = R^2 - d^2
double chord_integral(double radius, double x) {
  const double d = radius - x;
  const double w = std::sqrt(radius * radius - d * d);
  return radius * w - d * d * std::asinh(w / d);
}

// The same of (R - |(s, d)|)^2.
double chord_integral_of_square(double radius, double x) {
  const double d = radius - x;
  const double w = std::sqrt(radius * radius - d * d);
  return 2 * w * w * w / 3 + 2 * d * d * w - 2 * radius * d * d * std::asinh(w / d);
}

// On the plane, at s across and z along the axis, the extent is min(g(s), H/2 - |z|)/R with g = R - |(s, d)|; along z
// that integrates to (H g - g^2)/R.
TEST_P(PrimitiveOracle, CylinderLying) {
  constexpr double kRadius = 0.05, kHeight = 0.3, kDepth = 5e-3;
  const double expected =
      kModulus / kRadius * (kHeight * chord_integral(kRadius, kDepth) - chord_integral_of_square(kRadius, kDepth));
  expect_second_order("lying cylinder", {32, 64, 128, 256}, expected, [&](int segments) {
    return press(make_cylinder("c", kRadius, kHeight, segments), kRadius, kDepth, roll_pitch_yaw(kPi / 2, 0, 0),
                 GetParam());
  });
}

double sphere_force(double radius, double x) { return kPi / 3 * kModulus * x * x * (3 - 2 * x / radius); }

// Two half balls and a cylinder whose extent is g/R all along.
TEST_P(PrimitiveOracle, CapsuleLying) {
  constexpr double kRadius = 0.05, kLength = 0.12, kDepth = 5e-3;
  const double expected =
      sphere_force(kRadius, kDepth) + kModulus / kRadius * kLength * chord_integral(kRadius, kDepth);
  expect_second_order("lying capsule", {32, 64, 128, 256}, expected, [&](int segments) {
    return press(make_capsule("c", kRadius, kLength, segments), kRadius, kDepth, roll_pitch_yaw(kPi / 2, 0, 0.3),
                 GetParam());
  });
}

TEST_P(PrimitiveOracle, CapsuleStanding) {
  constexpr double kRadius = 0.05, kLength = 0.12, kDepth = 5e-3;
  expect_second_order("standing capsule", {32, 64, 128, 256}, sphere_force(kRadius, kDepth), [&](int segments) {
    return press(make_capsule("c", kRadius, kLength, segments), kLength / 2 + kRadius, kDepth, Quaterniond::Identity(),
                 GetParam());
  });
}

// The ellipsoid is a stretched unit ball, and so is its field. The plane with normal n lies at the distance h = |(a
// n_x, b n_y, c n_z)| when it touches; at depth x it cuts the ball at depth x/h, and areas in it are stretched by
// abc/h.
TEST_P(PrimitiveOracle, EllipsoidInAnyOrientation) {
  const Vector3d semi_axes(0.04, 0.06, 0.09);
  constexpr double kDepth = 6e-3;
  const double stretched = semi_axes.prod();
  for (const Quaterniond& orientation :
       {Quaterniond::Identity(), roll_pitch_yaw(kPi / 2, 0, 0), roll_pitch_yaw(0.7, 0.4, 0.2)}) {
    const Vector3d normal = orientation.inverse() * Vector3d::UnitZ();
    const double height = semi_axes.cwiseProduct(normal).norm();
    const double x = kDepth / height;
    const double expected = kPi / 3 * kModulus * stretched / height * x * x * (3 - 2 * x);
    expect_second_order("ellipsoid", {2, 3, 4, 5}, expected, [&](int subdivisions) {
      return press(make_ellipsoid("e", {semi_axes.x(), semi_axes.y(), semi_axes.z()}, subdivisions), height, kDepth,
                   orientation, GetParam());
    });
  }
}

// A hull of a box's corners is the box: the same force, to rounding.
TEST_P(PrimitiveOracle, HullOfABoxIsABox) {
  const Point3 size{0.12, 0.08, 0.1};
  std::vector<Point3> corners;
  for (int i = 0; i < 8; ++i)
    corners.push_back({(i & 1 ? .5 : -.5) * size[0], (i & 2 ? .5 : -.5) * size[1], (i & 4 ? .5 : -.5) * size[2]});
  for (const Quaterniond& orientation : {Quaterniond::Identity(), roll_pitch_yaw(0.3, 0.5, 0.2)}) {
    const Outcome hull = press(make_convex_hull("hull", corners), 0.06, 0.02, orientation, GetParam());
    const Outcome box = press(make_box("box", size), 0.06, 0.02, orientation, GetParam());
    ASSERT_GT(box.force.norm(), 1);
    EXPECT_LT(relative_error(hull.force, hull.torque, box.force, box.torque), 1e-11);
  }
}

ISOPATCH_INSTANTIATE_ORACLE(PrimitiveOracle);

}  // namespace
}  // namespace isopatch::oracle
