// SPDX-License-Identifier: Apache-2.0
//
// The cuda backend: uploads a scene once, then enqueues the stages of each step.
#include "host/evaluator_backend.h"
#include "host/scene/scene_data.h"
#include "isopatch/error.h"
#include "kernels/device_buffer.h"
#include "kernels/stages.h"

namespace isopatch {

namespace {

using namespace detail;

/// A hierarchy in device memory.
struct DeviceHierarchy {
  DeviceBuffer<Cell> cells;
  DeviceBuffer<Node> nodes;

  explicit DeviceHierarchy(const Hierarchy& host) : cells(host.cells), nodes(host.nodes) {}

  HierarchyView view() const {
    return {cells.data(), nodes.data(), static_cast<std::int32_t>(cells.size()),
            static_cast<std::int32_t>(nodes.size()) / kNumLayers};
  }
};

/// All of a scene in device memory, with a view that kernels take by value.
class DeviceScene {
 public:
  explicit DeviceScene(const SceneData& host)
      : bodies_(host.bodies), pairs_(host.pairs), geometries_(host.geometries.size()), view_(host.view) {
    std::vector<GeometryView> geometries = host.geometries;
    for (std::size_t i = 0; i < geometries.size(); ++i) {
      solids_.emplace_back(host.solids[i]);
      surfaces_.emplace_back(host.surfaces[i]);
      geometries[i].solid = solids_.back().view();
      geometries[i].surface = surfaces_.back().view();
    }
    geometries_.upload(geometries.data(), geometries.size());
    view_.geometries = geometries_.data();
    view_.bodies = bodies_.data();
    view_.pairs = pairs_.data();
  }

  const SceneView& view() const { return view_; }

 private:
  std::vector<DeviceHierarchy> solids_, surfaces_;
  DeviceBuffer<BodyView> bodies_;
  DeviceBuffer<PairView> pairs_;
  DeviceBuffer<GeometryView> geometries_;
  SceneView view_;
};

void require_device() {
  int count = 0;
  const cudaError_t found = cudaGetDeviceCount(&count);
  if (found == cudaSuccess && count > 0) return;
  cudaGetLastError();
  throw Error(std::string("backend cuda: no usable device (") + cudaGetErrorString(found) +
              "); use cpu, or install a driver for an NVIDIA GPU");
}

class CudaBackend final : public Evaluator::Implementation {
 public:
  CudaBackend(Scene scene, EvaluatorOptions options)
      : Implementation(std::move(scene), options), device_scene_(scene_.data()) {}

  void evaluate(const State& state, const Results& results, void* stream) const override {
    const Step step = {device_scene_.view(), state, results};
    const auto on = static_cast<cudaStream_t>(stream);
    begin_environments(step, on);
    if (options_.precision == Precision::kFloat) {
      evaluate_pairs<float>(step, on);
    } else {
      evaluate_pairs<double>(step, on);
    }
    evaluate_energies(step, on);
    sum_body_wrenches(step, on);
  }

 private:
  DeviceScene device_scene_;
};

}  // namespace

bool cuda_available() {
  int count = 0;
  const bool found = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
  if (!found) cudaGetLastError();
  return found;
}

std::unique_ptr<Evaluator::Implementation> make_cuda_backend(Scene scene, EvaluatorOptions options) {
  require_device();
  if (options.brute_force) throw Error("backend cuda: brute_force is offered by cpu and reference only");
  return std::make_unique<CudaBackend>(std::move(scene), options);
}

}  // namespace isopatch
