// SPDX-License-Identifier: Apache-2.0
//
// Packed arrays: where the rows of each environment belong, and the rows in their order. See packed_row_list.h. Threads
// take environments or rows; a warp puts the rows of an environment in order, or a block if there are many.
#include "kernels/contact/packed_rows.h"

#include <thrust/iterator/transform_output_iterator.h>

#include "kernels/algorithms/device_scan.h"
#include "kernels/algorithms/sort_rows.cuh"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kWarps = 4;
constexpr int kBlock = kWarps * CudaWarp::kSize;

/// The arrays of one kind.
template <class Record>
struct PackedArrays {
  PackedOutput<Record> to;
  PackedRowList<Record> list;
  TypedArray<std::uint32_t> status;
  std::int64_t num_environments;

  __device__ std::int64_t begin_of(std::int64_t environment) const { return to.offsets.data[environment]; }
};

/// Of each environment: how many of its rows are to be listed, and the status bit if not all of them fit.
template <class Record>
__global__ void __launch_bounds__(kBlock) divide_room_kernel(PackedArrays<Record> packed) {
  const std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (e >= packed.num_environments) return;
  const std::int64_t all = packed.to.offsets.data[e + 1] - packed.begin_of(e);
  if (packed.list.fitting(e) < all && packed.status.data != nullptr) element(packed.status, e) |= packed.to.full;
  if (packed.list.keeps_rows()) packed.list.divide(e, packed.num_environments);
}

/// Puts the listed rows beside others of their environment.
template <class Record>
__global__ void __launch_bounds__(kBlock) group_rows_kernel(PackedArrays<Record> packed) {
  const PackedRowList<Record>& list = packed.list;
  const std::int64_t listed = list.progress->listed, count = listed < list.room ? listed : list.room;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kBlock;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x; i < count; i += step) {
    const std::int32_t environment = list.environments[i];
    if (list.fitting(environment) == 0) continue;  // if all are listed
    if (list.is_passed_over(environment, list.rows[i].key)) continue;
    const int before = CudaWarp().reserve(list.counts + environment, -1) - 1;
    list.grouped[packed.begin_of(environment) + before] = list.rows[i];
  }
}

// Moves records to their rows; record_of(i) is where the record of row i is listed. Threads beside one another write
// words beside one another. No device has memory for 2^28 rows.

/// A thread moves a corner and a word of the rest.
template <class Group, class RecordOf>
__device__ void move_records(const Group& group, const ListedPolygon* records, Polygon* rows, std::uint32_t count,
                             const RecordOf& record_of) {
  constexpr int kHead = 2;  // words of the rest that are before the corners
  static_assert(sizeof(PolygonRest) == kMaxCorners * sizeof(std::uint32_t));
  static_assert(offsetof(Polygon, vertices) == kHead * sizeof(std::uint32_t));
  static_assert(offsetof(Polygon, normal) == (kHead + 4 * kMaxCorners) * sizeof(std::uint32_t));
  for (std::uint32_t i = group.lane(); i < kMaxCorners * count; i += Group::kSize) {
    const std::uint32_t row = i / kMaxCorners, k = i % kMaxCorners;
    const ListedPolygon& from = records[record_of(row)];
    ListedPolygon::Corner corner = {{0, 0, 0}, 0};
    if (static_cast<int>(k) < from.rest.num_vertices) corner = from.corners[k];
    write_corner(rows[row], static_cast<int>(k), corner.point, corner.pressure);
    const auto* rest = reinterpret_cast<const std::uint32_t*>(&from.rest);
    auto* to = reinterpret_cast<std::uint32_t*>(rows + row);
    to[k < kHead ? k : 4 * kMaxCorners + k] = rest[k];
  }
}

/// A thread moves a word.
template <class Group, class RecordOf>
__device__ void move_records(const Group& group, const DiscreteContact* records, DiscreteContact* rows,
                             std::uint32_t count, const RecordOf& record_of) {
  constexpr std::uint32_t kWords = sizeof(DiscreteContact) / sizeof(std::uint32_t), kThreads = 16;
  static_assert(kWords <= kThreads);
  for (std::uint32_t i = group.lane(); i < kThreads * count; i += Group::kSize) {
    const std::uint32_t row = i / kThreads, k = i % kThreads;
    if (k >= kWords) continue;
    const auto* from = reinterpret_cast<const std::uint32_t*>(records + record_of(row));
    reinterpret_cast<std::uint32_t*>(rows + row)[k] = from[k];
  }
}

/// The rows of an environment, from their records.
template <class Record, class Group, class RecordOf>
__device__ void write_rows(const Group& group, const PackedArrays<Record>& packed, std::int64_t environment,
                           const RecordOf& record_of) {
  const std::int64_t begin = packed.begin_of(environment), count = packed.list.fitting(environment);
  move_records(group, packed.list.records, packed.to.rows.data + begin, static_cast<std::uint32_t>(count), record_of);
  if (packed.to.environments.data == nullptr) return;
  for (std::int64_t i = group.lane(); i < count; i += Group::kSize) {
    packed.to.environments.data[begin + i] = static_cast<std::int32_t>(environment);
  }
}

// CUB sorts as many items as a lane has, whatever the count.
using SortOfFew = SharedSort<PackedRowEntry, CudaWarp, 4>;
using SortOfSome = SharedSort<PackedRowEntry, CudaWarp, 8>;
using SortOfMany = SharedSort<PackedRowEntry, CudaBlock<kBlock>, 4>;

struct RecordOfEntry {
  __device__ std::int32_t operator()(const PackedRowEntry& row) const { return row.record; }
};

/// Puts the rows of each environment in order and writes those that fit. A warp takes an environment whose rows it has
/// room for, a block any other; where there is a block for each environment, it takes that.
template <class Record>
__global__ void __launch_bounds__(kBlock, 8) write_rows_kernel(PackedArrays<Record> packed) {
  union OfWarp {  // warps sort different numbers at a time
    SortOfFew::Memory few;
    SortOfSome::Memory some;
  };
  __shared__ union {
    OfWarp of_warp[kWarps];
    SortOfMany::Memory many;
  } memory;
  __shared__ union {
    std::int32_t of_warp[kWarps][SortOfSome::kMax];
    std::int32_t of_block[SortOfMany::kMax];
  } records;
  const PackedRowList<Record>& list = packed.list;
  const PackedRowEntry last = PackedRowEntry::last();
  const CudaWarp warp;
  CudaBlock<kBlock> block;
  const int own = static_cast<int>(threadIdx.x) / CudaWarp::kSize;
  const int at_once = gridDim.x < packed.num_environments ? kWarps : 1;
  const std::int64_t step = std::int64_t{gridDim.x} * at_once;
  for (std::int64_t first = std::int64_t{blockIdx.x} * at_once; first < packed.num_environments; first += step) {
    const std::int64_t e = first + own, end = min(first + at_once, packed.num_environments);
    const std::int64_t count = at_once > 1 && e < end ? list.listed(e) : 0;
    if (count > 0 && count <= SortOfSome::kMax) {
      std::int32_t* const of_rows = records.of_warp[own];
      const PackedRowEntry* const rows = list.grouped + packed.begin_of(e);
      const auto sorted = thrust::make_transform_output_iterator(of_rows, RecordOfEntry());
      if (count <= SortOfFew::kMax) {
        SortOfFew::sort(warp, memory.of_warp[own].few, rows, static_cast<int>(count), last, sorted);
      } else {
        SortOfSome::sort(warp, memory.of_warp[own].some, rows, static_cast<int>(count), last, sorted);
      }
      warp.sync();
      write_rows(warp, packed, e, [&](std::int64_t i) { return of_rows[i]; });
    }
    block.sync();  // the memory is free

    for (std::int64_t many = first; many < end; ++many) {
      const std::int64_t size = list.listed(many), begin = packed.begin_of(many);
      const bool fit_warp = size <= SortOfSome::kMax;
      if (fit_warp && at_once > 1) continue;
      if (!fit_warp && size <= SortOfMany::kMax) {
        SortOfMany::sort(block, memory.many, list.grouped + begin, static_cast<int>(size), last,
                         thrust::make_transform_output_iterator(records.of_block, RecordOfEntry()));
        block.sync();
        write_rows(block, packed, many, [&](std::int64_t i) { return records.of_block[i]; });
      } else {
        const PackedRowEntry* rows = sort_rows(block, list.grouped + begin, list.rows + begin, size);
        write_rows(block, packed, many, [&](std::int64_t i) { return rows[i].record; });
      }
      block.sync();
    }
  }
}

/// Calls use(arrays) for the kinds that are wanted.
template <class Use>
void for_each_wanted(const BatchCall& call, const Use& use) {
  const auto use_if_wanted = [&](const auto& to, const auto& list) {
    if (to.is_wanted()) use(PackedArrays{to, list, call.results.status, call.state.num_environments});
  };
  use_if_wanted(packed_polygons(call.results), call.packed.polygons);
  use_if_wanted(packed_contacts(call.results), call.packed.contacts);
}

/// The offsets, from the counts that the first pass left.
void divide_room(const BatchCall& call, ScanMemory scan, cudaStream_t stream) {
  for_each_wanted(call, [&]<class Record>(const PackedArrays<Record>& packed) {
    const std::int64_t environments = packed.num_environments;
    exclusive_sums(packed.list.counts, environments, packed.to.offsets.data, scan.bytes, scan.size, stream);
    if (environments == 0 || packed.to.rows.data == nullptr) return;
    const auto blocks = static_cast<unsigned>((environments + kBlock - 1) / kBlock);
    divide_room_kernel<<<blocks, kBlock, 0, stream>>>(packed);
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
  });
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
  load_exclusive_sums();
}

void begin_packed_rows(const BatchCall& call, cudaStream_t stream) {
  for_each_wanted(call, [&](const auto& packed) {
    const auto counts = static_cast<std::size_t>(packed.num_environments + 1);
    // the counts follow
    const std::size_t bytes = sizeof(RowProgress) + counts * sizeof(std::int32_t);
    ISOPATCH_CUDA_CHECK(cudaMemsetAsync(packed.list.progress, 0, bytes, stream));
  });
}

void write_packed_rows(const BatchCall& call, ScanMemory scan,
                       std::span<const std::unique_ptr<CudaContactModel>> models, cudaStream_t stream) {
  if (!call.packed.is_wanted()) return;
  divide_room(call, scan, stream);
  if (!call.packed.keeps_rows() || call.state.num_environments == 0) return;

  BatchCall again = call;  // does nothing if the lists had room
  again.results = {};
  again.pass = RowPass::kAllAgain;
  for (std::size_t i = models.size(); i-- > 1;) models[i]->list_again(again, stream);
  for_each_wanted(call, [&](const auto& packed) {
    RowProgress* const progress = packed.list.progress;
    ISOPATCH_CUDA_CHECK(cudaMemcpyAsync(&progress->others, &progress->listed, sizeof(progress->listed),
                                        cudaMemcpyDeviceToDevice, stream));
  });
  again.pass = RowPass::kAgain;
  models[0]->list_again(again, stream);

  for_each_wanted(call, [&]<class Record>(const PackedArrays<Record>& packed) {
    if (!packed.list.keeps_rows()) return;
    launch(group_rows_kernel<Record>, (packed.list.room + kBlock - 1) / kBlock, packed, stream);
    const bool has_warps = packed.num_environments > resident_blocks(write_rows_kernel<Record>, kBlock);
    const std::int64_t of_block = has_warps ? kWarps : 1;
    launch(write_rows_kernel<Record>, (packed.num_environments + of_block - 1) / of_block, packed, stream);
  });
}

}  // namespace isopatch::detail
