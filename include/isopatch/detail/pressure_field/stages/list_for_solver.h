// SPDX-License-Identifier: Apache-2.0
//
// The contacts of many pairs for the solver of a time step, in stages (begin.h): after the searches, a lane makes the
// records of one pair of cells, and a thread ends a pair. What it cannot end is left to find_solver_contacts().
#pragma once

#include "isopatch/detail/pressure_field/outputs/record_of_polygon.h"
#include "isopatch/detail/pressure_field/stages/search.h"

namespace isopatch::detail {

/// What is found of a staged pair.
struct ContactsOfPair {
  Vec3d origin_W;         // the pair's point in the world, m
  std::int64_t far_side;  // sum of the lanes' SignSum; 0 between calls
  std::uint32_t touches;  // not 0: there is a polygon; 0 between calls
};

/// Makes the records of the listed cells from `first` to `end`, at most one for each lane, and hands them to
/// append(environment, record); environment_of(i) is that of the staged pair i. Called by all lanes.
template <class T, class Warp, class Lines, class EnvironmentOf, class Append>
ISOPATCH_HD void make_listed_contacts(Warp& warp, const Lines& lines, const StagedPairs& staged,
                                      ContactsOfPair* of_pairs, std::int32_t num_part_pairs, ContactPoints points,
                                      std::int32_t first, std::int32_t end, const EnvironmentOf& environment_of,
                                      const Append& append) {
  const std::int32_t at = first + warp.lane();
  std::int32_t pair = -1;
  SignSum<T> far_side;
  bool touches = false;
  if (at < end) {
    const CellWork& item = staged.cells.items[at];
    const StagedPartPair& part_pair = staged.part_pairs.items[item.part_pair];
    pair = part_pair.pair;
    const StagedPair& begun = staged.pairs[pair];
    if (begun.incomplete == 0u) {  // otherwise find_solver_contacts() does all of it
      const std::int64_t environment = environment_of(pair);
      const auto append_here = [&](const SolverContact<T>& record) { append(environment_of(part_pair.pair), record); };
      const ContactRecords<T, decltype(append_here)> records = {
          static_cast<int>(part_pair.candidates - environment * num_part_pairs), points, of_pairs[pair].origin_W,
          begun.bounds.force, append_here};
      touches = records.make(part_pair.context, item.cells, lines, far_side);
    }
  }
  for (std::uint32_t left = warp.ballot(touches); left != 0u;) {
    const int leader = count_bits(~left & (left - 1u));
    const std::int32_t target = warp.from_lane(pair, leader);
    const bool mine = touches && pair == target;
    const std::int64_t sum = warp.sum(mine ? far_side.limb : 0);
    if (warp.lane() == leader) {
      if (sum != 0) warp.add(&of_pairs[pair].far_side, sum);
      warp.set_bits(&of_pairs[pair].touches, 1);
    }
    left &= ~warp.ballot(mine);
  }
}

/// Ends the search for the contacts of a staged pair: adds its bits to `status`, and returns what is left to do. Called
/// by one thread.
template <class Thread>
ISOPATCH_HD Remaining end_contact_search(Thread& thread, const StagedPair& begun, ContactsOfPair& found,
                                         std::uint32_t* status) {
  const bool touches = found.touches != 0, is_far = found.far_side > 0;
  found.far_side = 0;
  found.touches = 0;
  if (begun.incomplete != 0u) return Remaining::everything();
  if (!touches) return {Remaining::kOverlapTest, 0};
  if (is_far) thread.set_bits(status, kFarSide);
  return Remaining::nothing();
}

}  // namespace isopatch::detail
