// SPDX-License-Identifier: Apache-2.0
//
// evaluate_on_device() of a build without CUDA code.
#include "host/device_batch.h"

#include "isopatch/error.h"

namespace isopatch {

void evaluate_on_device(const Evaluator&, const State&, const Results&) {
  throw Error("backend cuda: this build has no CUDA code; use cpu or reference");
}

}  // namespace isopatch
