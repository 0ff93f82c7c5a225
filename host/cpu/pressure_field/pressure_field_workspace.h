// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "host/cpu/cells/scene_sizes.h"
#include "host/cpu/contact/contact_model.h"
#include "host/cpu/pressure_field/kept_candidates.h"
#include "isopatch/detail/pressure_field/evaluate_pair.h"
#include "isopatch/detail/pressure_field/outputs/derivative_sums.h"
#include "isopatch/detail/pressure_field/outputs/elastic_rows.h"

namespace isopatch::detail {

/// The lists between the stages of begin.h, for a few pairs at a time.
struct StageLists {
  static constexpr int kPairs = 16;  // that go through the stages together
  static constexpr int kPartPairs = 128;

  StagedPair pairs[kPairs];
  StagedPartPair part_pairs[kPartPairs];
  PartPairWork work[kPartPairs];
  std::int32_t num_part_pairs = 0;

  StagedPairs view() { return {pairs, nullptr, {part_pairs, &num_part_pairs, kPartPairs}, {}}; }
};

/// What this model has in each thread.
struct PressureFieldWorkspace : ModelWorkspace {
  Workspace<1> pair;
  StageLists stages;
  SimdWorkspace simd;
  SortedRows<ElasticPolygon> elastic;  // of one pair
  DerivativeSums derivatives;          // likewise
  std::vector<AcceptedCells> accepted;
  std::vector<std::int64_t> with_plates, others;  // near pairs

  /// For hierarchies of at most this many wide nodes and cells.
  PressureFieldWorkspace(std::int32_t wide_nodes, std::int64_t cells) : simd(wide_nodes), most_cells_(cells) {}

  /// The candidates of a part pair in a step. They are kept from step to step of one environment.
  KeptSearch begin_search(const SceneView& scene, std::int64_t environment, int part_pair, const PairContext& context) {
    if (!kept_) {
      const std::int64_t fit = kMaxKeptInAll / std::max(scene.num_part_pairs, 1);
      kept_.emplace(1, scene.num_part_pairs, most_cells_, std::min(fit, kMaxKept), kNoLimit);
    }
    if (environment != environment_) kept_->reset();
    environment_ = environment;
    return kept_->begin_search(part_pair, context);
  }

 private:
  static constexpr std::int64_t kMaxKept = 4096;                        // candidates of a part pair
  static constexpr std::int64_t kMaxKeptInAll = std::int64_t{1} << 21;  // there is room for: 17 MB
  static constexpr double kNoLimit = 1e12;                              // of the margin, m

  std::int64_t most_cells_;
  std::optional<CandidateStore> kept_;
  std::int64_t environment_ = 0;  // whose candidates they are
};

}  // namespace isopatch::detail
