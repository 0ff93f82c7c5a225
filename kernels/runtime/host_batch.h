// SPDX-License-Identifier: Apache-2.0
//
// Calls from and to host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <type_traits>

#include "host/evaluation/packed_output.h"
#include "isopatch/rollout_state.h"
#include "isopatch/scene/scene.h"
#include "isopatch/state.h"
#include "kernels/memory/cuda_check.h"
#include "kernels/memory/device_buffer.h"
#include "kernels/memory/stream.h"

namespace isopatch::detail {

struct FreePinned {
  void operator()(std::byte* data) const { cudaFreeHost(data); }
};

/// Bytes of host memory that a device copies from and to by itself.
using PinnedBuffer = std::unique_ptr<std::byte[], FreePinned>;

inline PinnedBuffer make_pinned_buffer(std::size_t size) {
  void* data = nullptr;
  ISOPATCH_CUDA_CHECK(cudaHostAlloc(&data, size, cudaHostAllocDefault));
  return PinnedBuffer(static_cast<std::byte*>(data));
}

/// Copies the arrays of a call to the device and its results back, in memory that is kept for the next call. Strides
/// are filled in, and honoured: what lies between rows of results is left as it is. Calls return when done, and from
/// several host threads take turns. They throw Error if the device has too little memory.
class HostBatch {
 public:
  static constexpr std::size_t kChunkBytes = std::size_t(8) << 20;  // takes far longer to copy than to launch
  using Evaluate = std::function<void(const State&, const Results&, std::int64_t first, cudaStream_t)>;
  using Step = std::function<void(const RolloutState&, const RolloutInput&, const RolloutOutput&, cudaStream_t)>;
  using HasRoom = std::function<bool(std::span<const std::int32_t>, std::span<const std::uint32_t>)>;

  /// A chunk has as many environments as fit in `chunk_bytes`, and at least one.
  explicit HostBatch(std::size_t chunk_bytes = kChunkBytes) : chunk_bytes_(chunk_bytes) {}

  /// Divides the batch into chunks of environments; evaluate(state, results, first, stream) enqueues the evaluation of
  /// one, of the environments from `first` on, with arrays in device memory. While the device evaluates one chunk, the
  /// next is copied to it and the results of the one before are copied back.
  ///
  /// Of packed arrays, a chunk has as many rows as take its bytes. The rows that there are follow as soon as the
  /// offsets are back. If there were more, the chunk is evaluated again, with room for them.
  void evaluate(const Scene& scene, const State& state, const Results& results, const Evaluate& evaluate);

  /// step(state, input, output, stream) enqueues the steps of the whole batch, with arrays in device memory. They are
  /// taken anew, from the caller's state, until has_room(how many polygons environments had, their status).
  void step(const ArrayCounts& counts, const RolloutState& state, const RolloutInput& input,
            const RolloutOutput& output, const Step& step, const HasRoom& has_room);

 private:
  class Call;
  class Copies;
  struct Rollout;

  /// Environments on their way.
  struct Lane {
    Stream stream;
    PinnedBuffer host;
    DeviceBuffer<std::byte> device;
    DeviceBuffer<Polygon> polygons;  // packed
    DeviceBuffer<DiscreteContact> contacts;
    std::int64_t begin = 0, environments = 0;  // of a chunk; none if there is nothing to bring back

    void reserve(std::size_t bytes);
    template <class Record>
    DeviceBuffer<Record>& rows() {
      if constexpr (std::is_same_v<Record, Polygon>) {
        return polygons;
      } else {
        return contacts;
      }
    }
  };

  /// After an error, copies may still be on their way.
  void abandon();

  std::size_t chunk_bytes_;
  std::mutex mutex_;
  Lane lanes_[2];
};

}  // namespace isopatch::detail
