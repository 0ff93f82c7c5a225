// SPDX-License-Identifier: Apache-2.0
//
// A warp is a group of lanes that run the same code and share a workspace. evaluate_pair() is written once for any
// Warp with these members:
//
//   static constexpr int kSize            number of lanes, at most 32
//   static constexpr bool kCompactLines   how lines are kept: see polygon_lines.h
//   int lane()                            0 .. kSize-1
//   std::uint32_t ballot(bool)            bit i is lane i's value
//   std::int64_t sum(std::int64_t)        over all lanes, in every lane
//   float max(float) / double max(double) over all lanes, in lane 0
//   double tree_sum(double)               over all lanes, in every lane, in the order of lane_sums.h (32 lanes only)
//   int from_first(int)                   lane 0's value, in every lane
//   int from_lane(int, int)               that of the lane given second, which is the same in every lane
//   double from_lane(double, int)         likewise (32 lanes only)
//   void prefetch(const void*, int bytes) says that they will be read soon
//   void sync()                           makes writes to the workspace visible to all lanes
//   int reserve(std::int32_t*, int)       adds to a counter other warps may share, returns the value before
//   std::int64_t reserve(std::int64_t*, std::int64_t)   likewise
//   void set_bits(std::uint32_t*, bits)   ors into a word other warps may share
//   void add(std::int64_t*, v)            adds to a word other warps may share
//   void raise(std::int64_t*, v)          makes it at least v
//   int arrive(std::int32_t*)             counts the caller in, after all it wrote; returns how many came before
//   std::int64_t take(std::int64_t*)      what others added, once all have arrived; leaves 0
//
// CudaWarp (kernels/runtime/cuda_warp.cuh) is the GPU's. SerialWarp runs the same code on the CPU for what SIMD vectors
// (host/cpu/pressure_field/simd_evaluation.h) do not compute: polygons, energies, brute force. The tests run 32 fibers
// in lockstep.
#pragma once

#include <bit>
#include <cstdint>

#include "isopatch/detail/math/macros.h"
#include "isopatch/detail/math/vec.h"

namespace isopatch::detail {

struct SerialWarp {
  static constexpr int kSize = 1;
  static constexpr bool kCompactLines = true;

  ISOPATCH_HD int lane() const { return 0; }
  ISOPATCH_HD std::uint32_t ballot(bool value) const { return value ? 1u : 0u; }
  ISOPATCH_HD std::int64_t sum(std::int64_t value) const { return value; }
  ISOPATCH_HD float max(float value) const { return value; }
  ISOPATCH_HD double max(double value) const { return value; }
  ISOPATCH_HD int from_first(int value) const { return value; }
  ISOPATCH_HD int from_lane(int value, int /*lane*/) const { return value; }
  ISOPATCH_HD void prefetch(const void* /*begin*/, int /*bytes*/) const {}
  ISOPATCH_HD void sync() const {}
  ISOPATCH_HD int reserve(std::int32_t* counter, int count) const {
    const int before = *counter;
    *counter += count;
    return before;
  }
  ISOPATCH_HD std::int64_t reserve(std::int64_t* counter, std::int64_t count) const {
    const std::int64_t before = *counter;
    *counter += count;
    return before;
  }
  ISOPATCH_HD void set_bits(std::uint32_t* word, std::uint32_t bits) const { *word |= bits; }
  ISOPATCH_HD void add(std::int64_t* word, std::int64_t value) const { *word = wrapping_sum(*word, value); }
  ISOPATCH_HD void raise(std::int64_t* word, std::int64_t value) const { *word = value > *word ? value : *word; }
  ISOPATCH_HD int arrive(std::int32_t* counter) const { return (*counter)++; }
  ISOPATCH_HD std::int64_t take(std::int64_t* word) const {
    const std::int64_t value = *word;
    *word = 0;
    return value;
  }
};

ISOPATCH_HD int count_bits(std::uint32_t word) { return std::popcount(word); }

/// How many lanes below this one have their bit set.
ISOPATCH_HD int rank_in(std::uint32_t ballot, int lane) { return count_bits(ballot & ((1u << lane) - 1u)); }

/// The lanes that solve a problem together are a team: a warp, or one of the parts of a warp that each have a problem
/// of their own (kernels/rollout/cuda_team.cuh). The teams of a warp take the same way through the code: what only some
/// of them have to do is done where any of them has, and changes nothing for the others.
///
/// Whether a value, which all lanes of a team have, is true in any team of the warp. Called by all lanes.
template <class Warp>
ISOPATCH_HD bool any_team(Warp& warp, bool value) {
  if constexpr (requires { warp.any(value); }) {
    return warp.any(value);
  } else {
    return value;
  }
}

/// The lanes of a team for functions that are called (ISOPATCH_HD_APART) and only need lane() and sync(): without its
/// other members.
template <class Warp>
ISOPATCH_HD decltype(auto) lanes_of(Warp& warp) {
  if constexpr (requires { warp.lanes(); }) {
    return warp.lanes();
  } else {
    return (warp);
  }
}

/// Whether code for these lanes is for scenes with trees of bodies too: kernels for others are smaller without.
template <class Warp>
inline constexpr bool kTakesTrees = !requires {
  requires !Warp::kTakesTrees;
};

}  // namespace isopatch::detail
