// SPDX-License-Identifier: Apache-2.0
//
// Of a part pair with memory: its law with the materials of an environment, and its row of the contact state.
#pragma once

#include "isopatch/detail/force_law/contact_state.h"
#include "isopatch/detail/force_law/numbers.h"
#include "isopatch/detail/pair/combined_materials.h"

namespace isopatch::detail {

/// The most contacts with state of an environment.
ISOPATCH_HD int num_state_rows(const SceneView& scene) { return scene.laws == nullptr ? 0 : num_part_pair_rows(scene); }

/// How much two layers of unit area in series give way to a pressure, 1/Pa: a rigid part does not.
struct Softness {
  double a, b;
};

/// What the environment's materials make of the law of pair view `view`; the stiffness is the pair's or 0.
ISOPATCH_HD LawNumbers law_of(const SceneView& scene, const State& state, std::int64_t environment, int view,
                              const PartPairView& parts, Softness& softness) {
  const PairView& pair = scene.pairs[view];
  const Material a = read_material(scene, state, environment, parts.a);
  const Material b = read_material(scene, state, environment, parts.b);
  const bool rigid_a = scene.parts[parts.a].rigid, rigid_b = scene.parts[parts.b].rigid;
  LawNumbers law = scene.laws[view].numbers;
  law.friction = friction_of(pair, a, b);
  law.dissipation = dissipation_of(pair, a, b, rigid_a, rigid_b);
  law.slip_tolerance = scene.contact.slip_tolerance;
  softness = {rigid_a ? 0 : 1 / a.modulus, rigid_b ? 0 : 1 / b.modulus};
  return law;
}

/// The contact state of a part pair before a step, which an environment without states has from the scene.
ISOPATCH_HD ContactState read_contact_state(const SceneView& scene, const State& state, std::int64_t environment,
                                            std::int32_t row) {
  const std::int64_t first = static_cast<std::int64_t>(row) * scene.contact.state_size;
  double x[kContactStateSize] = {};
  if (state.contact_state.data != nullptr) {
    read(state.contact_state, environment, first, x);
  } else if (scene.contact_states != nullptr) {
    for (int i = 0; i < kContactStateSize; ++i) x[i] = scene.contact_states[first + i];
  }
  return {x[0], x[1], {x[2], x[3], x[4]}, x[5], x[6], x[7]};
}

/// Calls put(i, number) for the numbers of a memory in their order.
template <class Put>
ISOPATCH_HD void for_each_number_of(const ContactState& memory, const Put& put) {
  put(0, memory.impact_speed), put(1, memory.offset);
  put(2, memory.bend.x), put(3, memory.bend.y), put(4, memory.bend.z);
  put(5, memory.twist), put(6, memory.dwell), put(7, memory.age);
}

ISOPATCH_HD void write_contact_state(const SceneView& scene, const Results& results, std::int64_t environment,
                                     std::int32_t row, const ContactState& memory) {
  const std::int64_t first = static_cast<std::int64_t>(row) * scene.contact.state_size;
  for_each_number_of(memory, [&](int i, double value) { write(results.contact_state, environment, first + i, value); });
}

}  // namespace isopatch::detail
