// SPDX-License-Identifier: Apache-2.0
//
// Evaluates a batch from and to host memory.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>

#include "host/evaluation/packed_output.h"
#include "isopatch/scene/scene.h"
#include "isopatch/state.h"
#include "kernels/memory/device_buffer.h"
#include "kernels/memory/pinned_buffer.h"
#include "kernels/memory/stream.h"

namespace isopatch::detail {

/// Divides a batch into chunks of environments. While the device evaluates one chunk, the next is copied to it and the
/// results of the one before are copied back. The memory for two chunks is kept for the next batch.
///
/// Of packed arrays, a chunk has as many rows as take its bytes. The rows that there are follow as soon as the offsets
/// are back. If there were more, the chunk is evaluated again, with room for them.
class HostBatch {
 public:
  static constexpr std::size_t kChunkBytes = std::size_t(8) << 20;  // takes far longer to copy than to launch
  using Evaluate = std::function<void(const State&, const Results&, std::int64_t first, cudaStream_t)>;

  /// A chunk has as many environments as fit in `chunk_bytes`, and at least one.
  explicit HostBatch(std::size_t chunk_bytes = kChunkBytes) : chunk_bytes_(chunk_bytes) {}

  /// evaluate(state, results, first, stream) enqueues the evaluation of arrays in device memory, of the environments
  /// from `first` on. Strides are filled in, and
  /// honoured: what lies between rows of results is left as it is. Returns when done. Calls from several host threads
  /// take turns. Throws Error if the device has too little memory.
  void evaluate(const Scene& scene, const State& state, const Results& results, const Evaluate& evaluate);

 private:
  class Call;

  /// Packed rows of one kind.
  template <class Record>
  struct RowBuffer {
    DeviceBuffer<Record> rows;

    std::int64_t size() const { return static_cast<std::int64_t>(rows.size()); }
    void reserve(const PackedOutput<Record>& packed, std::int64_t count);
  };

  /// A chunk on its way.
  struct Lane {
    Stream stream;
    PinnedBuffer host;
    DeviceBuffer<std::byte> device;
    RowBuffer<Polygon> polygons;
    RowBuffer<DiscreteContact> contacts;
    std::int64_t begin = 0, environments = 0;  // of the chunk; none if there is nothing to bring back

    void reserve(std::size_t bytes);
  };

  std::size_t chunk_bytes_;
  std::mutex mutex_;
  Lane lanes_[2];
};

}  // namespace isopatch::detail
