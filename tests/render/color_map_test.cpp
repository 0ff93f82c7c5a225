// SPDX-License-Identifier: Apache-2.0
#include "host/pictures/color_map.h"

#include <gtest/gtest.h>

#include <limits>

namespace isopatch::detail {
namespace {

TEST(ColorMap, GoesFromVioletToYellow) {
  EXPECT_EQ(hex_text(viridis(0)), "#440154");
  EXPECT_EQ(hex_text(viridis(0.5)), "#21908d");
  EXPECT_EQ(hex_text(viridis(1)), "#fde725");
  EXPECT_EQ(viridis(-1), viridis(0));
  EXPECT_EQ(viridis(2), viridis(1));
  EXPECT_EQ(viridis(1.0 / 16)[0], 70) << "between 68 and 71";
}

}  // namespace
}  // namespace isopatch::detail
