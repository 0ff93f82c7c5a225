// SPDX-License-Identifier: Apache-2.0
//
// A block evaluates an environment of one pair, from poses to wrench. A call of few environments takes as long as its
// longest chain of instructions, so all warps of the block search and integrate together, and each begins a part of the
// environment. It takes the stages of stages/begin.h, with lists in shared memory; then a warp does further passes.
#include "kernels/pressure_field/block_pairs.h"

#include "isopatch/detail/pressure_field/evaluate_pair.h"
#include "kernels/pressure_field/block_search.cuh"
#include "kernels/scene/begin_environments.cuh"

namespace isopatch::detail {

namespace {

/// What the warps of a block share.
template <class T>
struct BlockMemory {
  static constexpr int kWarps = 8;  // with 255 registers a thread
  static constexpr int kThreads = kWarps * CudaWarp::kSize;

  // of the environment
  std::uint32_t status;
  BodyBounds bounds[2];  // of the pair's bodies
  bool is_near;

  // of the pair
  StagedPair pair;
  StoredWrenchSums sums;
  StagedPartPair part_pair;
  BlockSearchMemory<kThreads> search;
  union {
    IntegrationMemory<T, false, CudaWarp::kSize> integrals[kWarps];
    Workspace<CudaWarp::kSize> alone;  // of the warp that does what is left
  };

  __device__ StagedPairs lists() { return {&pair, &sums, {&part_pair, nullptr, 1}, search.cells(0)}; }
};

/// Begins to load `count` items from `at` on into the first-level cache, a sector for each lane and round.
template <class T>
__device__ void prefetch(const CudaWarp& warp, const T* at, std::int64_t count) {
  constexpr std::int64_t kSector = 32;
  const auto bytes = count * static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t i = warp.lane() * kSector; at != nullptr && i < bytes; i += CudaWarp::kSize * kSector) {
    asm volatile("prefetch.global.L1 [%0];" ::"l"(reinterpret_cast<const char*>(at) + i));
  }
}

/// The same of an environment's row.
__device__ void prefetch(const CudaWarp& warp, const InputArray& array, std::int64_t environment, int count) {
  const std::int64_t bytes = array.type == ScalarType::kFloat64 ? 8 : 4;
  prefetch(warp,
           static_cast<const char*>(array.data) + (array.data != nullptr ? bytes * environment * array.stride : 0),
           array.data != nullptr ? bytes * count : 0);
}

/// What the environment and its pair begin with: other warps find it in the cache.
__device__ void prefetch(const CudaWarp& warp, const BatchCall& call, std::int64_t environment) {
  const SceneView& scene = call.scene;
  const State& state = call.state;
  prefetch(warp, scene.pairs, 1);
  prefetch(warp, scene.part_pairs, 1);
  prefetch(warp, scene.parts, scene.num_parts);
  prefetch(warp, scene.geometries, min(scene.num_geometries, 8));
  prefetch(warp, state.poses, environment, kPoseSize * scene.num_bodies);
  prefetch(warp, state.velocities, environment, kVelocitySize * scene.num_bodies);
  prefetch(warp, scene.bodies, scene.num_bodies);
  prefetch(warp, state.modulus, environment, scene.num_parts);
  prefetch(warp, state.dissipation, environment, scene.num_parts);
  prefetch(warp, state.friction, environment, scene.num_parts);
  for (int part = 0; part < 2; ++part) {
    prefetch(warp, scene.geometries[scene.parts[part].geometry].field, 1);
  }
}

/// Lets each warp wait for a line of the parameters, so that none waits for all of them.
__device__ void load_parameters(int warp, const BatchCall& call) {
  constexpr int kLine = 128 / sizeof(std::int32_t), kLines = sizeof(BatchCall) / 128;
  const auto* const words = reinterpret_cast<const std::int32_t*>(&call);
#pragma unroll
  for (int i = 0; i < kLines; ++i) {
    if (warp == i + 3) asm volatile("" ::"r"(words[kLine * i]));
  }
}

/// Begins the environment and, without waiting whether its state is valid, its pair: each warp a part of it.
template <class T>
__device__ __forceinline__ void begin(CudaWarp& warp, BlockMemory<T>& memory, const BatchCall& call,
                                      std::int64_t environment) {
  const SceneView& scene = call.scene;
  const int warp_in_block = static_cast<int>(threadIdx.x) / CudaWarp::kSize;
  load_parameters(warp_in_block, call);
  if (warp_in_block == 0) {
    if (warp.lane() == 0) {
      begin_staged_pair(memory.lists(), 0, scene, call.state, environment, 0, memory.part_pair);
    }
  } else if (warp_in_block == 1) {
    const std::uint32_t status = environment_status(warp, scene, call.state, environment);
    if (warp.lane() == 0) write(call.results.status, environment, 0, memory.status = status);
  } else if (warp_in_block == 2) {
    prefetch(warp, call, environment);
    write_no_contact(warp, scene, call.results, environment);
  } else if (warp_in_block == 3) {
    const PairView& view = scene.pairs[0];
    if (warp.lane() < 2) {
      memory.bounds[warp.lane()] =
          make_body_bounds<true>(scene, call.state, environment, warp.lane() == 0 ? view.a : view.b);
    }
    warp.sync();
    if (warp.lane() == 0) {
      memory.is_near = is_enabled(call.state, environment, 0) &&
                       (view.is_endless || bounds_may_touch(memory.bounds[0], memory.bounds[1]));
    }
    for (int i = warp.lane(); i < kWrenchWords; i += CudaWarp::kSize) memory.sums.word[i] = 0;
  } else {
    constexpr int kBefore = 4 * CudaWarp::kSize;
    find_roots(memory.search, call, environment, static_cast<int>(threadIdx.x) - kBefore,
               BlockMemory<T>::kThreads - kBefore);
  }
  __syncthreads();
}

/// The dynamic shared memory of the block.
template <class T>
__device__ BlockMemory<T>& block_memory() {
  extern __shared__ __align__(16) std::byte shared[];
  return *reinterpret_cast<BlockMemory<T>*>(shared);
}

// Functions that are called, as all in one would need more registers than there are.

/// A few cells are divided among a warp of each scheduler.
template <class T>
__device__ __noinline__ void integrate_listed(std::int32_t cells) {
  BlockMemory<T>& memory = block_memory<T>();
  CudaWarp warp;
  const auto own = static_cast<std::int32_t>(threadIdx.x) / CudaWarp::kSize;
  constexpr std::int32_t kSchedulers = 4;
  const std::int32_t at_once = min((cells + kSchedulers - 1) / kSchedulers, CudaWarp::kSize);
  for (std::int32_t first = own * at_once; first < cells; first += BlockMemory<T>::kWarps * at_once) {
    integrate_cells(warp, memory.integrals[own], memory.lists(), first, min(first + at_once, cells));
  }
}

template <class T>
__device__ __noinline__ void open_nodes(NodePair at, int turn) {
  BlockMemory<T>& memory = block_memory<T>();
  CudaWarp warp;
  open_nodes(warp, memory.search, memory.part_pair.context, at.m >= 0, at, memory.search.counts[turn]);
}

template <class T>
__device__ __noinline__ void test_cells(CellPair at, int turn) {
  BlockMemory<T>& memory = block_memory<T>();
  CudaWarp warp;
  test_cells(warp, memory.search, memory.part_pair.context, at.m >= 0, at, turn);
}

}  // namespace

template <class T>
__global__ void __launch_bounds__(BlockMemory<T>::kThreads, 1) evaluate_by_blocks_kernel(BatchCall call) {
  BlockMemory<T>& memory = block_memory<T>();
  CudaWarp warp;
  const std::int64_t environment = blockIdx.x;
  begin(warp, memory, call, environment);
  if (memory.status != kOk || !memory.is_near) return;

  search(memory.search, memory.part_pair.context.S.half_space,
         [](BlockRound round, std::int32_t cells, NodePair item, int turn) {
           if (round == BlockRound::kUse) return integrate_listed<T>(cells);
           round == BlockRound::kCells ? test_cells<T>(item, turn) : open_nodes<T>(item, turn);
         });
  if (threadIdx.x >= CudaWarp::kSize) return;
  const PairCall pair = {call.scene, call.state, call.results, environment, 0};
  Remaining remaining = Remaining::nothing();
  if (warp.lane() == 0) {
    CudaThread thread;
    remaining = finish_staged_pair<T, false, Parts::kOne>(thread, memory.lists(), 0, pair);
  }
  remaining = from_first(warp, remaining);
  if (remaining.kind == Remaining::kNothing) return;
  evaluate_pair<T, Outputs::kWrench, false, Parts::kOne>(warp, memory.alone, pair, {{}, nullptr, remaining});
}

namespace {

/// Lets a kernel be launched with so much dynamic shared memory. False if the current device has too little for a
/// block.
bool allow_shared_memory(const void* kernel, std::size_t bytes) {
  int device = 0, most = 0;
  ISOPATCH_CUDA_CHECK(cudaGetDevice(&device));
  ISOPATCH_CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  if (bytes > static_cast<std::size_t>(most)) return false;
  ISOPATCH_CUDA_CHECK(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  return true;
}

}  // namespace

template <class T>
std::int64_t load_evaluate_by_blocks(const SceneView& scene) {
  const bool is_simple = scene.num_pair_views == 1 && has_few_bodies(scene) && parts_of(scene) == Parts::kOne;
  const auto kernel = evaluate_by_blocks_kernel<T>;
  if (!is_simple || scene.pairs[0].has_law) return 0;
  if (!allow_shared_memory(reinterpret_cast<const void*>(kernel), sizeof(BlockMemory<T>))) return 0;
  return resident_blocks(kernel, BlockMemory<T>::kThreads);
}

template <class T>
void evaluate_by_blocks(const BatchCall& call, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(call.state.num_environments);
  if (blocks == 0) return;
  evaluate_by_blocks_kernel<T><<<blocks, BlockMemory<T>::kThreads, sizeof(BlockMemory<T>), stream>>>(call);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

template std::int64_t load_evaluate_by_blocks<float>(const SceneView&);
template std::int64_t load_evaluate_by_blocks<double>(const SceneView&);
template void evaluate_by_blocks<float>(const BatchCall&, cudaStream_t);
template void evaluate_by_blocks<double>(const BatchCall&, cudaStream_t);

}  // namespace isopatch::detail
