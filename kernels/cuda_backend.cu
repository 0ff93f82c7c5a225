// SPDX-License-Identifier: Apache-2.0
//
// The cuda backend: uploads a scene once, then checks and enqueues the stages of each call.
#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "host/evaluation/argument_check.h"
#include "host/evaluation/evaluator_backend.h"
#include "isopatch/error.h"
#include "kernels/evaluation_call.h"
#include "kernels/memory/device_memory.h"
#include "kernels/memory/working_memory.h"
#include "kernels/pressure_field/device_call_memory.h"
#include "kernels/runtime/check_call.h"
#include "kernels/runtime/device_guard.h"
#include "kernels/runtime/host_batch.h"
#include "kernels/runtime/loaded_kernel.h"
#include "kernels/runtime/require_device.h"
#include "kernels/scene/device_scene.h"

namespace isopatch {

namespace {

using namespace detail;

std::size_t bytes_of(const std::vector<Hierarchy>& hierarchies) {
  std::size_t bytes = 0;
  for (const Hierarchy& h : hierarchies) {
    bytes += h.cells.size() * (sizeof(Cell) + sizeof(CoarseCell)) + h.nodes.size() * sizeof(Node);
  }
  return bytes;
}

std::int64_t most_cells_of(const std::vector<Hierarchy>& hierarchies) {
  std::size_t most = 0;
  for (const Hierarchy& h : hierarchies) most = std::max(most, h.cells.size());
  return static_cast<std::int64_t>(most);
}

/// Warps that the current device keeps at once.
struct ResidentWarps {
  std::array<std::int64_t, 3> of_pairs = {};  // by Outputs
  std::int64_t of_patches = 0;
};

/// Loads every kernel that an evaluator of this scene can launch on the current device.
ResidentWarps load_kernels(const SceneView& scene, Precision precision) {
  load_begin_environments();
  load_staged_pairs(scene, precision);
  load_packed_rows();
  load_evaluate_energies();
  load_sum_body_wrenches();
  ResidentWarps warps;
  for (const Outputs outputs : {Outputs::kWrench, Outputs::kPatch, Outputs::kPolygons}) {
    warps.of_pairs[static_cast<std::size_t>(outputs)] =
        precision == Precision::kFloat ? resident_warps<float>(scene, outputs) : resident_warps<double>(scene, outputs);
  }
  warps.of_patches =
      precision == Precision::kFloat ? resident_patch_warps<float>(scene) : resident_patch_warps<double>(scene);
  return warps;
}

/// What an evaluator has on its device.
struct OnDevice {
  DeviceScene scene;
  WorkingMemory<CallArrays> memory;
  HostBatch host_batch;

  explicit OnDevice(const SceneData& data) : scene(data) {}
};

class CudaBackend final : public Evaluator::Implementation {
 public:
  CudaBackend(Scene scene, CudaOptions options, int device)
      : Implementation(std::move(scene), options), cuda_options_(options), device_(device), check_(device) {
    const DeviceGuard guard(device_);
    const std::int64_t before = local_memory_of_kernels();  // a part of the memory that is not free any more
    resident_warps_ = load_kernels(scene_.data().view, options_.precision);
    require_memory(local_memory_of_kernels() - before);
    on_device_ = std::make_unique<OnDevice>(scene_.data());
    const FlatGeometries& geometries = scene_.data().geometries;
    most_cells_ = most_cells_of(geometries.solids);
    const std::int64_t most_elements = std::max(most_cells_, most_cells_of(geometries.surfaces));
    window_capacity_ = window_capacity(most_elements);
    for (int digit = 0; digit < RowDigits::kCount; ++digit) {
      if (RowDigits::may_differ(digit, scene_.num_pairs(), most_elements)) key_digits_ |= 1u << digit;
    }
  }

  ~CudaBackend() override {
    try {
      const DeviceGuard guard(device_);
      on_device_.reset();
    } catch (const Error&) {  // the device is lost, and its memory with it
    }
  }

  void reserve(std::int64_t num_environments, std::int64_t packed_polygons,
               std::int64_t packed_contacts) const override {
    const DeviceGuard guard(device_);
    CallSize size = size_of(num_environments);
    size.counts = static_cast<std::size_t>(num_environments) + 1;
    size.packed_polygons = static_cast<std::size_t>(packed_polygons);
    size.packed_contacts = static_cast<std::size_t>(packed_contacts);
    add_windows(size);
    on_device_->memory.reserve(size);
  }

  void evaluate(const State& state, const Results& results, void* stream) const override {
    const DeviceGuard guard(device_);
    const auto on = static_cast<cudaStream_t>(stream);
    check_.check(state, results, on);
    enqueue(state, results, on);
  }

  void evaluate_from_host(const State& state, const Results& results) const override {
    const DeviceGuard guard(device_);
    on_device_->host_batch.evaluate(
        scene_, state, results, [&](const State& s, const Results& r, cudaStream_t stream) { enqueue(s, r, stream); });
  }

 private:
  static constexpr std::int64_t kCellsPerSlice = 32;  // of the larger mesh; less is not worth a warp

  // Stages gain where a pair has few polygons; beyond, the cells between them cost more than lanes and registers bring.
  // By the cycle model in bench.
  static constexpr std::int64_t kMaxCellsInStages = 640;  // of the larger mesh

  // What of a larger batch does not fit is evaluated by one kernel.
  static constexpr std::size_t kMaxStagedPairs = std::size_t{1} << 20;      // 0.7 GB
  static constexpr std::size_t kMaxStagedPartPairs = std::size_t{1} << 20;  // 0.7 GB
  static constexpr std::size_t kMaxListedCells = std::size_t{1} << 25;      // 1.1 GB
  static constexpr std::size_t kPartPairsPerPair = 8;                       // on average, of bodies of several parts

  // A pair with more than its part of them is evaluated several times for its patch contacts.
  static constexpr std::size_t kMaxWindowPolygons = std::size_t{1} << 20;  // 0.2 GB

  /// Throws Error unless the current device has room for the scene and the kernels.
  void require_memory(std::int64_t local_memory) const {
    const FlatGeometries& geometries = scene_.data().geometries;
    const std::size_t meshes = bytes_of(geometries.solids) + bytes_of(geometries.surfaces);
    const auto local = static_cast<std::size_t>(local_memory);
    require_device_memory(meshes + local, "the scene's meshes need " + mebibytes(meshes) +
                                              " and the kernels' local variables " + mebibytes(local) + ", together");
  }

  void enqueue(const State& state, const Results& results, cudaStream_t stream) const {
    const CallSize size = size_of(state.num_environments, results);
    const auto pairs = static_cast<std::int64_t>(size.pairs);
    on_device_->memory.call(size, stream, [&](const CallArrays& arrays) {
      EvaluationCall call = {
          on_device_->scene.view(),
          state,
          results,
          arrays.list.data(),
          arrays.counters.data(),
          shares(pairs, results),
          arrays.sums.data(),
          {},
          arrays.patches(size.windows),
          {arrays.polygons.list(packed_polygons(results)), arrays.contacts.list(packed_contacts(results))},
          arrays.scan.data(),
          arrays.scan.size(),
          key_digits_,
          RowPass::kAll,
          0};
      if (arrays.have_stages() && may_stage(pairs, results)) {
        call.staged = arrays.staged(static_cast<float>(options_.candidate_margin));
        call.shares = 1;
      }
      if (options_.precision == Precision::kFloat) {
        evaluate<float>(call, stream);
      } else {
        evaluate<double>(call, stream);
      }
      evaluate_energies(call, stream);
      sum_body_wrenches(call, stream);
    });
  }

  template <class T>
  static void evaluate(const EvaluationCall& call, cudaStream_t stream) {
    if (call.staged.pairs != nullptr) {
      evaluate_staged_pairs<T>(call, stream);
    } else {
      begin_environments(call, stream);
    }
    begin_packed_rows(call, stream);
    evaluate_pairs<T>(call, stream);
    pack_rows<T>(call, stream);
    write_patch_contacts<T>(call, stream);
  }

  bool has_several_parts() const { return parts_of(scene_.data().view) == Parts::kSeveral; }

  /// Whether some calls are evaluated in stages.
  bool may_stage() const {
    if (cuda_options_.stages == PairStages::kBySize) return most_cells_ <= kMaxCellsInStages;
    return cuda_options_.stages == PairStages::kSeveral;
  }

  /// A pair takes longer in stages, so there have to be enough to fill the device.
  bool may_stage(std::int64_t pairs, const Results& results) const {
    const bool separate = has_several_parts() && results.part_pair_wrench.data != nullptr;
    const bool enough = pairs > resident_warps(results) || cuda_options_.stages == PairStages::kSeveral;
    return may_stage() && enough && !separate && needed_outputs(results) != Outputs::kPolygons;
  }

  std::int64_t resident_warps(const Results& results) const {
    return resident_warps_.of_pairs[static_cast<std::size_t>(needed_outputs(results))];
  }

  /// At most half of the warps share pairs, two or more a pair.
  CallSize size_of(std::int64_t num_environments) const {
    const auto& of_pairs = resident_warps_.of_pairs;
    const std::int64_t warps = *std::max_element(of_pairs.begin(), of_pairs.end());
    const auto pairs = static_cast<std::size_t>(items(num_environments));
    CallSize size;
    size.pairs = pairs;
    size.shared_pairs = static_cast<std::size_t>(warps / 2);
    if (!may_stage()) return size;
    size.staged_pairs = std::min(pairs, kMaxStagedPairs);
    size.staged_sums = (has_several_parts() ? 2 : 1) * size.staged_pairs;
    size.staged_part_pairs = std::min(has_several_parts() ? kPartPairsPerPair * pairs : pairs, kMaxStagedPartPairs);
    size.cells = std::min(pairs * static_cast<std::size_t>(cuda_options_.cells_per_pair), kMaxListedCells);
    if (options_.candidate_margin > 0) {
      size.kept =
          static_cast<std::size_t>(num_environments) * static_cast<std::size_t>(scene_.data().view.num_part_pairs);
    }
    return size;
  }

  CallSize size_of(std::int64_t num_environments, const Results& results) const {
    CallSize size = size_of(num_environments);
    for_each_packed_output(results, [&]<class Record>(const PackedOutput<Record>& to) {
      if (!to.is_wanted()) return;
      size.counts = static_cast<std::size_t>(num_environments) + 1;
      std::size_t& rows = std::is_same_v<Record, Polygon> ? size.packed_polygons : size.packed_contacts;
      if (to.rows.data != nullptr) rows = static_cast<std::size_t>(to.capacity);
    });
    if (wants_patch_contacts(results)) add_windows(size);
    return size;
  }

  /// For patch contacts: a window for each warp that has a pair.
  void add_windows(CallSize& size) const {
    constexpr std::size_t kBlock = kPatchWarps;
    const auto resident = static_cast<std::size_t>(resident_warps_.of_patches);
    size.windows = std::min(resident, (size.pairs + kBlock - 1) / kBlock * kBlock);
    size.window_polygons = std::max(std::min(size.windows * window_capacity_, kMaxWindowPolygons), 2 * size.windows);
  }

  /// The polygons that a pair may have, where they are not too many: one for each two elements of its part pairs.
  std::size_t window_capacity(std::int64_t most_elements) const {
    const SceneView& view = scene_.data().view;
    const std::int64_t limit = cuda_options_.polygons_per_window;
    std::int64_t most = 1;
    for (int pair = 0; pair < view.num_pairs; ++pair) {
      most = std::max<std::int64_t>(most, num_part_pairs(view.pairs[pair]));
    }
    for (const std::int64_t elements : {most_cells_, most_elements}) most = std::min(most * elements, limit);
    return static_cast<std::size_t>(std::max<std::int64_t>(most, 2));
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
    const std::int64_t warps = resident_warps(results);
    while (2 * shares * pairs <= warps && 2 * shares * kCellsPerSlice <= most_cells_) shares *= 2;
    return static_cast<int>(shares);
  }

  CudaOptions cuda_options_;
  int device_;
  CallCheck check_;
  ResidentWarps resident_warps_ = {};
  std::int64_t most_cells_ = 0;
  std::size_t window_capacity_ = 0;  // for a large batch it may be less
  std::uint32_t key_digits_ = 0;
  std::unique_ptr<OnDevice> on_device_;
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
  return std::make_unique<CudaBackend>(std::move(scene), options, require_device(options.device));
}

Evaluator detail::make_evaluator(Scene scene, const CudaOptions& options) {
  if (options.backend != Backend::kCuda) return Evaluator(std::move(scene), options);
  check_options(options);
  return Evaluator(make_cuda_backend(std::move(scene), options));
}

}  // namespace isopatch
