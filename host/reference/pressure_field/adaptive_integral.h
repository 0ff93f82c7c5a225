// SPDX-License-Identifier: Apache-2.0
//
// Integrals over plane triangles to a tolerance, by adaptive subdivision.
#pragma once

#include <Eigen/Core>

#include <array>
#include <cmath>
#include <numbers>

#include "host/reference/scene/vector.h"

namespace isopatch::reference {

/// Gauss's eight points on [0, 1] and their weights: exact up to degree 15.
struct GaussPoint {
  Real at, weight;
};
inline std::array<GaussPoint, 8> gauss_points() {
  constexpr int kCount = 8;
  std::array<GaussPoint, kCount> points;
  for (int i = 0; i < kCount; ++i) {
    // Newton's method for a zero of Legendre's polynomial, which its recurrence gives with its derivative
    Real x = std::cos(std::numbers::pi_v<Real> * (i + Real{0.75}) / (kCount + Real{0.5})), slope = 0;
    for (int round = 0; round < 8; ++round) {
      Real before = 1, value = x;
      for (int n = 2; n <= kCount; ++n) {
        const Real next = ((2 * n - 1) * x * value - (n - 1) * before) / n;
        before = value;
        value = next;
      }
      slope = kCount * (x * value - before) / (x * x - 1);
      x -= value / slope;
    }
    points[static_cast<std::size_t>(i)] = {(1 + x) / 2, 1 / ((1 - x * x) * slope * slope)};
  }
  return points;
}

/// A rectangle of two parameters.
struct Rectangle {
  std::array<Real, 2> low, high;

  /// Its half in one of the two directions.
  Rectangle half(std::size_t direction, bool upper) const {
    Rectangle out = *this;
    (upper ? out.low : out.high)[direction] = (low[direction] + high[direction]) / 2;
    return out;
  }
};

/// The integral of f(s, t) by 64 points: polynomials of degree 15 in each are exact.
template <class Value, class Function>
Value integrate_once(const Rectangle& r, const Function& f) {
  static const std::array<GaussPoint, 8> kPoints = gauss_points();
  const Real width = r.high[0] - r.low[0], height = r.high[1] - r.low[1];
  Value sum = Value::Zero();
  for (const GaussPoint& s : kPoints) {
    for (const GaussPoint& t : kPoints) {
      const Value value = f(r.low[0] + s.at * width, r.low[1] + t.at * height);
      sum += (s.weight * t.weight * width * height) * value;
    }
  }
  return sum;
}

/// The integral of f(s, t) over a rectangle, of which `whole` is the estimate by integrate_once(). The rectangle is cut
/// in halves, in the direction in which they differ more from the whole, until both kinds of halves add up to it within
/// `tolerance` in every component.
template <class Value, class Function>
Value integrate_adaptively(const Rectangle& r, const Function& f, const Value& whole, const Value& tolerance,
                           int depth = 0) {
  constexpr int kMaxDepth = 60;
  std::array<std::array<Value, 2>, 2> halves;  // by direction
  std::array<Real, 2> error;                   // in units of the tolerance
  for (std::size_t d = 0; d < 2; ++d) {
    for (const bool upper : {false, true}) halves[d][upper] = integrate_once<Value>(r.half(d, upper), f);
    const Value difference = halves[d][0] + halves[d][1] - whole;
    error[d] = (difference.array().abs() / tolerance.array()).maxCoeff();
  }
  const std::size_t d = error[1] > error[0] ? 1 : 0;
  if (!(error[d] > 1) || depth == kMaxDepth) return halves[d][0] + halves[d][1];

  return integrate_adaptively<Value>(r.half(d, false), f, halves[d][0], tolerance, depth + 1) +
         integrate_adaptively<Value>(r.half(d, true), f, halves[d][1], tolerance, depth + 1);
}

/// The same over a triangle, as a function of points. The square of parameters is folded onto it, with one side at its
/// first corner, so that a function of the direction from there is smooth.
template <class Value, class Function>
Value integrate_adaptively(const SurfaceTriangle& triangle, const Function& f, const Value& tolerance) {
  const Vector3 to_b = triangle[1] - triangle[0], to_c = triangle[2] - triangle[0];
  const Real doubled_area = to_b.cross(to_c).norm();
  const auto folded = [&](Real s, Real t) -> Value {
    return (doubled_area * s) * f(triangle[0] + s * ((1 - t) * to_b + t * to_c));
  };
  const Rectangle unit = {{0, 0}, {1, 1}};
  return integrate_adaptively<Value>(unit, folded, integrate_once<Value>(unit, folded), tolerance);
}

}  // namespace isopatch::reference
