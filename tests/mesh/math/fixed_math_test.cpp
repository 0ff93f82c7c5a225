// SPDX-License-Identifier: Apache-2.0
//
// Functions with one result everywhere, held against long double.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include "host/mesh/math/fixed_math.h"
#include "host/mesh/primitives/revolve.h"
#include "isopatch/isopatch.h"

namespace isopatch {

using namespace detail;

namespace {

// Long double has 11 bits more and is right to its last two: a value this near the middle between two doubles may be
// rounded either way.
constexpr long double kUnsure = 1e-3L;

/// `own` is the double nearest to `exact`, or so near to the middle that long double cannot tell.
bool is_nearest(double own, long double exact) {
  const auto rounded = static_cast<double>(exact);
  const long double step = std::nextafter(std::fabs(rounded), INFINITY) - std::fabs(rounded);
  return own == rounded || std::fabs(std::fabs(own - exact) / step - 0.5L) < kUnsure;
}

class Values {
 public:
  double below(double most) { return most * static_cast<double>(engine_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 engine_{5};
};

std::uint64_t hash_of(std::uint64_t hash, const std::vector<Point3>& points) {
  for (const Point3& p : points) {
    for (const double x : p) hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x100000001b3U;
  }
  return hash;
}

TEST(FixedMath, RoundsCosinesOfEveryCircleToTheNearestDouble) {
  for (int segments = 4; segments <= 1024; segments += 4) {
    for (int k = 0; k <= segments / 4; ++k) {
      const double angle = 2 * std::numbers::pi * k / segments;
      ASSERT_TRUE(is_nearest(fixed_cos(angle), std::cos(static_cast<long double>(angle)))) << k << " of " << segments;
      ASSERT_TRUE(is_nearest(fixed_sin(angle), std::sin(static_cast<long double>(angle)))) << k << " of " << segments;
    }
  }
}

TEST(FixedMath, RoundsCosinesAndSinesOfAllQuarters) {
  Values values;
  for (int i = 0; i < 20000; ++i) {
    const double x = values.below(16) - 8;
    ASSERT_TRUE(is_nearest(fixed_cos(x), std::cos(static_cast<long double>(x)))) << x;
    ASSERT_TRUE(is_nearest(fixed_sin(x), std::sin(static_cast<long double>(x)))) << x;
  }
  EXPECT_EQ(fixed_cos(0), 1);
  EXPECT_EQ(fixed_sin(0), 0);
}

TEST(FixedMath, RoundsLogarithmsAndPowers) {
  Values values;
  for (int i = 0; i < 20000; ++i) {
    const double x = -values.below(i % 3 == 0 ? 1e-6 : 1), base = values.below(i % 3 == 0 ? 1e-6 : 1);
    const double exponent = values.below(i % 2 == 0 ? 3 : 20);
    ASSERT_TRUE(is_nearest(fixed_log1p(x), std::log1p(static_cast<long double>(x)))) << x;
    const long double power = std::pow(static_cast<long double>(base), static_cast<long double>(exponent));
    ASSERT_TRUE(is_nearest(fixed_pow(base, exponent), power)) << base << "^" << exponent;
  }
  EXPECT_EQ(fixed_log1p(0), 0);
  EXPECT_EQ(fixed_pow(0.25, 0.5), 0.5);
  EXPECT_EQ(fixed_pow(0.3, 2), 0.3 * 0.3);
  EXPECT_EQ(fixed_pow(0.3, 1), 0.3);
  EXPECT_EQ(fixed_pow(1e-300, 30), 0);
}

// The middle between two doubles goes to the even one, as in sqrt.
TEST(FixedMath, RoundsPowersInTheMiddleToEven) {
  const double x = 1 + 0x1p-27;  // its square is 1 + 2^-26 + 2^-54
  EXPECT_EQ(fixed_pow(x, 2), 1 + 0x1p-26);
  EXPECT_EQ(fixed_pow(x * x, 1.5), std::sqrt(x * x) * (x * x));
  const double cube = 1 + 0x1p-18;  // 1 + 3 2^-18 + 3 2^-36 + 2^-54
  EXPECT_EQ(fixed_pow(cube, 3), 1 + 3 * 0x1p-18 + 3 * 0x1p-36);
}

TEST(FixedMath, OrdersAnglesAsTheArctangentDoes) {
  Values values;
  for (int i = 0; i < 20000; ++i) {
    const double y0 = values.below(2) - 1, x0 = values.below(2) - 1, y1 = values.below(2) - 1, x1 = values.below(2) - 1;
    ASSERT_EQ(angle_order(y0, x0) < angle_order(y1, x1), std::atan2(y0, x0) < std::atan2(y1, x1));
  }
  EXPECT_EQ(angle_order(-0.0, -1), -2);
  EXPECT_EQ(angle_order(0.0, -1), 2);
  EXPECT_EQ(angle_order(0, 0), 0);
}

// Hashes of all coordinates and extents made with functions that C libraries round differently. They hold on every
// machine, also where the C library is set to do without FMA (GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA).
TEST(FixedMath, GivesMeshesTheSameBitsOnEveryMachine) {
  std::uint64_t circles = 0, capsules = 0, threads = 0, strains = 0;
  for (int segments = 4; segments <= 1024; segments += 4) {
    for (const auto& [c, s] : unit_circle(segments)) circles = hash_of(circles, {{c, s, 0}});
  }
  for (int segments = 4; segments <= 128; segments += 4) {
    capsules = hash_of(capsules, make_capsule_mesh(0.3, 0.5, segments).points);
  }
  for (int segments = 12; segments <= 48; segments += 12) {
    Bolt bolt;
    Nut nut;
    bolt.segments = nut.segments = segments;
    threads = hash_of(hash_of(threads, make_bolt_surface(bolt).points), make_nut_surface(nut).points);
  }
  for (int i = 0; i <= 1000; ++i) {
    for (const double parameter : {0.1, 0.5, 0.9}) {
      strains = hash_of(strains, {{mapped_extent({StrainMap::Kind::kTrue, parameter, {}}, i * 1e-3),
                                   mapped_extent({StrainMap::Kind::kPower, 3 * parameter, {}}, i * 1e-3), 0}});
    }
  }
  EXPECT_EQ(circles, 2144784127608003264u);
  EXPECT_EQ(capsules, 844591913086143256u);
  EXPECT_EQ(threads, 5036163115539687378u);
  EXPECT_EQ(strains, 2199874657465393886u);
}

}  // namespace
}  // namespace isopatch
