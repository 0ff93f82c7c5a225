// SPDX-License-Identifier: Apache-2.0
//
// Which numbers the state of a single contact can have. What no step leaves would make forces without bound: damping of
// a restitution is divided by the impact speed, and bends are squared.
#pragma once

#include <string>

#include "isopatch/single_contact.h"

namespace isopatch::detail {

/// Beside those of every law: amounts are in [0, limits::kMaxContactState], the twist is at most as far from 0, and the
/// dwell is in [0, 1].
struct StateLimits {
  double least_impact_speed;  // that is not 0, m/s: small_speed, rounded to float
  double largest_bend;        // m: ten times what friction can hold, whatever friction an environment has
};

StateLimits state_limits(const ContactForceLaw& law);

/// Throws Error, at `location`, for the first number that no step of the law can have left.
void check_state(const std::string& location, const ContactForceLaw& law, const ContactStateRow& state);

}  // namespace isopatch::detail
