// SPDX-License-Identifier: Apache-2.0
//
// Pairs of cells that are left out of the energy have none.
#include "isopatch/detail/pressure_field/energy.h"

#include <gtest/gtest.h>

#include "host/scene/scene_data.h"
#include "tests/support/pair_contexts.h"
#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

using detail::PolygonBounds;

struct Counts {
  int kept = 0, with_energy = 0, left_out = 0;
};

/// The bounding boxes of two cells overlap, as far as they may be wrong.
bool boxes_overlap(const detail::PairContext& f, detail::CellRef m, detail::CellRef s, PolygonBounds<float>& bounds) {
  const float *low = m.cell->box_low, *high = m.cell->box_high;
  detail::Vec3f vertex[4];
  for (int i = 0; i < 4; ++i) vertex[i] = apply(f.coarse.X_MS, detail::cast<float>(s.vertex(i)));
  const detail::Bounds<float> box = {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
  return bound_overlap(box, detail::bounds_of(vertex), f.coarse.slack, bounds);
}

void compare(const detail::PairContext& f, Counts& counts) {
  for (std::int32_t m = 0; m < f.M.hierarchy.num_cells; ++m) {
    for (std::int32_t s = 0; s < f.S.hierarchy.num_cells; ++s) {
      const detail::CellRef cell_M = cell_of_M(f, m), cell_S = cell_of_S(f, s);
      PolygonBounds<float> bounds = {};
      if (!boxes_overlap(f, cell_M, cell_S, bounds)) continue;
      detail::PlanesInPlace planes;
      const double energy = detail::cell_energy(f, *cell_M.cell, cell_S.cell, bounds, planes);
      PolygonBounds<float> kept = {};
      if (cells_overlap(f, cell_M, cell_S, {f.M.hierarchy.coarse_cells + m}, {f.S.hierarchy.coarse_cells + s}, kept)) {
        ++counts.kept;
        counts.with_energy += energy != 0 ? 1 : 0;
        EXPECT_EQ(kept.radius, bounds.radius);
      } else {
        ++counts.left_out;
        EXPECT_EQ(energy, 0) << m << ", " << s;
      }
    }
  }
}

/// Rigid bodies take part with their tets, a rigid surface with cones, some of which are inverted.
TEST(Energy, IsNoneForPairsOfCellsThatAreLeftOut) {
  const Geometry ball = make_sphere("ball", 0.05, 1), box = make_box("box", {0.08, 0.1, 0.06});
  const Geometry bolt =
      make_bolt("bolt", {.thread = {.diameter = 0.02, .pitch = 0.005}, .length = 0.02, .segments = 12});
  const Geometry surface = make_surface_mesh("surface", {bolt.mesh.points, bolt.surface});
  Counts counts;
  for (const Geometry& other : {ball, box, surface}) {
    SceneDescription description = two_bodies(ball, other);
    description.bodies[1].rigid = other.is_surface_mesh();
    const Scene scene(description);
    const Batch batch = random_batch(scene, 8, 401, 0.06);
    for (std::int64_t e = 0; e < batch.num_environments; ++e) {
      detail::PairContext f = pair_context(scene.data().view, batch.state(), e, 0);
      f.M.hierarchy = f.M.field->solid;
      f.S.hierarchy = f.S.field->solid;
      compare(f, counts);
    }
  }
  EXPECT_GT(counts.with_energy, 1000);
  EXPECT_GT(counts.left_out, counts.with_energy);  // else it is not worth its while
}

}  // namespace
}  // namespace isopatch::test
