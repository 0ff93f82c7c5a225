// SPDX-License-Identifier: Apache-2.0
//
// Packed arrays: where the rows of each environment belong, and the rows in their order. See packed_row_list.h. Threads
// take environments or rows; a block puts the rows of an environment in order.
#include <initializer_list>

#include "isopatch/detail/contact/packed_row_list.h"
#include "kernels/algorithms/device_scan.h"
#include "kernels/pressure_field/call.h"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kBlock = 128;  // small enough for the rows of most environments

/// The threads of a block, as a group that sorts.
struct CudaBlock {
  static constexpr int kSize = kBlock;
  __device__ int lane() const { return static_cast<int>(threadIdx.x); }
  __device__ void sync() const { __syncthreads(); }
};

/// The arrays of one kind.
template <class Record>
struct PackedArrays {
  PackedOutput<Record> to;
  PackedRowList<Record> list;
  TypedArray<std::uint32_t> status;
  std::int64_t num_environments;

  /// Where an environment's rows begin, and how many of them fit.
  __device__ std::int64_t begin_of(std::int64_t environment) const { return to.offsets.data[environment]; }
  __device__ std::int64_t fitting(std::int64_t environment) const {
    const std::int64_t end = to.offsets.data[environment + 1];
    return max(std::int64_t{0}, (end < to.capacity ? end : to.capacity) - begin_of(environment));
  }
};

/// Of each environment: how many rows fit, and the status bit if not all of them do.
template <class Record>
__global__ void __launch_bounds__(kBlock) divide_room_kernel(PackedArrays<Record> packed) {
  const std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (e >= packed.num_environments) return;
  const std::int64_t fitting = packed.fitting(e), all = packed.to.offsets.data[e + 1] - packed.begin_of(e);
  if (fitting < all && packed.status.data != nullptr) element(packed.status, e) |= packed.to.full;
  if (!packed.list.keeps_rows()) return;
  packed.list.counts[e] = static_cast<std::int32_t>(fitting);
  RowProgress& progress = *packed.list.progress;
  if (fitting > 0 && fitting < all) {
    progress.divided = static_cast<std::int32_t>(e + 1);
    progress.rank = fitting - 1;
  }
  if (e == 0 && packed.to.offsets.data[packed.num_environments] > packed.to.capacity) {
    progress.overflows = 1;
    progress.listed = 0;
  }
}

__global__ void __launch_bounds__(CudaWarp::kSize) find_digit_kernel(RowList list, int digit) {
  CudaWarp warp;
  find_digit(warp, list, digit);
}

/// Puts the listed rows beside others of their environment.
template <class Record>
__global__ void __launch_bounds__(kBlock) group_rows_kernel(PackedArrays<Record> packed) {
  const PackedRowList<Record>& list = packed.list;
  const std::int64_t listed = list.progress->listed, count = listed < list.capacity ? listed : list.capacity;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kBlock;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x; i < count; i += step) {
    const std::int32_t environment = list.environments[i];
    const int before = CudaWarp().reserve(list.counts + environment, -1) - 1;
    list.grouped[packed.begin_of(environment) + before] = list.rows[i];
  }
}

/// Puts the rows of each environment in order and writes them.
template <class Record>
__global__ void __launch_bounds__(kBlock) write_rows_kernel(PackedArrays<Record> packed) {
  const PackedRowList<Record>& list = packed.list;
  CudaBlock block;
  for (std::int64_t e = blockIdx.x; e < packed.num_environments; e += gridDim.x) {
    const std::int64_t begin = packed.begin_of(e), count = packed.fitting(e);
    const PackedRowEntry* rows = sort_rows(block, list.grouped + begin, list.rows + begin, count);
    for (std::int64_t i = block.lane(); i < count; i += kBlock) {
      packed.to.rows.data[begin + i] = list.records[rows[i].record];
      if (packed.to.environments.data != nullptr) {
        packed.to.environments.data[begin + i] = static_cast<std::int32_t>(e);
      }
    }
  }
}

/// Calls use(arrays) for the kinds that are wanted.
template <class Use>
void for_each_wanted(const PressureFieldCall& call, const Use& use) {
  const auto use_if_wanted = [&](const auto& to, const auto& list) {
    if (to.is_wanted()) use(PackedArrays{to, list, call.results.status, call.state.num_environments});
  };
  use_if_wanted(packed_polygons(call.results), call.packed.polygons);
  use_if_wanted(packed_contacts(call.results), call.packed.contacts);
}

/// The offsets, from the counts that the first pass left.
void divide_room(const PressureFieldCall& call, cudaStream_t stream) {
  for_each_wanted(call, [&]<class Record>(const PackedArrays<Record>& packed) {
    const std::int64_t environments = packed.num_environments;
    exclusive_sums(packed.list.counts, environments, packed.to.offsets.data, call.scan_memory, call.scan_bytes, stream);
    if (environments == 0 || packed.to.rows.data == nullptr) return;
    const auto blocks = static_cast<unsigned>((environments + kBlock - 1) / kBlock);
    divide_room_kernel<<<blocks, kBlock, 0, stream>>>(packed);
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
  });
}

/// Evaluates again for a pass, without any other results.
template <class T>
void evaluate_again(const PressureFieldCall& call, RowPass pass, int digit, cudaStream_t stream) {
  PressureFieldCall again = call;
  again.results = {};
  again.pass = pass;
  again.digit = digit;
  ISOPATCH_CUDA_CHECK(cudaMemsetAsync(call.counter(kNextPair), 0, sizeof(std::int32_t), stream));
  evaluate_pairs<T>(again, stream);
}

template <class Kernel>
void launch(Kernel kernel, std::int64_t most_blocks, const auto& packed, cudaStream_t stream) {
  const std::int64_t blocks = std::min<std::int64_t>(resident_blocks(kernel, kBlock), most_blocks);
  kernel<<<static_cast<unsigned>(blocks), kBlock, 0, stream>>>(packed);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

template <class Record>
void load_kernels() {
  resident_blocks(divide_room_kernel<Record>, kBlock);
  resident_blocks(group_rows_kernel<Record>, kBlock);
  resident_blocks(write_rows_kernel<Record>, kBlock);
}

}  // namespace

void load_packed_rows() {
  load_kernels<Polygon>();
  load_kernels<DiscreteContact>();
  resident_blocks(find_digit_kernel, CudaWarp::kSize);
  load_exclusive_sums();
}

void begin_packed_rows(const PressureFieldCall& call, cudaStream_t stream) {
  for_each_wanted(call, [&](const auto& packed) {
    const auto counts = static_cast<std::size_t>(packed.num_environments + 1);
    ISOPATCH_CUDA_CHECK(cudaMemsetAsync(packed.list.counts, 0, counts * sizeof(std::int32_t), stream));
    ISOPATCH_CUDA_CHECK(cudaMemsetAsync(packed.list.progress, 0, sizeof(RowProgress), stream));
  });
}

template <class T>
void write_packed_rows(const PressureFieldCall& call, cudaStream_t stream) {
  if (!call.packed.is_wanted()) return;
  divide_room(call, stream);
  if (!call.packed.keeps_rows() || call.state.num_environments == 0) return;

  // nothing in these passes where all rows fit
  for (int digit = 0; digit < RowDigits::kCount; ++digit) {
    if ((call.key_digits >> digit & 1u) == 0) continue;
    evaluate_again<T>(call, RowPass::kCountDigit, digit, stream);
    for (const RowList& list : std::initializer_list<RowList>{call.packed.polygons, call.packed.contacts}) {
      if (!list.keeps_rows()) continue;
      find_digit_kernel<<<1, CudaWarp::kSize, 0, stream>>>(list, digit);
      ISOPATCH_CUDA_CHECK(cudaGetLastError());
    }
  }
  evaluate_again<T>(call, RowPass::kFitting, 0, stream);

  for_each_wanted(call, [&]<class Record>(const PackedArrays<Record>& packed) {
    if (!packed.list.keeps_rows()) return;
    launch(group_rows_kernel<Record>, (packed.list.capacity + kBlock - 1) / kBlock, packed, stream);
    launch(write_rows_kernel<Record>, packed.num_environments, packed, stream);
  });
}

template void write_packed_rows<float>(const PressureFieldCall&, cudaStream_t);
template void write_packed_rows<double>(const PressureFieldCall&, cudaStream_t);

}  // namespace isopatch::detail
