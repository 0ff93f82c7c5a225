// SPDX-License-Identifier: Apache-2.0
//
// A fault stays in its environment: its bit is set, its results are zero, and no bit of another environment changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <ostream>

#include "tests/support/hash.h"

namespace isopatch::test {
namespace {

using detail::Outputs;

constexpr std::int64_t kEnvironments = 4096;
constexpr std::size_t kFaulty = 17;
constexpr std::int32_t kCapacity = 256;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Fault {
  const char* name;
  std::uint32_t bit;
  std::function<void(Batch&)> cause;
};

std::ostream& operator<<(std::ostream& out, const Fault& fault) { return out << fault.name; }

/// A change of value `index` in the faulty environment's row of one array.
Fault set(const char* name, std::uint32_t bit, std::vector<double> Batch::*array, std::size_t index, double value) {
  return {name, bit, [=](Batch& batch) {
            std::vector<double>& values = batch.*array;
            values[kFaulty * (values.size() / static_cast<std::size_t>(kEnvironments)) + index] = value;
          }};
}

Fault set_geometry(const char* name, std::size_t body, std::int32_t value) {
  return {name, kBadGeometry, [=](Batch& batch) { batch.geometry_index[3 * kFaulty + body] = value; }};
}

const Fault kFaults[] = {
    set("NanPosition", kBadPose, &Batch::poses, 1, kNan),
    set("InfinitePosition", kBadPose, &Batch::poses, 7, -kInfinity),
    set("NanQuaternion", kBadPose, &Batch::poses, 3, kNan),
    set("HugeQuaternion", kBadPose, &Batch::poses, 4, 1e7),
    {"ZeroQuaternion", kBadPose, [](Batch& batch) { std::fill_n(batch.poses.begin() + 21 * kFaulty + 17, 4, 0.0); }},
    set("NanVelocity", kBadVelocity, &Batch::velocities, 2, kNan),
    set("InfiniteVelocity", kBadVelocity, &Batch::velocities, 17, kInfinity),
    set("NegativeModulus", kBadMaterial, &Batch::modulus, 1, -1e5),
    set("ZeroModulus", kBadMaterial, &Batch::modulus, 0, 0),
    set("NanModulus", kBadMaterial, &Batch::modulus, 2, kNan),
    set("NegativeDissipation", kBadMaterial, &Batch::dissipation, 0, -0.1),
    set("InfiniteFriction", kBadMaterial, &Batch::friction, 1, kInfinity),
    set_geometry("GeometryPastTheEnd", 0, 3),
    set_geometry("NegativeGeometry", 1, -1),
    set_geometry("TwoHalfSpaces", 1, 2),
};

/// What all tests compare with, made once.
struct Sound {
  Scene scene{boxes_on_ground()};
  Batch batch = random_batch(scene, kEnvironments, 51, 0.4, true);
  UnwrittenResults results =
      evaluate(scene, batch, {Backend::kCpu, Precision::kFloat, 2}, Outputs::kPolygons, kCapacity);
  std::vector<std::uint64_t> hashes = environment_hashes(results);

  /// No bit is set but the one that says that a pair without polygons overlaps, which its energy says too.
  void expect_no_fault() const {
    for (std::size_t e = 0; e < results.status.size(); ++e) {
      bool enclosed = false;
      for (std::size_t i = e * results.num_pairs; i < (e + 1) * results.num_pairs; ++i) {
        enclosed = enclosed || (results.polygon_count[i] == 0 && results.energy[i] > 0);
      }
      ASSERT_EQ(but_far_side(results.status[e]), enclosed ? kNoContactSurface : kOk) << "environment " << e;
    }
  }

  static const Sound& get() {
    static const Sound sound;
    return sound;
  }
};

struct FaultOf : ::testing::TestWithParam<Fault> {};

TEST_P(FaultOf, StaysInItsEnvironment) {
  const Sound& sound = Sound::get();
  ASSERT_NO_FATAL_FAILURE(sound.expect_no_fault());
  Batch batch = sound.batch;
  GetParam().cause(batch);
  const UnwrittenResults r =
      evaluate(sound.scene, batch, {Backend::kCpu, Precision::kFloat, 2}, Outputs::kPolygons, kCapacity);

  EXPECT_EQ(r.status[kFaulty], GetParam().bit) << status_text(r.status[kFaulty]);
  const std::vector<std::uint64_t> hashes = environment_hashes(r);
  for (std::size_t e = 0; e < r.status.size(); ++e) {
    if (e == kFaulty) continue;
    ASSERT_EQ(hashes[e], sound.hashes[e]) << "environment " << e;
  }
  for (const auto* array : {&r.pair_wrench, &r.body_wrench, &r.area, &r.center_of_pressure, &r.mean_normal,
                            &r.max_pressure, &r.friction_force, &r.energy}) {
    const std::size_t row = array->size() / r.num_environments;
    for (std::size_t i = 0; i < row; ++i) EXPECT_EQ((*array)[kFaulty * row + i], 0) << "value " << i;
  }
  for (std::size_t p = 0; p < static_cast<std::size_t>(r.num_pairs); ++p)
    EXPECT_EQ(r.polygon_count[kFaulty * r.num_pairs + p], 0);
  EXPECT_EQ(r.polygons_needed[kFaulty], 0);
}

INSTANTIATE_TEST_SUITE_P(Inputs, FaultOf, ::testing::ValuesIn(kFaults),
                         [](const auto& case_info) { return std::string(case_info.param.name); });

TEST(Fault, SeveralFaultsSetSeveralBits) {
  const Scene scene(boxes_on_ground());
  Batch batch = random_batch(scene, 3, 52, 0.16, true);
  batch.poses[21] = kNan;
  batch.velocities[18] = kNan;
  batch.friction[3] = -1;
  batch.geometry_index[3] = 1000000;
  const UnwrittenResults r = evaluate(scene, batch, {});
  EXPECT_EQ(but_far_side(r.status[0]), kOk);
  EXPECT_EQ(r.status[1], kBadPose | kBadVelocity | kBadMaterial | kBadGeometry);
  EXPECT_EQ(but_far_side(r.status[2]), kOk);
}

TEST(Fault, TheModulusOfARigidBodyDoesNotMatter) {
  SceneDescription description = boxes_on_ground();
  description.bodies[2].rigid = true;
  const Scene scene(description);
  Batch batch = random_batch(scene, 8, 53, 0.16, true);
  const UnwrittenResults expected = evaluate(scene, batch, {});
  for (std::size_t e = 0; e < 8; ++e) batch.modulus[3 * e + 2] = e % 2 == 0 ? -1 : kNan;
  const UnwrittenResults r = evaluate(scene, batch, {});
  for (std::size_t e = 0; e < 8; ++e) {
    EXPECT_EQ(but_far_side(r.status[e]), kOk);
    EXPECT_EQ(environment_hash(r, e), environment_hash(expected, e)) << "environment " << e;
  }
}

struct Capacity : ::testing::TestWithParam<Precision> {};

TEST_P(Capacity, TooSmallIsReportedAndChangesNoWrench) {
  const Scene scene(mixed_scene());
  const Batch batch = random_batch(scene, 12, 54);
  const EvaluatorOptions options = {Backend::kCpu, GetParam(), 2};
  const UnwrittenResults ample = evaluate(scene, batch, options, Outputs::kPolygons, 4096);
  const std::int32_t needed = *std::max_element(ample.polygons_needed.begin(), ample.polygons_needed.end());
  ASSERT_GT(needed, 5);

  for (const std::int32_t capacity : {0, 1, 5, needed - 1}) {
    UnwrittenResults r(scene, 12, Outputs::kPolygons, capacity);
    Results view = r.view();
    Polygon nothing = {};
    if (capacity == 0) view.polygons = {&nothing, 0};
    Evaluator(scene, options).evaluate(batch.state(), view);
    EXPECT_EQ(r.polygons_needed, ample.polygons_needed);
    EXPECT_EQ(r.pair_wrench, ample.pair_wrench);
    EXPECT_EQ(r.body_wrench, ample.body_wrench);
    EXPECT_EQ(r.polygon_count, ample.polygon_count);
    EXPECT_EQ(r.energy, ample.energy);
    for (std::size_t e = 0; e < 12; ++e) {
      EXPECT_EQ(but_far_side(r.status[e]), r.polygons_needed[e] > capacity ? kPolygonCapacity : kOk)
          << "capacity " << capacity;
    }
  }
  const UnwrittenResults exact = evaluate(scene, batch, options, Outputs::kPolygons, needed);
  EXPECT_EQ(environment_hashes(exact), environment_hashes(ample));
  for (const std::uint32_t status : exact.status) EXPECT_EQ(but_far_side(status), kOk);
}

INSTANTIATE_TEST_SUITE_P(Precisions, Capacity, ::testing::Values(Precision::kFloat, Precision::kDouble),
                         [](const auto& case_info) {
                           return case_info.param == Precision::kFloat ? "Float" : "Double";
                         });

}  // namespace
}  // namespace isopatch::test
