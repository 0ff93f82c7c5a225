// SPDX-License-Identifier: Apache-2.0
#include "host/pictures/color_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace isopatch::detail {

Color viridis(double fraction) {
  const double at = std::clamp(fraction, 0.0, 1.0) * (kViridis.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(at), kViridis.size() - 2);
  const double blend = at - static_cast<double>(low);
  Color color;
  for (std::size_t i = 0; i < color.size(); ++i) {
    color[i] = static_cast<std::uint8_t>(std::lround((1 - blend) * kViridis[low][i] + blend * kViridis[low + 1][i]));
  }
  return color;
}

std::string hex_text(const Color& color) { return fmt::format("#{:02x}{:02x}{:02x}", color[0], color[1], color[2]); }

}  // namespace isopatch::detail
