// SPDX-License-Identifier: Apache-2.0
//
// The candidates of a part pair that are kept from one search to the next; kept_candidates.h says when.
#pragma once

#include <cstdint>

#include "isopatch/detail/pressure_field/stages/candidates.h"

namespace isopatch::detail {

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

}  // namespace isopatch::detail
