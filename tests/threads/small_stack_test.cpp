// SPDX-License-Identifier: Apache-2.0
//
// What a call needs of its thread's stack: threads of audio hosts, of musl and of servers have little.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "host/cpu/isa/kernels.h"
#include "host/rollout/simulator_backend.h"
#include "tests/support/memory_scenes.h"
#include "tests/support/scenes.h"
#include "tests/support/vector_widths.h"

namespace isopatch::test {
namespace {

using detail::CpuOptions;
using detail::Vectors;

constexpr std::size_t kSmallStack = 65536;

/// Bytes of its stack that a thread needs for `work`, with what the C library keeps there. The stack is large, so that
/// too much is a number and not a crash.
std::size_t stack_of(const std::function<void()>& work) {
  constexpr std::size_t kSize = 16 * kSmallStack;
  constexpr unsigned char kUntouched = 0xA5;
  void* const memory = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(memory, MAP_FAILED);
  std::memset(memory, kUntouched, kSize);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  EXPECT_EQ(pthread_attr_setstack(&attributes, memory, kSize), 0);
  pthread_t thread;
  const auto run = [](void* given) -> void* {
    (*static_cast<const std::function<void()>*>(given))();
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  const auto* const bytes = static_cast<const unsigned char*>(memory);
  std::size_t untouched = 0;
  while (untouched < kSize && bytes[untouched] == kUntouched) ++untouched;
  munmap(memory, kSize);
  return kSize - untouched;
}

void expect_small(const std::string& what, const std::function<void()>& work) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  work();  // whose frames are larger than those that are shipped
#else
  EXPECT_LE(stack_of(work), kSmallStack) << what;
#endif
}

/// Bodies of tets, surfaces and a half space, of one and of several parts, that touch, with friction and damping.
SceneDescription touching_bodies() {
  SceneDescription scene = remembering_bodies(Integrator::kMidpoint);
  scene.contact.force_law.friction_model = FrictionModel::kCoulomb;
  const auto is_field = [](const Pair& pair) { return !pair.model; };
  std::vector<Pair> pairs;
  for (const Pair& pair : *scene.pairs) {
    if (is_field(pair)) pairs.push_back(pair);
  }
  scene.geometries.push_back(make_sphere("round", 0.05, 2));
  Body ball;
  ball.name = "round";
  ball.geometry = static_cast<int>(scene.geometries.size()) - 1;
  ball.pose = pose_at({1, 0.01, 0.1});
  ball.friction = 0.5;
  ball.dissipation = 3;
  scene.bodies.push_back(ball);
  const int added = static_cast<int>(scene.bodies.size()) - 1;
  pairs.push_back({3, added, {}, {}});
  pairs.push_back({0, added, {}, {}});
  scene.pairs = pairs;
  return scene;
}

SceneDescription polytopes() {
  SceneDescription scene;
  scene.geometries = {make_box("box", {0.1, 0.1, 0.1}), make_cylinder("can", 0.05, 0.1, 32),
                      make_half_space("floor", 1)};
  scene.bodies.resize(3);
  for (int i = 0; i < 3; ++i) {
    Body& body = scene.bodies[static_cast<std::size_t>(i)];
    body.name = scene.geometries[static_cast<std::size_t>(i)].name;
    body.geometry = i;
    body.rigid = true;
  }
  scene.bodies[0].pose = pose_at({0, 0, 0.05});
  scene.bodies[1].pose = pose_at({0.01, 0, 0.15}, turn_about({1, 2, 3}, 0.3));
  scene.bodies[2].fixed = true;
  scene.contact.model = ContactModel::kPolytope;
  scene.pairs = all_pairs(scene);
  return scene;
}

/// One of the calls that evaluate: all outputs or a few, several environments at a time.
void evaluate(const Evaluator& evaluator, const SceneDescription& description, const ResultSelection& sizes,
              bool keeps_candidates = false) {
  const std::int64_t num_environments = sizes.energy ? 1 : 17;  // energies are slow, and of one pair at a time
  StateArrays states(description, num_environments);
  states.velocities.assign(states.poses.size() / 7 * 6, 0.01);
  ResultArrays results(evaluator.scene(), num_environments, sizes);
  if (keeps_candidates) {
    CandidateCache cache = evaluator.make_candidate_cache(num_environments, 1e-3);
    for (int i = 0; i < 2; ++i) evaluator.evaluate(states.view(), results.view(), cache);
  } else {
    evaluator.evaluate(states.view(), results.view());
  }
  for (const std::uint32_t status : results.status) EXPECT_EQ(status & kFaults, 0u) << status_text(status);
}

void expect_small_evaluations(const std::string& name, const Evaluator& evaluator,
                              const SceneDescription& description) {
  const auto expect = [&](const char* what, const ResultSelection& sizes, bool keeps = false) {
    expect_small(name + what, [&] { evaluate(evaluator, description, sizes, keeps); });
  };
  expect("wrenches", {});
  expect("kept candidates", {}, true);
  expect("energies", {.energy = true});
  expect("polygons", {.energy = true,
                      .part_pairs = true,
                      .max_clusters = 2,
                      .distances = true,
                      .capacity = {{"polygons", 500},
                                   {"contacts", 500},
                                   {"potential_contacts", 100},
                                   {"relations", 100},
                                   {"relation_members", 100}}});
}

std::string name_of_options(const CpuOptions& options) {
  const std::string width = options.vectors == Vectors::kNone ? "plain" : name_of(options.vectors);
  return width + (options.precision == Precision::kFloat ? ", float, " : ", double, ");
}

TEST(SmallStack, IsEnoughToEvaluateWithEveryInstructionSet) {
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    for (const Vectors vectors : widths_and_none()) {
      CpuOptions options;
      options.precision = precision;
      options.num_threads = 1;
      options.vectors = vectors;
      const std::pair<const char*, SceneDescription> scenes[] = {
          {"fields, ", touching_bodies()},
          {"memories, ", remembering_bodies(Integrator::kMidpoint)},
          {"polytopes, ", polytopes()}};
      for (const auto& [name, description] : scenes) {
        expect_small_evaluations(name + name_of_options(options), detail::make_evaluator(Scene(description), options),
                                 description);
      }
    }
  }
}

TEST(SmallStack, IsEnoughToStepWithEveryIntegrator) {
  for (const Integrator integrator : {Integrator::kEuler, Integrator::kMidpoint, Integrator::kSdirk2}) {
    for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
      for (const Vectors vectors : widths_and_none()) {
        CpuOptions options;
        options.precision = precision;
        options.num_threads = 1;
        options.vectors = vectors;
        const Simulator simulator = detail::make_simulator(Scene(remembering_bodies(integrator)), options);
        expect_small("steps, " + name_of_options(options), [&] {
          RolloutStateArrays state(simulator.scene(), 1);
          RolloutOutputArrays output(simulator.scene(), 1, true, true);
          simulator.step(state.view(), {}, output.view(), 2);
          simulator.step(state.view(), {}, output.view(), 0);
        });
      }
    }
  }
}

TEST(SmallStack, IsEnoughForTheReference) {
  const std::pair<const char*, SceneDescription> scenes[] = {
      {"reference of fields, ", touching_bodies()},
      {"reference of memories, ", remembering_bodies(Integrator::kMidpoint)},
      {"reference of polytopes, ", polytopes()}};
  for (const auto& scene : scenes) {
    const SceneDescription& description = scene.second;
    const Evaluator evaluator(Scene(description), {.backend = Backend::kReference, .num_threads = 1});
    expect_small(scene.first, [&] {
      evaluate(evaluator, description, {.energy = true, .capacity = {{"polygons", 500}}});
    });
  }
}

}  // namespace
}  // namespace isopatch::test
