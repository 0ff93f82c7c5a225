// SPDX-License-Identifier: Apache-2.0
//
// Evaluates pressure fields with the code of a GPU's warp, in lockstep. fiber_evaluator_float.cpp and
// fiber_evaluator_double.cpp compile it for warps of 32 lanes, fiber_evaluation.h for other widths.
#pragma once

#include <cstdint>
#include <memory>

#include "isopatch/detail/pressure_field/evaluate_pair.h"
#include "isopatch/scene/scene.h"
#include "tests/support/fiber_warp.h"

namespace isopatch::test {

/// The energy of one pair, for all precisions and outputs.
template <int size>
void evaluate_energy_on_fibers(FiberGroup<size>& group, detail::Workspace<size>& work, const detail::SceneView& view,
                               const State& state, const Results& results, std::int64_t e, int pair);

/// What the stages of the cuda backend do, with a warp of fibers; each pair by `slices` warps, one after another.
/// Strides of `state` and `results` must be given. Other widths than 32 and brute force have the functions for all
/// outputs only.
template <class T, int size, bool brute_force = false>
class FiberEvaluator {
 public:
  explicit FiberEvaluator(int slices = 1) : slices_(slices) {}

  void evaluate(const Scene& scene, const State& state, const Results& results);

  /// The largest number of node pairs that ever waited at once.
  int highest_stack() const { return highest_stack_; }

 private:
  static constexpr std::int32_t kUntouched = -1234567;

  void evaluate_one(const detail::SceneView& view, const State& state, const Results& results, std::int64_t e,
                    int pair);
  template <detail::Outputs outputs>
  void evaluate_outputs(const detail::SceneView& view, const State& state, const Results& results, std::int64_t e,
                        int pair);
  void note_stack();

  int slices_;
  FiberGroup<size> group_;
  std::unique_ptr<detail::Workspace<size>> work_ = std::make_unique<detail::Workspace<size>>();
  detail::SharedWrenchSums shared_ = {};
  int highest_stack_ = 0;
};

extern template void evaluate_energy_on_fibers(FiberGroup<32>&, detail::Workspace<32>&, const detail::SceneView&,
                                               const State&, const Results&, std::int64_t, int);
extern template class FiberEvaluator<float, 32>;
extern template class FiberEvaluator<double, 32>;

}  // namespace isopatch::test
