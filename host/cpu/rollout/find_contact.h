// SPDX-License-Identifier: Apache-2.0
//
// The search for the contact of one environment in a step.
#pragma once

#include "host/cpu/rollout/step_workspace.h"

namespace isopatch::detail {

/// Lists the environment's contact polygons in the order of their keys. Returns its status. Without `SIMD vectors`,
/// cells are tested one at a time.
template <class T>
std::uint32_t find_contact(const StepView& step, const State& contact, std::int64_t environment, StepWorkspace<T>& work,
                           const SimdKernels* simd = nullptr) {
  work.polygons.clear();
  SerialWarp warp;
  std::uint32_t status = kOk;
  Results results;
  results.status = {&status, 0};
  std::int32_t count = 0;
  begin_environment(warp, warp, work.contact.bounds, step.scene, contact, results, environment,
                    {work.contact.items, &count, kMaxPairs});
  const auto append = [&](const SolverContact<T>& polygon) { work.polygons.add(polygon); };
  const auto search = [&]<class Visitor>(Visitor& visitor) {
    const PairContext& pair = work.contact.pair.pair.context;
    if (simd == nullptr) {
      traverse(warp, work.contact.pair.traversal, hierarchies_of(pair), visitor);
    } else if (visitor.points == ContactPoints::kFan6) {
      std::get<FindAccepted> (*simd)(pair, work.contact.simd, &visitor, [](void* to, const AcceptedCells& cells) {
        static_cast<Visitor*>(to)->visit(true, cells);
      });
    } else {
      const PolygonSearch<T> wanted = {
          visitor.part_pair,
          visitor.points,
          visitor.origin_W,
          visitor.load_scale,
          &work.polygons,
          [](void* to, const SolverContact<T>& polygon) { static_cast<SortedPolygons<T>*>(to)->add(polygon); }};
      const SearchResult<T> found = std::get<FindPolygons<T>>(*simd)(pair, work.contact.simd, wanted);
      visitor.touches = found.touches;
      visitor.far_side = found.far_side;
    }
  };
  for (std::int32_t i = 0; i < count; ++i) {
    const int pair = static_cast<int>(work.contact.items[i] - environment * step.scene.num_pairs);
    status |= find_solver_contacts<T>(warp, work.contact.pair.pair, step.scene, contact, environment, pair,
                                      step.rollout.points, append, search);
  }
  work.polygons.sort();
  return status;
}

}  // namespace isopatch::detail
