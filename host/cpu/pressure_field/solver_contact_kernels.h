// SPDX-License-Identifier: Apache-2.0
//
// The search for the contact polygons of a part pair with SIMD, compiled once for each instruction set. They have the
// bits of SolverContactVisitor.
#pragma once

#include <cstdint>
#include <vector>

#include "host/cpu/simd/simd_workspace.h"
#include "isopatch/detail/pressure_field/search_for_solver.h"
#include "isopatch/detail/pressure_field/stages/candidates.h"

namespace isopatch::detail {

/// The candidates of a part pair that are kept from one search to the next; kept_candidates.h says when.
struct KeptList {
  enum State : std::int32_t {
    kNone,  // nothing is known
    kSeen,  // only the pose of the last search
    kFound
  };

  /// How many searches of a part pair keep nothing where it did not pay: for little gain, and for lists without room.
  static constexpr std::int32_t kPause = 8, kLongPause = 128;

  CandidateOrigin origin;
  Transform<double> last;  // X_MS of the last search
  std::int64_t era;        // of the store; what is of another one is forgotten
  State state;
  float margin;              // that they were found with, m
  std::int32_t count;        // how many were found, which may be more than there is room for
  std::int32_t num_without;  // how many were tested last in a search without a margin
  std::int32_t searches;     // since they were found
  std::int32_t pause;        // searches until candidates are kept again
  std::int32_t times_found;  // how often they were found
};

/// What a search does with the candidates that are kept of its part pair.
struct KeptSearch {
  enum Kind { kPlain, kKnown, kWithMargin };

  KeptList* list = nullptr;  // null: none are kept
  Kind kind = kPlain;
  std::int32_t *m = nullptr, *s = nullptr;
  std::int32_t capacity = 0;
  Transform<double> X_MS = {};  // kWithMargin: the pose to find them in
};

/// What is looked for in a part pair, and where it goes.
template <class T>
struct ContactSearch {
  int part_pair;
  ContactPoints points;  // kMatched or kCentroid
  Vec3d origin_W;        // the pair's point in the world, m
  FixedPointScale<T> load_scale;
  std::vector<SolverContact<T>>& found;  // they are appended here, in no particular order
  KeptSearch kept;
};

/// What is known of the part pair afterwards: whether there was a polygon, be it one that is left out, and the sum
/// behind kFarSide.
template <class T>
struct SearchResult {
  bool touches;
  SignSum<T> far_side;
};

struct SimdWorkspace;

template <class T>
using FindContacts = SearchResult<T> (*)(const PairContext&, SimdWorkspace&, const ContactSearch<T>&);

}  // namespace isopatch::detail
