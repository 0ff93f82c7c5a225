// SPDX-License-Identifier: Apache-2.0
//
// Steps with rigid polytopes on a device, beside the test's contact model alone: the tests have no scene with both and
// another one, and a list of all models takes minutes to compile.
#include "kernels/polytope_steps.cuh"
#include "tests/contact_model/device_ball_spring.cuh"

namespace isopatch::detail {

namespace {

using Models = DeviceModels<DeviceBallSpring>;

}  // namespace

std::int64_t load_polytope_steps(Precision precision, bool with_trees) {
  return load_polytope_steps<Models>(precision, with_trees);
}

void take_polytope_steps(const PolytopeStepCall& call, Precision precision, bool with_trees, cudaStream_t stream) {
  take_polytope_steps<Models>(call, precision, with_trees, stream);
}

}  // namespace isopatch::detail
