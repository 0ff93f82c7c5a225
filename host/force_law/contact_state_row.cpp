// SPDX-License-Identifier: Apache-2.0
#include "host/force_law/contact_state_row.h"

#include <algorithm>
#include <cmath>

#include "host/text/throw_error.h"
#include "isopatch/limits.h"

namespace isopatch::detail {

StateLimits state_limits(const ContactForceLaw& law) {
  constexpr double kFloatRounding = 1e-7, kMargin = 10;
  const double held = limits::kMaxFriction * law.bristle.static_ratio / law.bristle.stiffness;
  return {(1 - kFloatRounding) * law.small_speed, std::min(kMargin * held, limits::kMaxContactState)};
}

void check_state(const std::string& location, const ContactForceLaw& law, const ContactStateRow& state) {
  const auto [least, bend] = state_limits(law);
  constexpr double kMost = limits::kMaxContactState;
  constexpr const char* kNames[] = {"impact speed", "offset", "bend", "bend", "bend", "twist", "dwell", "age"};
  for (std::size_t i = 0; i < state.size(); ++i) {
    const double most = i == 6 ? 1 : i >= 2 && i <= 4 ? bend : kMost;
    const bool is_signed = i >= 2 && i <= 5;
    const double x = state[i];
    if (x >= (is_signed ? -most : 0) && x <= most && (i != 0 || x == 0 || x >= least)) continue;
    const std::string wanted = i == 6 ? "from 0 to 1"
                               : !std::isfinite(x) || (!is_signed && x < 0)
                                   ? (is_signed ? "finite" : "finite and not negative")
                               : i == 0 ? fmt::format("0, or from {} (small_speed) to {} m/s", law.small_speed, most)
                                        : fmt::format("from {} to {}", is_signed ? -most : 0, most);
    throw wrong_value(fmt::format("{}[{}] ({})", location, i, kNames[i]), fmt::to_string(x), "it must be " + wanted);
  }
}

}  // namespace isopatch::detail
