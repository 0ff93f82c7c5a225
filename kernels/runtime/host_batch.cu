// SPDX-License-Identifier: Apache-2.0
#include "kernels/runtime/host_batch.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "host/evaluation/packed_output.h"
#include "host/evaluation/strides.h"
#include "isopatch/arrays.h"
#include "isopatch/host_evaluator.h"
#include "kernels/memory/device_memory.h"

namespace isopatch::detail {

namespace {

constexpr std::size_t kAlignment = 256;  // of every array in a chunk

/// Rows in host memory, and where they are in a chunk, without gaps.
struct Rows {
  std::byte* host;
  std::size_t stride, bytes, count;
  std::size_t offset;

  void to(std::byte* chunk) const {
    for_each_copy(
        [&](std::byte* in_host, std::size_t at, std::size_t size) { std::memcpy(chunk + offset + at, in_host, size); });
  }
  void from(const std::byte* chunk) const {
    for_each_copy(
        [&](std::byte* in_host, std::size_t at, std::size_t size) { std::memcpy(in_host, chunk + offset + at, size); });
  }

 private:
  template <class Copy>
  void for_each_copy(const Copy& copy) const {
    if (stride == bytes) return copy(host, 0, count * bytes);
    for (std::size_t i = 0; i < count; ++i) copy(host + i * stride, i * bytes, bytes);
  }
};

/// Some environments of a batch: first the inputs, then the outputs that go both ways, then the outputs that only come
/// back. Polygons and contacts go both ways: only as many as there are get written, and the caller's other rows stay.
/// Of packed arrays, a chunk has the offsets of its own environments.
struct Chunk {
  State state;  // in device memory
  Results results;
  std::vector<Rows> uploaded, downloaded;
  std::size_t upload_end = 0, download_begin = 0, end = 0;
  std::size_t polygon_offsets = 0, contact_offsets = 0;  // where they are

  /// `host_results` have no packed arrays but `packed`, of the whole batch.
  Chunk(const Scene& scene, const State& host_state, const Results& host_results, const Results& packed,
        std::byte* device)
      : state(host_state), results(host_results) {
    const ArrayCounts counts = counts_of(scene, results);
    const auto add = [&](const ArrayInfo& info, auto& array) { return place(array, counts.row(info), device); };
    for_each_input(
        [&](const ArrayInfo& info, auto& array) {
          if (array.data != nullptr) uploaded.push_back(add(info, array));
        },
        state);
    download_begin = end;
    for (const bool both_ways : {true, false}) {
      for_each_output(
          [&](const ArrayInfo& info, auto& array) {
            if constexpr (HasRows<decltype(array)>) {
              if (array.data == nullptr || info.is_buffer() != both_ways) return;
              downloaded.push_back(add(info, array));
              if (both_ways) uploaded.push_back(downloaded.back());
            }
          },
          results);
      if (both_ways) upload_end = end;
    }
    const auto add_offsets = [&](const BatchArray<std::int64_t>& wanted, BatchArray<std::int64_t>& offsets) {
      const std::size_t at = end;
      if (wanted.data == nullptr) return at;
      offsets.data = static_cast<std::int64_t*>(static_cast<void*>(device + at));
      take(static_cast<std::size_t>(state.num_environments + 1) * sizeof(std::int64_t));
      return at;
    };
    polygon_offsets = add_offsets(packed.polygon_offsets, results.polygon_offsets);
    contact_offsets = add_offsets(packed.contact_offsets, results.contact_offsets);
  }

 private:
  template <class Array>
  Rows place(Array& array, std::int64_t row, std::byte* device) {
    const auto size = static_cast<std::size_t>(element_size(array));
    const bool one_for_all = array.stride == 0;
    auto* host = const_cast<std::byte*>(static_cast<const std::byte*>(static_cast<const void*>(array.data)));
    const Rows rows = {host, static_cast<std::size_t>(array.stride) * size, static_cast<std::size_t>(row) * size,
                       one_for_all ? 1 : static_cast<std::size_t>(state.num_environments), end};
    array.data = static_cast<decltype(array.data)>(static_cast<void*>(device + end));
    if (!one_for_all) array.stride = row;
    take(rows.count * rows.bytes);
    return rows;
  }

  void take(std::size_t bytes) { end += (bytes + kAlignment - 1) / kAlignment * kAlignment; }
};

}  // namespace

void HostBatch::Lane::reserve(std::size_t bytes) {
  if (bytes <= device.size()) return;
  host = PinnedBuffer();
  device = DeviceBuffer<std::byte>();
  require_device_memory(bytes, "the copy of a part of the batch needs");
  host = PinnedBuffer(bytes);
  device = DeviceBuffer<std::byte>(bytes);
  ISOPATCH_CUDA_CHECK(
      cudaMemsetAsync(device.data(), 0, bytes, stream));  // arrays are copied with the gaps between them
}

template <class Record>
void HostBatch::RowBuffer<Record>::reserve(const PackedOutput<Record>& packed, std::int64_t count) {
  if (packed.rows.data == nullptr || count <= size()) return;
  rows = DeviceBuffer<Record>();
  const auto wanted = static_cast<std::size_t>(count);
  require_device_memory(wanted * sizeof(Record), "the packed rows of a part of the batch need");
  rows = DeviceBuffer<Record>(wanted);
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
    const std::size_t one = chunk(0, 1, nullptr).end;
    const auto room =
        static_cast<std::int64_t>(std::max<std::size_t>(1, batch.chunk_bytes_ / std::max<std::size_t>(1, one)));
    most_ = std::min(state.num_environments, room);
    bytes_ = chunk(0, most_, nullptr).end;
  }

  /// Environments of a chunk; the last one may have fewer.
  std::int64_t most() const { return most_; }

  /// Copies a chunk to the device and enqueues its evaluation.
  void begin(Lane& lane, std::int64_t begin) const {
    lane.reserve(bytes_);
    lane.begin = begin;
    lane.environments = std::min(most_, state_.num_environments - begin);
    reserve_rows(lane.polygons, packed_polygons(packed_));
    reserve_rows(lane.contacts, packed_contacts(packed_));
    const Chunk chunk = chunk_of(lane);
    for (const Rows& rows : chunk.uploaded) rows.to(lane.host.data());
    ISOPATCH_CUDA_CHECK(
        cudaMemcpyAsync(lane.device.data(), lane.host.data(), chunk.upload_end, cudaMemcpyHostToDevice, lane.stream));
    enqueue(lane, chunk);
  }

  /// Waits for a chunk and brings its results back. The chunks before it are finished.
  void finish(Lane& lane) const {
    ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(lane.stream));
    if (lane.environments == 0) return;
    const Chunk chunk = chunk_of(lane);
    const bool more_polygons = needs_more_rows(lane, lane.polygons, packed_polygons(packed_), chunk.polygon_offsets);
    const bool more_contacts = needs_more_rows(lane, lane.contacts, packed_contacts(packed_), chunk.contact_offsets);
    if (more_polygons || more_contacts) {
      enqueue(lane, chunk_of(lane));
      ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(lane.stream));
    }
    for (const Rows& rows : chunk.downloaded) rows.from(lane.host.data());
    finish_rows(lane, lane.polygons, packed_polygons(packed_));
    finish_rows(lane, lane.contacts, packed_contacts(packed_));
    lane.environments = 0;
  }

 private:
  Chunk chunk(std::int64_t begin, std::int64_t count, std::byte* device) const {
    return {scene_, part_of(state_, scene_, begin, count), part_of(results_, scene_, begin), packed_, device};
  }

  Chunk chunk_of(const Lane& lane) const {
    Chunk chunk = this->chunk(lane.begin, lane.environments, lane.device.data());
    if (packed_.packed_polygons.data != nullptr) chunk.results.packed_polygons = lane.polygons.rows.data();
    chunk.results.packed_polygon_capacity = lane.polygons.size();
    if (packed_.packed_contacts.data != nullptr) chunk.results.packed_contacts = lane.contacts.rows.data();
    chunk.results.packed_contact_capacity = lane.contacts.size();
    return chunk;
  }

  void enqueue(Lane& lane, const Chunk& chunk) const {
    evaluate_(chunk.state, chunk.results, lane.begin, lane.stream);
    const std::size_t back = chunk.end - chunk.download_begin;
    ISOPATCH_CUDA_CHECK(cudaMemcpyAsync(lane.host.data() + chunk.download_begin,
                                        lane.device.data() + chunk.download_begin, back, cudaMemcpyDeviceToHost,
                                        lane.stream));
  }

  /// As many rows as take the bytes of a chunk, at first.
  template <class Record>
  void reserve_rows(RowBuffer<Record>& buffer, const PackedOutput<Record>& packed) const {
    const auto as_large = static_cast<std::int64_t>(batch_.chunk_bytes_ / sizeof(Record));
    buffer.reserve(packed, std::min(packed.capacity, std::max<std::int64_t>(as_large, 1)));
  }

  /// Joins the offsets of a chunk to those before. Whether there are more rows than the chunk had room for, and they
  /// fit; then makes room.
  template <class Record>
  bool needs_more_rows(Lane& lane, RowBuffer<Record>& buffer, const PackedOutput<Record>& packed,
                       std::size_t offsets) const {
    if (!packed.is_wanted()) return false;
    const void* in_host = lane.host.data() + offsets;
    packed.join_offsets(lane.begin, lane.environments, static_cast<const std::int64_t*>(in_host));
    const std::int64_t count = fitting(lane, packed);
    if (packed.rows.data == nullptr || count <= buffer.size()) return false;
    buffer.reserve(packed, count);
    return true;
  }

  template <class Record>
  void finish_rows(const Lane& lane, const RowBuffer<Record>& buffer, const PackedOutput<Record>& packed) const {
    if (packed.rows.data == nullptr) return;
    const std::int64_t count = fitting(lane, packed);
    if (count > 0) {
      ISOPATCH_CUDA_CHECK(cudaMemcpyAsync(packed.rows.data + packed.begin_of(lane.begin), buffer.rows.data(),
                                          static_cast<std::size_t>(count) * sizeof(Record), cudaMemcpyDeviceToHost,
                                          lane.stream));
      ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(lane.stream));
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
    for (Lane& lane : lanes_) {
      cudaStreamSynchronize(lane.stream);
      lane.environments = 0;
    }
    throw;
  }
}

}  // namespace isopatch::detail
