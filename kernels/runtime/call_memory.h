// SPDX-License-Identifier: Apache-2.0
//
// The working memory of calls, and which call may use it when.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "kernels/evaluation_call.h"
#include "kernels/runtime/device_buffer.h"
#include "kernels/runtime/stream.h"

namespace isopatch::detail {

/// How much working memory a call needs.
struct CallSize {
  std::size_t pairs = 0;         // all pairs of the batch
  std::size_t shared_pairs = 0;  // at most so many of them are shared by several warps
  std::size_t staged_pairs = 0, staged_sums = 0, staged_part_pairs = 0, cells = 0;  // between the stages of pairs
  std::size_t kept = 0;    // candidates of all part pairs of all environments
  std::size_t counts = 0;  // of rows of packed arrays: one more than there are environments; 0: none
  std::size_t packed_polygons = 0, packed_contacts = 0;  // rows that there is room for

  /// What a call can do without, where a device has little memory.
  CallSize without_kept() const {
    CallSize smaller = *this;
    smaller.kept = 0;
    return smaller;
  }
  CallSize without_stages() const {
    CallSize smaller = without_kept();
    smaller.staged_pairs = smaller.staged_sums = smaller.staged_part_pairs = smaller.cells = 0;
    return smaller;
  }

  /// Calls visit(member) for every size.
  template <class Visit>
  static void for_each_member(const Visit& visit) {
    for (const auto member : {&CallSize::pairs, &CallSize::shared_pairs, &CallSize::staged_pairs,
                              &CallSize::staged_sums, &CallSize::staged_part_pairs, &CallSize::cells, &CallSize::kept,
                              &CallSize::counts, &CallSize::packed_polygons, &CallSize::packed_contacts}) {
      visit(member);
    }
  }

  bool fits(const CallSize& room) const {
    bool fits = true;
    for_each_member([&](auto member) { fits = fits && this->*member <= room.*member; });
    return fits;
  }

  /// Room for this and for another.
  CallSize joined(const CallSize& other) const {
    CallSize both = *this;
    for_each_member([&](auto member) { both.*member = std::max(both.*member, other.*member); });
    return both;
  }
};

/// Working memory for the packed arrays of one kind.
template <class Record>
struct RowArrays {
  DeviceBuffer<std::int32_t> counts;
  DeviceBuffer<ListedRow> rows, grouped;
  DeviceBuffer<std::int32_t> environments;
  DeviceBuffer<Record> records;
  DeviceBuffer<std::int32_t> of_digit;
  DeviceBuffer<RowProgress> progress;

  RowArrays() = default;
  RowArrays(std::size_t num_counts, std::size_t num_rows, cudaStream_t stream);

  /// What the constructor allocates.
  static std::size_t bytes(std::size_t num_counts, std::size_t num_rows);

  /// For a call with these outputs.
  ListedRows<Record> list(const PackedOutput<Record>& to) const;
};

/// The working memory of one call at a time. A new array is added here, to its size and the list of sizes above, and to
/// the constructor and bytes_of() in call_memory.cu.
struct CallArrays {
  DeviceBuffer<std::int64_t> list;
  DeviceBuffer<CallCounters> counters;
  DeviceBuffer<SharedSums> sums;
  DeviceBuffer<StagedPair> staged_pairs;
  DeviceBuffer<StoredSums> staged_sums;
  DeviceBuffer<StagedPartPair> part_pairs;
  DeviceBuffer<ListedCells> cells;
  DeviceBuffer<UnfinishedPair> unfinished;
  DeviceBuffer<KeptCandidates> kept;
  RowArrays<Polygon> polygons;
  RowArrays<DiscreteContact> contacts;
  DeviceBuffer<std::byte> scan;

  /// Has no room for kept candidates, or for stages, where the device has too little memory for them. Throws Error
  /// where it has too little for the rest.
  CallArrays(const CallSize& size, cudaStream_t stream);

  bool have_stages() const { return staged_pairs.size() > 0; }

  /// For the stages of pairs; `margin` is of the kept candidates, m.
  StagedMemory staged(float margin) const;
};

/// Gives each call its arrays. Calls outside of captures have one set of arrays in common, and wait for one another on
/// the device. Nobody knows when a graph is replayed, so each stream of a capture has a set of its own, which no other
/// call uses before the graph and all that was made of it are destroyed.
class CallMemory {
 public:
  /// Allocates what a call of this size needs, unless there is such a set already.
  void reserve(const CallSize& size);

  /// Calls enqueue(arrays), which enqueues a call on `stream`. Any host threads may call this at the same time.
  void call(const CallSize& size, cudaStream_t stream, const std::function<void(const CallArrays&)>& enqueue);

 private:
  struct Set {
    CallSize size;  // that was asked for; the arrays may do without some of it
    CallArrays arrays;
    std::shared_ptr<void> use;       // a graph that uses the set has a copy
    unsigned long long capture = 0;  // the last that used the set, and on which stream
    cudaStream_t stream = nullptr;

    bool is_free() const { return use.use_count() == 1; }
  };
  using Sets = std::vector<std::unique_ptr<Set>>;

  Sets::iterator find_free(const CallSize& size);
  std::unique_ptr<Set> make(const CallSize& size) const;
  /// For another size too, where the device has memory for both: calls of either may follow.
  std::unique_ptr<Set> make(const CallSize& size, const CallSize& other) const;
  Set& uncaptured(const CallSize& size);
  Set& captured(const CallSize& size, cudaStream_t stream, unsigned long long capture, cudaGraph_t graph);

  std::mutex mutex_;
  Stream stream_;                   // fills new arrays
  Event done_;                      // the last call outside of captures
  std::unique_ptr<Set> for_calls_;  // outside of captures
  Sets for_captures_;               // and those that are free
};

}  // namespace isopatch::detail
