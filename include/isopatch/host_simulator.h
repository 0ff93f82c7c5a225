// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isopatch/simulator.h"

namespace isopatch {

/// Steps environments whose arrays are in host memory, with any backend; otherwise as Simulator. With cuda, arrays are
/// copied to the device and back in every call, so give it many steps at once. Where the options leave the capacity for
/// polygons open, a call that needs more is taken again with more; the bits are the same.
class HostSimulator {
 public:
  /// Throws Error as Simulator().
  explicit HostSimulator(Scene scene, EvaluatorOptions options = {});

  /// Steps as `rollout` says.
  HostSimulator(Scene scene, const RolloutOptions& rollout, EvaluatorOptions options = {});

  /// As Simulator::initial_state().
  void initial_state(const RolloutState& state) const;

  /// As Simulator::step(); returns when done. With cuda, calls from several threads take turns.
  void step(const RolloutState& state, const RolloutInput& input = {}, const RolloutOutput& output = {},
            int num_steps = 1) const;

  const Simulator& simulator() const;  ///< the one that it steps with

 private:
  Simulator simulator_;
};

}  // namespace isopatch
