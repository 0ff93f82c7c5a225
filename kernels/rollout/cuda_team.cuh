// SPDX-License-Identifier: Apache-2.0
//
// A warp that works on several small problems at once, with a team of 8 lanes for each, or on one with all 32. Teams
// take the same way through the code: what only some of them have to do is done where any() of them has.
#pragma once

#include "isopatch/detail/rollout/solver/lane_sums.h"
#include "kernels/runtime/cuda_warp.cuh"

namespace isopatch::detail {

/// Memory for the sums of a team, which its lanes share: a column of each lane, and the totals. No two lanes have the
/// same bank.
struct TeamSums {
  static constexpr int kMost = 21;
  __host__ __device__ static constexpr int stride(int lanes) { return lanes + 1; }
  __host__ __device__ static constexpr int doubles(int lanes) { return kMost * (stride(lanes) + 1); }
};

struct CudaTeam {
  static constexpr int kSize = CudaWarp::kSize;  // at most
  static constexpr int kTeam = 8;                // of several
  static constexpr int kTeams = kSize / kTeam;

  /// Of the sums of a warp.
  static constexpr int kDoubles = kTeams * TeamSums::doubles(kTeam);
  static_assert(kDoubles >= TeamSums::doubles(kSize));

  /// `shared` has kDoubles of the whole warp; `together` lanes are a team: 8 or 32.
  __device__ CudaTeam(double* shared, int together)
      : sums_(shared + team_of(together) * TeamSums::doubles(kTeam)), size_(together) {}

  __device__ static int team_of(int together) { return CudaWarp().lane() / together; }
  __device__ int lane() const { return static_cast<int>(threadIdx.x) & (size_ - 1); }
  __device__ int size() const { return size_; }
  __device__ void sync() const { __syncwarp(); }
  __device__ bool any(bool value) const { return __ballot_sync(CudaWarp::kAll, value) != 0u; }

  /// A team of eight has few polygons.
  __device__ void prefetch(const void* begin, int bytes) const {
    if (size_ == kSize) CudaWarp().prefetch(begin, bytes);
  }

  /// In the order of lane_sums.h. A lane of a team of 8 does the work of four, and the tree adds up lanes 16 apart,
  /// then 8 apart, then all others. Beside shuffles that takes a third of the instructions: a lane adds up one sum.
  template <int size, class Add>
  __device__ void lane_sums(int count, const Add& add, double (&sums)[size]) const {
    static_assert(size <= TeamSums::kMost);
    const bool whole = size_ == kSize;
    const int width = TeamSums::stride(size_), used = min(count, kSumLanes);
    double* const own = sums_ + lane();
    double* const total = sums_ + TeamSums::kMost * width;
    double held[size];  // of a lane, until 16 lanes farther is known
#pragma unroll
    for (double& sum : held) sum = 0;
#pragma unroll 1
    for (int round = 0; round < (whole || used <= kTeam ? 1 : 4); ++round) {
      const int lane_of_sum = (round & 1) * 16 + (round >> 1) * kTeam + lane();
      double part[size];
#pragma unroll
      for (double& sum : part) sum = 0;
#pragma unroll 1
      for (int i = lane_of_sum; i < count; i += kSumLanes) add(i, part);
      if (round == 2) {
#pragma unroll
        for (int k = 0; k < size; ++k) held[k] = part[k];
        continue;
      }
#pragma unroll
      for (int k = 0; k < size; ++k) {
        const double of_two = round == 3 ? held[k] + part[k] : part[k];
        own[k * width] = round == 0 ? part[k] : own[k * width] + of_two;
      }
    }
    sync();
    for (int k = lane(); k < size; k += size_) {
      const double* const lanes = sums_ + k * width;
      const auto at = [&](int l) { return l < used ? lanes[l] : 0.0; };
      double left[kTeam];
#pragma unroll
      for (int l = 0; l < kTeam; ++l) {
        left[l] = whole ? (at(l) + at(l + 16)) + (at(l + 8) + at(l + 24)) : at(l);
      }
      const double sum = ((left[0] + left[4]) + (left[2] + left[6])) + ((left[1] + left[5]) + (left[3] + left[7]));
      total[k] = sum + (used < kSumLanes ? 0.0 : -0.0);  // as add_up_lanes() does
    }
    sync();
#pragma unroll
    for (int k = 0; k < size; ++k) sums[k] = total[k];
  }

 private:
  double* sums_;
  int size_;
};

}  // namespace isopatch::detail
