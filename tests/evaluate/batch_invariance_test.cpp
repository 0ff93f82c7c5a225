// SPDX-License-Identifier: Apache-2.0
//
// What is around an environment does not change its bits: threads, order, batch size, brute force, and its neighbours' faults.
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <numeric>

#include "support/hash.h"

namespace isopatch::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

EvaluatorOptions cpu(Precision precision, int threads = 0, bool brute_force = false) {
  return {Backend::kCpu, precision, threads, brute_force};
}

class BatchInvariance : public ::testing::TestWithParam<Precision> {};

TEST_P(BatchInvariance, OneHashForThreadsOrderAndBatchSizes) {
  constexpr std::int64_t kCount = 4096;
  const Scene scene(boxes_on_ground());
  const Batch batch = random_batch(scene, kCount, 1);
  const auto outputs = detail::Outputs::kPatch;
  const ResultArrays whole = evaluate(scene, batch, cpu(GetParam(), 1), outputs);
  const std::uint64_t hash = hash_of(whole);
  EXPECT_GT(std::accumulate(whole.area.begin(), whole.area.end(), 0.0), 0.0);
  EXPECT_EQ(hash_of(evaluate(scene, batch, cpu(GetParam(), 2), outputs)), hash);

  // permuted: environment 1237 i mod 4096, which visits all
  std::vector<std::int64_t> order(kCount);
  for (std::int64_t i = 0; i < kCount; ++i) order[static_cast<std::size_t>(i)] = 1237 * i % kCount;
  const ResultArrays permuted = evaluate(scene, batch.permuted(order), cpu(GetParam(), 2), outputs);
  for (std::size_t i = 0; i < order.size(); ++i) {
    ASSERT_EQ(environment_hash(permuted, i), environment_hash(whole, static_cast<std::size_t>(order[i]))) << i;
  }

  // batches of 1 and 7
  for (const std::int64_t size : {1, 7}) {
    ResultArrays pieces(scene, kCount, outputs, 1024);
    const Evaluator evaluator(scene, cpu(GetParam(), 2));
    for (std::int64_t begin = 0; begin < kCount; begin += size) {
      evaluator.evaluate(batch.part(begin, std::min(size, kCount - begin)), pieces.part(begin));
    }
    EXPECT_EQ(hash_of(pieces), hash) << "batches of " << size;
  }
}

TEST_P(BatchInvariance, BruteForceHasTheBitsOfTheHierarchy) {
  const Scene scene(mixed_scene());
  const Batch batch = random_batch(scene, 24, 5, 0.14, true);
  const auto outputs = detail::Outputs::kPolygons;
  constexpr std::int32_t kCapacity = 4096;  // a full buffer may hold other polygons
  const ResultArrays fast = evaluate(scene, batch, cpu(GetParam()), outputs, kCapacity);
  EXPECT_GT(std::accumulate(fast.area.begin(), fast.area.end(), 0.0), 0.0);
  EXPECT_EQ(hash_of(evaluate(scene, batch, cpu(GetParam(), 0, true), outputs, kCapacity)), hash_of(fast));
}

TEST_P(BatchInvariance, BruteForceHasTheBitsOfTheHierarchyOnRealMeshes) {
  const std::string folder = ISOPATCH_DATA_DIR;
  const std::string torus = folder + "/torus.vtk", bubble = folder + "/bubble.vtk";
  if (!std::filesystem::exists(torus) || !std::filesystem::exists(bubble)) GTEST_SKIP() << "no meshes in " << folder;
  SceneDescription description;
  description.geometries = {make_tet_mesh("torus", read_vtk(torus)), make_tet_mesh("bubble", read_vtk(bubble)),
                            make_sphere("ball", 0.06, 2)};
  description.bodies.resize(3);
  for (int i = 0; i < 3; ++i) {
    description.bodies[static_cast<std::size_t>(i)].name = description.geometries[static_cast<std::size_t>(i)].name;
    description.bodies[static_cast<std::size_t>(i)].geometry = i;
    description.bodies[static_cast<std::size_t>(i)].friction = 0.5;
  }
  description.pairs = all_pairs(description);
  const Scene scene(description);
  const Batch batch = random_batch(scene, 40, 9, 0.2);
  const ResultArrays fast = evaluate(scene, batch, cpu(GetParam()), detail::Outputs::kPatch);
  EXPECT_GT(std::accumulate(fast.area.begin(), fast.area.end(), 0.0), 0.0);
  EXPECT_EQ(hash_of(evaluate(scene, batch, cpu(GetParam(), 0, true), detail::Outputs::kPatch)), hash_of(fast));
}

TEST_P(BatchInvariance, AFaultStaysInItsEnvironment) {
  constexpr std::size_t kFaulty = 17;
  const Scene scene(boxes_on_ground());
  const Batch sound = random_batch(scene, 4096, 3, 0.16, true);
  const auto outputs = detail::Outputs::kPatch;
  const std::vector<std::uint64_t> hashes = environment_hashes(evaluate(scene, sound, cpu(GetParam()), outputs));

  struct Fault {
    const char* name;
    std::uint32_t bit;
    void (*inject)(Batch&);
  };
  const Fault faults[] = {
      {"NaN position", kBadPose, [](Batch& b) { b.poses[kFaulty * 21 + 1] = kNan; }},
      {"infinite position", kBadPose, [](Batch& b) { b.poses[kFaulty * 21 + 9] = -kInfinity; }},
      {"NaN quaternion", kBadPose, [](Batch& b) { b.poses[kFaulty * 21 + 5] = kNan; }},
      {"zero quaternion", kBadPose, [](Batch& b) { std::fill_n(b.poses.begin() + kFaulty * 21 + 3, 4, 0.0); }},
      {"NaN velocity", kBadVelocity, [](Batch& b) { b.velocities[kFaulty * 18 + 4] = kNan; }},
      {"negative modulus", kBadMaterial, [](Batch& b) { b.modulus[kFaulty * 3] = -1; }},
      {"NaN friction", kBadMaterial, [](Batch& b) { b.friction[kFaulty * 3 + 1] = kNan; }},
      {"geometry index out of range", kBadGeometry, [](Batch& b) { b.geometry_index[kFaulty * 3] = 99; }},
      {"two half spaces", kBadGeometry, [](Batch& b) { b.geometry_index[kFaulty * 3] = 2; }},
  };
  for (const Fault& fault : faults) {
    Batch broken = sound;
    fault.inject(broken);
    const ResultArrays found = evaluate(scene, broken, cpu(GetParam()), outputs);
    EXPECT_EQ(found.status[kFaulty], fault.bit) << fault.name;
    for (const auto* array : {&found.pair_wrench, &found.body_wrench, &found.area, &found.center, &found.normal,
                              &found.max_pressure, &found.friction, &found.energy}) {
      const std::size_t row = array->size() / found.environments;
      for (std::size_t i = kFaulty * row; i < (kFaulty + 1) * row; ++i) ASSERT_EQ((*array)[i], 0.0) << fault.name;
    }
    for (std::size_t e = 0; e < found.environments; ++e) {
      if (e == kFaulty) continue;
      ASSERT_EQ(environment_hash(found, e), hashes[e]) << fault.name << ", environment " << e;
    }
  }
}

TEST_P(BatchInvariance, AFullPolygonBufferChangesNoWrench) {
  const Scene scene(boxes_on_ground());
  const Batch batch = random_batch(scene, 33, 11);
  const ResultArrays enough = evaluate(scene, batch, cpu(GetParam()));
  const ResultArrays small = evaluate(scene, batch, cpu(GetParam()), detail::Outputs::kPolygons, 3);
  EXPECT_EQ(small.pair_wrench, enough.pair_wrench);
  EXPECT_EQ(small.polygons_needed, enough.polygons_needed);
  int full = 0;
  for (std::size_t e = 0; e < small.environments; ++e) {
    EXPECT_EQ(small.status[e], small.polygons_needed[e] > 3 ? kPolygonCapacity : kOk) << e;
    full += small.polygons_needed[e] > 3 ? 1 : 0;
  }
  EXPECT_GT(full, 0);
}

TEST_P(BatchInvariance, NoEnvironmentsIsNoWork) {
  const Scene scene(boxes_on_ground());
  EXPECT_NO_THROW(Evaluator(scene, cpu(GetParam())).evaluate(State{}, Results{}));
}

INSTANTIATE_TEST_SUITE_P(Precisions, BatchInvariance, ::testing::Values(Precision::kFloat, Precision::kDouble),
                         [](const auto& instance) { return instance.param == Precision::kFloat ? "Float" : "Double"; });

}  // namespace
}  // namespace isopatch::test
