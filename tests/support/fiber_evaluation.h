// SPDX-License-Identifier: Apache-2.0
//
// How fiber_evaluator.h does it. It takes long to compile, so only the files that do so for a width include this.
#pragma once

#include <array>

#include "host/scene/scene_data.h"
#include "isopatch/detail/pressure_field/energy.h"
#include "isopatch/detail/pressure_field/outputs/contact_output.h"
#include "isopatch/detail/scene/begin_environment.h"
#include "isopatch/detail/scene/body_wrench.h"
#include "tests/support/fiber_evaluator.h"

namespace isopatch::test {

template <int size>
void evaluate_energy_on_fibers(FiberGroup<size>& group, detail::Workspace<size>& work, const detail::SceneView& view,
                               const State& state, const Results& results, std::int64_t e, int pair) {
  group.run([&](FiberWarp<size>& warp) { detail::evaluate_energy(warp, work, view, state, results, e, pair); });
}

template <class T, int size, bool brute_force>
void FiberEvaluator<T, size, brute_force>::evaluate(const Scene& scene, const State& state, const Results& results) {
  const detail::SceneView& view = scene.data().view;
  for (std::int64_t e = 0; e < state.num_environments; ++e) {
    std::int32_t count[detail::kMaxContactModels] = {};
    detail::BodyBounds bounds[limits::kMaxBodies];
    std::array<std::int64_t, limits::kMaxPairs> items = {};
    group_.run([&](FiberWarp<size>& warp) {
      begin_environment(warp, warp, bounds, view, state, results, e, {items.data(), count, 1}, brute_force);
    });
    for (std::int32_t i = 0; i < count[0]; ++i) {
      const int pair = static_cast<int>(items[static_cast<std::size_t>(i)] - e * view.num_pairs);
      evaluate_one(view, state, results, e, pair);
      if (results.energy.data != nullptr) evaluate_energy_on_fibers(group_, *work_, view, state, results, e, pair);
      note_stack();
    }
    for (int body = 0; body < view.num_bodies && results.body_wrench.data != nullptr; ++body) {
      detail::write_body_wrench(view, state, results, e, body);
    }
  }
}

template <class T, int size, bool brute_force>
void FiberEvaluator<T, size, brute_force>::evaluate_one(const detail::SceneView& view, const State& state,
                                                        const Results& results, std::int64_t e, int pair) {
  using detail::Outputs;
  for (detail::NodePair& p : work_->traversal.stack) p = {kUntouched, kUntouched};
  if constexpr (size == 32 && !brute_force) {
    const Outputs outputs = detail::needed_outputs(results);
    if (!has(outputs, Outputs::kPolygons)) {
      return has(outputs, Outputs::kPatch) ? evaluate_outputs<Outputs::kPatch>(view, state, results, e, pair)
                                           : evaluate_outputs<Outputs::kWrench>(view, state, results, e, pair);
    }
  }
  evaluate_outputs<Outputs::kAll>(view, state, results, e, pair);
}

template <class T, int size, bool brute_force>
template <detail::Outputs outputs>
void FiberEvaluator<T, size, brute_force>::evaluate_outputs(const detail::SceneView& view, const State& state,
                                                            const Results& results, std::int64_t e, int pair) {
  const int slices = results.part_pair_wrench.data != nullptr ? 1 : slices_;  // as the cuda backend
  for (int slice = 0; slice < slices; ++slice) {
    group_.run([&](FiberWarp<size>& warp) {
      const auto evaluate = [&](const auto& sinks) {
        detail::evaluate_pair<T, outputs, brute_force>(warp, *work_, {view, state, results, e, pair},
                                                       {{slice, slices}, &shared_}, sinks);
      };
      const detail::NoRows no_rows;
      if constexpr (has(outputs, detail::Outputs::kPolygons)) {
        evaluate(detail::row_sinks<T>(results, no_rows));
      } else {
        evaluate(detail::NoSinks());
      }
    });
  }
}

template <class T, int size, bool brute_force>
void FiberEvaluator<T, size, brute_force>::note_stack() {
  int used = decltype(work_->traversal)::kStack;
  while (used > 0 && work_->traversal.stack[used - 1].m == kUntouched) --used;
  highest_stack_ = used > highest_stack_ ? used : highest_stack_;
}

}  // namespace isopatch::test
