// SPDX-License-Identifier: Apache-2.0
//
// The law of the single contacts of a pair, as a scene gives it.
#pragma once

#include "isopatch/detail/force_law/numbers.h"

namespace isopatch::detail {

struct PairForceLaw {
  LawNumbers numbers;  // friction and dissipation come from the materials
  bool has_stiffness;  // else it follows from the materials
  bool inside;         // what a ball touches is the hole that has the shape
};

}  // namespace isopatch::detail
