// SPDX-License-Identifier: Apache-2.0
//
// The cuda backend: uploads a scene once, then checks each call and lets the contact models enqueue their stages.
#include <algorithm>
#include <limits>
#include <string>

#include "host/evaluation/argument_check.h"
#include "host/evaluation/evaluator_backend.h"
#include "host/scene/contact_models.h"
#include "isopatch/detail/single_contact/volumetric.h"
#include "isopatch/error.h"
#include "kernels/batch_arrays.h"
#include "kernels/contact/contact_model.h"
#include "kernels/memory/cuda_check.h"
#include "kernels/memory/working_memory.h"
#include "kernels/runtime/check_call.h"
#include "kernels/runtime/device_guard.h"
#include "kernels/runtime/host_batch.h"
#include "kernels/runtime/loaded_kernel.h"
#include "kernels/scene/call.h"
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

/// What an evaluator has on its device.
struct OnDevice {
  DeviceScene scene;
  CudaContactModels models;
  WorkingMemory<BatchArrays> memory;
  HostBatch host_batch;

  OnDevice(const SceneData& data, CudaContactModels of) : scene(data, Stream()), models(std::move(of)) {}
};

class CudaBackend final : public Evaluator::Implementation {
 public:
  CudaBackend(Scene scene, const CudaOptions& options, int device)
      : Implementation(std::move(scene), options), cuda_options_(options), device_(device), check_(device) {
    const DeviceGuard guard(device_);
    const AllocationInCaptures allowed;
    const std::int64_t before = local_memory_of_kernels();  // a part of the memory that is not free any more
    load_begin_environments();
    load_sum_body_wrenches();
    load_keep_geometries();
    load_packed_rows();
    CudaContactModels models = make_cuda_contact_models(scene_, {options, device});
    require_models(scene_.data().view, models.size(), "cuda");
    require_memory(local_memory_of_kernels() - before);
    on_device_ = std::make_unique<OnDevice>(scene_.data(), std::move(models));
  }

  ~CudaBackend() override { free_on(device_, on_device_); }

  void reserve(std::int64_t num_environments, std::int64_t packed_polygons, std::int64_t packed_contacts,
               bool patch_contacts) const override {
    const DeviceGuard guard(device_);
    on_device_->memory.reserve(
        size_of(num_environments, scene_.num_parts(),
                {counts_of(num_environments), listed_rows(packed_polygons), listed_rows(packed_contacts)}));
    for (int model = 0; model < num_models(); ++model) model_at(model).reserve(num_environments, patch_contacts);
  }

  void evaluate(const State& state, const Results& results, CandidateCache::Implementation* candidates,
                void* stream) const override {
    require_no_derivatives(results);
    const DeviceGuard guard(device_);
    const auto on = static_cast<cudaStream_t>(stream);
    check_.check(state, results, on);
    enqueue(state, results, candidates, 0, on);
  }

  void evaluate_from_host(const State& state, const Results& results,
                          CandidateCache::Implementation* candidates) const override {
    require_no_derivatives(results);
    const DeviceGuard guard(device_);
    const AllocationInCaptures allowed;
    on_device_->host_batch.evaluate(scene_, state, results,
                                    [&](const State& s, const Results& r, std::int64_t first, cudaStream_t stream) {
                                      enqueue(s, r, candidates, first, stream);
                                    });
  }

  std::unique_ptr<CandidateCache::Implementation> make_candidates(std::int64_t num_environments,
                                                                  double margin) const override {
    const DeviceGuard guard(device_);
    const AllocationInCaptures allowed;
    for (const auto& model : on_device_->models) {
      if (auto made = model->make_candidates(*this, num_environments, margin)) return made;
    }
    return nullptr;
  }

 private:
  static void require_no_derivatives(const Results& results) {
    if (!wants_derivatives(results)) return;
    throw Error("evaluate: results.pair_stiffness, pair_damping and their like are computed by the backend cpu alone");
  }

  /// Throws Error unless the current device has room for the scene and the kernels.
  void require_memory(std::int64_t local_memory) const {
    const FlatGeometries& geometries = scene_.data().geometries;
    const std::size_t meshes = bytes_of(geometries.solids) + bytes_of(geometries.surfaces);
    const auto local = static_cast<std::size_t>(local_memory);
    require_device_memory(meshes + local, "the scene's meshes need " + mebibytes(meshes) +
                                              " and the kernels' local variables " + mebibytes(local) + ", together");
  }

  int num_models() const { return scene_.data().view.num_models; }
  CudaContactModel& model_at(int model) const { return *on_device_->models[static_cast<std::size_t>(model)]; }

  void enqueue(const State& state, const Results& results, const CandidateCache::Implementation* candidates,
               std::int64_t first, cudaStream_t stream) const {
    const int parts = state.geometry_index.data == nullptr ? 0 : scene_.num_parts();
    const BatchSize size = size_of(state.num_environments, parts, packed_size_of(state.num_environments, results));
    on_device_->memory.call(size, stream, [&](const BatchArrays& arrays) {
      BatchCall call = {on_device_->scene.view(),
                        state,
                        results,
                        arrays.list,
                        arrays.counters,
                        room_for_overlaps(state.num_environments),
                        arrays.packed_for(results)};
      call.overlaps.rows = arrays.overlaps;
      keep_geometries(call.state.geometry_index, state.num_environments, parts, arrays.geometries, stream);
      begin_packed_rows(call, stream);
      const bool alone = num_models() == 1;
      if (!alone) begin_environments(call, stream);
      for (int model = 0; model < num_models(); ++model) {
        model_at(model).evaluate(call, alone, candidates, first, stream);
      }
      write_packed_rows(call, arrays.scan, on_device_->models, stream);
      sum_body_wrenches(call, stream);
    });
  }

  BatchSize size_of(std::int64_t num_environments, int parts, const PackedRowSize& packed) const {
    return {static_cast<std::size_t>(items(num_environments)), static_cast<std::size_t>(num_environments * parts),
            room_for_overlaps(num_environments).size(), packed};
  }

  OverlapRows room_for_overlaps(std::int64_t num_environments) const {
    const SceneView& scene = scene_.data().view;
    return OverlapRows::room(num_volumetric_pairs(scene, num_environments), most_overlaps_of_pair(scene), 0);
  }

  static std::size_t counts_of(std::int64_t num_environments) { return static_cast<std::size_t>(num_environments) + 1; }

  PackedRowSize packed_size_of(std::int64_t num_environments, const Results& results) const {
    PackedRowSize size;
    for_each_packed_output(results, [&]<class Record>(const PackedOutput<Record>& to) {
      if (!to.is_wanted()) return;
      size.counts = counts_of(num_environments);
      std::size_t& rows = std::is_same_v<Record, Polygon> ? size.polygons : size.contacts;
      if (to.rows.data != nullptr) rows = listed_rows(to.rows.capacity);
    });
    return size;
  }

  /// Room of the list for a packed array: for more rows, so that all of the last environment that has room have some,
  /// and all of its single contacts in any case.
  std::size_t listed_rows(std::int64_t capacity) const {
    constexpr std::int64_t kRowsOfContact = 4;
    if (capacity <= 0) return 0;
    const std::int64_t spare = std::clamp(capacity, cuda_options_.min_spare_rows, cuda_options_.max_spare_rows),
                       single = num_models() > 1 ? kRowsOfContact * num_part_pair_rows(scene_.data().view) : 0;
    return static_cast<std::size_t>(capacity + std::max(spare, single));
  }

  std::int64_t items(std::int64_t num_environments) const {
    const std::int64_t pairs = scene_.data().view.num_pair_views, most = std::numeric_limits<std::int32_t>::max() / 2;
    if (num_environments * pairs > most) {
      throw Error("evaluate: " + std::to_string(num_environments) + " environments of " + std::to_string(pairs) +
                  " pairs are more than " + std::to_string(most) + " pairs; split the batch");
    }
    return num_environments * pairs;
  }

  const CudaOptions cuda_options_;
  int device_;
  CallCheck check_;
  std::unique_ptr<OnDevice> on_device_;
};

}  // namespace

int num_cuda_devices() {
  std::string problem;
  return count_devices(problem);
}

std::string cuda_problem() {
  std::string problem;
  count_devices(problem);
  return problem;
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
