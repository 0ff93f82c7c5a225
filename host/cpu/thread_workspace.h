// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "host/cpu/pressure_field/simd_kernels.h"
#include "host/cpu/sorted_rows.h"
#include "host/scene/scene_data.h"
#include "isopatch/detail/pressure_field/evaluate_pair.h"
#include "isopatch/detail/scene/begin_environment.h"

namespace isopatch::detail {

/// Of any hierarchy of the scene.
inline std::int32_t most_wide_nodes(const SceneData& scene) {
  std::size_t most = 0;
  for (const Hierarchy& h : scene.geometries.solids) most = std::max(most, h.wide_nodes.size());
  for (const Hierarchy& h : scene.geometries.surfaces) most = std::max(most, h.wide_nodes.size());
  return static_cast<std::int32_t>(most);
}

/// The memory that one CPU thread works in.
struct ThreadWorkspace {
  Workspace<1> pair;
  SimdWorkspace simd;
  BodyBounds bounds[kMaxBodies];
  std::int64_t items[kMaxPairs];
  SortedRows<Polygon> polygons;  // for packed arrays
  SortedRows<DiscreteContact> contacts;
  SortedRows<ElasticPolygon> elastic;  // of one pair

  /// For hierarchies of at most this many wide nodes.
  explicit ThreadWorkspace(std::int32_t wide_nodes) : simd(wide_nodes) {}
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

  /// A workspace that a thread uses and gives back in the destructor.
  class Loan {
   public:
    explicit Loan(WorkspacePool& pool) : pool_(pool), work_(pool.take()) {}
    ~Loan() { pool_.give_back(std::move(work_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    Workspace& operator*() const { return *work_; }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<Workspace> work_;
  };

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
