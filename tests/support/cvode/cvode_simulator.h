// SPDX-License-Identifier: Apache-2.0
//
// The accuracy reference of Simulator: the continuous model that euler and sdirk2 step, integrated with error control.
#pragma once

#include "isopatch/error.h"
#include "isopatch/simulator.h"

namespace isopatch::test {

/// Steps as `rollout` says, but for its integrator: its tolerance is the relative one of the integration, which begins
/// anew in each step. RolloutState::iterations counts evaluations of the motion, and RolloutOutput::pair_wrench is the
/// wrench at the end of the step. Throws Error for a backend other than cpu, for joints and for contacts with
/// memory, and in a build without SUNDIALS.
#ifdef ISOPATCH_HAS_CVODE
Simulator make_cvode_simulator(Scene scene, const RolloutOptions& rollout, EvaluatorOptions options = {});
#else
inline Simulator make_cvode_simulator(const Scene&, const RolloutOptions&, const EvaluatorOptions& = {}) {
  throw Error("this build found no SUNDIALS");
}
#endif

}  // namespace isopatch::test
