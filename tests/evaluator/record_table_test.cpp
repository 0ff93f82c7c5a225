// SPDX-License-Identifier: Apache-2.0
//
// Arrays that are columns of one table of records, as of a structured array in Python.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

constexpr std::size_t kCount = 9;
const EvaluatorOptions kCpu = {Backend::kCpu, Precision::kDouble, 1};

/// One environment of boxes_on_ground(): three bodies, three pairs.
struct Record {
  double poses[21], velocities[18];
  double wrench[18], area[3];
  float energy[4];
  double friction[9];
};
constexpr std::int64_t kStride = sizeof(Record) / sizeof(double);

struct Table {
  Scene scene{boxes_on_ground()};
  Batch batch = random_batch(scene, kCount, 61);
  std::vector<Record> records = std::vector<Record>(kCount);
  State state;
  Results results;

  Table() {
    for (std::size_t e = 0; e < kCount; ++e) {
      std::copy_n(batch.poses.data() + 21 * e, 21, records[e].poses);
      std::copy_n(batch.velocities.data() + 18 * e, 18, records[e].velocities);
    }
    state.num_environments = kCount;
    state.poses = {records[0].poses, kStride};
    state.velocities = {records[0].velocities, kStride};
    results.pair_wrench = {records[0].wrench, kStride};
    results.area = {records[0].area, kStride};
    results.energy = {records[0].energy, 2 * kStride};
    results.friction_force = {records[0].friction, kStride};
  }
  void evaluate() const { Evaluator(scene, kCpu).evaluate(state, results); }
};

TEST(RecordTable, HoldsColumnsOfInputsAndResults) {
  Table table;
  table.evaluate();
  const UnwrittenResults contiguous = test::evaluate(table.scene, table.batch, kCpu, detail::Outputs::kPatch);
  for (std::size_t e = 0; e < kCount; ++e) {
    const Record& r = table.records[e];
    EXPECT_TRUE(std::equal(r.poses, r.poses + 21, table.batch.poses.data() + 21 * e)) << e;
    EXPECT_TRUE(std::equal(r.wrench, r.wrench + 18, contiguous.pair_wrench.data() + 18 * e)) << e;
    EXPECT_TRUE(std::equal(r.area, r.area + 3, contiguous.area.data() + 3 * e)) << e;
    EXPECT_TRUE(std::equal(r.friction, r.friction + 9, contiguous.friction_force.data() + 9 * e)) << e;
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(r.energy[i], static_cast<float>(contiguous.energy[3 * e + i])) << e;
    EXPECT_EQ(r.energy[3], 0) << e;
  }
}

TEST(RecordTable, IsRefusedWhereColumnsOverlap) {
  const auto expect_error = [](const auto& change) {
    Table table;
    change(table);
    EXPECT_THROW(table.evaluate(), Error);
  };
  expect_error([](Table& t) { t.results.area.data = t.records[0].wrench + 17; });      // the last value
  expect_error([](Table& t) { t.results.area.data = t.records[0].velocities + 16; });  // and one of the next column
  expect_error([](Table& t) { t.results.area.data = t.records[1].poses; });            // of the next record
  expect_error([](Table& t) { t.results.energy.data = t.records[2].friction + 8; });
  expect_error([](Table& t) { t.results.pair_wrench.stride += 1; });                          // runs through the others
  expect_error([](Table& t) { t.results.friction_force.data = t.records[0].friction + 1; });  // into the next record
}

// The end of one array may be the beginning of the next.
TEST(RecordTable, MayFollowAnotherWithoutAGap) {
  Table table;
  std::vector<double> memory(kCount * 21);
  table.results = {};
  table.results.pair_wrench = {memory.data(), 18};
  table.results.area = {memory.data() + kCount * 18, 3};
  EXPECT_NO_THROW(table.evaluate());
  table.results.area = {memory.data() + kCount * 18 - 1, 3};
  EXPECT_THROW(table.evaluate(), Error);
}

}  // namespace
}  // namespace isopatch::test
