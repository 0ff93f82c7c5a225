// SPDX-License-Identifier: Apache-2.0
//
// All arrays of a State and of Results, listed once, with the elements each has per environment.
#pragma once

#include "isopatch/results.h"
#include "isopatch/scene.h"
#include "isopatch/state.h"

namespace isopatch {

/// Calls visit(name, array, row) for every array. `array` is an InputArray, or a pointer where the rows are packed.
template <class AnyState, class Visit>
void for_each_input(AnyState& state, const Scene& scene, const Visit& visit) {
  const std::int64_t bodies = scene.num_bodies(), pairs = scene.num_pairs();
  visit("state.poses", state.poses, 7 * bodies);
  visit("state.velocities", state.velocities, 6 * bodies);
  visit("state.modulus", state.modulus, bodies);
  visit("state.dissipation", state.dissipation, bodies);
  visit("state.friction", state.friction, bodies);
  visit("state.geometry_index", state.geometry_index, bodies);
  visit("state.pair_mask", state.pair_mask, pairs);
}

/// The same for results: an OutputArray, or a pointer.
template <class AnyResults, class Visit>
void for_each_output(AnyResults& results, const Scene& scene, const Visit& visit) {
  const std::int64_t bodies = scene.num_bodies(), pairs = scene.num_pairs();
  visit("results.pair_wrench", results.pair_wrench, 6 * pairs);
  visit("results.body_wrench", results.body_wrench, 6 * bodies);
  visit("results.status", results.status, std::int64_t{1});
  visit("results.area", results.area, pairs);
  visit("results.center_of_pressure", results.center_of_pressure, 3 * pairs);
  visit("results.mean_normal", results.mean_normal, 3 * pairs);
  visit("results.max_pressure", results.max_pressure, pairs);
  visit("results.friction_force", results.friction_force, 3 * pairs);
  visit("results.polygon_count", results.polygon_count, pairs);
  visit("results.energy", results.energy, pairs);
  visit("results.polygons", results.polygons, std::int64_t{results.polygon_capacity});
  visit("results.polygons_needed", results.polygons_needed, std::int64_t{1});
  visit("results.contacts", results.contacts, std::int64_t{results.contact_capacity});
  visit("results.contacts_needed", results.contacts_needed, std::int64_t{1});
}

inline const void* data_of(const InputArray& array) { return array.data; }
inline const void* data_of(const OutputArray& array) { return array.data; }
inline const void* data_of(const void* data) { return data; }

}  // namespace isopatch
