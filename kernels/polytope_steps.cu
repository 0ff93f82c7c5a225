// SPDX-License-Identifier: Apache-2.0
//
// Steps with rigid polytopes beside the library's other contact models. A program links another file in place of this
// one to add its own.
#include "kernels/library_models.cuh"
#include "kernels/polytope_steps.cuh"

namespace isopatch::detail {

std::int64_t load_polytope_steps(Precision precision, bool with_trees) {
  return load_polytope_steps<LibraryDeviceModels>(precision, with_trees);
}

void take_polytope_steps(const PolytopeStepCall& call, Precision precision, bool with_trees, cudaStream_t stream) {
  take_polytope_steps<LibraryDeviceModels>(call, precision, with_trees, stream);
}

}  // namespace isopatch::detail
