// SPDX-License-Identifier: Apache-2.0
//
// The capacities that calls have as arguments, from which the sizes of outputs with free numbers of rows follow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isopatch/arrays.h"

namespace isopatch::python {

/// Their names as arguments.
inline constexpr std::array<const char*, 5> kCapacities = {
    "polygon_capacity", "contact_capacity", "potential_contact_capacity", "relation_capacity", "member_capacity"};

/// Numbers of rows, in the order of kCapacities.
using Capacities = std::array<std::int64_t, kCapacities.size()>;

/// The index of the capacity that an array has; the number of capacities if it has none.
constexpr std::size_t capacity_of(Per per) {
  switch (per) {  // without a default, so that a new one has to say it
    case Per::kPolygonCapacity:
    case Per::kPackedPolygonCapacity:
      return 0;
    case Per::kContactCapacity:
    case Per::kPackedContactCapacity:
      return 1;
    case Per::kPotentialContactCapacity:
      return 2;
    case Per::kRelationCapacity:
      return 3;
    case Per::kMemberCapacity:
      return 4;
    case Per::kEnvironment:
    case Per::kBody:
    case Per::kPart:
    case Per::kPair:
    case Per::kPartPair:
    case Per::kJoint:
    case Per::kCluster:
    case Per::kOffset:
      break;
  }
  return kCapacities.size();
}

/// Sets all capacities of the counts, also those of packed arrays.
constexpr void set_capacities(ArrayCounts& counts, const Capacities& capacities) {
  counts.polygon_capacity = counts.packed_polygon_capacity = capacities[0];
  counts.contact_capacity = counts.packed_contact_capacity = capacities[1];
  counts.potential_contact_capacity = capacities[2];
  counts.relation_capacity = capacities[3];
  counts.member_capacity = capacities[4];
}

/// Sets the sizes of the results that the counts have.
constexpr void set_sizes(Results& results, const ArrayCounts& counts) {
  results.max_clusters = static_cast<std::int32_t>(counts.clusters);
  results.polygon_capacity = static_cast<std::int32_t>(counts.polygon_capacity);
  results.contact_capacity = static_cast<std::int32_t>(counts.contact_capacity);
  results.packed_polygon_capacity = counts.packed_polygon_capacity;
  results.packed_contact_capacity = counts.packed_contact_capacity;
  results.potential_contact_capacity = static_cast<std::int32_t>(counts.potential_contact_capacity);
  results.relation_capacity = static_cast<std::int32_t>(counts.relation_capacity);
  results.member_capacity = static_cast<std::int32_t>(counts.member_capacity);
}

}  // namespace isopatch::python
