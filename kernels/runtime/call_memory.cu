// SPDX-License-Identifier: Apache-2.0
#include "kernels/runtime/call_memory.h"

#include <algorithm>
#include <utility>

#include "kernels/algorithms/device_scan.h"
#include "kernels/runtime/device_memory.h"

namespace isopatch::detail {

namespace {

/// Any pair of the batch may be left unfinished.
std::size_t unfinished_pairs(const CallSize& size) { return size.staged_pairs > 0 ? size.pairs : 0; }

std::size_t scan_bytes(const CallSize& size) {
  return size.counts == 0 ? 0 : exclusive_sums_bytes(static_cast<std::int64_t>(size.counts) - 1);
}

std::size_t bytes_of(const CallSize& size) {
  const std::size_t staged = size.staged_pairs * sizeof(StagedPair) + size.staged_sums * sizeof(StoredSums) +
                             size.staged_part_pairs * sizeof(StagedPartPair) + size.cells * sizeof(ListedCells) +
                             unfinished_pairs(size) * sizeof(UnfinishedPair) + size.kept * sizeof(KeptCandidates);
  const std::size_t packed = RowArrays<Polygon>::bytes(size.counts, size.packed_polygons) +
                             RowArrays<DiscreteContact>::bytes(size.counts, size.packed_contacts) + scan_bytes(size);
  return sizeof(CallCounters) + size.pairs * sizeof(std::int64_t) + size.shared_pairs * sizeof(SharedSums) + staged +
         packed;
}

template <class T>
void fill_with_zeros(const DeviceBuffer<T>& buffer, cudaStream_t stream) {
  if (buffer.size() > 0) ISOPATCH_CUDA_CHECK(cudaMemsetAsync(buffer.data(), 0, buffer.size() * sizeof(T), stream));
}

/// Lets this thread allocate while it captures a stream: what is allocated is not used before the graph runs.
class AllocationInCaptures {
 public:
  AllocationInCaptures() { ISOPATCH_CUDA_CHECK(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  ~AllocationInCaptures() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  AllocationInCaptures(const AllocationInCaptures&) = delete;
  AllocationInCaptures& operator=(const AllocationInCaptures&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// Keeps `object` until the graph and all that was made of it are destroyed.
void keep_with(cudaGraph_t graph, std::shared_ptr<void> object) {
  using Kept = std::shared_ptr<void>;
  cudaUserObject_t kept = nullptr;
  auto owner = std::make_unique<Kept>(std::move(object));
  const cudaHostFn_t release = [](void* data) { delete static_cast<Kept*>(data); };
  ISOPATCH_CUDA_CHECK(cudaUserObjectCreate(&kept, owner.get(), release, 1, cudaUserObjectNoDestructorSync));
  owner.release();
  ISOPATCH_CUDA_CHECK(cudaGraphRetainUserObject(graph, kept, 1, cudaGraphUserObjectMove));
}

}  // namespace

template <class Record>
RowArrays<Record>::RowArrays(std::size_t num_counts, std::size_t num_rows, cudaStream_t stream)
    : counts(num_counts),
      rows(num_rows),
      grouped(num_rows),
      environments(num_rows),
      records(num_rows),
      of_digit(num_rows > 0 ? RowDigits::kValues : 0),
      progress(num_counts > 0 ? 1 : 0) {
  fill_with_zeros(of_digit, stream);
}

template <class Record>
std::size_t RowArrays<Record>::bytes(std::size_t num_counts, std::size_t num_rows) {
  const std::size_t row = 2 * sizeof(ListedRow) + sizeof(std::int32_t) + sizeof(Record);
  return num_counts * sizeof(std::int32_t) + num_rows * row +
         (num_rows > 0 ? RowDigits::kValues * sizeof(std::int32_t) : 0) + (num_counts > 0 ? sizeof(RowProgress) : 0);
}

template <class Record>
ListedRows<Record> RowArrays<Record>::list(const PackedOutput<Record>& to) const {
  if (!to.is_wanted()) return {};
  const std::int64_t capacity = to.rows.data != nullptr ? to.capacity : 0;
  return {{counts.data(), to.offsets.data, capacity, rows.data(), environments.data(), grouped.data(), of_digit.data(),
           progress.data()},
          records.data()};
}

template struct RowArrays<Polygon>;
template struct RowArrays<DiscreteContact>;

CallArrays::CallArrays(const CallSize& asked, cudaStream_t stream) {
  CallSize size = asked;
  if (!has_device_memory(bytes_of(size))) size = asked.without_kept();
  if (!has_device_memory(bytes_of(size))) size = asked.without_stages();
  require_device_memory(bytes_of(size), "the working memory for " + std::to_string(size.pairs) +
                                            " pairs of bodies (environments times pairs) needs");
  list = DeviceBuffer<std::int64_t>(size.pairs);
  counters = DeviceBuffer<CallCounters>(1);
  sums = DeviceBuffer<SharedSums>(size.shared_pairs);
  staged_pairs = DeviceBuffer<StagedPair>(size.staged_pairs);
  staged_sums = DeviceBuffer<StoredSums>(size.staged_sums);
  part_pairs = DeviceBuffer<StagedPartPair>(size.staged_part_pairs);
  cells = DeviceBuffer<ListedCells>(size.cells);
  unfinished = DeviceBuffer<UnfinishedPair>(unfinished_pairs(size));
  kept = DeviceBuffer<KeptCandidates>(size.kept);
  polygons = RowArrays<Polygon>(size.counts, size.packed_polygons, stream);
  contacts = RowArrays<DiscreteContact>(size.counts, size.packed_contacts, stream);
  scan = DeviceBuffer<std::byte>(scan_bytes(size));
  fill_with_zeros(sums, stream);
  fill_with_zeros(staged_sums, stream);
  fill_with_zeros(part_pairs, stream);  // they are copied with the gaps between their members
  fill_with_zeros(kept, stream);
  ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream));
}

StagedMemory CallArrays::staged(float margin) const {
  const auto count = [](const auto& buffer) { return static_cast<std::int32_t>(buffer.size()); };
  return {staged_pairs.data(), staged_sums.data(), part_pairs.data(), cells.data(), unfinished.data(),
          count(staged_pairs), count(part_pairs),  count(cells),      kept.data(),  margin};
}

CallMemory::Sets::iterator CallMemory::find_free(const CallSize& size) {
  return std::find_if(for_captures_.begin(), for_captures_.end(),
                      [&](const auto& set) { return set->is_free() && size.fits(set->size); });
}

std::unique_ptr<CallMemory::Set> CallMemory::make(const CallSize& size) const {
  return std::unique_ptr<Set>(new Set{size, CallArrays(size, stream_), std::make_shared<int>()});
}

std::unique_ptr<CallMemory::Set> CallMemory::make(const CallSize& size, const CallSize& other) const {
  const CallSize both = size.joined(other);
  return make(has_device_memory(bytes_of(both)) ? both : size);
}

void CallMemory::reserve(const CallSize& size) {
  const std::lock_guard lock(mutex_);
  if (for_calls_ != nullptr && size.fits(for_calls_->size)) return;
  if (find_free(size) != for_captures_.end()) return;
  const AllocationInCaptures allowed;
  CallSize other = for_calls_ != nullptr ? for_calls_->size : CallSize();
  for (const auto& set : for_captures_) {
    if (set->is_free()) other = other.joined(set->size);
  }
  std::unique_ptr<Set> set = make(size, other);
  std::erase_if(for_captures_, [](const auto& s) { return s->is_free(); });  // it replaces them
  for_captures_.push_back(std::move(set));
}

CallMemory::Set& CallMemory::uncaptured(const CallSize& size) {
  if (for_calls_ != nullptr && size.fits(for_calls_->size)) return *for_calls_;
  const AllocationInCaptures allowed;  // of other streams
  const CallSize other = for_calls_ != nullptr ? for_calls_->size : CallSize();
  auto reserved = find_free(size.joined(other));
  if (reserved == for_captures_.end()) reserved = find_free(size);
  if (reserved == for_captures_.end()) {
    for_calls_ = make(size, other);
  } else {
    for_calls_ = std::move(*reserved);
    for_captures_.erase(reserved);
  }
  return *for_calls_;
}

CallMemory::Set& CallMemory::captured(const CallSize& size, cudaStream_t stream, unsigned long long capture,
                                      cudaGraph_t graph) {
  for (const auto& set : for_captures_) {  // calls of one stream follow one another in the graph too
    if (set->capture == capture && set->stream == stream && size.fits(set->size)) return *set;
  }
  const AllocationInCaptures allowed;
  auto free = find_free(size);
  if (free == for_captures_.end()) free = for_captures_.insert(free, make(size));
  Set& set = **free;
  keep_with(graph, set.use);
  set.capture = capture;
  set.stream = stream;
  return set;
}

void CallMemory::call(const CallSize& size, cudaStream_t stream,
                      const std::function<void(const CallArrays&)>& enqueue) {
  const std::lock_guard lock(mutex_);
  if (stream != nullptr) {  // the legacy stream cannot be captured
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long capture = 0;
    cudaGraph_t graph = nullptr;
    ISOPATCH_CUDA_CHECK(cudaStreamGetCaptureInfo(stream, &status, &capture, &graph));
    if (status == cudaStreamCaptureStatusActive) return enqueue(captured(size, stream, capture, graph).arrays);
  }
  const Set& set = uncaptured(size);
  ISOPATCH_CUDA_CHECK(cudaStreamWaitEvent(stream, done_, 0));
  try {
    enqueue(set.arrays);
  } catch (...) {
    cudaEventRecord(done_, stream);  // some stages may have been enqueued
    throw;
  }
  ISOPATCH_CUDA_CHECK(cudaEventRecord(done_, stream));
}

}  // namespace isopatch::detail
