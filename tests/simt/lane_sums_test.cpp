// SPDX-License-Identifier: Apache-2.0
//
// Sums in the order of 32 lanes: by one thread, by 32, and of terms that come in pieces.
#include "isopatch/detail/simt/lane_sums.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "tests/support/fiber_warp.h"

namespace isopatch::test {
namespace {

using namespace detail;

/// Terms whose sum depends on their order.
double term(int i) { return std::ldexp(1.0 + 0.37 * i, (i * 7) % 45 - 20) * (i % 3 == 0 ? -1 : 1); }

void add_terms(int i, double* sums) {
  sums[0] += term(i);
  sums[1] += term(i + 1000);
}

using Sums = std::array<std::uint64_t, 2>;

Sums bits_of(const double (&sums)[2]) {
  return {std::bit_cast<std::uint64_t>(sums[0]), std::bit_cast<std::uint64_t>(sums[1])};
}

Sums at_once(int count) {
  SerialWarp warp;
  double sums[2];
  lane_sums(warp, count, add_terms, sums);
  return bits_of(sums);
}

/// In pieces of so many terms.
template <int lanes, class Warp>
Sums in_pieces(Warp& warp, int count, int piece) {
  LaneSums<lanes, 2> parts;
  for (int first = 0; first < count; first += piece) {
    parts.add(warp, first, std::min(piece, count - first), [&](int i, double* to) { add_terms(first + i, to); });
  }
  double sums[2];
  parts.finish(warp, sums);
  return bits_of(sums);
}

constexpr std::array kCounts = {0, 1, 2, 31, 32, 33, 63, 64, 65, 100, 257};

TEST(LaneSums, HaveTheSameBitsInPiecesOfAnySize) {
  SerialWarp warp;
  for (const int count : kCounts) {
    for (const int piece : {1, 2, 7, 31, 32, 33, 1000}) {
      EXPECT_EQ((in_pieces<kSumLanes>(warp, count, piece)), at_once(count)) << count << " terms by " << piece;
    }
  }
}

TEST(LaneSums, HaveTheSameBitsBy32Threads) {
  FiberGroup<kSumLanes> group;
  for (const int count : kCounts) {
    const Sums expected = at_once(count);
    group.run([&](FiberWarp<kSumLanes>& warp) {
      double sums[2];
      lane_sums(warp, count, add_terms, sums);
      EXPECT_EQ(bits_of(sums), expected) << count << " terms";
      for (const int piece : {5, 32, 1000}) {
        EXPECT_EQ((in_pieces<1>(warp, count, piece)), expected) << count << " terms by " << piece;
      }
    });
  }
}

TEST(LaneSums, OfOneLaneAreInTheOrderOfTheTerms) {
  SerialWarp warp;
  for (const int count : kCounts) {
    double sums[2] = {0, 0};
    for (int i = 0; i < count; ++i) add_terms(i, sums);
    EXPECT_EQ((in_pieces<1>(warp, count, 9)), bits_of(sums)) << count << " terms";
  }
}

}  // namespace
}  // namespace isopatch::test
