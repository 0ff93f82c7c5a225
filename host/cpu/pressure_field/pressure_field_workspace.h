// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "host/cpu/contact/contact_model.h"
#include "host/cpu/pressure_field/simd_kernels.h"
#include "isopatch/detail/pressure_field/evaluate_pair.h"
#include "isopatch/detail/pressure_field/outputs/patch_contacts.h"

namespace isopatch::detail {

/// Of any hierarchy of the scene.
inline std::int32_t most_wide_nodes(const SceneData& scene) {
  std::size_t most = 0;
  for (const Hierarchy& h : scene.geometries.solids) most = std::max(most, h.wide_nodes.size());
  for (const Hierarchy& h : scene.geometries.surfaces) most = std::max(most, h.wide_nodes.size());
  return static_cast<std::int32_t>(most);
}

/// The lists between the stages of begin.h, for a few pairs at a time.
struct StageLists {
  static constexpr int kPairs = 16;  // that go through the stages together
  static constexpr int kPartPairs = 128;

  StagedPair pairs[kPairs];
  StagedPartPair part_pairs[kPartPairs];
  std::int32_t num_part_pairs = 0;

  StagedPairs view() { return {pairs, nullptr, {part_pairs, &num_part_pairs, kPartPairs}, {}}; }
};

/// What this model has in each thread.
struct PressureFieldWorkspace : ModelWorkspace {
  Workspace<1> pair;
  StageLists stages;
  SimdWorkspace simd;
  SortedRows<ElasticPolygon> elastic;  // of one pair
  std::vector<AcceptedCells> accepted;

  /// For hierarchies of at most this many wide nodes.
  explicit PressureFieldWorkspace(std::int32_t wide_nodes) : simd(wide_nodes) {}
};

}  // namespace isopatch::detail
