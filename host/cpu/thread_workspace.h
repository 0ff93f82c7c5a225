// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "host/cpu/contact/contact_model.h"
#include "isopatch/detail/scene/begin_environment.h"

namespace isopatch::detail {

/// The memory that one CPU thread works in.
struct ThreadWorkspace {
  static constexpr std::int64_t kEnvironments = 16;  // that are evaluated together

  BodyBounds bounds[limits::kMaxBodies];
  std::vector<std::int64_t> near_pairs;  // of each model
  std::int32_t num_near_pairs[kMaxContactModels];
  std::vector<std::unique_ptr<ModelWorkspace>> models;  // in the order of the backend's models
  SortedRows<Polygon> polygons;                         // for packed arrays
  SortedRows<DiscreteContact> contacts;

  ThreadWorkspace(const SceneData& scene, const CpuContactModels& of)
      : near_pairs(static_cast<std::size_t>(kEnvironments) * scene.pairs.size()) {
    for (const auto& model : of) models.push_back(model->make_workspace(scene));
  }

  /// Lists of the near pairs of a few environments, empty.
  PairLists begin_lists() {
    std::fill(std::begin(num_near_pairs), std::end(num_near_pairs), 0);
    return {near_pairs.data(), num_near_pairs, kEnvironments};
  }
  std::span<const std::int64_t> near_pairs_of(const SceneView& scene, int model) const {
    const std::int64_t first = kEnvironments * scene.pairs_before[model];
    return {near_pairs.data() + first, static_cast<std::size_t>(num_near_pairs[model])};
  }
};

/// Keeps the workspaces of threads for the next call, so that small calls do not allocate. It has no lock: in a child
/// made by fork(), a thread that does not exist there could hold it.
template <class Workspace>
class WorkspacePool {
 public:
  using Make = std::function<std::unique_ptr<Workspace>()>;

  explicit WorkspacePool(Make make) : make_(std::move(make)) {}
  ~WorkspacePool() {
    for (auto& slot : waiting_) delete slot.load();
  }
  WorkspacePool(const WorkspacePool&) = delete;
  WorkspacePool& operator=(const WorkspacePool&) = delete;

  /// Calls use(workspace); where that throws, the half-used workspace is deleted.
  template <class Use>
  void lend(const Use& use) {
    std::unique_ptr<Workspace> work = take();
    use(*work);
    give_back(std::move(work));
  }

 private:
  std::unique_ptr<Workspace> take() {
    for (auto& slot : waiting_) {
      if (slot.load(std::memory_order_relaxed) == nullptr) continue;
      if (Workspace* const found = slot.exchange(nullptr)) return std::unique_ptr<Workspace>(found);
    }
    return make_();
  }

  void give_back(std::unique_ptr<Workspace> work) noexcept {
    for (auto& slot : waiting_) {
      Workspace* none = slot.load(std::memory_order_relaxed);
      if (none != nullptr || !slot.compare_exchange_strong(none, work.get())) continue;
      static_cast<void>(work.release());
      return;
    }
  }

  const Make make_;
  std::array<std::atomic<Workspace*>, 256> waiting_ = {};  // more are deleted
};

}  // namespace isopatch::detail
