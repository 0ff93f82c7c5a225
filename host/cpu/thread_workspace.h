// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "cpu/pack_kernels.h"
#include "isopatch/detail/begin_environment.h"
#include "isopatch/detail/traverse.h"

namespace isopatch {

/// What one CPU thread works in.
struct ThreadWorkspace {
  detail::Workspace<1> traversal;
  PackWorkspace packs;
  detail::BodyBounds bounds[detail::kMaxBodies];
  std::int64_t items[detail::kMaxPairs];

  /// For hierarchies of up to so many wide nodes.
  explicit ThreadWorkspace(std::int32_t wide_nodes) : packs(wide_nodes) {}
};

/// Workspaces that wait for the next evaluation, so that small ones do not allocate.
class WorkspacePool {
 public:
  explicit WorkspacePool(std::int32_t wide_nodes) : wide_nodes_(wide_nodes) {}

  /// One for each thread of an evaluation. Borrowed before the threads start, where running out of memory can still be
  /// reported, and given back in the end.
  class Loan {
   public:
    Loan(WorkspacePool& pool, std::size_t threads) : pool_(pool), work_(pool.take(threads)) {}
    ~Loan() { pool_.give_back(work_); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ThreadWorkspace& operator[](std::size_t thread) const { return *work_[thread]; }

   private:
    WorkspacePool& pool_;
    std::vector<std::unique_ptr<ThreadWorkspace>> work_;
  };

 private:
  using Workspaces = std::vector<std::unique_ptr<ThreadWorkspace>>;

  Workspaces take(std::size_t threads) {
    Workspaces out;
    out.reserve(threads);
    const std::lock_guard lock(mutex_);
    while (out.size() < threads && !waiting_.empty()) {
      out.push_back(std::move(waiting_.back()));
      waiting_.pop_back();
    }
    while (out.size() < threads) {
      out.push_back(std::make_unique<ThreadWorkspace>(wide_nodes_));
      waiting_.reserve(++made_);  // to give back takes no memory
    }
    return out;
  }
  void give_back(Workspaces& work) noexcept {
    const std::lock_guard lock(mutex_);
    for (auto& one : work) waiting_.push_back(std::move(one));
  }

  const std::int32_t wide_nodes_;
  std::mutex mutex_;
  Workspaces waiting_;
  std::size_t made_ = 0;
};

}  // namespace isopatch
