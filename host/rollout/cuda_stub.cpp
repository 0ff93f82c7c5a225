// SPDX-License-Identifier: Apache-2.0
//
// Replaces kernels/ in a build without CUDA code.
#include "host/evaluation/cuda_streams.h"
#include "host/evaluation/evaluator_backend.h"
#include "host/rollout/simulator_backend.h"
#include "isopatch/error.h"

namespace isopatch {

int num_cuda_devices() { return 0; }

std::string cuda_problem() { return "this build has no CUDA code"; }

namespace {

constexpr char kNoCuda[] = "backend cuda: this build has no CUDA code; use cpu or reference";

}  // namespace

std::unique_ptr<Evaluator::Implementation> detail::make_cuda_backend(Scene, CudaOptions) {
  throw Error(kNoCuda, ErrorKind::kDevice);
}

Evaluator detail::make_evaluator(Scene, const CudaOptions&) { throw Error(kNoCuda, ErrorKind::kDevice); }

std::unique_ptr<Simulator::Implementation> detail::make_cuda_simulator(Scene, const RolloutOptions&,
                                                                       const CudaOptions&) {
  throw Error(kNoCuda, ErrorKind::kDevice);
}

Simulator detail::make_simulator(Scene, const CudaOptions&) { throw Error(kNoCuda, ErrorKind::kDevice); }

void detail::let_stream_wait(int, void*, void*) { throw Error(kNoCuda, ErrorKind::kDevice); }

}  // namespace isopatch
