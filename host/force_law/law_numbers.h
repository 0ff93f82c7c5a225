// SPDX-License-Identifier: Apache-2.0
//
// The law of a single contact, checked and made into numbers for the arithmetic, and which numbers its state can have.
// What no step leaves would make forces without bound: damping of a restitution is divided by the impact speed, and
// bends are squared.
#pragma once

#include <string>

#include "isopatch/detail/force_law/numbers.h"
#include "isopatch/scene/contact_force_law.h"
#include "isopatch/single_contact.h"

namespace isopatch::detail {

/// Throws Error, at `location`, for the first number that is out of range. `has_exponent`: of a depth.
void check_law(const std::string& location, const ContactForceLaw& law, bool has_exponent);

/// Of a law that has been checked.
LawNumbers law_numbers(const ContactForceLaw& law, bool has_exponent);

/// Limits beside the ones of every law: amounts are in [0, limits::kMaxContactState], the twist is at most as far from
/// 0, and the dwell is in [0, 1].
struct StateLimits {
  double least_impact_speed;  // that is not 0, m/s: small_speed, rounded to float
  double largest_bend;        // m: ten times what friction can hold, whatever friction an environment has
};

StateLimits state_limits(const ContactForceLaw& law);

/// Throws Error, at `location`, for the first number that no step of the law can have left.
void check_state(const std::string& location, const ContactForceLaw& law, const ContactStateRow& state);

}  // namespace isopatch::detail
