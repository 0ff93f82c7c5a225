// SPDX-License-Identifier: Apache-2.0
//
// The contacts of a pair for the solver of a time step: those of the polygons of its patch.
#pragma once

#include "isopatch/detail/pressure_field/evaluate_pair.h"
#include "isopatch/detail/pressure_field/outputs/record_of_polygon.h"

namespace isopatch::detail {

/// Makes the records of a part pair, in no particular order.
template <class T, class Warp, class Append>
struct SolverContactVisitor : CellSearch<PairContext> {
  ContactRecords<T, Append> records;
  bool touches = false;  // this lane has seen a polygon, also one that is left out
  SignSum<T> far_side = {};

  ISOPATCH_HD void visit(bool active, const AcceptedCells& at) {
    if (active && records.make(context, at, LinesInPlace<Warp::kCompactLines>(), far_side)) touches = true;
  }
};

/// Hands the contact polygons of a pair to append(polygon), or does what remains of it; search(visitor) lets a visitor
/// see the pairs of cells that may have one. Returns bits of the status: kNoContactSurface if its bodies overlap
/// without any polygon, or kFarSide. Called by all lanes.
template <class T, Parts parts = Parts::kSeveral, class Warp, class Append, class Search>
ISOPATCH_HD std::uint32_t find_solver_contacts(Warp& warp, PairMemory<PairContext>& memory, const PairCall& call,
                                               ContactPoints points, const Append& append, const Search& search,
                                               Remaining remaining = Remaining::everything()) {
  const auto& [scene, state, results, environment, pair] = call;
  const Vec3d origin_W = contact_origin(scene, state, environment, call.view());
  begin_pair<parts>(warp, memory, scene, state, environment, pair);
  while (true) {
    bool touches = false;
    std::int64_t far_side = 0;
    for (int frame = 0; frame < num_frames<parts>(call.view()) && remaining.kind != Remaining::kOverlapTest; ++frame) {
      for_each_part_pair<parts>(warp, memory, scene, state, environment, pair, frame, [&](int part_pair) {
        SolverContactVisitor<T, Warp, Append> visitor = {{memory.context},
                                                         {part_pair, points, origin_W, memory.bounds.force, append}};
        search(visitor);
        touches = touches || visitor.touches;
        far_side = wrapping_sum(far_side, visitor.far_side.limb);
      });
    }
    remaining = Remaining::everything();
    if (warp.ballot(touches) != 0u) return warp.sum(far_side) > 0 ? kFarSide : kOk;
    if (!overlaps<parts>(warp, memory, scene, state, environment, pair)) return kOk;
    if (memory.pass.pass == Pass::kUnfiltered || !scene.contact.gradient_filter) return kNoContactSurface;
    begin_pass(warp, memory, {Pass::kUnfiltered, 0});
  }
}

/// The same with the traversal of a warp.
template <class T, Parts parts = Parts::kSeveral, class Warp, int size, class Append>
ISOPATCH_HD std::uint32_t find_solver_contacts(Warp& warp, Workspace<size>& work, const PairCall& call,
                                               ContactPoints points, const Append& append,
                                               Remaining remaining = Remaining::everything()) {
  return find_solver_contacts<T, parts>(
      warp, work.pair, call, points, append,
      [&](auto& visitor) { traverse(warp, work.traversal, hierarchies_of(work.pair.context), visitor); }, remaining);
}

}  // namespace isopatch::detail
