// SPDX-License-Identifier: Apache-2.0
//
// The cuda backend: uploads a scene once, then checks and enqueues the stages of each call.
#include <algorithm>
#include <limits>

#include "host/evaluator_backend.h"
#include "isopatch/error.h"
#include "kernels/evaluation_call.h"
#include "kernels/runtime/call_memory.h"
#include "kernels/runtime/check_call.h"
#include "kernels/runtime/device_guard.h"
#include "kernels/scene/device_scene.h"

namespace isopatch {

namespace {

using namespace detail;

int require_device(int wanted) {
  int count = 0, current = 0;
  const cudaError_t found = cudaGetDeviceCount(&count);
  if (found != cudaSuccess || count == 0) {
    cudaGetLastError();
    throw Error(std::string("backend cuda: no usable device (") + cudaGetErrorString(found) +
                "); use cpu, or install a driver for an NVIDIA GPU");
  }
  if (wanted >= count) {
    throw Error("evaluator: device is " + std::to_string(wanted) + "; this machine has " + std::to_string(count) +
                ", with indices from 0 (-1 for the current one)");
  }
  if (wanted >= 0) return wanted;
  ISOPATCH_CUDA_CHECK(cudaGetDevice(&current));
  return current;
}

std::size_t bytes_of(const std::vector<Hierarchy>& hierarchies) {
  std::size_t bytes = 0;
  for (const Hierarchy& h : hierarchies) {
    bytes += h.cells.size() * (sizeof(Cell) + sizeof(CoarseCell)) + h.nodes.size() * sizeof(Node);
  }
  return bytes;
}

/// Throws Error unless the scene's meshes fit the current device's free memory.
void require_memory(const SceneData& scene) {
  const std::size_t needed = bytes_of(scene.geometries.solids) + bytes_of(scene.geometries.surfaces);
  std::size_t available = 0, total = 0;
  ISOPATCH_CUDA_CHECK(cudaMemGetInfo(&available, &total));
  if (needed <= available) return;
  throw Error("backend cuda: the scene's meshes need " + std::to_string(needed >> 20) + " MiB; the device has " +
              std::to_string(available >> 20) + " MiB free");
}

class CudaBackend final : public Evaluator::Implementation {
 public:
  CudaBackend(Scene scene, CudaOptions options, int device)
      : Implementation(std::move(scene), options),
        cuda_options_(options),
        device_(device),
        device_scene_(scene_.data()) {
    const bool single = options.precision == Precision::kFloat;
    for (const Outputs outputs : {Outputs::kWrench, Outputs::kPatch, Outputs::kPolygons}) {
      const std::int64_t warps = single ? resident_warps<float>(device_scene_.view(), outputs)
                                        : resident_warps<double>(device_scene_.view(), outputs);
      resident_warps_[static_cast<std::size_t>(outputs)] = warps;
    }
    for (const Hierarchy& h : scene_.data().geometries.solids) {
      most_cells_ = std::max(most_cells_, static_cast<std::int64_t>(h.cells.size()));
    }
  }

  void reserve(std::int64_t num_environments) const override {
    const DeviceGuard guard(device_);
    memory_.reserve(sizes(items(num_environments)), nullptr);
  }

  void evaluate(const State& state, const Results& results, void* stream) const override {
    const DeviceGuard guard(device_);
    const auto on = static_cast<cudaStream_t>(stream);
    check_call(state, results, on, device_);
    const std::int64_t most = items(state.num_environments);
    memory_.reserve(sizes(most), on);

    EvaluationCall call = {device_scene_.view(),  state,          results, memory_.list(), memory_.counters(),
                           shares(most, results), memory_.sums(), {}};
    if (may_stage(results) && (call.shares == 1 || cuda_options_.stages == PairStages::kSeveral)) {
      call.staged = memory_.staged(static_cast<float>(options_.keep_candidates));
      call.shares = 1;
    }
    begin_environments(call, on);
    if (options_.precision == Precision::kFloat) {
      evaluate_staged_pairs<float>(call, on);
      evaluate_pairs<float>(call, on);
    } else {
      evaluate_staged_pairs<double>(call, on);
      evaluate_pairs<double>(call, on);
    }
    evaluate_energies(call, on);
    sum_body_wrenches(call, on);
  }

 private:
  static constexpr std::int64_t kCellsPerShare = 32;  // of the larger mesh; less is not worth a warp

  // Stages gain where a pair has few polygons; beyond, the cells between them cost more than lanes and registers bring.
  // An estimate: bench/NOTES.md.
  static constexpr std::int64_t kMostCellsInStages = 640;  // of the larger mesh

  // What of a larger batch does not fit is evaluated by one kernel.
  static constexpr std::int64_t kMostStagedPairs = std::int64_t{1} << 20;      // 0.7 GB
  static constexpr std::int64_t kMostStagedPartPairs = std::int64_t{1} << 20;  // 0.8 GB
  static constexpr std::int64_t kMostListedCells = std::int64_t{1} << 25;      // 1.1 GB
  static constexpr std::int64_t kPartPairsPerPair = 8;                         // on average, of bodies of several parts

  bool has_several_parts() const { return parts_of(device_scene_.view()) == Parts::kSeveral; }

  /// Whether some calls are evaluated in stages.
  bool may_stage() const {
    if (cuda_options_.stages == PairStages::kBySize) return most_cells_ <= kMostCellsInStages;
    return cuda_options_.stages == PairStages::kSeveral;
  }

  bool may_stage(const Results& results) const {
    const bool separate = has_several_parts() && results.part_pair_wrench.data != nullptr;
    return may_stage() && !separate && needed_outputs(results) != Outputs::kPolygons;
  }

  CallSizes sizes(std::int64_t pairs) const {
    CallSizes sizes = {pairs, most_sums(), 0, 0, 0, 0, 0};
    if (!may_stage()) return sizes;
    sizes.staged_pairs = std::min(pairs, kMostStagedPairs);
    sizes.staged_sums = (has_several_parts() ? 2 : 1) * sizes.staged_pairs;
    sizes.staged_part_pairs = sizes.staged_pairs;
    if (has_several_parts()) sizes.staged_part_pairs = std::min(kPartPairsPerPair * pairs, kMostStagedPartPairs);
    sizes.cells = std::min(pairs * cuda_options_.cells_per_pair, kMostListedCells);
    if (options_.keep_candidates > 0) {
      sizes.kept = pairs / std::max(1, scene_.num_pairs()) * device_scene_.view().num_part_pairs;
    }
    return sizes;
  }

  std::int64_t items(std::int64_t num_environments) const {
    const std::int64_t pairs = scene_.num_pairs(), most = std::numeric_limits<std::int32_t>::max() / 2;
    if (num_environments * pairs > most) {
      throw Error("evaluate: " + std::to_string(num_environments) + " environments of " + std::to_string(pairs) +
                  " pairs are more than " + std::to_string(most) + " pairs; split the batch");
    }
    return num_environments * pairs;
  }

  /// How many warps share a pair: one where there are enough pairs to fill the device, else a power of two. It depends
  /// on sizes alone and changes no bit.
  int shares(std::int64_t pairs, const Results& results) const {
    if (results.part_pair_wrench.data != nullptr) return 1;  // each is written by the warp that sums it
    std::int64_t shares = 1;
    const Outputs outputs = needed_outputs(results);
    const std::int64_t warps = resident_warps_[static_cast<std::size_t>(outputs)];
    while (2 * shares * pairs <= warps && 2 * shares * kCellsPerShare <= most_cells_) shares *= 2;
    return static_cast<int>(shares);
  }

  /// The most pairs of a call that can be shared by two warps or more.
  std::int64_t most_sums() const {
    return *std::max_element(std::begin(resident_warps_), std::end(resident_warps_)) / 2;
  }

  CudaOptions cuda_options_;
  int device_;
  DeviceScene device_scene_;
  std::int64_t resident_warps_[3] = {};  // by Outputs
  std::int64_t most_cells_ = 0;
  mutable CallMemory memory_;
};

}  // namespace

int num_cuda_devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return count;
}

std::unique_ptr<Evaluator::Implementation> detail::make_cuda_backend(Scene scene, CudaOptions options) {
  const int device = require_device(options.device);
  const DeviceGuard guard(device);
  require_memory(scene.data());
  return std::make_unique<CudaBackend>(std::move(scene), options, device);
}

Evaluator detail::make_evaluator(Scene scene, const CudaOptions& options) {
  if (options.backend != Backend::kCuda) return Evaluator(std::move(scene), options);
  return Evaluator(make_cuda_backend(std::move(scene), options));
}

}  // namespace isopatch
