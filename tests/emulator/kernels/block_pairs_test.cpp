// SPDX-License-Identifier: Apache-2.0
//
// Environments that a block each evaluates, and when they do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tests/emulator/runtime/observe.h"
#include "tests/support/device_calls.h"
#include "tests/support/scenes.h"

namespace isopatch::emulator {
namespace {

constexpr std::int64_t kEnvironments = 3;

/// Whether this thread launched a kernel with this in its name since it last asked.
bool launched(const std::map<std::string, std::uint32_t>& grids, const char* name) {
  return std::any_of(grids.begin(), grids.end(),
                     [&](const auto& grid) { return grid.first.find(name) != std::string::npos; });
}

/// A pair in contact by several depths; with `faults`, one environment has a pose that is none, and one is far apart.
test::Batch contacts(const Scene& scene, unsigned seed, double spread, bool faults) {
  test::Batch batch = test::random_batch(scene, kEnvironments, seed, spread);
  if (!faults) return batch;
  batch.poses[0] = std::numeric_limits<double>::quiet_NaN();
  batch.poses[14] += 1;
  return batch;
}

void expect_blocks(const SceneDescription& description, unsigned seed, double spread, bool faults = false) {
  const Scene scene(description);
  const test::Batch batch = contacts(scene, seed, spread, faults);
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    const std::vector<double> cpu = test::on_cpu(scene, batch, precision);
    EXPECT_TRUE(std::any_of(cpu.begin(), cpu.end(), [](double x) { return x != 0; })) << seed;
    const test::DeviceBatch arrays(scene, batch);
    const Evaluator evaluator(scene, {.backend = Backend::kCuda, .precision = precision, .device = 0});
    take_grids();
    for (int call = 0; call < 2; ++call) {
      evaluator.evaluate(arrays.state(), arrays.results());
      EXPECT_EQ(arrays.fetch(), cpu) << seed;
    }
    const std::map<std::string, std::uint32_t> grids = take_grids();
    EXPECT_TRUE(launched(grids, "evaluate_by_blocks"));
    EXPECT_EQ(grids.size(), 1U);
  }
}

TEST(EmulatedBlocks, HaveTheBitsOfTheCpu) {
  const Geometry box = make_box("box", {0.1, 0.12, 0.08}), ball = make_sphere("ball", 0.08, 2);
  const Geometry ground = make_half_space("ground", 0.2);
  expect_blocks(test::two_bodies(box, box), 1, 0.1, true);
  expect_blocks(test::two_bodies(ball, box), 2, 0.08);
  expect_blocks(test::two_bodies(ground, ball), 3, 0.05);
  SceneDescription rigid = test::two_bodies(ball, box);
  rigid.bodies[0].rigid = true;
  expect_blocks(rigid, 4, 0.08);
}

TEST(EmulatedBlocks, IntegrateWhileTheySearchWhereTheListIsFull) {
  constexpr int kRoom = 384;  // cells
  const SceneDescription sunk = test::two_bodies(make_sphere("ball", 0.1, 3), make_half_space("ground", 0.2));
  const Scene scene(sunk);
  const test::Batch batch = contacts(scene, 5, 0.01, false);
  std::vector<std::int32_t> polygons(kEnvironments);
  Results results;
  results.polygon_count = polygons.data();
  Evaluator(scene, {}).evaluate(batch.state(), results);
  EXPECT_GT(*std::max_element(polygons.begin(), polygons.end()), kRoom);
  expect_blocks(sunk, 5, 0.01);
}

TEST(EmulatedBlocks, AreNotTakenWhereABlockHasTooLittleSharedMemory) {
  const Scene scene(test::two_bodies(make_box("a", {0.1, 0.1, 0.1}), make_box("b", {0.12, 0.08, 0.1})));
  const test::Batch batch = contacts(scene, 6, 0.1, false);
  const test::DeviceBatch arrays(scene, batch);
  set_shared_memory(64 << 10);
  const Evaluator evaluator(scene, {.backend = Backend::kCuda, .device = 0});
  set_shared_memory(227 << 10);
  take_grids();
  evaluator.evaluate(arrays.state(), arrays.results());
  EXPECT_EQ(arrays.fetch(), test::on_cpu(scene, batch));
  const std::map<std::string, std::uint32_t> grids = take_grids();
  EXPECT_FALSE(launched(grids, "evaluate_by_blocks"));
  EXPECT_TRUE(launched(grids, "evaluate_pairs"));
}

TEST(EmulatedBlocks, AreNotTakenForMoreEnvironmentsThanRunAtOnce) {
  const Scene scene(test::two_bodies(make_box("a", {0.1, 0.1, 0.1}), make_box("b", {0.12, 0.08, 0.1})));
  const test::Batch batch = test::random_batch(scene, 5, 7, 0.1);  // the emulated device holds four blocks
  const test::DeviceBatch arrays(scene, batch);
  const Evaluator evaluator(scene, {.backend = Backend::kCuda, .device = 0});
  take_grids();
  evaluator.evaluate(arrays.state(), arrays.results());
  EXPECT_EQ(arrays.fetch(), test::on_cpu(scene, batch));
  EXPECT_FALSE(launched(take_grids(), "evaluate_by_blocks"));
}

TEST(EmulatedBlocks, AreReplayedInAGraph) {
  const Scene scene(test::two_bodies(make_box("a", {0.1, 0.1, 0.1}), make_box("b", {0.12, 0.08, 0.1})));
  const test::Batch batch = contacts(scene, 8, 0.1, false);
  const test::DeviceBatch arrays(scene, batch);
  const Evaluator evaluator(scene, {.backend = Backend::kCuda, .device = 0});
  evaluator.reserve(kEnvironments);
  const test::Stream stream;
  take_grids();
  const test::Graph graph(stream, [&] { evaluator.evaluate(arrays.state(), arrays.results(), stream); });
  EXPECT_TRUE(launched(take_grids(), "evaluate_by_blocks"));
  for (int replay = 0; replay < 2; ++replay) {
    graph.replay();
    EXPECT_EQ(arrays.fetch(), test::on_cpu(scene, batch));
  }
}

}  // namespace
}  // namespace isopatch::emulator
