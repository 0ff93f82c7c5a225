// SPDX-License-Identifier: Apache-2.0
//
// Thin plates of tets whose edges cross them, in a soft ground: after the layer split they are as good as one body,
// with the gradient filter too.
#include <gtest/gtest.h>

#include "tests/mesh/grid_meshes.h"
#include "tests/thin_walls/forces.h"

namespace isopatch::test {
namespace {

/// The force on a plate of 0.2 x 0.2 x 0.004 m whose lower side is `depth` deep in a ground of 1e6 Pa over 0.1 m.
double force_on_plate(std::int32_t layers, double depth, double modulus, bool filter) {
  const TetMesh mesh = isopatch::testing::block_mesh({0.2, 0.2, 0.004}, {4, 4, layers});
  SceneDescription scene = two_bodies(make_tet_mesh("plate", mesh), make_half_space("ground", 0.1));
  scene.bodies[0].pose = {0, 0, 0.002 - depth, 1, 0, 0, 0};
  scene.bodies[0].modulus = modulus;
  scene.bodies[1].modulus = 1e6;
  return force_on_first(scene, filter)[2];
}

// With the filter the lower side alone presses, with 200 N per mm in the limit of a stiff plate; without it the upper
// side takes off what it bears.
TEST(ThinPlate, IsOneBodyInsideWithAndWithoutTheFilter) {
  struct Row {
    double depth, modulus, plain, filtered;
  };
  constexpr double kHalf = 0.5;  // the rows have whole newtons
  for (const Row& row : {Row{0.005, 1e7, 1590, 1991},
                         {0.005, 1e9, 1600, 2000},
                         {0.008, 1e7, 1581, 3179},
                         {0.008, 1e9, 1600, 3200},
                         {0.044, 1e7, 1469, 16949},
                         {0.044, 1e9, 1599, 17593}}) {
    SCOPED_TRACE(row.depth);
    EXPECT_NEAR(force_on_plate(2, row.depth, row.modulus, false), row.plain, kHalf);
    EXPECT_NEAR(force_on_plate(2, row.depth, row.modulus, true), row.filtered, kHalf);
  }
}

// The split at centroids had 51 128 N.
TEST(ThinPlate, OfOneLayerOfCellsIsOneBodyToo) { EXPECT_NEAR(force_on_plate(1, 0.044, 1e9, true), 17596, 0.5); }

}  // namespace
}  // namespace isopatch::test
