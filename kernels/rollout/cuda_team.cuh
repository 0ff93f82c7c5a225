// SPDX-License-Identifier: Apache-2.0
//
// The lanes that solve a problem together, with shared memory for their sums: a warp, or a team of four lanes for each
// of eight small problems that a warp solves at once. The teams take the same way through the code: see
// any_team() in include/isopatch/detail/simt/warp.h.
#pragma once

#include "isopatch/detail/simt/lane_sums.h"
#include "kernels/runtime/cuda_warp.cuh"

namespace isopatch::detail {

/// A warp for scenes with trees of bodies.
struct CudaTreeWarp : CudaWarp {
  static constexpr bool kTakesTrees = true;
};

/// A warp.
struct SummingWarp : CudaWarp {
  static constexpr int kMaxSums = 29;
  static constexpr int kStride = kSize + 1;  // no two lanes have the same bank
  static constexpr int kDoubles = kMaxSums * kStride;

  /// With `shared` memory of kDoubles.
  __device__ explicit SummingWarp(double* shared) : sums_(shared) {}

  __device__ CudaWarp lanes() const { return {}; }

  /// In the order of lane_sums.h. Where there are many sums a lane adds up one of them, a third of the instructions of
  /// shuffles.
  template <int size, class Add>
  __device__ void lane_sums(int count, const Add& add, double (&sums)[size]) const {
    static_assert(size <= kMaxSums);
    constexpr int kFew = 2;
#pragma unroll
    for (double& sum : sums) sum = 0;
#pragma unroll 1
    for (int i = lane(); i < count; i += kSumLanes) add(i, sums);
    if constexpr (size <= kFew) {
#pragma unroll
      for (double& sum : sums) sum = called_tree_sum(sum);
    } else {
      sync();  // all have read the last ones
#pragma unroll
      for (int k = 0; k < size; ++k) sums_[k * kStride + lane()] = sums[k];
      sync();
      double* const row = sums_ + lane() * kStride;
      // half of the lanes have zeros, which change no more than the sign of a zero
      if (lane() < size) row[0] = count <= kSize / 2 ? tree<1, kSize / 2>(row) + 0.0 : tree<1, kSize>(row);
      sync();
#pragma unroll
      for (int k = 0; k < size; ++k) sums[k] = sums_[k * kStride];
    }
  }

 private:
  __device__ __noinline__ static double called_tree_sum(double value) { return CudaWarp().tree_sum(value); }

  /// The sum of the values of so many lanes, so far apart.
  template <int apart, int lanes>
  __device__ static double tree(const double* values) {
    if constexpr (apart == lanes) {
      return values[0];
    } else {
      return tree<2 * apart, lanes>(values) + tree<2 * apart, lanes>(values + apart);
    }
  }

  double* sums_;
};

/// The same for scenes with trees of bodies.
struct SummingTreeWarp : SummingWarp {
  static constexpr bool kTakesTrees = true;

  using SummingWarp::SummingWarp;
  __device__ CudaTreeWarp lanes() const { return {}; }
};

/// A quarter of a warp that takes an environment and waits for no other team.
struct OwnTeam {
  static constexpr int kSize = 8;
  static constexpr bool kTakesTrees = false;
  static constexpr int kTeams = CudaWarp::kSize / kSize;

  __device__ static int index() { return CudaWarp().lane() / kSize; }
  __device__ int lane() const { return static_cast<int>(threadIdx.x) % kSize; }
  __device__ std::uint32_t ballot(bool value) const { return __ballot_sync(members(), value) >> first_lane(); }
  __device__ void sync() const { __syncwarp(members()); }

 private:
  __device__ static int first_lane() { return index() * kSize; }
  __device__ static unsigned members() { return ((1u << kSize) - 1u) << first_lane(); }
};

/// An eighth of a warp.
struct CudaTeam {
  static constexpr int kSize = 4;
  static constexpr bool kTakesTrees = false;
  static constexpr int kTeams = CudaWarp::kSize / kSize;
  static constexpr int kMaxSums = 21;
  static constexpr int kColumns = 8;            // of lane_sums(), each of lanes 8 apart
  static constexpr int kStride = kColumns + 1;  // no two lanes have the same bank
  static constexpr int kDoubles = kMaxSums * kStride;

  /// With `shared` memory of kDoubles.
  __device__ explicit CudaTeam(double* shared) : sums_(shared) {}

  /// Of the lane's team in its warp.
  __device__ static int index() { return CudaWarp().lane() / kSize; }
  __device__ int lane() const { return static_cast<int>(threadIdx.x) % kSize; }
  __device__ void sync() const { __syncwarp(); }
  __device__ bool any(bool value) const { return CudaWarp().ballot(value) != 0u; }
  __device__ void prefetch(const void* /*begin*/, int /*bytes*/) const {}  // there are few polygons
  /// The memory of sums, between them.
  __device__ double* close_memory() const { return sums_; }

  /// In the order of lane_sums.h. A lane does the work of eight, and the tree adds up lanes 16 apart, then 8 apart,
  /// then all others: there each lane adds up a sum of all lanes, a third of the instructions of shuffles.
  template <int size, class Add>
  __device__ void lane_sums(int count, const Add& add, double (&sums)[size]) const {
    static_assert(size <= kMaxSums);
    const int used = min(count, kSumLanes);
    constexpr int kRounds = kSumLanes / kColumns;  // of a column
    const int rounds = used <= kSize ? 1 : kRounds * (kColumns / kSize);
    double held[size];  // of a lane, until 16 lanes farther is known
#pragma unroll
    for (double& sum : held) sum = 0;
#pragma unroll 1
    for (int round = 0; round < rounds; round += used <= kColumns ? kRounds : 1) {
      const int column = round / kRounds * kSize + lane(), of_column = round % kRounds;
      double part[size];
#pragma unroll
      for (double& sum : part) sum = 0;
#pragma unroll 1
      for (int i = (round & 1) * 16 + (of_column >> 1) * kColumns + column; i < count; i += kSumLanes) add(i, part);
      if (of_column == 2) {
#pragma unroll
        for (int k = 0; k < size; ++k) held[k] = part[k];
        continue;
      }
      double* const own = sums_ + column;
#pragma unroll
      for (int k = 0; k < size; ++k) {
        const double of_two = of_column == 3 ? held[k] + part[k] : part[k];
        own[k * kStride] = of_column == 0 ? part[k] : own[k * kStride] + of_two;
      }
    }
    sync();
#pragma unroll 1
    for (int k = lane(); k < size; k += kSize) {
      double left[kColumns];
#pragma unroll
      for (int l = 0; l < kColumns; ++l) left[l] = l < used ? sums_[k * kStride + l] : 0.0;
      const double sum = ((left[0] + left[4]) + (left[2] + left[6])) + ((left[1] + left[5]) + (left[3] + left[7]));
      sums_[k * kStride] = sum + (used < kSumLanes ? 0.0 : -0.0);  // as add_up_lanes() does
    }
    sync();
#pragma unroll
    for (int k = 0; k < size; ++k) sums[k] = sums_[k * kStride];
    sync();  // before the next ones
  }

 private:
  double* sums_;
};

}  // namespace isopatch::detail
