// SPDX-License-Identifier: Apache-2.0
//
// A pair of bodies is evaluated in passes: once, and again if that leaves something open.
#pragma once

#include <cstdint>

#include "isopatch/detail/math/macros.h"

namespace isopatch::detail {

enum class Pass : std::uint8_t {
  kFirst,
  kWider,      // on wider scales, because a sum may have wrapped
  kUnfiltered  // without the gradient filter, to see whether there is a polygon: only the status is written
};

/// Which pass over a pair this is.
struct PairPass {
  Pass pass;
  int widening;  // power of two by which the scales are wider than in the first pass
};

/// What a pass leaves to do of a pair. It fits the 32 bits that the lanes of a warp exchange at once.
struct Remaining {
  enum Kind : std::int16_t {
    kNothing,
    kEverything,
    kWiderPass,   // sums may have wrapped: all again, on scales that are wider by `widening`
    kOverlapTest  // no polygon was found: do the bodies overlap?
  };
  Kind kind = kNothing;
  std::int16_t widening = 0;  // power of two

  ISOPATCH_HD static Remaining nothing() { return {kNothing, 0}; }
  ISOPATCH_HD static Remaining everything() { return {kEverything, 0}; }
};

/// Lane 0's value, in every lane.
template <class Warp>
ISOPATCH_HD Remaining from_first(Warp& warp, Remaining own) {
  const int word = warp.from_first(static_cast<int>(own.kind) | static_cast<int>(own.widening) << 16);
  return {static_cast<Remaining::Kind>(word & 0xffff), static_cast<std::int16_t>(word >> 16)};
}

}  // namespace isopatch::detail
