// SPDX-License-Identifier: Apache-2.0
//
// The impulse of a contact point is the slope of its potential, and its matrix that of the impulse.
#include "isopatch/detail/rollout/solver/point_impulse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace isopatch::test {
namespace {

using detail::Vec3d;
using FrictionLimit = detail::FrictionLimit<>;
using PointLaw = detail::PointLaw<>;

struct RandomPoint {
  PointLaw law;
  FrictionLimit friction;
  Vec3d n, u;
};

class RandomPoints {
 public:
  RandomPoint next() {
    RandomPoint p;
    p.law = {power(-4, -2), number(-1, 1) < -0.9 ? 0 : power(-2, 3), power(2, 6),
             number(-1, 1) < -0.5 ? 0 : power(-1, 2)};
    p.friction = {number(-1, 1) < -0.8 ? 0 : power(-4, 0), power(-5, -2)};
    p.n = unit();
    p.u = power(-4, 1) * unit();
    return p;
  }

 private:
  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }
  double power(double low, double high) { return std::pow(10.0, number(low, high)); }
  Vec3d unit() {
    const Vec3d x = {number(-1, 1), number(-1, 1), number(-1, 1)};
    return (1 / norm(x)) * x;
  }

  std::mt19937 generator_{5};
};

double& component(Vec3d& x, int i) { return i == 0 ? x.x : i == 1 ? x.y : x.z; }

/// -d impulse / d u, by rows.
struct Matrix {
  Vec3d row[3];
};

Matrix matrix_of(const detail::PointImpulse<>& found, Vec3d n) {
  Matrix out;
  for (int i = 0; i < 3; ++i) {
    Vec3d axis = {0, 0, 0};
    component(axis, i) = 1;
    const double n_i = dot(axis, n);
    out.row[i] = fma(found.along_normal * n_i, n, found.across * fma(-n_i, n, axis)) -
                 found.along_slip * dot(axis, found.slip) * found.slip;
  }
  return out;
}

/// A step for differences that suits the scales of a point, m/s.
double difference_step(const RandomPoint& p) {
  const double ends = std::min(p.law.force / (p.law.step * p.law.stiffness), 1 / std::max(p.law.dissipation, 1e-9));
  return 1e-3 * std::min({p.friction.slip_tolerance, std::max(ends, 1e-6), 1e-1});
}

/// How wrong a difference of values of this size may be, whose slope is so large, because they and velocities are
/// rounded.
double rounding(const RandomPoint& p, double size, double slope) {
  return (1e-14 * size + 1e-15 * norm(p.u) * slope) / difference_step(p);
}

/// The fourth-order central difference of f along an axis.
template <class F>
auto slope_along(const RandomPoint& p, int axis, const F& f) {
  const double step = difference_step(p);
  const auto at = [&](double by) {
    Vec3d u = p.u;
    component(u, axis) += by * step;
    return f(u);
  };
  return (1 / (12 * step)) * (8.0 * (at(1) - at(-1)) - (at(2) - at(-2)));
}

/// Where the impulse has a kink within a few of those steps.
bool near_kink(const RandomPoint& p) {
  const double v_n = dot(p.n, p.u), reach = 4e-3 * std::max(p.friction.slip_tolerance, 1e-1);
  return std::fabs(v_n - p.law.force / (p.law.step * p.law.stiffness)) < reach ||
         (p.law.dissipation > 0 && std::fabs(v_n - 1 / p.law.dissipation) < reach);
}

TEST(PointImpulse, IsTheSlopeOfItsPotential) {
  RandomPoints points;
  int compared = 0, pressed = 0;
  for (int i = 0; i < 20000; ++i) {
    const RandomPoint p = points.next();
    if (near_kink(p)) continue;
    const detail::PointImpulse<> found = point_impulse(p.law, p.friction, p.n, p.u);
    const double size = norm(found.impulse) + p.friction.impulse;
    const double work = std::fabs(normal_work(p.law, dot(p.n, p.u))) + p.friction.impulse * norm(p.u);
    for (int axis = 0; axis < 3; ++axis) {
      Vec3d impulse = found.impulse;
      const double slope = slope_along(p, axis, [&](Vec3d u) { return point_potential(p.law, p.friction, p.n, u); });
      ASSERT_NEAR(-slope, component(impulse, axis), 1e-8 * size + rounding(p, work, size)) << i;
    }
    ++compared;
    pressed += found.normal > 0 ? 1 : 0;
  }
  EXPECT_GT(compared, 10000);
  EXPECT_GT(pressed, 3000);
  EXPECT_LT(pressed, compared);
}

TEST(PointImpulse, HasTheMatrixOfItsSlopes) {
  RandomPoints points;
  int compared = 0;
  for (int i = 0; i < 20000; ++i) {
    const RandomPoint p = points.next();
    if (near_kink(p)) continue;
    const detail::PointImpulse<> found = point_impulse(p.law, p.friction, p.n, p.u);
    const Matrix matrix = matrix_of(found, p.n);
    const double size = found.along_normal + found.across;
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3d slope =
          slope_along(p, axis, [&](Vec3d u) { return point_impulse(p.law, p.friction, p.n, u).impulse; });
      ASSERT_LE(norm(slope + matrix.row[axis]), 1e-8 * size + rounding(p, norm(found.impulse), size)) << i;
    }
    ++compared;
  }
  EXPECT_GT(compared, 10000);
}

TEST(PointImpulse, IsNeverNegativeAndFallsAsBodiesPart) {
  const PointLaw law = {1e-3, 10, 1e6, 2};
  double before = normal_impulse(law, -1.0).value;
  for (double v = -1; v < 1; v += 1e-3) {
    const detail::NormalImpulse<> now = normal_impulse(law, v);
    EXPECT_GE(now.value, 0);
    EXPECT_GE(now.fall, 0);
    EXPECT_LE(now.value, before);
    before = now.value;
  }
  EXPECT_EQ(before, 0);
}

}  // namespace
}  // namespace isopatch::test
