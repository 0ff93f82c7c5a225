// SPDX-License-Identifier: Apache-2.0
//
// A fault of one part is a fault of its environment alone.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "tests/support/compounds.h"
#include "tests/support/same_bits.h"

namespace isopatch::test {
namespace {

using detail::Outputs;

constexpr std::int64_t kEnvironments = 64;
constexpr std::size_t kFaulty = 17;
constexpr std::int32_t kCapacity = 2048;
constexpr std::size_t kParts = 5;

/// Three parts, rigid and compliant, beside a half space and a ball in one body.
SceneDescription two_compounds() {
  SceneDescription scene = two_bodies(make_box("box", {0.04, 0.05, 0.06}), make_sphere("ball", 0.04, 1));
  scene.geometries.push_back(make_half_space("ground", 0.1));
  scene.bodies[0].parts.resize(3);
  scene.bodies[0].parts[0].pose[0] = -0.03;
  scene.bodies[0].parts[1].rigid = true;
  scene.bodies[0].parts[2].geometry = 1;
  scene.bodies[0].parts[2].pose = {0.02, 0.01, 0, 1, 0.1, 0.2, 0.3};
  scene.bodies[0].parts[2].alternatives = {2};
  scene.bodies[1].parts.resize(2);
  scene.bodies[1].parts[0].geometry = 2;
  scene.bodies[1].parts[0].pose = {0, 0, -0.03, 1, 0.1, 0, 0};
  scene.bodies[1].parts[1].geometry = 1;
  return scene;
}

struct Sound {
  Scene scene{two_compounds()};
  Batch batch = [this] {
    Batch states = compound_states(scene, kEnvironments, 1, true);
    const std::int32_t own[] = {0, 0, 1, 2, 1};
    for (std::size_t i = 0; i < states.geometry_index.size(); ++i) states.geometry_index[i] = own[i % kParts];
    states.pair_mask.clear();
    return states;
  }();
};

UnwrittenResults evaluated(const Scene& scene, const Batch& batch) {
  UnwrittenResults results(scene, batch.num_environments, Outputs::kPolygons, kCapacity);
  results.give_part_pairs();
  Evaluator(scene, {Backend::kCpu, Precision::kFloat, 2}).evaluate(batch.state(), results.view());
  return results;
}

struct Case {
  const char* name;
  std::uint32_t bit;
  std::function<void(Batch&)> cause;
};

const double kNan = std::numeric_limits<double>::quiet_NaN();

const Case kCases[] = {
    {"NaN modulus of the first part", kBadMaterial, [](Batch& b) { b.modulus[kParts * kFaulty] = kNan; }},
    {"NaN modulus of the last part", kBadMaterial, [](Batch& b) { b.modulus[kParts * kFaulty + 4] = kNan; }},
    {"negative friction of the rigid part", kBadMaterial, [](Batch& b) { b.friction[kParts * kFaulty + 1] = -1; }},
    {"infinite dissipation", kBadMaterial,
     [](Batch& b) { b.dissipation[kParts * kFaulty + 2] = std::numeric_limits<double>::infinity(); }},
    {"half space against half space", kBadGeometry, [](Batch& b) { b.geometry_index[kParts * kFaulty + 2] = 2; }},
    {"geometry out of range", kBadGeometry, [](Batch& b) { b.geometry_index[kParts * kFaulty + 4] = 3; }},
    {"modulus and geometry", kBadMaterial | kBadGeometry,
     [](Batch& b) { b.modulus[kParts * kFaulty + 4] = 0, b.geometry_index[kParts * kFaulty] = -1; }},
};

TEST(FaultOfAPart, StaysInItsEnvironment) {
  const Sound sound;
  const UnwrittenResults expected = evaluated(sound.scene, sound.batch);
  EXPECT_GT(expected.area[kFaulty], 0);
  for (const Case& fault : kCases) {
    SCOPED_TRACE(fault.name);
    Batch batch = sound.batch;
    fault.cause(batch);
    const UnwrittenResults found = evaluated(sound.scene, batch);
    EXPECT_EQ(status_text(found.status[kFaulty]), status_text(fault.bit));
    for_each_output(
        [&](const ArrayInfo& info, const auto& values) {
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(values)>, std::vector<double>>) {
            const std::size_t row = values.size() / kEnvironments;
            for (std::size_t i = 0; i < row; ++i) EXPECT_EQ(values[kFaulty * row + i], 0) << info.name << ' ' << i;
          }
        },
        found);
    EXPECT_EQ(found.polygon_count[kFaulty], 0);
    EXPECT_EQ(found.polygons_needed[kFaulty], 0);
    for (std::size_t e = 0; e < kEnvironments; ++e) {
      EXPECT_TRUE(e == kFaulty || same_environment(found, e, expected, e)) << "environment " << e;
    }
  }
}

TEST(FaultOfAPart, IsTheReferencesToo) {
  const Sound sound;
  for (const Case& fault : kCases) {
    Batch batch = sound.batch;
    fault.cause(batch);
    std::uint32_t status = 0;
    Results results;
    results.status = &status;
    State state = batch.view(kFaulty, 1);
    Evaluator(sound.scene, {Backend::kReference}).evaluate(state, results);
    EXPECT_EQ(status_text(status), status_text(fault.bit)) << fault.name;
  }
}

TEST(FaultOfAPart, TheModulusOfARigidPartDoesNotMatter) {
  const Sound sound;
  const UnwrittenResults expected = evaluated(sound.scene, sound.batch);
  Batch batch = sound.batch;
  for (std::size_t e = 0; e < kEnvironments; ++e) batch.modulus[kParts * e + 1] = kNan;
  EXPECT_EQ(first_difference(evaluated(sound.scene, batch), expected), "");
}

}  // namespace
}  // namespace isopatch::test
