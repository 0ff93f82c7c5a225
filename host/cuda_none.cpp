// SPDX-License-Identifier: Apache-2.0
//
// The cuda backend of a build without CUDA code.
#include "evaluator_backend.h"
#include "isopatch/error.h"

namespace isopatch {

int num_cuda_devices() { return 0; }

std::unique_ptr<Evaluator::Implementation> make_cuda_backend(Scene, EvaluatorOptions) {
  throw Error("backend cuda: this build has no CUDA code; use cpu or reference");
}

}  // namespace isopatch
