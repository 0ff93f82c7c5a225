// SPDX-License-Identifier: Apache-2.0
//
// The law of a single contact, checked and made into numbers for the arithmetic.
#pragma once

#include <string>

#include "isopatch/detail/force_law/numbers.h"
#include "isopatch/scene/contact_force_law.h"

namespace isopatch::detail {

/// Throws Error, at `location`, for the first number that is out of range. `has_exponent`: of a depth.
void check_law(const std::string& location, const ContactForceLaw& law, bool has_exponent);

/// Of a law that has been checked.
LawNumbers law_numbers(const ContactForceLaw& law, bool has_exponent);

}  // namespace isopatch::detail
