// SPDX-License-Identifier: Apache-2.0
//
// A call of Simulator::step() on the CPU.
#pragma once

#include "host/cpu/find_contacts.h"
#include "host/cpu/rollout/point_kernels.h"

namespace isopatch::detail {

struct CpuStepCall {
  StepView step;
  RolloutOutput output;
  int num_steps;
  std::int32_t polygon_capacity;   // 0: any number
  std::int32_t relation_capacity;  // likewise
  const PointKernels& points;

  StepProgress progress(ContactStepMemory& work) const { return work.step(output.pair_wrench_mean.data != nullptr); }
};

/// Takes environments of scenes without trees of bodies and loops: its code does less.
struct PlainWarp : SerialWarp {
  static constexpr bool kTakesTrees = false;
};

}  // namespace isopatch::detail
