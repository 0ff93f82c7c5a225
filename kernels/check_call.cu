// SPDX-License-Identifier: Apache-2.0
#include "kernels/check_call.h"

#include <string>

#include "isopatch/error.h"
#include "kernels/cuda_check.h"

namespace isopatch {

namespace {

void check_array(const void* data, const char* name, int device) {
  if (data == nullptr) return;
  cudaPointerAttributes found = {};
  ISOPATCH_CUDA_CHECK(cudaPointerGetAttributes(&found, data));
  if (found.type == cudaMemoryTypeManaged) return;
  if (found.type != cudaMemoryTypeDevice) {
    throw Error(std::string("evaluate: ") + name +
                " points to host memory; the cuda backend needs device memory (HostEvaluator takes host memory)");
  }
  if (found.device != device) {
    throw Error(std::string("evaluate: ") + name + " is on device " + std::to_string(found.device) +
                "; the evaluator is on device " + std::to_string(device));
  }
}

void check_stream(cudaStream_t stream, int device) {
#if CUDART_VERSION >= 12080
  if (stream == nullptr) return;
  int found = 0;
  ISOPATCH_CUDA_CHECK(cudaStreamGetDevice(stream, &found));
  if (found != device) {
    throw Error("evaluate: the stream is on device " + std::to_string(found) + "; the evaluator is on device " +
                std::to_string(device));
  }
#else
  (void)stream, (void)device;  // a launch on a stream of another device fails with CUDA's own error
#endif
}

}  // namespace

void check_call(const State& state, const Results& results, cudaStream_t stream, int device) {
  check_stream(stream, device);
  check_array(state.poses.data, "state.poses", device);
  check_array(state.velocities.data, "state.velocities", device);
  check_array(state.modulus.data, "state.modulus", device);
  check_array(state.dissipation.data, "state.dissipation", device);
  check_array(state.friction.data, "state.friction", device);
  check_array(state.geometry_index, "state.geometry_index", device);
  check_array(state.pair_mask, "state.pair_mask", device);
  check_array(results.pair_wrench.data, "results.pair_wrench", device);
  check_array(results.body_wrench.data, "results.body_wrench", device);
  check_array(results.status, "results.status", device);
  check_array(results.area.data, "results.area", device);
  check_array(results.center_of_pressure.data, "results.center_of_pressure", device);
  check_array(results.mean_normal.data, "results.mean_normal", device);
  check_array(results.max_pressure.data, "results.max_pressure", device);
  check_array(results.friction_force.data, "results.friction_force", device);
  check_array(results.polygon_count, "results.polygon_count", device);
  check_array(results.energy.data, "results.energy", device);
  check_array(results.polygons, "results.polygons", device);
  check_array(results.polygons_needed, "results.polygons_needed", device);
  check_array(results.contacts, "results.contacts", device);
  check_array(results.contacts_needed, "results.contacts_needed", device);
}

}  // namespace isopatch
