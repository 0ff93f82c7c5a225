// SPDX-License-Identifier: Apache-2.0
#include "kernels/rollout/step_arrays.h"

#include <string>

#include "kernels/memory/device_memory.h"

namespace isopatch::detail {

StepArrays::StepArrays(const StepSize& size, cudaStream_t stream) {
  require_device_memory(bytes(size), "the working memory for steps of " + std::to_string(size.environments) +
                                         " environments with room for " + std::to_string(size.polygons) +
                                         " contact polygons needs");
  list = DeviceBuffer<std::int64_t>(size.pairs);
  counters = DeviceBuffer<CallCounters>(1);
  plans = DeviceBuffer<StepPlan>(size.environments);
  bodies = DeviceBuffer<StageBody>(size.stage_bodies);
  poses = DeviceBuffer<double>(size.bodies * kPoseSize);
  forces = DeviceBuffer<double>(size.forces);
  sums = DeviceBuffer<double>(size.pairs * 6);
  counts = DeviceBuffer<StepCounts>(size.environments);
  contact_status = DeviceBuffer<std::uint32_t>(size.environments);
  found = DeviceBuffer<std::int32_t>(size.environments);
  geometries = DeviceBuffer<std::int32_t>(size.parts);
  num_continuing = DeviceBuffer<std::int32_t>(kMaxSearches);
  listed = DeviceBuffer<ContactEntry>(size.polygons);
  sorting = DeviceBuffer<ContactEntry>(size.sorting);
  polygons = DeviceBuffer<std::byte>(size.polygon_bytes);
  solver = DeviceBuffer<double>(size.solver_words);
  contact_states = DeviceBuffer<double>(size.kept_contact_states);
  plates = DeviceBuffer<PlateContact>(size.plates);
  next_contact_states = DeviceBuffer<double>(size.contact_states);
  ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream));
}

}  // namespace isopatch::detail
