// SPDX-License-Identifier: Apache-2.0
//
// How evaluate_pairs.h finds the contacts of a pair in a step. Only the files that compile it for a precision include
// this.
#pragma once

#include "host/cpu/contact/cancellable_warp.h"
#include "host/cpu/pressure_field/evaluate_pairs.h"
#include "isopatch/detail/pressure_field/search_for_solver.h"

namespace isopatch::detail {

template <class T>
std::uint32_t find_contacts(const StepBatch& batch, std::int64_t environment, int pair,
                            const PressureFieldKernels* kernels, PressureFieldWorkspace& work,
                            std::vector<SolverContact<T>>& found) {
  CancellableWarp warp(work.simd.traversal.counter);
  const auto append = [&](const SolverContact<T>& contact) { found.push_back(contact); };
  const auto search = [&](auto& visitor) {
    const PairContext& context = work.pair.pair.context;
    if (kernels == nullptr || visitor.records.points == ContactPoints::kFan6) {
      work.accepted.clear();
      if (kernels == nullptr) {
        find_accepted_cells(context, work);
      } else {
        std::get<FindAccepted> (*kernels)(context, work.simd, work.accepted);
      }
      for (const AcceptedCells& cells : work.accepted) {
        work.simd.traversal.counter.add(1);
        visitor.visit(true, cells);
      }
    } else {
      const auto& records = visitor.records;
      const ContactSearch<T> wanted = {
          records.part_pair,  records.points, records.origin_W,
          records.load_scale, found,          work.begin_search(batch.scene, environment, records.part_pair, context)};
      const SearchResult<T> result = std::get<FindContacts<T>>(*kernels)(context, work.simd, wanted);
      visitor.touches = result.touches;
      visitor.far_side = result.far_side;
    }
  };
  return find_solver_contacts<T>(warp, work.pair.pair, {batch.scene, batch.contact, batch.results, environment, pair},
                                 batch.points, append, search);
}

}  // namespace isopatch::detail
