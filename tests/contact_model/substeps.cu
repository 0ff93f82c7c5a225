// SPDX-License-Identifier: Apache-2.0
//
// Sub-steps on a device, with the test's contact model behind the library's.
#include "kernels/library_models.cuh"
#include "kernels/substeps.cuh"
#include "tests/contact_model/device_ball_spring.cuh"

namespace isopatch::detail {

namespace {

using Models = LibraryDeviceModels::With<DeviceBallSpring>;

}  // namespace

std::int64_t load_substeps(Precision precision, bool has_plates) {
  return load_substeps<Models>(precision, has_plates);
}

void take_substeps(const StepCall& call, Precision precision, bool has_plates, cudaStream_t stream) {
  take_substeps<Models>(call, precision, has_plates, stream);
}

}  // namespace isopatch::detail
