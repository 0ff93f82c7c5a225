// SPDX-License-Identifier: Apache-2.0
#include "isopatch/status.h"

#include <gtest/gtest.h>

namespace isopatch {
namespace {

TEST(StatusText, NamesEverySetBit) {
  EXPECT_EQ(status_text(kOk), "ok");
  EXPECT_EQ(status_text(kBadPose), "bad_pose");
  EXPECT_EQ(status_text(kBadVelocity | kPolygonCapacity), "bad_velocity|polygon_capacity");
  EXPECT_EQ(status_text(kContactCapacity | kNoContactSurface), "contact_capacity|no_contact_surface");
  EXPECT_EQ(status_text(kNoContactSurface | kFrozen | kFarSide), "no_contact_surface|frozen|far_side");
  EXPECT_EQ(status_text(kBadContactState | kFrozen), "frozen|bad_contact_state");
  EXPECT_EQ(status_text(kRelationCapacity | kFellThrough), "relation_capacity|fell_through");
  EXPECT_EQ(status_text(kBadMaterial | kBadGeometry | kSumOverflow), "bad_material|bad_geometry|sum_overflow");
}

TEST(StatusText, ShowsBitsItDoesNotKnow) { EXPECT_EQ(status_text(kBadPose | 1u << 23), "bad_pose|unknown(8388608)"); }

}  // namespace
}  // namespace isopatch
