// SPDX-License-Identifier: Apache-2.0
//
// The working memory of calls, and which call may use it when.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "kernels/memory/device_arena.h"
#include "kernels/memory/stream.h"

namespace isopatch::detail {

/// Lets this thread allocate, free and wait while it captures a stream, or another thread does: CUDA refuses that at
/// first, as what a capture enqueues is not done yet. Here nothing of a capture is waited for, and what is allocated is
/// not used before its graph runs. Constructors, destructors and calls from host memory have one.
class AllocationInCaptures {
 public:
  AllocationInCaptures();
  ~AllocationInCaptures();
  AllocationInCaptures(const AllocationInCaptures&) = delete;
  AllocationInCaptures& operator=(const AllocationInCaptures&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// Keeps `object` until the graph and all that was made of it are destroyed.
void keep_with(cudaGraph_t graph, std::shared_ptr<void> object);

/// What a stream captures; no graph if it captures nothing.
struct Capture {
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
};
Capture capture_of(cudaStream_t stream);

/// Gives each call its Arrays, of the size that it needs or a larger one (device_arena.h). Calls outside of captures
/// have one set of arrays in common, and wait for one another on the device. Nobody knows when a graph is replayed, so
/// each stream of a capture has a separate set, which no other call uses before the graph and all that was made of it
/// are destroyed. A call that throws an error halfway does not leave what the next one needs, such as sums of zero: its
/// set is not used again.
template <class Arrays>
class WorkingMemory {
 public:
  using Size = typename Arrays::Size;

  /// Allocates what a call of this size needs, unless there is such a set already.
  void reserve(const Size& size);

  /// Calls enqueue(arrays), which enqueues a call on `stream`. Any host threads may call this at the same time.
  void call(const Size& size, cudaStream_t stream, const std::function<void(const Arrays&)>& enqueue);

 private:
  struct Set {
    Size size;  // that was asked for; the arrays may do without some of it
    DeviceArena<Arrays> arrays;
    std::shared_ptr<void> use;       // a graph that uses the set has a copy
    unsigned long long capture = 0;  // the last that used the set, and on which stream
    cudaStream_t stream = nullptr;
    bool broken = false;  // a call threw an error halfway

    bool is_free() const { return use.use_count() == 1; }
    bool has_room(const Size& wanted) const { return !broken && fits(wanted, size); }
  };
  using Sets = std::vector<std::unique_ptr<Set>>;

  typename Sets::iterator find_free(const Size& size);
  /// Frees the sets that no call will use. That waits for what was enqueued with them.
  void drop_broken();
  std::unique_ptr<Set> make(const Size& size) const;
  /// For another size too, if the device has memory for both: calls of either may follow.
  std::unique_ptr<Set> make(const Size& size, const Size& other) const;
  Set& uncaptured(const Size& size);
  Set& captured(const Size& size, cudaStream_t stream, unsigned long long capture, cudaGraph_t graph);

  std::mutex mutex_;
  Stream stream_;                   // fills new arrays
  Event done_;                      // the last call outside of captures
  std::unique_ptr<Set> for_calls_;  // outside of captures
  Sets for_captures_;               // and those that are free
};

template <class Arrays>
typename WorkingMemory<Arrays>::Sets::iterator WorkingMemory<Arrays>::find_free(const Size& size) {
  return std::find_if(for_captures_.begin(), for_captures_.end(),
                      [&](const auto& set) { return set->is_free() && set->has_room(size); });
}

template <class Arrays>
void WorkingMemory<Arrays>::drop_broken() {
  std::erase_if(for_captures_, [](const auto& set) { return set->is_free() && set->broken; });
  if (for_calls_ != nullptr && for_calls_->broken) for_calls_.reset();
}

template <class Arrays>
std::unique_ptr<typename WorkingMemory<Arrays>::Set> WorkingMemory<Arrays>::make(const Size& size) const {
  return std::unique_ptr<Set>(new Set{size, {size, stream_}, std::make_shared<int>()});
}

template <class Arrays>
std::unique_ptr<typename WorkingMemory<Arrays>::Set> WorkingMemory<Arrays>::make(const Size& size,
                                                                                 const Size& other) const {
  const Size both = joined(size, other);
  return make(has_device_memory(DeviceArena<Arrays>::bytes(both)) ? both : size);
}

template <class Arrays>
void WorkingMemory<Arrays>::reserve(const Size& size) {
  const std::lock_guard lock(mutex_);
  if (for_calls_ != nullptr && for_calls_->has_room(size)) return;
  if (find_free(size) != for_captures_.end()) return;
  const AllocationInCaptures allowed;
  Size other = for_calls_ != nullptr ? for_calls_->size : Size();
  drop_broken();
  for (const auto& set : for_captures_) {
    if (set->is_free()) other = joined(other, set->size);
  }
  std::unique_ptr<Set> set = make(size, other);
  std::erase_if(for_captures_, [](const auto& s) { return s->is_free(); });  // it replaces them
  for_captures_.push_back(std::move(set));
}

template <class Arrays>
typename WorkingMemory<Arrays>::Set& WorkingMemory<Arrays>::uncaptured(const Size& size) {
  if (for_calls_ != nullptr && for_calls_->has_room(size)) return *for_calls_;
  const AllocationInCaptures allowed;  // of other streams
  const Size other = for_calls_ != nullptr ? for_calls_->size : Size();
  drop_broken();
  auto reserved = find_free(joined(size, other));
  if (reserved == for_captures_.end()) reserved = find_free(size);
  if (reserved == for_captures_.end()) {
    for_calls_ = make(size, other);
  } else {
    for_calls_ = std::move(*reserved);
    for_captures_.erase(reserved);
  }
  return *for_calls_;
}

template <class Arrays>
typename WorkingMemory<Arrays>::Set& WorkingMemory<Arrays>::captured(const Size& size, cudaStream_t stream,
                                                                     unsigned long long capture, cudaGraph_t graph) {
  for (const auto& set : for_captures_) {  // calls of one stream follow one another in the graph too
    if (set->capture == capture && set->stream == stream && set->has_room(size)) return *set;
  }
  const AllocationInCaptures allowed;
  drop_broken();
  auto free = find_free(size);
  if (free == for_captures_.end()) free = for_captures_.insert(free, make(size));
  Set& set = **free;
  keep_with(graph, set.use);
  set.capture = capture;
  set.stream = stream;
  return set;
}

template <class Arrays>
void WorkingMemory<Arrays>::call(const Size& size, cudaStream_t stream,
                                 const std::function<void(const Arrays&)>& enqueue) {
  const std::lock_guard lock(mutex_);
  const Capture capture = capture_of(stream);
  const bool captures = capture.graph != nullptr;
  Set& set = captures ? captured(size, stream, capture.id, capture.graph) : uncaptured(size);
  set.broken = true;  // until all of the call is enqueued
  if (!captures) ISOPATCH_CUDA_CHECK(cudaStreamWaitEvent(stream, done_, 0));
  enqueue(*set.arrays);
  if (!captures) ISOPATCH_CUDA_CHECK(cudaEventRecord(done_, stream));
  set.broken = false;
}

}  // namespace isopatch::detail
