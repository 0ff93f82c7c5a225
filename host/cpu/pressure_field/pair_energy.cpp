// SPDX-License-Identifier: Apache-2.0
#include "host/cpu/pressure_field/evaluate_pairs.h"
#include "isopatch/detail/pressure_field/energy.h"

namespace isopatch::detail {

void write_energy(const PressureFieldCall& call, std::int64_t environment, int pair, PressureFieldWorkspace& work) {
  const auto& [scene, state, results, candidates] = call.batch;
  SerialWarp warp;
  if (call.kernels == nullptr) return evaluate_energy(warp, work.pair, scene, state, results, environment, pair);
  const auto visit = [](CellEnergyVisitor& visitor, std::int32_t m, std::int32_t s) {
    AcceptedCells cells = {m, s, {}};
    if (visitor.accepts(cells)) visitor.visit(true, cells);
  };
  evaluate_energy(warp, work.pair.pair, PlanesInPlace(), scene, state, results, environment, pair,
                  [&](CellEnergyVisitor& visitor) {
                    std::get<FindOverlaps> (*call.kernels)(visitor.context, work.simd, visitor, visit);
                  });
}

}  // namespace isopatch::detail
