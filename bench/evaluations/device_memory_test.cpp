// SPDX-License-Identifier: Apache-2.0
//
// The device memory that benchmarks report for an environment.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "bench/device_arrays.h"
#include "isopatch/isopatch.h"
#include "tests/support/paths/paths.h"

namespace isopatch::bench {
namespace {

/// Of a simulator and of an evaluator with room for a batch.
template <class Caller>
std::size_t bytes_held(const Scene& scene, std::int64_t environments) {
  const std::size_t before = used_device_memory();
  const Caller caller(scene, EvaluatorOptions{Backend::kCuda, Precision::kFloat, 0});
  caller.reserve(environments);
  return used_device_memory() - before;
}

template <class Caller>
void expect_growth(const std::string& file) {
  const Scene scene(read_scene(source_path("bench/scenes/" + file)));
  const std::size_t before = used_device_memory();
  const std::size_t few = bytes_held<Caller>(scene, 512), many = bytes_held<Caller>(scene, 4096);
  EXPECT_EQ(used_device_memory(), before) << "memory is kept";
  EXPECT_GT(few, 0u);
  EXPECT_GT(many, few);
  EXPECT_LT(many, 8 * few + 1) << "more for an environment of a larger batch";
  std::printf("%s: %.1f KB an environment of 512, %.1f of 4096\n", file.c_str(), static_cast<double>(few) / 512e3,
              static_cast<double>(many) / 4096e3);
}

TEST(DeviceMemory, OfASimulatorGrowsWithTheBatch) {
  expect_growth<Simulator>("drop.json");
  expect_growth<Simulator>("pinch.json");
}

TEST(DeviceMemory, OfAnEvaluatorGrowsWithTheBatch) { expect_growth<Evaluator>("sphere_on_box.json"); }

TEST(DeviceMemory, OfAnEnvironmentIsSmall) {
  SceneDescription description = read_scene(source_path("bench/scenes/sphere_on_box.json"));
  description.geometries[0] = make_sphere("ball", 0.05, 2);  // of 320 tets
  const Scene scene(description);
  for (const auto& [environments, most] : {std::pair<std::int64_t, double>{8192, 8e3}, {65536, 4e3}}) {
    const double each =
        static_cast<double>(bytes_held<Evaluator>(scene, environments)) / static_cast<double>(environments);
    EXPECT_LE(each, most);
    std::printf("%.2f KB an environment of %d\n", each / 1e3, static_cast<int>(environments));
  }
}

}  // namespace
}  // namespace isopatch::bench
