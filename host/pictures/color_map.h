// SPDX-License-Identifier: Apache-2.0
//
// The colours of pressures in all pictures.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace isopatch::detail {

using Color = std::array<std::uint8_t, 3>;  // red, green, blue

/// Matplotlib's viridis, of which eight equal parts are blended.
inline constexpr std::array<Color, 9> kViridis = {{{68, 1, 84},
                                                   {71, 44, 122},
                                                   {59, 81, 139},
                                                   {44, 113, 142},
                                                   {33, 144, 141},
                                                   {39, 173, 129},
                                                   {92, 200, 99},
                                                   {170, 220, 50},
                                                   {253, 231, 37}}};

/// The colour of a fraction of the largest pressure; below 0 and above 1 those of 0 and 1.
Color viridis(double fraction);

/// "#440154".
std::string hex_text(const Color& color);

}  // namespace isopatch::detail
