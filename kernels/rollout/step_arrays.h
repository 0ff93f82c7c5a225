// SPDX-License-Identifier: Apache-2.0
//
// The working memory of time steps.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/memory/device_buffer.h"
#include "kernels/rollout/step_call.h"

namespace isopatch::detail {

/// How much working memory a call needs.
struct StepSize {
  std::size_t environments = 0, bodies = 0, pairs = 0, parts = 0;  // of all environments
  std::size_t stage_bodies = 0, forces = 0;                        // with step_copies()
  std::size_t polygons = 0, polygon_bytes = 0;
  std::size_t contact_states = 0;             // numbers, of all environments
  std::size_t kept_contact_states = 0;        // with step_copies()
  std::size_t plates = 0;                     // records, of all environments
  std::size_t sorting = 0, solver_words = 0;  // of all warps that solve

  template <class Visit>
  static void for_each_member(const Visit& visit) {
    for (const auto member :
         {&StepSize::environments, &StepSize::bodies, &StepSize::pairs, &StepSize::parts, &StepSize::stage_bodies,
          &StepSize::forces, &StepSize::polygons, &StepSize::polygon_bytes, &StepSize::contact_states,
          &StepSize::kept_contact_states, &StepSize::plates, &StepSize::sorting, &StepSize::solver_words}) {
      visit(member);
    }
  }
  bool fits(const StepSize& room) const {
    bool fits = true;
    for_each_member([&](auto member) { fits = fits && this->*member <= room.*member; });
    return fits;
  }
  /// Room for this and for another.
  StepSize joined(const StepSize& other) const {
    StepSize both = *this;
    for_each_member([&](auto member) { both.*member = std::max(both.*member, other.*member); });
    return both;
  }
};

/// Arrays for one call at a time.
struct StepArrays {
  using Size = StepSize;

  DeviceBuffer<std::int64_t> list;
  DeviceBuffer<CallCounters> counters;
  DeviceBuffer<StepPlan> plans;
  DeviceBuffer<StageBody> bodies;
  DeviceBuffer<double> poses, forces, sums;
  DeviceBuffer<StepCounts> counts;
  DeviceBuffer<std::uint32_t> contact_status;
  DeviceBuffer<std::int32_t> found, geometries, num_continuing;
  DeviceBuffer<ContactEntry> listed, sorting;
  DeviceBuffer<std::byte> polygons;
  DeviceBuffer<double> solver, contact_states, next_contact_states;
  DeviceBuffer<PlateContact> plates;

  /// What the constructor allocates for this size.
  static std::size_t bytes(const StepSize& size) {
    return size.pairs * (sizeof(std::int64_t) + 6 * sizeof(double)) + size.forces * sizeof(double) +
           sizeof(CallCounters) + kMaxSearches * sizeof(std::int32_t) + size.stage_bodies * sizeof(StageBody) +
           size.bodies * kPoseSize * sizeof(double) +
           size.environments * (sizeof(StepPlan) + sizeof(StepCounts) + sizeof(std::uint32_t) + sizeof(std::int32_t)) +
           size.parts * sizeof(std::int32_t) + (size.polygons + size.sorting) * sizeof(ContactEntry) +
           size.polygon_bytes + (size.solver_words + size.contact_states + size.kept_contact_states) * sizeof(double) +
           size.plates * sizeof(PlateContact);
  }

  /// Throws Error where the device has too little memory.
  StepArrays(const StepSize& size, cudaStream_t stream);
};

}  // namespace isopatch::detail
