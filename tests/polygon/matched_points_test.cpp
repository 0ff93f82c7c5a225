// SPDX-License-Identifier: Apache-2.0
//
// Three points in place of a polygon: they are inside it, and integrate what is affine or a product of two affine
// functions as the polygon does.
#include "isopatch/detail/polygon/matched_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace isopatch::test {
namespace {

using detail::AreaMoments;
using detail::Segments;

struct Corner {
  double x, y;
};

class Random {
 public:
  explicit Random(unsigned seed) : generator_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }

 private:
  std::mt19937 generator_;
};

/// Corners of a convex polygon on an ellipse, counter-clockwise; some are slivers.
std::vector<Corner> random_polygon(Random& random) {
  const int corners = 3 + static_cast<int>(random.uniform(0, 6));
  std::vector<double> angles(static_cast<std::size_t>(corners));
  for (double& angle : angles) angle = random.uniform(0, 2 * std::numbers::pi);
  std::sort(angles.begin(), angles.end());
  const double wide = random.uniform(0.1, 0.7), narrow = wide * std::pow(10.0, random.uniform(-3, 0));
  const double turn = random.uniform(0, 2 * std::numbers::pi);
  const double x = random.uniform(-0.3, 0.3), y = random.uniform(-0.3, 0.3);
  std::vector<Corner> polygon;
  for (const double angle : angles) {
    const double a = wide * std::cos(angle), b = narrow * std::sin(angle);
    polygon.push_back({x + a * std::cos(turn) - b * std::sin(turn), y + a * std::sin(turn) + b * std::cos(turn)});
  }
  return polygon;
}

/// The integral of f over the polygon by triangles about its first corner and the midpoints of their sides, which is
/// exact for polynomials of degree 2.
template <class Function>
long double integral(const std::vector<Corner>& polygon, const Function& f) {
  long double sum = 0;
  for (std::size_t i = 1; i + 1 < polygon.size(); ++i) {
    const Corner &a = polygon[0], &b = polygon[i], &c = polygon[i + 1];
    const long double area = 0.5L * ((static_cast<long double>(b.x) - a.x) * (static_cast<long double>(c.y) - a.y) -
                                     (static_cast<long double>(c.x) - a.x) * (static_cast<long double>(b.y) - a.y));
    const auto middle = [&](const Corner& p, const Corner& q) {
      return f((static_cast<long double>(p.x) + q.x) / 2, (static_cast<long double>(p.y) + q.y) / 2);
    };
    sum += area / 3 * (middle(a, b) + middle(b, c) + middle(c, a));
  }
  return sum;
}

Segments<double> segments_of(const std::vector<Corner>& polygon) {
  Segments<double> s = {};
  for (const Corner& corner : polygon) {
    s.middle_x += corner.x / static_cast<double>(polygon.size());
    s.middle_y += corner.y / static_cast<double>(polygon.size());
  }
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Corner &from = polygon[i], &to = polygon[(i + 1) % polygon.size()];
    s.x0[i] = from.x - s.middle_x, s.y0[i] = from.y - s.middle_y;
    s.x1[i] = to.x - s.middle_x, s.y1[i] = to.y - s.middle_y;
  }
  return s;
}

TEST(MatchedPoints, AreInsideAndIntegrateAsThePolygon) {
  Random random(71);
  int compared = 0;
  for (int round = 0; round < 100000; ++round) {
    const std::vector<Corner> polygon = random_polygon(random);
    const auto area = static_cast<double>(integral(polygon, [](long double, long double) { return 1; }));
    const Segments<double> segments = segments_of(polygon);
    const AreaMoments<double> moments = area_moments(segments, static_cast<int>(polygon.size()));
    if (!has_area(moments) || area < 1e-9) continue;
    detail::PlaneArms<double> arms = {};
    ASSERT_TRUE(matched_arms(moments, arms));
    const double x = segments.middle_x + moments.x / moments.one, y = segments.middle_y + moments.y / moments.one;
    Corner point[3];
    for (int k = 0; k < 3; ++k) {
      const double e = detail::PointDirections::x(k), f = detail::PointDirections::y(k);
      point[k] = {x + arms.xx * e + arms.xy * f, y + arms.xy * e + arms.yy * f};
      for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Corner &from = polygon[i], &to = polygon[(i + 1) % polygon.size()];
        const double left = (to.x - from.x) * (point[k].y - from.y) - (to.y - from.y) * (point[k].x - from.x);
        ASSERT_GE(left, -1e-12) << "round " << round << ", corner " << i;
      }
    }
    const double a = random.uniform(-1, 1), b = random.uniform(-1, 1), c = random.uniform(-1, 1);
    const auto pressure = [&](auto px, auto py) { return c + a * px + b * py; };
    const auto expect = [&](const auto& f) {
      const auto exact = static_cast<double>(integral(polygon, f));
      double sum = 0;
      for (const Corner& p : point) sum += area / 3 * static_cast<double>(f(p.x, p.y));
      ASSERT_NEAR(sum, exact, 1e-12 * area) << "round " << round;
    };
    expect([&](auto px, auto py) { return pressure(px, py); });
    expect([&](auto px, auto py) { return px * pressure(px, py); });
    expect([&](auto px, auto py) { return py * pressure(px, py); });
    ++compared;
  }
  EXPECT_GT(compared, 90000);
}

TEST(MatchedPoints, AreNoneForAPolygonWithoutExtent) {
  detail::PlaneArms<double> arms = {};
  EXPECT_FALSE(matched_arms(detail::AreaMoments<double>{1, 2, 3, 4, 6, 9}, arms));
}

}  // namespace
}  // namespace isopatch::test
