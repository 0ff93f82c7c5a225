// SPDX-License-Identifier: Apache-2.0
#include "host/force_law/law_numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/text/throw_error.h"
#include "isopatch/detail/force_law/restitution.h"
#include "isopatch/detail/math/exponential.h"
#include "isopatch/limits.h"

namespace isopatch::detail {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

struct Range {
  double least, most;
  const char* wanted;
  bool without_least = false;
};

constexpr Range kPositive = {0, kLargest, "it must be positive and finite", true};
constexpr Range kNotNegative = {0, kLargest, "it must be finite and not negative"};

}  // namespace

void check_law(const std::string& location, const ContactForceLaw& law, bool has_exponent) {
  const auto check = [&](const char* name, double value, const Range& range) {
    const bool is_less = range.without_least ? !(value > range.least) : !(value >= range.least);
    if (!is_less && value <= range.most) return;
    throw wrong_value(location + name, fmt::to_string(value), range.wanted);
  };
  check("stiffness", law.stiffness, kPositive);
  if (has_exponent) check("exponent", law.exponent, {1, kMaxPower, "it must be from 1 to 64"});
  check("dissipation", law.dissipation, {0, limits::kMaxDissipation, "it must be from 0 to 1e6 s/m"});
  if (law.restitution) {
    check("restitution", *law.restitution, {0, 1, "it must be above 0 and at most 1", true});
    check("restitution", *law.restitution, {limits::kMinRestitution, 1, "it must be from 1e-12 to 1"});
  }
  const Range speed = {limits::kMinSlipTolerance, limits::kMaxSlipTolerance, "it must be from 1e-12 to 1e6 m/s"};
  check("small_speed", law.small_speed, speed);
  check("relaxation_time", law.relaxation_time, kNotNegative);
  check("friction", law.friction, {0, limits::kMaxFriction, "it must be from 0 to 1e4"});
  check("slip_tolerance", law.slip_tolerance, speed);
  check("bristle.stiffness", law.bristle.stiffness, kPositive);
  check("bristle.damping", law.bristle.damping, kPositive);
  check("bristle.viscous", law.bristle.viscous, kNotNegative);
  check("bristle.stribeck_velocity", law.bristle.stribeck_velocity, speed);
  check("bristle.dwell_time", law.bristle.dwell_time, kNotNegative);
  check("bristle.static_ratio", law.bristle.static_ratio, {1, kLargest, "it must be finite and at least 1"});
  check("spin_radius", law.spin_radius, kNotNegative);
}

LawNumbers law_numbers(const ContactForceLaw& law, bool has_exponent) {
  const BristleFriction& b = law.bristle;
  return {.stiffness = law.stiffness,
          .exponent = has_exponent ? law.exponent : 1,
          .dissipation = law.dissipation,
          .restitution = law.restitution.value_or(0),
          .impact_factor = law.restitution ? impact_factor(*law.restitution) : -1,
          .small_speed = law.small_speed,
          .relaxation_time = law.relaxation_time,
          .friction = law.friction,
          .slip_tolerance = law.slip_tolerance,
          .spin_radius = law.spin_radius,
          .bristle = {b.stiffness, b.damping, b.viscous, b.stribeck_velocity, b.dwell_time, b.static_ratio},
          .has_bristles = law.friction_model == FrictionModel::kBristle,
          .flows_always = law.bristle_flow == BristleFlow::kAlways,
          .latches_largest = law.latch == ImpactLatch::kLargest};
}

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
