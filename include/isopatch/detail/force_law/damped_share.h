// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isopatch/detail/math/vec.h"

namespace isopatch::detail {

/// The share of the elastic force that motion leaves, max(0, 1 - d v_n), so that there is no pull (Hunt and Crossley).
/// T is a number, or a SIMD vector of them.
template <class T>
ISOPATCH_HD T damped_share(T dissipation, T v_n) {
  return max(fma(-dissipation, v_n, T(1.0)), T(0.0));
}

}  // namespace isopatch::detail
