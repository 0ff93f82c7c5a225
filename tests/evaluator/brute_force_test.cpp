// SPDX-License-Identifier: Apache-2.0
//
// The hierarchy only leaves out cells that contribute nothing: visiting all pairs of cells gives the same bits.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/support/data_folder.h"
#include "tests/support/hash.h"

namespace isopatch::test {
namespace {

using detail::Outputs;

/// Expects the same bits for every environment; returns how many pairs touch.
int expect_same_bits(const Scene& scene, const Batch& batch, Precision precision) {
  const std::int32_t capacity = 8192;
  const UnwrittenResults hierarchy =
      evaluate(scene, batch, {Backend::kCpu, precision, 2}, Outputs::kPolygons, capacity);
  detail::CpuOptions options;
  options.precision = precision;
  options.num_threads = 2;
  options.brute_force = true;
  const UnwrittenResults brute =
      evaluate_with(detail::make_evaluator(scene, options), batch, Outputs::kPolygons, capacity);
  for (std::size_t e = 0; e < hierarchy.status.size(); ++e) {
    EXPECT_LE(hierarchy.polygons_needed[e], capacity);
    EXPECT_EQ(environment_hash(hierarchy, e), environment_hash(brute, e)) << "environment " << e;
  }
  int touching = 0;
  for (std::size_t i = 0; i < hierarchy.area.size(); ++i) {
    EXPECT_EQ(hierarchy.area[i], brute.area[i])
        << "pair " << i % static_cast<std::size_t>(hierarchy.num_pairs) << " of environment "
        << i / static_cast<std::size_t>(hierarchy.num_pairs);
    touching += hierarchy.area[i] > 0 ? 1 : 0;
  }
  return touching;
}

struct BruteForce : ::testing::TestWithParam<Precision> {};

TEST_P(BruteForce, HasTheBitsOfTheHierarchyForEveryKindOfPair) {
  const Scene scene(mixed_scene());
  int touching = expect_same_bits(scene, random_batch(scene, 20, 41), GetParam());
  touching += expect_same_bits(scene, random_batch(scene, 20, 42, 0.16, true), GetParam());
  const Scene layers(with_layers(mixed_scene()));
  touching += expect_same_bits(layers, random_batch(layers, 20, 41), GetParam());
  EXPECT_GT(touching, 100);
}

// Bodies that barely touch choose the outer layers of the hierarchy, where a cell left out wrongly would show.
TEST_P(BruteForce, HasTheBitsOfTheHierarchyForShallowContacts) {
  SceneDescription description;
  description.geometries = {make_sphere("ball", 0.05, 3), make_half_space("ground", 0.1),
                            make_box("cube", {0.1, 0.1, 0.1})};
  description.bodies.resize(4);
  const int geometry[] = {0, 0, 1, 2};
  for (std::size_t i = 0; i < 4; ++i) {
    description.bodies[i].name = std::to_string(i);
    description.bodies[i].geometry = geometry[i];
    description.bodies[i].modulus = 1e5 * std::pow(10, static_cast<double>(i));
  }
  description.bodies[3].rigid = true;
  description.pairs = {{0, 1, {}, {}}, {0, 2, {}, {}}, {3, 1, {}, {}}};
  const Scene scene(description);

  constexpr std::int64_t kDepths = 24;
  Batch batch = random_batch(scene, kDepths, 43);
  for (std::size_t e = 0; e < kDepths; ++e) {
    const double depth = 0.05 * std::pow(0.7, static_cast<double>(e));  // of balls in each other, down to 14 um
    double* pose = batch.poses.data() + e * 28;
    const double position[] = {0, 0, 0.05 - depth, 0.1 - depth, 0, 0.05 - depth, 0, 0, 0, 0.15 - 2 * depth, 0, 0.05};
    for (int body = 0; body < 4; ++body) {
      for (int i = 0; i < 3; ++i) pose[7 * body + i] = position[3 * body + i];
    }
    for (int i = 3; i < 7; ++i) pose[14 + i] = pose[21 + i] = i == 3 ? 1 : 0;
  }
  EXPECT_GT(expect_same_bits(scene, batch, GetParam()), 2 * static_cast<int>(kDepths) / 2);
}

TEST_P(BruteForce, HasTheBitsOfTheHierarchyForRealMeshes) {
  SceneDescription description;
  for (const char* name : {"torus.vtk", "bubble.vtk", "yellow_bell_pepper_no_stem_low.vtk"}) {
    if (!have_data_file(name)) GTEST_SKIP() << missing_data_file(name);
    description.geometries.push_back(make_tet_mesh(name, read_vtk(data_file(name))));
  }
  description.bodies.resize(3);
  for (std::size_t i = 0; i < 3; ++i) {
    description.bodies[i].name = description.geometries[i].name;
    description.bodies[i].geometry = static_cast<int>(i);
    description.bodies[i].modulus = 1e5 * static_cast<double>(i + 1);
  }
  description.pairs = {{0, 2, {}, {}}, {1, 2, {}, {}}};
  const Scene scene(description);
  Batch batch = random_batch(scene, 4, 44, 0.08);
  EXPECT_GT(expect_same_bits(scene, batch, GetParam()), 0);
}

INSTANTIATE_TEST_SUITE_P(Precisions, BruteForce, ::testing::Values(Precision::kFloat, Precision::kDouble),
                         [](const auto& instance) { return instance.param == Precision::kFloat ? "Float" : "Double"; });

}  // namespace
}  // namespace isopatch::test
