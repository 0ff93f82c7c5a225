// SPDX-License-Identifier: Apache-2.0
#include "host/reference/pressure_field/adaptive_integral.h"

#include <cmath>
#include <numbers>

namespace isopatch::reference {

std::array<GaussPoint, 8> gauss_points() {
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

}  // namespace isopatch::reference
