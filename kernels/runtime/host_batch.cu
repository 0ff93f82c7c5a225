// SPDX-License-Identifier: Apache-2.0
#include "kernels/runtime/host_batch.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "host/strides.h"
#include "isopatch/arrays.h"
#include "isopatch/host_evaluator.h"
#include "kernels/runtime/device_memory.h"

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

/// Some environments of a batch: first the inputs, then the outputs that go both ways, then those that only come back.
/// Polygons and contacts go both ways: only as many as there are get written, and the caller's other rows stay.
struct Chunk {
  State state;  // in device memory
  Results results;
  std::vector<Rows> uploaded, downloaded;
  std::size_t upload_end = 0, download_begin = 0, end = 0;

  Chunk(const Scene& scene, const State& host_state, const Results& host_results, std::byte* device)
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
            const bool has_capacity = info.per == Per::kPolygonCapacity || info.per == Per::kContactCapacity;
            if (array.data == nullptr || has_capacity != both_ways) return;
            downloaded.push_back(add(info, array));
            if (both_ways) uploaded.push_back(downloaded.back());
          },
          results);
      if (both_ways) upload_end = end;
    }
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
    end += (rows.count * rows.bytes + kAlignment - 1) / kAlignment * kAlignment;
    return rows;
  }
};

}  // namespace

void HostBatch::Lane::reserve(std::size_t bytes) {
  if (bytes <= device.size()) return;
  host = PinnedBuffer();
  device = DeviceBuffer<std::byte>();
  require_device_memory(bytes, "the copy of a part of the batch needs");
  host = PinnedBuffer(bytes);
  device = DeviceBuffer<std::byte>(bytes);
}

void HostBatch::evaluate(const Scene& scene, const State& state, const Results& results, const Evaluate& evaluate) {
  const std::lock_guard lock(mutex_);
  const std::int64_t total = state.num_environments;
  if (total == 0) return;
  const auto part = [&](std::int64_t begin, std::int64_t count, std::byte* device) {
    return Chunk(scene, part_of(state, scene, begin, count), part_of(results, scene, begin), device);
  };
  const std::size_t one = part(0, 1, nullptr).end;
  const auto room = static_cast<std::int64_t>(std::max<std::size_t>(1, chunk_bytes_ / std::max<std::size_t>(1, one)));
  const std::int64_t most = std::min(total, room);
  const std::size_t bytes = part(0, most, nullptr).end;

  const auto finish = [&](Lane& lane) {
    ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(lane.stream));
    if (lane.environments == 0) return;
    const Chunk chunk = part(lane.begin, lane.environments, lane.device.data());
    for (const Rows& rows : chunk.downloaded) rows.from(lane.host.data());
    lane.environments = 0;
  };
  try {
    int turn = 0;
    for (std::int64_t begin = 0; begin < total; begin += most, turn ^= 1) {
      Lane& lane = lanes_[turn];
      finish(lane);
      lane.reserve(bytes);
      lane.begin = begin;
      lane.environments = std::min(most, total - begin);
      const Chunk chunk = part(lane.begin, lane.environments, lane.device.data());
      std::byte *host = lane.host.data(), *device = lane.device.data();
      for (const Rows& rows : chunk.uploaded) rows.to(host);
      ISOPATCH_CUDA_CHECK(cudaMemcpyAsync(device, host, chunk.upload_end, cudaMemcpyHostToDevice, lane.stream));
      evaluate(chunk.state, chunk.results, lane.stream);
      const std::size_t back = chunk.end - chunk.download_begin;
      ISOPATCH_CUDA_CHECK(cudaMemcpyAsync(host + chunk.download_begin, device + chunk.download_begin, back,
                                          cudaMemcpyDeviceToHost, lane.stream));
    }
    finish(lanes_[turn]);  // the older one
    finish(lanes_[turn ^ 1]);
  } catch (...) {
    for (Lane& lane : lanes_) {
      cudaStreamSynchronize(lane.stream);
      lane.environments = 0;
    }
    throw;
  }
}

}  // namespace isopatch::detail
