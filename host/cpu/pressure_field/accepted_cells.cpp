// SPDX-License-Identifier: Apache-2.0
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

void find_accepted_cells(const PairContext& context, TraversalMemory<AcceptedCells, 1>& memory,
                         std::vector<AcceptedCells>& to) {
  SerialWarp warp;
  AppendingVisitor visitor = {{context}, to};
  traverse(warp, memory, hierarchies_of(context), visitor);
}

}  // namespace isopatch::detail
