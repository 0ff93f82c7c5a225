// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace isopatch::test {

/// While it lives, the allocation by operator new with the index `first` throws std::bad_alloc, in any thread; with
/// `all`, those after it too.
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
