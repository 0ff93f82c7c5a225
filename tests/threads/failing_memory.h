// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace isopatch::test {

/// While it lives, the allocation by operator new with number `first`, from 0 on, throws std::bad_alloc, in whichever
/// thread it is; with `all`, those after it too.
class FailingMemory {
 public:
  explicit FailingMemory(std::int64_t first, bool all = false);
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;

  /// Whether one has failed.
  bool has_failed() const;
};

}  // namespace isopatch::test
