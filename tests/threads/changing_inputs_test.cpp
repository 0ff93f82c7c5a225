// SPDX-License-Identifier: Apache-2.0
//
// Another thread may write the inputs of a call: the numbers may be any then, but nothing outside of them is read.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

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
    ResultArrays results(scene, kEnvironments, {.energy = true, .max_clusters = 1, .capacity = {{"polygons", 50}}});
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

// These races are meant, so ThreadSanitizer does not look at them; at what the library does meanwhile it does.
#if defined(__SANITIZE_THREAD__)
#define ISOPATCH_UNWATCHED __attribute__((no_sanitize_thread, noinline))
#else
#define ISOPATCH_UNWATCHED __attribute__((noinline))
#endif

struct Numbers {
  double* begin;
  std::size_t count;
};

ISOPATCH_UNWATCHED void write_numbers(const std::vector<Numbers>& arrays, std::uint32_t seed) {
  constexpr double kValues[] = {0, 1, 0.045, -1, 1e5, 1e300, -1e-300, INFINITY, NAN, 0.5, 1, 0.049};
  for (const Numbers& array : arrays) {
    for (std::size_t i = 0; i < array.count; ++i) {
      seed = seed * 1664525U + 1013904223U;
      *const_cast<volatile double*>(array.begin + i) = kValues[(seed >> 16) % 12];
    }
  }
}

ISOPATCH_UNWATCHED void write_bytes(std::uint8_t* bytes, std::size_t count, std::uint32_t seed) {
  for (std::size_t i = 0; i < count; ++i) *const_cast<volatile std::uint8_t*>(bytes + i) = (seed >> i % 20) & 1U;
}

ISOPATCH_UNWATCHED void write_indices(std::int32_t* indices, std::size_t count, std::uint32_t seed) {
  for (std::size_t i = 0; i < count; ++i) {
    *const_cast<volatile std::int32_t*>(indices + i) = static_cast<std::int32_t>((seed >> i % 20) % 6) - 1;
  }
}

constexpr std::size_t kFew = 16;  // environments

/// All inputs of a call, which another thread writes.
struct ChangingArrays {
  std::vector<double> poses = std::vector<double>(kFew * 14, 0), velocities = poses, modulus = poses,
                      dissipation = poses, friction = poses, body_wrench = poses, gravity = poses, mass_scale = poses;
  std::vector<std::int32_t> index = std::vector<std::int32_t>(kFew * 2, 0);
  std::vector<std::uint8_t> mask = std::vector<std::uint8_t>(kFew, 1);

  template <class Inputs>
  void give_parameters(Inputs& inputs) {
    inputs.modulus = modulus.data();
    inputs.dissipation = dissipation.data();
    inputs.friction = friction.data();
    inputs.geometry_index = index.data();
    inputs.pair_mask = mask.data();
  }

  template <class Calls>
  void change_while(const Calls& calls) {
    std::atomic<bool> done = false;
    std::thread writer([&] {
      std::vector<Numbers> numbers;
      for (std::vector<double>* array :
           {&poses, &velocities, &modulus, &dissipation, &friction, &body_wrench, &gravity, &mass_scale}) {
        numbers.push_back({array->data(), array->size()});
      }
      for (std::uint32_t i = 0; !done; ++i) {
        write_numbers(numbers, i * 2654435761U);
        write_bytes(mask.data(), mask.size(), i * 2654435761U);
        write_indices(index.data(), index.size(), i * 2654435761U);
      }
    });
    calls();
    done = true;
    writer.join();
  }
};

TEST(ChangingInputs, OfAllArraysDoNotCrashEvaluationsAndRows) {
  const Scene scene(shapes());
  const Evaluator evaluator(scene, {.backend = Backend::kCpu, .num_threads = 2});
  ChangingArrays arrays;
  State state;
  state.num_environments = kFew;
  state.poses = arrays.poses.data();
  state.velocities = arrays.velocities.data();
  arrays.give_parameters(state);
  ResultArrays wrenches(scene, kFew),
      rows(scene, kFew, {.energy = true, .max_clusters = 1, .capacity = {{"polygons", 50}}});
  for (ResultArrays* results : {&wrenches, &rows}) {
    arrays.change_while([&] {
      for (int i = 0; i < kCalls; ++i) evaluator.evaluate(state, results->view());
    });
    for (const std::uint32_t status : results->status) EXPECT_EQ(status & ~0xffffU, 0u);
  }
}

TEST(ChangingInputs, OfAllArraysDoNotCrashASimulator) {
  const Simulator simulator{Scene(shapes())};
  RolloutStateArrays state(simulator.scene(), kFew);
  const RolloutStateArrays begin = state;
  ChangingArrays arrays;
  RolloutInput input;
  input.body_wrench = arrays.body_wrench.data();
  input.gravity = arrays.gravity.data();
  input.mass_scale = arrays.mass_scale.data();
  arrays.give_parameters(input);
  arrays.change_while([&] {
    for (int i = 0; i < kCalls; ++i) {
      RolloutStateArrays initial = begin;
      simulator.reset(state.view(), nullptr, initial.view());
      simulator.step(state.view(), input, {}, 2);
    }
  });
  for (const double number : state.poses) EXPECT_TRUE(std::isfinite(number));
}

}  // namespace
}  // namespace isopatch::test
