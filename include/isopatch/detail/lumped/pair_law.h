// SPDX-License-Identifier: Apache-2.0
//
// The law of the lumped contacts of a pair, as a scene gives it.
#pragma once

#include "isopatch/detail/lumped/lumped_numbers.h"

namespace isopatch::detail {

struct LumpedPairLaw {
  LumpedNumbers numbers;  // friction and dissipation are those of the materials
  bool has_stiffness;     // else it follows from the materials
  bool inside;            // what a ball touches is the hole that has the shape
};

}  // namespace isopatch::detail
