// SPDX-License-Identifier: Apache-2.0
//
// What leads to the polygons of a pair in the list of all.
#include "isopatch/detail/pressure_field/stages/polygon_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace isopatch::test {
namespace {

using namespace detail;

struct LinkingWarp : SerialWarp {
  std::uint32_t exchange(std::uint32_t* word, std::uint32_t bits) const { return std::exchange(*word, bits); }
};

TEST(PolygonRun, KnowsWhereItIsAndHowLong) {
  for (const std::int32_t first : {0, 1, 31, 12345, PolygonRun::kMaxPolygons - 1}) {
    for (const int length : {1, 2, 31, 32}) {
      const PolygonRun run = PolygonRun::of(first, length);
      EXPECT_TRUE(run.exists()) << first << ", " << length;
      EXPECT_EQ(run.first(), first);
      EXPECT_EQ(run.length(), length);
    }
  }
  EXPECT_FALSE(PolygonRun{PolygonRun::kNone}.exists());
  EXPECT_FALSE(PolygonRun{PolygonRun::kLost}.exists());
}

TEST(PolygonList, CountsNoMoreOnceItIsFullAndSaysWhatIsLost) {
  PolygonEntry rows[40] = {};
  PolygonsOfPair pairs[2] = {};
  std::int32_t count = 0, sorted = 0;
  const PolygonList list = {pairs, rows, {nullptr}, nullptr, nullptr, &count, &sorted, 40};
  LinkingWarp warp;
  for (int i = 0; i < 3; ++i) {
    const std::int32_t first = list.reserve(warp, 15);
    list.add_run(warp, i % 2, first, 15);
  }
  EXPECT_EQ(list.reserve(warp, 15), 40) << "there is no room";
  EXPECT_EQ(count, 45);
  EXPECT_EQ(pairs[0].last_run, PolygonRun::kLost) << "10 of its last 15 fit";
  EXPECT_EQ(PolygonRun{pairs[1].last_run}.first(), 15);
  EXPECT_EQ(pairs[1].count, 15);
  list.add_run(warp, 1, 1, 2);
  EXPECT_EQ(PolygonRun{rows[1].link}.first(), 15) << "the run before";
}

TEST(ElasticPolygons, GiveWhatWasPut) {
  std::vector<double> numbers(ElasticPolygons::numbers_for(70));
  const ElasticPolygons polygons = {numbers.data()};
  const auto polygon = [](int i) {
    ElasticPolygon p;
    auto* number = reinterpret_cast<double*>(&p);
    for (int k = 0; k < ElasticPolygons::kNumbers; ++k) number[k] = 100 * i + k;
    return p;
  };
  for (int i = 0; i < 70; ++i) polygons.put(i, polygon(i));
  for (int i = 0; i < 70; ++i) {
    const ElasticPolygon found = polygons.get(i), expected = polygon(i);
    const auto *taken = reinterpret_cast<const double*>(&found), *given = reinterpret_cast<const double*>(&expected);
    EXPECT_TRUE(std::equal(taken, taken + ElasticPolygons::kNumbers, given)) << i;
  }
}

}  // namespace
}  // namespace isopatch::test
