// SPDX-License-Identifier: Apache-2.0
//
// Columns in float give the numbers of columns in double, to the last bit.
#include "isopatch/detail/rollout/solver/float_columns.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace isopatch::test {
namespace {

using namespace detail;

/// Numbers of either sign, some of them 0 and denormal.
class Numbers {
 public:
  float any(double smallest, double largest) {
    std::uniform_real_distribution<double> exponent(std::log10(smallest), std::log10(largest)), choice(0, 1);
    const double which = choice(random_), size = which < 0.05  ? 0
                                                 : which < 0.1 ? 1e-40
                                                               : std::pow(10, exponent(random_));
    return static_cast<float>(choice(random_) < 0.5 ? size : -size);
  }
  Vec3<float> vector(double smallest, double largest) {
    return {any(smallest, largest), any(smallest, largest), any(smallest, largest)};
  }
  SolverContact<float> contact() {
    SolverContact<float> contact = {};
    contact.centroid = vector(1e-6, 1e3);
    contact.arm[0] = vector(1e-9, 10), contact.arm[1] = vector(1e-9, 10);
    const Vec3d n = cast<double>(vector(1e-3, 1)) + Vec3d{1e-3, 0, 0};
    contact.normal = cast<float>((1 / norm(n)) * n);
    contact.force = any(1e-9, 1e6);
    contact.change[0] = any(1e-9, 1e6), contact.change[1] = any(1e-9, 1e6);
    contact.stiffness = any(1e-3, 1e12);
    contact.dissipation = any(1e-6, 1e3);
    contact.slope = vector(1e-3, 1e12);
    contact.share_b = any(1e-3, 1);
    contact.friction = 1.0 / 3 * any(1e-3, 3);
    return contact;
  }

 private:
  std::mt19937_64 random_{1};
};

void expect_same(PolygonPoints<double> a, PolygonPoints<double> b) {
  std::vector<std::uint64_t> bits[2];
  a.for_each([&](double number) { bits[0].push_back(std::bit_cast<std::uint64_t>(number)); });
  b.for_each([&](double number) { bits[1].push_back(std::bit_cast<std::uint64_t>(number)); });
  EXPECT_EQ(bits[0], bits[1]);
}

template <class Columns>
void expect_numbers_of_columns_in_double() {
  constexpr int kPolygons = 2000;
  const auto blocks = static_cast<std::size_t>(PolygonColumns::blocks_of(kPolygons));
  std::vector<double> in_float(blocks * Columns::kBlock), in_double(blocks * PolygonColumns::kBlock);
  const Columns a(in_float.data());
  const PolygonColumns b(in_double.data());
  Numbers numbers;
  for (int i = 0; i < kPolygons; ++i) {
    const SolverContact<float> contact = numbers.contact();
    a.write(i, contact), b.write(i, contact);
  }
  for (int i = 0; i < kPolygons; ++i) {
    SCOPED_TRACE(i);
    PolygonPoints<double> points = a.read(i);
    expect_same(points, b.read(i));
    const FieldSlope<double> slope = a.slope(a.numbers(i)), other = b.slope(b.numbers(i));
    EXPECT_EQ(slope.slope.x, other.slope.x);
    EXPECT_EQ(slope.slope.y, other.slope.y);
    EXPECT_EQ(slope.slope.z, other.slope.z);
    EXPECT_EQ(slope.share_b, other.share_b);
    points.stiffness *= 1.0 / 3;
    for (int k = 0; k < PolygonPoints<double>::kPoints; ++k) points.force[k] *= 0.7, points.limit[k] = 0.1 * (k + i);
    a.store(i, points), b.store(i, points);
  }
  for (int i = 0; i < kPolygons; ++i) {
    SCOPED_TRACE(i);
    PolygonPoints<double> points = a.load(a.numbers(i));
    expect_same(points, b.load(i));
    for (int k = 0; k < PolygonPoints<double>::kPoints; ++k) points.limit[k] = 0.3 * (k - i);
    a.store_limits(i, points), b.store_limits(i, points);
  }
  for (int i = 0; i < kPolygons; ++i) expect_same(a.load(a.numbers(i)), b.load(i));
  a.write_nothing(kPolygons - 1), b.write_nothing(kPolygons - 1);
  expect_same(a.load(a.numbers(kPolygons - 1)), b.load(kPolygons - 1));
}

TEST(FloatColumns, GiveTheNumbersOfColumnsInDouble) {
  expect_numbers_of_columns_in_double<FloatColumns>();
  expect_numbers_of_columns_in_double<SmallFloatColumns>();
}

}  // namespace
}  // namespace isopatch::test
