// SPDX-License-Identifier: Apache-2.0
#include "host/cpu/contact/cancellable_warp.h"
#include "host/cpu/pressure_field/evaluate_pairs.h"

namespace isopatch::detail {

namespace {

struct AppendingVisitor : CellSearch<> {
  std::vector<AcceptedCells>& to;

  void visit(bool active, const AcceptedCells& cells) {
    if (active) to.push_back(cells);
  }
};

}  // namespace

void find_accepted_cells(const PairContext& context, PressureFieldWorkspace& work) {
  CancellableWarp warp(work.simd.traversal.counter);
  AppendingVisitor visitor = {{context}, work.accepted};
  traverse(warp, work.pair.traversal, hierarchies_of(context), visitor);
}

}  // namespace isopatch::detail
