// SPDX-License-Identifier: Apache-2.0
//
// Distances against the reference, which goes to the nearest point of the surface.
#include "host/reference/single_contact/distances.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "isopatch/detail/single_contact/distances.h"

namespace isopatch {
namespace {

using detail::Vec3d;
using reference::Real;
using reference::Vector3;

void expect_near(const detail::Distance& found, const reference::Distance& expected, const char* shape, Vec3d x) {
  constexpr double kDistance = 1e-15, kGradient = 1e-12;  // the way that gives a gradient is 1e-3 or more of x
  EXPECT_NEAR(found.value, static_cast<double>(expected.value), kDistance) << shape;
  const Vector3 g(found.gradient.x, found.gradient.y, found.gradient.z);
  EXPECT_LE(static_cast<double>((g - expected.gradient).norm()), std::max(kGradient, 1e-16 / std::fabs(found.value)))
      << shape << " at " << x.x << ' ' << x.y << ' ' << x.z;
}

TEST(DistanceReference, AgreesInsideAndOutside) {
  const Vec3d half = {0.05, 0.08, 0.12};
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> coordinate(-0.25, 0.25);
  for (int i = 0; i < 100000; ++i) {
    const Vec3d x = {coordinate(random), coordinate(random), coordinate(random)};
    const Vector3 y(x.x, x.y, x.z);
    expect_near(detail::half_space_distance(x), reference::half_space_distance(y), "half space", x);
    expect_near(detail::sphere_distance(x, 0.1), reference::sphere_distance(y, 0.1), "sphere", x);
    expect_near(detail::box_distance(x, half), reference::box_distance(y, Vector3(half.x, half.y, half.z)), "box", x);
    expect_near(detail::cylinder_distance(x, 0.07, 0.1), reference::cylinder_distance(y, 0.07, 0.1), "cylinder", x);
    expect_near(detail::capsule_distance(x, 0.07, 0.1), reference::capsule_distance(y, 0.07, 0.1), "capsule", x);
  }
}

TEST(DistanceReference, AgreesOnTheMedialSet) {
  for (const Vec3d x : {Vec3d{0, 0, 0}, {0.01, 0.01, 0.01}, {0, 0, -0.02}, {0, -0.01, 0.01}, {-0.03, 0.03, -0.03}}) {
    const Vector3 y(x.x, x.y, x.z);
    expect_near(detail::sphere_distance(x, 0.1), reference::sphere_distance(y, 0.1), "sphere", x);
    expect_near(detail::box_distance(x, {0.125, 0.125, 0.125}), reference::box_distance(y, Vector3::Constant(0.125)),
                "box", x);
    expect_near(detail::cylinder_distance(x, 0.125, 0.125), reference::cylinder_distance(y, 0.125, 0.125), "cylinder",
                x);
    expect_near(detail::capsule_distance(x, 0.1, 0.1), reference::capsule_distance(y, 0.1, 0.1), "capsule", x);
  }
}

}  // namespace
}  // namespace isopatch
