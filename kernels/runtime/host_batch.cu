// SPDX-License-Identifier: Apache-2.0
#include "kernels/runtime/host_batch.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "host/evaluation/strides.h"
#include "isopatch/arrays.h"
#include "isopatch/host_evaluator.h"

namespace isopatch::detail {

namespace {

/// Makes room for so many elements, which are not kept. Throws Error if the device has too little memory; `what` needs
/// it.
template <class T>
void reserve(DeviceBuffer<T>& buffer, std::size_t size, const char* what) {
  if (size <= buffer.size()) return;
  buffer = DeviceBuffer<T>();
  require_device_memory(size * sizeof(T), what);
  buffer = DeviceBuffer<T>(size);
}

}  // namespace

/// The places of arrays in a buffer, where their rows follow one another without gaps. First come arrays that are only
/// read, then those that go both ways, then those that only come back.
class HostBatch::Copies {
 public:
  enum Way { kThere, kBothWays, kBack };

  /// `device` is the buffer there; null: only its size is asked for.
  Copies(std::int64_t environments, std::byte* device) : environments_(environments), device_(device) {}

  /// Replaces an array by its place on the device, unless it is null. Call it in the order of ways.
  template <class Array>
  void add(Array& array, std::int64_t row, Way way) {
    if (array.data == nullptr) return;
    const auto size = static_cast<std::size_t>(element_size(array)), bytes = static_cast<std::size_t>(row) * size;
    const auto count = array.stride == 0 ? 1 : static_cast<std::size_t>(environments_);  // one row may hold for all
    void* const host = const_cast<void*>(static_cast<const void*>(array.data));
    rows_.push_back(
        {static_cast<std::byte*>(host), static_cast<std::size_t>(array.stride) * size, bytes, count, end_, way});
    array.data = static_cast<decltype(array.data)>(take(count * bytes, way));
    if (array.stride != 0) array.stride = row;
  }

  /// Room for so many bytes, which are in no array of the caller.
  void* take(std::size_t bytes, Way way) {
    constexpr std::size_t kAlignment = 256;
    std::byte* const at = device_ + end_;
    end_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (way == kThere) back_begin_ = end_;
    if (way != kBack) there_end_ = end_;
    return at;
  }

  std::size_t end() const { return end_; }

  /// What the buffer in host memory has of an array on the device.
  template <class T>
  const T* in_host(const std::byte* buffer, const T* array) const {
    return reinterpret_cast<const T*>(buffer + (reinterpret_cast<const std::byte*>(array) - device_));
  }

  /// From the arrays, by way of the buffer in host memory.
  void upload(std::byte* buffer, cudaStream_t stream) const {
    for_each_run(kBack,
                 [&](std::byte* rows, std::size_t at, std::size_t bytes) { std::memcpy(buffer + at, rows, bytes); });
    ISOPATCH_CUDA_CHECK(cudaMemcpyAsync(device_, buffer, there_end_, cudaMemcpyHostToDevice, stream));
  }
  /// To the buffer alone.
  void download(std::byte* buffer, cudaStream_t stream) const {
    ISOPATCH_CUDA_CHECK(cudaMemcpyAsync(buffer + back_begin_, device_ + back_begin_, end_ - back_begin_,
                                        cudaMemcpyDeviceToHost, stream));
  }
  /// To the arrays.
  void finish(const std::byte* buffer) const {
    for_each_run(kThere,
                 [&](std::byte* rows, std::size_t at, std::size_t bytes) { std::memcpy(rows, buffer + at, bytes); });
  }

 private:
  struct Rows {
    std::byte* host;
    std::size_t stride, bytes, count;
    std::size_t offset;
    Way way;
  };

  /// Calls copy(rows, offset, bytes) for rows without a gap in host memory, of arrays that do not go one way.
  template <class Copy>
  void for_each_run(Way left_out, const Copy& copy) const {
    for (const Rows& rows : rows_) {
      if (rows.way == left_out) continue;
      const std::size_t runs = rows.stride == rows.bytes ? 1 : rows.count, bytes = rows.count / runs * rows.bytes;
      for (std::size_t i = 0; i < runs; ++i) copy(rows.host + i * rows.stride, rows.offset + i * bytes, bytes);
    }
  }

  std::int64_t environments_;
  std::byte* device_;
  std::vector<Rows> rows_;
  std::size_t there_end_ = 0, back_begin_ = 0, end_ = 0;
};

void HostBatch::Lane::reserve(std::size_t bytes) {
  if (bytes <= device.size()) return;
  host.reset();
  detail::reserve(device, bytes, "the copy of the batch, or of a part of it, needs");
  host = make_pinned_buffer(bytes);
  // arrays are copied with the gaps between them
  ISOPATCH_CUDA_CHECK(cudaMemsetAsync(device.data(), 0, bytes, stream));
}

/// A call of evaluate().
class HostBatch::Call {
 public:
  Call(HostBatch& batch, const Scene& scene, const State& state, const Results& results, const Evaluate& evaluate)
      : batch_(batch),
        scene_(scene),
        state_(state),
        packed_(results),
        results_(without_packed(results)),
        evaluate_(evaluate) {
    const std::size_t one = Chunk(*this, 0, 1, nullptr).end();
    const auto room =
        static_cast<std::int64_t>(std::max<std::size_t>(1, batch.chunk_bytes_ / std::max<std::size_t>(1, one)));
    most_ = std::min(state.num_environments, room);
    bytes_ = Chunk(*this, 0, most_, nullptr).end();
  }

  /// Environments of a chunk; the last one may have fewer.
  std::int64_t most() const { return most_; }

  /// Copies a chunk to the device and enqueues its evaluation.
  void begin(Lane& lane, std::int64_t begin) const {
    lane.reserve(bytes_);
    lane.begin = begin;
    lane.environments = std::min(most_, state_.num_environments - begin);
    for_each_packed_output(packed_, [&]<class Record>(const PackedOutput<Record>& packed) {
      const auto as_large = static_cast<std::int64_t>(batch_.chunk_bytes_ / sizeof(Record));  // at first
      reserve_rows(lane, packed, std::min(packed.rows.capacity, std::max<std::int64_t>(as_large, 1)));
    });
    const Chunk chunk(*this, lane);
    chunk.upload(lane.host.get(), lane.stream);
    enqueue(lane, chunk);
  }

  /// Waits for a chunk and brings its results back. The chunks before it are finished.
  void finish(Lane& lane) const {
    ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(lane.stream));
    if (lane.environments == 0) return;
    const Chunk chunk(*this, lane);
    bool needs_more = false;
    join_offsets(lane, packed_polygons(packed_), packed_polygons(chunk.results), chunk, needs_more);
    join_offsets(lane, packed_contacts(packed_), packed_contacts(chunk.results), chunk, needs_more);
    if (needs_more) {
      enqueue(lane, Chunk(*this, lane));
      ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(lane.stream));
    }
    chunk.finish(lane.host.get());
    for_each_packed_output(packed_, [&](const auto& packed) { finish_rows(lane, packed); });
    lane.environments = 0;
  }

 private:
  /// Some environments of the batch, on the device. Polygons and contacts go both ways: only as many as there are get
  /// written, and the caller's other rows stay. Of packed arrays, a chunk has the offsets of these environments.
  struct Chunk : Copies {
    State state;
    Results results;

    Chunk(const Call& call, std::int64_t begin, std::int64_t count, std::byte* device)
        : Copies(count, device),
          state(part_of(call.state_, call.scene_, begin, count)),
          results(part_of(call.results_, call.scene_, begin)) {
      const ArrayCounts counts = counts_of(call.scene_, results);
      for_each_input([&](const ArrayInfo& info, auto& array) { add(array, counts.row(info), kThere); }, state);
      for (const Way way : {kBothWays, kBack}) {
        for_each_output(
            [&](const ArrayInfo& info, auto& array) {
              if constexpr (HasRows<decltype(array)>) {
                if (info.is_buffer() == (way == kBothWays)) add(array, counts.row(info), way);
              }
            },
            results);
      }
      const auto add_offsets = [&](BatchArray<std::int64_t>& offsets, const BatchArray<std::int64_t>& wanted) {
        const std::size_t bytes = static_cast<std::size_t>(count + 1) * sizeof(std::int64_t);
        if (wanted.data != nullptr) offsets.data = static_cast<std::int64_t*>(take(bytes, kBack));
      };
      add_offsets(results.polygon_offsets, call.packed_.polygon_offsets);
      add_offsets(results.contact_offsets, call.packed_.contact_offsets);
    }

    Chunk(const Call& call, const Lane& lane) : Chunk(call, lane.begin, lane.environments, lane.device.data()) {
      if (call.packed_.packed_polygons.data != nullptr) {
        results.packed_polygons = {lane.polygons.data(), static_cast<std::int64_t>(lane.polygons.size())};
      }
      if (call.packed_.packed_contacts.data != nullptr) {
        results.packed_contacts = {lane.contacts.data(), static_cast<std::int64_t>(lane.contacts.size())};
      }
    }
  };

  void enqueue(Lane& lane, const Chunk& chunk) const {
    evaluate_(chunk.state, chunk.results, lane.begin, lane.stream);
    chunk.download(lane.host.get(), lane.stream);
  }

  template <class Record>
  static void reserve_rows(Lane& lane, const PackedOutput<Record>& packed, std::int64_t count) {
    if (packed.rows.data == nullptr) return;
    reserve(lane.rows<Record>(), static_cast<std::size_t>(count), "the packed rows of a part of the batch need");
  }

  /// Joins the offsets of a chunk to those before. If there are more rows than the chunk had room for, and they fit,
  /// makes room and says so.
  template <class Record>
  static void join_offsets(Lane& lane, const PackedOutput<Record>& packed, const PackedOutput<Record>& of_chunk,
                           const Chunk& chunk, bool& needs_more) {
    if (!packed.is_wanted()) return;
    packed.join_offsets(lane.begin, lane.environments, chunk.in_host(lane.host.get(), of_chunk.offsets.data));
    const std::int64_t count = fitting(lane, packed);
    if (packed.rows.data == nullptr || count <= of_chunk.rows.capacity) return;
    reserve_rows(lane, packed, count);
    needs_more = true;
  }

  template <class Record>
  void finish_rows(Lane& lane, const PackedOutput<Record>& packed) const {
    if (packed.rows.data == nullptr) return;
    const std::int64_t count = fitting(lane, packed);
    if (count > 0) {
      lane.rows<Record>().download(packed.rows.data + packed.begin_of(lane.begin), static_cast<std::size_t>(count),
                                   lane.stream);
    }
    packed.finish(lane.begin, lane.begin + lane.environments, packed_.status);
  }

  /// The rows of a chunk that fit.
  template <class Record>
  static std::int64_t fitting(const Lane& lane, const PackedOutput<Record>& packed) {
    return packed.end_of(lane.begin + lane.environments - 1) - packed.begin_of(lane.begin);
  }

  HostBatch& batch_;
  const Scene& scene_;
  const State& state_;
  const Results& packed_;  // all results
  const Results results_;  // all but packed arrays
  const Evaluate& evaluate_;
  std::int64_t most_ = 0;
  std::size_t bytes_ = 0;
};

void HostBatch::abandon() {
  for (Lane& lane : lanes_) {
    cudaStreamSynchronize(lane.stream);
    lane.environments = 0;
  }
}

void HostBatch::evaluate(const Scene& scene, const State& state, const Results& results, const Evaluate& evaluate) {
  const std::lock_guard lock(mutex_);
  const std::int64_t total = state.num_environments;
  for_each_packed_output(results, [](const auto& packed) {
    if (packed.is_wanted()) packed.offsets.data[0] = 0;
  });
  if (total == 0) return;
  const Call call(*this, scene, state, results, evaluate);
  try {
    int turn = 0;
    for (std::int64_t begin = 0; begin < total; begin += call.most(), turn ^= 1) {
      call.finish(lanes_[turn]);
      call.begin(lanes_[turn], begin);
    }
    call.finish(lanes_[turn]);  // the older one
    call.finish(lanes_[turn ^ 1]);
  } catch (...) {
    abandon();
    throw;
  }
}

/// The arrays of a call of step(). Outputs go both ways too, so that what no kernel writes stays as it is.
struct HostBatch::Rollout : Copies {
  RolloutState state;
  RolloutInput input;
  RolloutOutput output;

  Rollout(const ArrayCounts& counts, const RolloutState& s, const RolloutInput& i, const RolloutOutput& o,
          std::byte* device)
      : Copies(s.num_environments, device), state(s), input(i), output(o) {
    const auto add_way = [&](Way way) {
      return [this, &counts, way](const ArrayInfo& info, auto& array) { add(array, counts.row(info), way); };
    };
    for_each_rollout_input(add_way(kThere), input);
    for_each_rollout_state(
        [&](const ArrayInfo& info, auto*& pointer) {
          TypedArray array(pointer, counts.row(info));
          add(array, array.stride, kBothWays);
          pointer = array.data;
        },
        state);
    for_each_rollout_output(add_way(kBothWays), output);
    if (o.polygons_needed.data != nullptr) return;
    const std::size_t bytes = static_cast<std::size_t>(s.num_environments) * sizeof(std::int32_t);
    output.polygons_needed = {static_cast<std::int32_t*>(take(bytes, kBack)), 1};  // always asked for
  }
};

void HostBatch::step(const ArrayCounts& counts, const RolloutState& state, const RolloutInput& input,
                     const RolloutOutput& output, const Step& step, const HasRoom& has_room) {
  const std::lock_guard lock(mutex_);
  const std::int64_t n = state.num_environments;
  if (n == 0) return;
  Lane& lane = lanes_[0];
  try {
    lane.reserve(Rollout(counts, state, input, output, nullptr).end());
    const Rollout copies(counts, state, input, output, lane.device.data());
    const auto in_host = [&](const auto* array) {
      return std::span(copies.in_host(lane.host.get(), array), static_cast<std::size_t>(n));
    };
    do {
      copies.upload(lane.host.get(), lane.stream);
      step(copies.state, copies.input, copies.output, lane.stream);
      copies.download(lane.host.get(), lane.stream);
      ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(lane.stream));
    } while (!has_room(in_host(copies.output.polygons_needed.data), in_host(copies.state.status)));
    copies.finish(lane.host.get());
  } catch (...) {
    abandon();
    throw;
  }
}

}  // namespace isopatch::detail
