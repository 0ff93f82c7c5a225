// SPDX-License-Identifier: Apache-2.0
#include "isopatch/detail/pressure_field/stages/enclosure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "host/scene/scene_data.h"
#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

const Nut kShortNut = {.thread = {}, .height = 0.0075, .segments = 12};
const Bolt kShortRod = {.thread = {.clearance = 5e-4}, .length = 0.01, .head_height = 0, .segments = 12};

// The tets themselves say what is inside.
TEST(IsInside, AgreesWithTheTetsOfEveryShape) {
  Random random(52);
  for (const Geometry& shape :
       {make_box("box", {0.1, 0.2, 0.3}), make_sphere("ball", 0.1, 2), make_nut("nut", kShortNut),
        make_bolt("rod", kShortRod), make_capsule("capsule", 0.05, 0.1, 16)}) {
    SceneDescription description;
    description.geometries = {shape};
    description.bodies.resize(1);
    description.bodies[0].name = "a";
    const Scene scene(description);
    const detail::GeometryView& g = scene.data().geometries.views[0];
    int inside = 0;
    for (int i = 0; i < 4000; ++i) {
      detail::Vec3d x = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
      if (i % 4 == 0) x = {std::round(4 * x.x) / 4, std::round(4 * x.y) / 4, std::round(4 * x.z) / 4};  // on planes
      x = {0.999 * g.half.x * x.x + g.center.x, 0.999 * g.half.y * x.y + g.center.y,
           0.999 * g.half.z * x.z + g.center.z};
      double highest = -1e300;  // over the tets, the least height over a face
      for (const detail::Cell& tet : scene.data().geometries.solids[0].cells) {
        double lowest = 1e300;
        const detail::CellRef of = {&tet};
        for (int k = 0; k < 4; ++k) lowest = std::min(lowest, dot(of.inward(k), x - of.vertex((k + 1) & 3)));
        highest = std::max(highest, lowest);
      }
      if (std::fabs(highest) < 1e-12) continue;  // on the surface, or on an inner face and decided by rounding
      EXPECT_EQ(detail::is_inside(g, x), highest > 0) << shape.name << " at " << x.x << " " << x.y << " " << x.z;
      inside += highest > 0 ? 1 : 0;
    }
    EXPECT_GT(inside, 300) << shape.name;
  }
}

}  // namespace
}  // namespace isopatch::test
