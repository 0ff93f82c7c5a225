// SPDX-License-Identifier: Apache-2.0
//
// The lanes that solve a problem together are a team: a warp, or one of the parts of a warp that each have a problem of
// their own (kernels/rollout/cuda_team.cuh). The teams of a warp take the same way through the code: what only some of
// them have to do is done where any of them has, and changes nothing for the others.
#pragma once

#include "isopatch/detail/math/macros.h"

namespace isopatch::detail {

/// Whether a value, which all lanes of a team have, is true in any team of the warp. Called by all lanes.
template <class Warp>
ISOPATCH_HD bool any_team(Warp& warp, bool value) {
  if constexpr (requires { warp.any(value); }) {
    return warp.any(value);
  } else {
    return value;
  }
}

}  // namespace isopatch::detail
