// SPDX-License-Identifier: Apache-2.0
//
// The evaluation of pairs with SIMD, compiled once for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "host/cpu/cells/accepted_rows.h"
#include "host/cpu/pressure_field/solver_contact_kernels.h"
#include "host/cpu/simd/simd_workspace.h"
#include "isopatch/detail/pressure_field/outputs/found_polygon.h"
#include "isopatch/detail/pressure_field/outputs/wrench_sums.h"

namespace isopatch::detail {

/// Hard polygons that wait for their integrals (deferred_polygons.h): a row for each number, and for the numbers of
/// each side.
template <class T>
struct alignas(64) HardRows {
  static constexpr int kNumbers = 20, kSides = 8, kMax = 9 * SimdTraversalMemory::kMaxLanes;

  T number[kNumbers][kMax];
  T side[kSides][4][kMax];
  std::int32_t cuts[kMax], blends[kMax], num_sides[kMax], place[kMax];
};

/// Room for one object at a time whose size depends on the instruction set.
template <std::size_t size>
struct alignas(64) ObjectMemory {
  std::byte bytes[size];

  /// Makes an object, whose destructor does nothing.
  template <class Object, class... Arguments>
  Object& make(Arguments&&... arguments) {
    static_assert(sizeof(Object) <= size && alignof(Object) <= 64 && std::is_trivially_destructible_v<Object>);
    return *new (bytes) Object(std::forward<Arguments>(arguments)...);
  }
};

/// The memory of the evaluation of a pair with SIMD: whoever calls may have a stack of 64 KB.
struct SimdWorkspace {
  SimdTraversalMemory traversal;

  AcceptedRows accepted = {};  // lanes without work read old values
  std::tuple<HardRows<float>, HardRows<double>> hard = {};
  ObjectMemory<53 * 1024> staged;      // the vectors of polygon_stages.h, written before they are read
  ObjectMemory<20 * 1024> last_stage;  // of polygons, as WrenchStages

  /// For hierarchies of at most this many wide nodes.
  explicit SimdWorkspace(std::int32_t wide_nodes) : traversal(wide_nodes) {}
};

/// A part pair that is searched, and the index of the sums that its polygons are added to.
struct PartPairWork {
  const PairContext* context;
  std::int32_t sums;
  KeptSearch kept;
};

/// Takes the polygons of a pair that count, as the sinks do. The records that sinks make use plain arithmetic, which is
/// compiled once, for all machines.
template <class T>
struct ErasedSink {
  PlateMoments* plates;  // for each of the sums, filled besides; null where there are none
  std::int64_t environment = 0;
  int pair = 0;
  const void* sinks = nullptr;  // with `add` null if no polygons are wanted
  void (*add)(const void* sinks, const FoundPolygon<T>& polygon) = nullptr;
};

/// Without a erased, no polygon is given away.
template <class T, bool with_patch>
using SumPartPairs = void (*)(std::span<const PartPairWork>, SimdWorkspace&, WrenchSums<T, with_patch>* sums,
                              const ErasedSink<T>* erased);

// of energy.h
struct PlanesInPlace;
struct AddEnergy;
struct EnergySum;
template <class Planes, class Add>
struct OverlapVisitor;
using CellEnergyVisitor = OverlapVisitor<PlanesInPlace, AddEnergy>;

/// Calls add(context, m, s, plane, sides, to) for all contact polygons of a part pair. The fluxes
/// through them use plain arithmetic, which is compiled once, for all machines.
using AddFluxes = void (*)(const PairContext&, std::int32_t m, std::int32_t s, const ContactPlane<double>&,
                           const SidesInPlace<double>&, EnergySum& to);
using FindPolygons = void (*)(const PairContext&, SimdWorkspace&, AddFluxes add, EnergySum& to);

/// Calls visit(visitor, m, s) for the pairs of cells whose nodes may overlap. The energies of cells use plain
/// arithmetic, which is compiled once, for all machines.
using FindOverlaps = void (*)(const PairContext&, SimdWorkspace&, CellEnergyVisitor& visitor,
                              void (*visit)(CellEnergyVisitor& visitor, std::int32_t m, std::int32_t s));

/// Appends the pairs of cells that pass their test. The points of fans use plain arithmetic.
using FindAccepted = void (*)(const PairContext&, SimdWorkspace&, std::vector<AcceptedCells>& to);

/// The table of this contact model: sums for each scalar type, without and with those of the patch, two functions for
/// the energy, and for steps the search for contact; std::get by type.
struct PressureFieldKernels  // a type of its own, as the tuple's would be in the names of all functions that take it
    : std::tuple<SumPartPairs<float, false>, SumPartPairs<float, true>, SumPartPairs<double, false>,
                 SumPartPairs<double, true>, FindPolygons, FindOverlaps, FindContacts<float>, FindContacts<double>,
                 FindAccepted> {
  using tuple::tuple;
};

}  // namespace isopatch::detail
