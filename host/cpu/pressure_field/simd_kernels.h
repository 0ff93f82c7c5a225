// SPDX-License-Identifier: Apache-2.0
//
// The evaluation of one pair with SIMD, compiled once for each instruction set.
#pragma once

#include <cstdint>
#include <tuple>

#include "host/cpu/cpu_options.h"
#include "host/cpu/rollout/polygon_kernels.h"
#include "host/cpu/simd/simd_workspace.h"
#include "isopatch/detail/pressure_field/outputs/wrench_sums.h"

namespace isopatch::detail {

/// The memory of the evaluation of a pair with SIMD.
struct SimdWorkspace {
  SimdTraversalMemory traversal;

  /// Pairs of cells that passed their test, with one row for each member of AcceptedCells.
  static constexpr int kQueue = SimdTraversalMemory::kQueue;
  struct Accepted {
    std::int32_t m[kQueue], s[kQueue];
    std::int32_t positive[kQueue];
    float x[kQueue], y[kQueue], z[kQueue], radius[kQueue];
  };
  Accepted accepted = {};  // lanes without work read old values

  /// For hierarchies of at most this many wide nodes.
  explicit SimdWorkspace(std::int32_t wide_nodes) : traversal(wide_nodes) {}
};

/// Adds the contributions of all polygons of a pair to `sums`.
template <class T, bool with_patch>
using SumPair = void (*)(const PairContext&, SimdWorkspace&, WrenchSums<T, with_patch>&);

// of energy.h
struct PlanesInPlace;
template <class Planes>
struct EnergyVisitor;
using CellEnergyVisitor = EnergyVisitor<PlanesInPlace>;

/// Calls visit(visitor, m, s) for the pairs of cells whose nodes may overlap. The energies of cells use plain
/// arithmetic, which is compiled once, for all machines.
using FindOverlaps = void (*)(const PairContext&, SimdWorkspace&, CellEnergyVisitor& visitor,
                              void (*visit)(CellEnergyVisitor& visitor, std::int32_t m, std::int32_t s));

/// Calls visit(visitor, cells) for the pairs of cells that pass their test. The points of fans use plain arithmetic.
using FindAccepted = void (*)(const PairContext&, SimdWorkspace&, void* visitor,
                              void (*visit)(void* visitor, const AcceptedCells& cells));

struct PointKernels;  // of host/cpu/rollout/point_kernels.h

/// One for each scalar type, without and with the sums of the patch, one for the energy, and for steps the search for
/// contact and the sums of contact points; std::get by type.
using SimdKernels =
    std::tuple<SumPair<float, false>, SumPair<float, true>, SumPair<double, false>, SumPair<double, true>, FindOverlaps,
               FindPolygons<float>, FindPolygons<double>, FindAccepted, const PointKernels*>;

/// Null if the build is for a machine without vectors of doubles or without fma.
const SimdKernels* baseline_simd_kernels();

/// Null if the build has none. May be called only on a machine with AVX-512 (F, BW, CD, DQ, VL).
const SimdKernels* avx512_simd_kernels();

/// The ones to use; null for plain arithmetic. Throws Error for a width this machine or build does not have.
const SimdKernels* select_simd_kernels(Vectors vectors);

}  // namespace isopatch::detail
