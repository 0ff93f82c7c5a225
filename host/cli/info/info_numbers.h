// SPDX-License-Identifier: Apache-2.0
//
// How `isopatch info` writes numbers.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "isopatch/scene/mass_properties.h"

namespace isopatch::cli {

inline std::string number(double value) { return fmt::format("{:g}", value); }

/// Centre of mass [m], then xx yy zz xy xz yz of the inertia at 1 kg/m^3 [kg m^2]; what is rounding alone is 0.
inline std::array<std::string, 9> mass_numbers(const MassProperties& properties) {
  constexpr double kRounding = 1e-14;  // of the largest inertia, or of the radius of gyration
  const auto& [x, y, z] = properties.inertia;
  const double largest = std::max({x[0], y[1], z[2]}), gyration = std::sqrt(largest / properties.mass);
  const auto text = [](double value, double scale) { return number(std::fabs(value) < kRounding * scale ? 0 : value); };
  std::array<std::string, 9> numbers;
  for (std::size_t i = 0; i < 3; ++i) numbers[i] = text(properties.center[i], gyration);
  const std::array inertia = {x[0], y[1], z[2], x[1], x[2], y[2]};
  for (std::size_t i = 0; i < 6; ++i) numbers[3 + i] = text(inertia[i], largest);
  return numbers;
}

}  // namespace isopatch::cli
