// SPDX-License-Identifier: Apache-2.0
//
// The law of a lumped contact, checked and made into numbers for the arithmetic.
#pragma once

#include <string>

#include "isopatch/detail/lumped/lumped_numbers.h"
#include "isopatch/scene/lumped_law.h"

namespace isopatch::detail {

/// Throws Error, at `location`, for the first number that is out of range. `has_exponent`: of a depth.
void check_law(const std::string& location, const LumpedLaw& law, bool has_exponent);

/// Of a law that has been checked.
LumpedNumbers law_numbers(const LumpedLaw& law, bool has_exponent);

}  // namespace isopatch::detail
