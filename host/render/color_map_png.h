// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace isopatch::detail {

/// The colour map as a PNG of 256 x 1 pixels, from 0 to the largest pressure.
std::string color_map_png();

}  // namespace isopatch::detail
