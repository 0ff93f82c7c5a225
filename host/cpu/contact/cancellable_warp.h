// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/threads/work_counter.h"
#include "isopatch/detail/simt/warp.h"

namespace isopatch::detail {

/// A warp of one lane whose work can be cancelled: where lanes would wait for one another, which every round of a
/// traversal does, it counts.
struct CancellableWarp : SerialWarp {
  WorkCounter& counter;

  explicit CancellableWarp(WorkCounter& of) : counter(of) {}
  void sync() const { counter.add(1); }
};

}  // namespace isopatch::detail
