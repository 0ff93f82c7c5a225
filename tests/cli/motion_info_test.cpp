// SPDX-License-Identifier: Apache-2.0
//
// What `isopatch info` says about masses and motions.
#include <gtest/gtest.h>

#include <string>

#include "tests/mesh/mesh_fixtures.h"
#include "tests/support/paths/paths.h"
#include "tests/support/program.h"

namespace isopatch::cli {
namespace {

using testing::contains;
using testing::Outcome;
using testing::run_program;

constexpr const char* kGripper = R"({"isopatch": 1,
  "geometries": {"cube": {"type": "box", "size": [0.1, 0.1, 0.1]}, "floor": {"type": "half_space"}},
  "bodies": [
    {"name": "hand", "geometry": "cube",
     "motion": {"type": "prescribed", "times": [0, 1.5], "poses": [[0, 0, 0, 1, 0, 0, 0], [0, 0, 1, 1, 0, 0, 0]]}},
    {"name": "finger", "geometry": "cube", "mass": 3, "center_of_mass": [0, 0, 0.02],
     "motion": {"type": "prismatic", "parent": "hand", "axis": [0, 1, 0], "force": [[0, 16], [4.5, 1]], "force_limit": 50}},
    {"name": "lid", "geometry": "cube", "density": 500,
     "motion": {"type": "revolute", "axis": [1, 0, 0], "anchor": [0, 0, 0], "target": 0.5, "stiffness": 2}},
    {"name": "belt", "geometry": "cube", "motion": "prescribed"},
    {"name": "cube", "geometry": "cube"},
    {"name": "floor", "geometry": "floor", "rigid": true, "fixed": true}]})";

class MotionInfo : public testing::FolderTest {};

TEST_F(MotionInfo, ListsMotionsAndMasses) {
  const Outcome result = run_program("info " + write("gripper.json", kGripper));
  ASSERT_EQ(result.code, 0) << result.out;
  for (const char* line : {
           "  body    motion         parent     axis   drive\n",
           "  hand    path to 1.5 s  -          -      -\n",
           "  finger  prismatic      hand       0 1 0  force in 2 rows, force limit 50\n",
           "  lid     revolute       the world  1 0 0  stiffness 2, target 0.5\n",
           "  belt    prescribed     -          -      -\n",
           "  cube    free           -          -      -\n",
           "  floor   fixed          -          -      -\n",
           "  body    mass kg  center of mass m  inertia kg m^2: xx           yy           zz  xy  xz  yz\n",
           "  finger        3          0 0 0.02               0.005        0.005        0.005   0   0   0\n",
           "  lid         0.5             0 0 0         0.000833333  0.000833333  0.000833333   0   0   0\n",
           "  cube          1             0 0 0          0.00166667   0.00166667   0.00166667   0   0   0\n",
       }) {
    EXPECT_TRUE(contains(result.out, line)) << line << result.out;
  }
  EXPECT_FALSE(contains(result.out, "hand  finger")) << "the parent of a joint is no default pair\n" << result.out;
}

TEST_F(MotionInfo, IsLeftOutWhereASceneSaysNothing) {
  const Outcome result = run_program("info " + source_path("bench/scenes/box_stack.json"));
  ASSERT_EQ(result.code, 0) << result.out;
  EXPECT_FALSE(contains(result.out, "motion")) << result.out;
  EXPECT_FALSE(contains(result.out, "mass kg")) << result.out;
}

}  // namespace
}  // namespace isopatch::cli
