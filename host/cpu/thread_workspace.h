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
};

/// Workspaces that wait for the next evaluation: a thread borrows one before its first environment, so that small
/// evaluations do not allocate.
class WorkspacePool {
 public:
  /// Gives its workspace back in the end.
  class Loan {
   public:
    explicit Loan(WorkspacePool& pool) : pool_(pool), work_(pool.take()) {}
    ~Loan() { pool_.give_back(std::move(work_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ThreadWorkspace& operator*() const { return *work_; }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<ThreadWorkspace> work_;
  };

 private:
  std::unique_ptr<ThreadWorkspace> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!waiting_.empty()) {
        std::unique_ptr<ThreadWorkspace> work = std::move(waiting_.back());
        waiting_.pop_back();
        return work;
      }
    }
    return std::make_unique<ThreadWorkspace>();
  }
  void give_back(std::unique_ptr<ThreadWorkspace> work) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(work));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<ThreadWorkspace>> waiting_;
};

}  // namespace isopatch
