// SPDX-License-Identifier: Apache-2.0
#include "host/render/frames.h"

#include <gtest/gtest.h>

#include "tests/mesh/mesh_fixtures.h"

namespace isopatch::detail {
namespace {

using testing::error_of;

TEST(Frames, AreEveryMthRowAndTheLastOne) {
  EXPECT_EQ(chosen_frames(1, 1), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(chosen_frames(1, 7), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(chosen_frames(5, 1), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(chosen_frames(5, 2), (std::vector<std::int64_t>{0, 2, 4}));
  EXPECT_EQ(chosen_frames(6, 2), (std::vector<std::int64_t>{0, 2, 4, 5}));
  EXPECT_EQ(chosen_frames(6, 100), (std::vector<std::int64_t>{0, 5}));
}

TEST(Frames, AreNotTooMany) {
  EXPECT_EQ(chosen_frames(kMaxFrames, 1).size(), 10000u);
  EXPECT_EQ(error_of([] { chosen_frames(20000, 1); }),
            "render: 20000 frames are more than the 10000 of a picture; take fewer by --every 3 (every=3 in Python)");
  EXPECT_LE(chosen_frames(20000, 3).size(), 10000u) << "what the message asks for is enough";
  EXPECT_EQ(error_of([] { chosen_frames(0, 1); }), "render: there are no frames");
}

}  // namespace
}  // namespace isopatch::detail
