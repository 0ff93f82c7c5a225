// SPDX-License-Identifier: Apache-2.0
#include "host/cpu/pressure_field/evaluate_pairs.h"
#include "isopatch/detail/pressure_field/energy.h"

namespace isopatch::detail {
namespace {

/// Searches with SIMD if there are kernels, but for the few overlaps of a sink.
struct CpuEnergySearch : EnergySearch<CancellableWarp, 1> {
  const PressureFieldKernels* kernels;
  SimdWorkspace& work;

  void find_polygons(const PairContext& f, EnergySum& sum) const {
    if (kernels == nullptr) return EnergySearch::find_polygons(f, sum);
    std::get<FindPolygons> (*kernels)(f, work, add_polygon, sum);
  }
  void overlap(const PairContext& f, CellEnergyVisitor& visitor) const {
    if (kernels == nullptr) return EnergySearch::overlap(f, visitor);
    const auto visit = [](CellEnergyVisitor& to, std::int32_t m, std::int32_t s) {
      AcceptedCells cells = {m, s, {}};
      if (to.accepts(cells)) to.visit(true, cells);
    };
    std::get<FindOverlaps> (*kernels)(f, work, visitor, visit);
  }
};

struct AppendingVisitor : CellSearch<PairContext> {
  std::vector<AcceptedCells>& to;

  void visit(bool active, const AcceptedCells& cells) {
    if (active) to.push_back(cells);
  }
};

}  // namespace

void write_energy(const CpuPressureFieldCall& call, std::int64_t environment, int pair, PressureFieldWorkspace& work) {
  const auto& [scene, state, results, candidates] = call.batch;
  CancellableWarp warp(work.simd.traversal.counter);
  const CpuEnergySearch search = {{warp, work.pair.traversal}, call.kernels, work.simd};
  evaluate_energy(warp, work.pair.pair, PlanesInPlace(), scene, state, results, environment, pair, search);
}

void find_accepted_cells(const PairContext& context, PressureFieldWorkspace& work) {
  CancellableWarp warp(work.simd.traversal.counter);
  AppendingVisitor visitor = {{context}, work.accepted};
  traverse(warp, work.pair.traversal, hierarchies_of(context), visitor);
}

}  // namespace isopatch::detail
