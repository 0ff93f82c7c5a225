// SPDX-License-Identifier: Apache-2.0
//
// Another thread may write the inputs of a call: the numbers may be any then, but nothing outside of them is read.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "isopatch/isopatch.h"

namespace isopatch::test {
namespace {

/// A ball and a floor; each may have any geometry, so that layers, surfaces, tets and half spaces take turns.
SceneDescription shapes() {
  SceneDescription scene;
  Geometry layers = make_half_space("layers", 0.1);
  scene.geometries = {make_sphere("ball", 0.05, 2), make_half_space("floor", 0.1), make_box("box", {0.1, 0.1, 0.1})};
  const Geometry surface = make_sphere("surface", 0.05, 1);
  scene.geometries.push_back(make_surface_mesh("surface", {surface.mesh.points, surface.surface}));
  scene.bodies = {{.name = "ball", .geometry = 0, .friction = 0.5, .pose = {0, 0, 0.045, 1, 0, 0, 0}},
                  {.name = "floor", .geometry = 1, .rigid = true, .friction = 0.5}};
  scene.bodies[1].fixed = true;
  return scene;
}

/// Writes rows of valid and invalid indices until the calls are done.
template <class Calls>
void while_geometries_change(std::vector<std::int32_t>& index, const Calls& calls) {
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (std::uint32_t i = 0; !done; ++i) {
      for (std::size_t k = 0; k < index.size(); ++k) {
        std::atomic_ref<std::int32_t>(index[k]).store(static_cast<std::int32_t>((i * 2654435761U >> (k % 7)) % 6) - 1,
                                                      std::memory_order_relaxed);
      }
    }
  });
  calls();
  done = true;
  writer.join();
}

constexpr std::int64_t kEnvironments = 64;
constexpr int kCalls = 2000;

TEST(ChangingInputs, OfGeometryIndicesDoNotCrashAnEvaluation) {
  const SceneDescription description = shapes();
  const Scene scene(description);
  StateArrays states(description, kEnvironments);
  states.geometry_index.assign(2 * kEnvironments, 0);
  for (const Backend backend : {Backend::kCpu, Backend::kReference}) {
    const Evaluator evaluator(scene, {.backend = backend, .num_threads = 2});
    ResultArrays results(scene, kEnvironments, {.energy = true, .polygon_capacity = 50, .max_clusters = 1});
    while_geometries_change(states.geometry_index, [&] {
      const int calls = backend == Backend::kCpu ? kCalls : 2;
      for (int i = 0; i < calls; ++i) evaluator.evaluate(states.view(), results.view());
    });
    for (std::size_t e = 0; e < kEnvironments; ++e) {
      EXPECT_TRUE((results.status[e] & kBadGeometry) == 0 || results.area[e] == 0) << e;
    }
  }
}

TEST(ChangingInputs, OfGeometryIndicesDoNotCrashASimulator) {
  const Simulator simulator{Scene(shapes())};
  RolloutStateArrays state(simulator.scene(), kEnvironments);
  const RolloutStateArrays begin = state;
  std::vector<std::int32_t> index(2 * kEnvironments, 0);
  RolloutInput input;
  input.geometry_index = index.data();
  while_geometries_change(index, [&] {
    for (int i = 0; i < kCalls; ++i) {
      RolloutStateArrays initial = begin;
      simulator.reset(state.view(), nullptr, initial.view());
      simulator.step(state.view(), input, {}, 2);
    }
  });
  for (const std::uint32_t status : state.status) {
    EXPECT_TRUE((status & kFrozen) == 0 || (status & (kFaults | kDiverged)) != 0) << status_text(status);
  }
}

}  // namespace
}  // namespace isopatch::test
