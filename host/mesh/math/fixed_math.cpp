// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/math/fixed_math.h"

#include <array>
#include <cmath>
#include <limits>

namespace isopatch::detail {
namespace {

/// The sum of two doubles, where `low` is at most half a unit in the last place of `high` (Dekker, "A floating-point
/// technique for extending the available precision", 1971).
struct Wide {
  double high, low;
};

Wide sum(double a, double b) {
  const double s = a + b, from_b = s - a;
  return {s, (a - (s - from_b)) + (b - from_b)};
}

Wide product(double a, double b) {
  const double p = a * b;
  return {p, std::fma(a, b, -p)};
}

Wide operator+(Wide a, Wide b) {
  const Wide high = sum(a.high, b.high), low = sum(a.low, b.low);
  const Wide first = sum(high.high, high.low + low.high);
  return sum(first.high, first.low + low.low);
}

Wide operator-(Wide a) { return {-a.high, -a.low}; }

Wide operator*(Wide a, Wide b) {
  const Wide p = product(a.high, b.high);
  return sum(p.high, std::fma(a.high, b.low, std::fma(a.low, b.high, p.low)));
}

Wide operator/(Wide a, Wide b) {
  const double first = a.high / b.high;
  const Wide rest = a + -(b * Wide{first, 0});
  const double second = rest.high / b.high;
  const Wide rest2 = rest + -(b * Wide{second, 0});
  return sum(first, second) + Wide{rest2.high / b.high, 0};
}

/// Each as a sum of three doubles, good for 160 bits.
constexpr std::array<double, 3> kQuarterTurn = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
constexpr std::array<double, 3> kLn2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56, 0x1.7b57a079a1934p-111};

/// x - n c
Wide reduced(Wide x, double n, const std::array<double, 3>& c) {
  for (const double part : c) x = x + -product(n, part);
  return x;
}

// --- angles

/// 1/i!
std::array<Wide, 32> inverse_factorials() {
  std::array<Wide, 32> inverse;
  inverse[0] = {1, 0};
  for (std::size_t i = 1; i < inverse.size(); ++i) inverse[i] = inverse[i - 1] / Wide{static_cast<double>(i), 0};
  return inverse;
}

/// The cosine (first = 0) or sine (first = 1) of an angle of at most pi / 4, by Taylor's series; the first omitted term
/// is below 2^-110.
Wide series(Wide angle, std::size_t first) {
  static const std::array<Wide, 32> kInverse = inverse_factorials();
  const Wide minus_square = -(angle * angle);
  Wide s = kInverse[30 + first];
  for (std::size_t i = 30 + first; i > first; i -= 2) s = s * minus_square + kInverse[i - 2];
  return first == 1 ? s * angle : s;
}

/// The cosine of x - quarters pi / 2.
double turned_cos(double x, int quarters) {
  const double nearest = std::nearbyint(x / kQuarterTurn[0]);
  const Wide angle = reduced({x, 0}, nearest, kQuarterTurn);
  const int quarter = (static_cast<int>(nearest) - quarters) & 3;
  const Wide value = series(angle, static_cast<std::size_t>(quarter & 1));
  return quarter == 1 || quarter == 2 ? -value.high : value.high;
}

// --- powers

/// ln(1 + x) by its series in x / (2 + x), after powers of two have been taken out of 1 + x. The omitted terms are
/// below 2^-115 of the first.
Wide log1p(Wide x) {
  constexpr double kRoot = 1.4142135623730951;
  int exponent = 0;
  const Wide one_more = Wide{1, 0} + x;
  if (!(one_more.high > 1 / kRoot && one_more.high < kRoot)) {
    std::frexp(one_more.high * (1 / kRoot), &exponent);  // so that 1 + x becomes a number from 0.7 to 1.42
    x = Wide{std::ldexp(one_more.high, -exponent), std::ldexp(one_more.low, -exponent)} + Wide{-1, 0};
  }
  const Wide ratio = x / (Wide{2, 0} + x), square = ratio * ratio;
  Wide s = {0, 0};
  for (int i = 45; i > 0; i -= 2) s = s * square + Wide{1, 0} / Wide{static_cast<double>(i), 0};
  return -reduced(-(Wide{2, 0} * ratio * s), exponent, kLn2);
}

double exp(Wide x) {
  // 2^n times the 256th power of a number near 1
  const double n = std::nearbyint(x.high / kLn2[0]);
  const Wide rest = reduced(x, n, kLn2), small = {rest.high / 256, rest.low / 256};
  Wide s = {0, 0};  // e^small - 1, so that no digits are lost to the 1
  for (int i = 14; i > 0; --i) s = (s + Wide{1, 0}) * small / Wide{static_cast<double>(i), 0};
  for (int i = 0; i < 8; ++i) s = s * s + Wide{2, 0} * s;
  return std::ldexp((s + Wide{1, 0}).high, static_cast<int>(n));
}

/// x^n; exact before it is rounded if it has at most 106 bits.
double whole_power(double x, int n) {
  Wide power = {1, 0}, square = {x, 0};
  for (; n > 0; n /= 2) {
    if (n % 2 == 1) power = power * square;
    square = square * square;
  }
  return power.high;
}

}  // namespace

double fixed_cos(double x) { return turned_cos(x, 0); }
double fixed_sin(double x) { return turned_cos(x, 1); }

double fixed_log1p(double x) {
  if (x == 0) return x;
  return log1p({x, 0}).high;
}

double fixed_pow(double x, double y) {
  // only a product of few factors with few bits can lie exactly in the middle between two doubles
  if (y == std::nearbyint(y) && y >= 0 && y <= 16) return whole_power(x, static_cast<int>(y));
  const double root = std::sqrt(x);
  if (2 * y == std::nearbyint(2 * y) && y >= 0 && y <= 16 && std::fma(root, root, -x) == 0) {
    return whole_power(root, static_cast<int>(2 * y));
  }

  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  const Wide ln = -reduced(-log1p({mantissa - 1, 0}), exponent, kLn2);
  const Wide power = Wide{y, 0} * ln;
  if (power.high > 710) return std::numeric_limits<double>::infinity();
  if (power.high < -746) return 0;
  return exp(power);
}

double angle_order(double y, double x) {
  const double size = std::fabs(x) + std::fabs(y);
  if (size == 0) return 0;
  const double part = y / size;
  if (x >= 0) return part;
  return std::signbit(y) ? -2 - part : 2 - part;
}

}  // namespace isopatch::detail
