// SPDX-License-Identifier: Apache-2.0
//
// Replaces kernels/ in a build without CUDA code.
#include "host/evaluator_backend.h"
#include "isopatch/error.h"

namespace isopatch {

namespace {

constexpr char kNoCuda[] = "backend cuda: this build has no CUDA code; use cpu or reference";

}  // namespace

int num_cuda_devices() { return 0; }

std::unique_ptr<Evaluator::Implementation> detail::make_cuda_backend(Scene, CudaOptions) { throw Error(kNoCuda); }

Evaluator detail::make_evaluator(Scene, const CudaOptions&) { throw Error(kNoCuda); }

void detail::evaluate_on_device(const Evaluator&, const State&, const Results&) { throw Error(kNoCuda); }

}  // namespace isopatch
