// SPDX-License-Identifier: Apache-2.0
//
// Replaces cvode_simulator.cpp in a build without SUNDIALS.
#include "host/rollout/simulator_backend.h"
#include "isopatch/error.h"

namespace isopatch {

std::unique_ptr<Simulator::Implementation> detail::make_cvode_simulator(Scene, const RolloutOptions&,
                                                                        const EvaluatorOptions&) {
  throw Error(
      "simulator: integrator cvode is not in this build, which found no SUNDIALS; use midpoint, euler or sdirk2");
}

}  // namespace isopatch
