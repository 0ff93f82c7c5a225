// SPDX-License-Identifier: Apache-2.0
//
// Sub-steps with the library's contact models. A program links another file in place of this one to add its own.
#include "kernels/library_models.cuh"
#include "kernels/substeps.cuh"

namespace isopatch::detail {

std::int64_t load_substeps(Precision precision, bool has_plates) {
  return load_substeps<LibraryDeviceModels>(precision, has_plates);
}

void take_substeps(const StepCall& call, Precision precision, bool has_plates, cudaStream_t stream) {
  take_substeps<LibraryDeviceModels>(call, precision, has_plates, stream);
}

}  // namespace isopatch::detail
