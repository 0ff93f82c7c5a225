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

/// Calls visit(m, s, bounds, energy) for all pairs of cells whose boxes overlap.
template <class Visit>
void for_each_overlap(const detail::PairContext& f, const Visit& visit) {
  for (std::int32_t m = 0; m < f.M.hierarchy.num_cells; ++m) {
    for (std::int32_t s = 0; s < f.S.hierarchy.num_cells; ++s) {
      const detail::CellRef cell_M = cell_of_M(f, m), cell_S = cell_of_S(f, s);
      PolygonBounds<float> bounds = {};
      if (!boxes_overlap(f, cell_M, cell_S, bounds)) continue;
      detail::PlanesInPlace planes;
      visit(m, s, bounds,
            integrate_overlap(f, *cell_M.cell, cell_S.cell, bounds, detail::Integrand::kPressure, planes));
    }
  }
}

void compare(const detail::PairContext& f, Counts& counts) {
  for_each_overlap(f, [&](std::int32_t m, std::int32_t s, const PolygonBounds<float>& bounds, double energy) {
    const detail::CoarseRef coarse_M = {f.M.hierarchy.coarse_cells + m}, coarse_S = {f.S.hierarchy.coarse_cells + s};
    PolygonBounds<float> kept = {};
    if (cells_overlap(f, cell_of_M(f, m), cell_of_S(f, s), coarse_M, coarse_S, kept)) {
      ++counts.kept;
      counts.with_energy += energy != 0 ? 1 : 0;
      EXPECT_EQ(kept.radius, bounds.radius);
    } else {
      ++counts.left_out;
      EXPECT_EQ(energy, 0) << m << ", " << s;
    }
  });
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

/// The sum over the overlaps of all pairs of cells.
double energy_of_overlaps(const detail::PairContext& context) {
  detail::PairContext f = context;
  f.M.hierarchy = f.M.field->solid;
  f.S.hierarchy = f.S.field->solid;
  double sum = 0;
  for_each_overlap(f, [&](std::int32_t, std::int32_t, const PolygonBounds<float>&, double energy) { sum += energy; });
  return sum;
}

/// What the fluxes through the contact surface add up to, with what ends in sinks, and what should be 0.
struct ByFluxes {
  double energy, gap;
};
ByFluxes energy_by_fluxes(const detail::PairContext& f) {
  detail::SerialWarp warp;
  detail::TraversalMemory<detail::AcceptedCells, 1> memory;
  const detail::EnergySearch<detail::SerialWarp, 1> search = {warp, memory};
  detail::EnergySum sum = {detail::FixedPointScale<double>::from_bound(f.bounds.torque)};
  search.find_polygons(f, sum);
  for (const bool of_S : {false, true}) {
    add_sinks(f, of_S, detail::PlanesInPlace(), sum, search);
  }
  return {sum.energy.value(sum.scale), sum.check.value(sum.scale)};
}

TEST(Energy, ByFluxesIsThatOfAllOverlaps) {
  constexpr double kRounding = 1e-11;  // beside the part of a mean energy that is left of nearly cancelling fluxes
  const Geometry ball = make_sphere("ball", 0.05, 1), box = make_box("box", {0.08, 0.1, 0.06}),
                 capsule = make_capsule("capsule", 0.03, 0.08, 8);
  const Geometry bolt =
      make_bolt("bolt", {.thread = {.diameter = 0.02, .pitch = 0.005}, .length = 0.02, .segments = 12});
  const Geometry surface = make_surface_mesh("surface", {bolt.mesh.points, bolt.surface});
  int deep = 0;
  for (const Geometry& one : {ball, capsule}) {
    for (const Geometry& other : {ball, box, surface}) {
      for (const double ratio : {1.0, 30.0, 0.0}) {  // of the second modulus to the first; 0 for rigid
        SceneDescription description = two_bodies(one, other);
        description.bodies[1].rigid = ratio == 0 || other.is_surface_mesh();
        if (ratio > 0) description.bodies[1].modulus = ratio * description.bodies[0].modulus;
        const Scene scene(description);
        const Batch batch = random_batch(scene, 12, 402, 0.05);
        for (std::int64_t e = 0; e < batch.num_environments; ++e) {
          const detail::PairContext f = pair_context(scene.data().view, batch.state(), e, 0);
          ASSERT_TRUE(has_fluxes(f));
          const double expected = energy_of_overlaps(f);
          const ByFluxes found = energy_by_fluxes(f);
          const double all = description.bodies[0].modulus * 1e-5;  // of an energy; the bodies have about 1e-4 m^3
          EXPECT_NEAR(found.energy, expected, kRounding * std::max(expected, 1e-4 * all))
              << one.name << " on " << other.name << ", ratio " << ratio << ", state " << e;
          EXPECT_LE(std::fabs(found.gap), kRounding * std::max(expected, 1e-4 * all));
          deep += expected > 0.1 * all ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(deep, 20);
}

/// A nut that hangs on the threads of a rigid bolt, a few of whose facets reach a fraction of a micrometer deep: its
/// energy is 1e-8 of what all of it would have, and still not what is left of fluxes that cancel.
TEST(Energy, OfAShallowContactIsFoundByFluxes) {
  constexpr double kByReference = 1.1597535567363557e-07;  // J, in extended precision, of all overlaps
  const Geometry nut = make_nut("nut", {.thread = {}, .height = 0.006, .segments = 72});
  const Geometry surface =
      make_surface_mesh("bolt", make_bolt_surface({.thread = {.clearance = 1e-4}, .length = 0.03, .segments = 72}));
  SceneDescription description = two_bodies(nut, surface);
  description.bodies[0].modulus = 1e7;
  description.bodies[0].pose = {-8.5e-06, -2e-06, 0.024867, 0.9921, 0.0001, -0.0002, -0.1253};
  description.bodies[1].rigid = true;
  const Scene scene(description);
  StateArrays states(description, 1);
  State state = states.view();
  state.poses.stride = 14;
  const ByFluxes found = energy_by_fluxes(pair_context(scene.data().view, state, 0, 0));
  EXPECT_NEAR(found.energy, kByReference, 1e-10 * kByReference);
  EXPECT_LE(std::fabs(found.gap), detail::kMaxFluxGap * found.energy);
}

/// The contact surface is the boundary of where M's pressure is larger, and sinks are on the same side of it.
TEST(Energy, OfPressuresThatAreEqualThroughoutAVolumeIsThatOfAllOverlaps) {
  const Geometry cube = make_box("cube", {0.1, 0.1, 0.1});
  SceneDescription description = two_bodies(cube, cube);
  for (const double shift : {0.0, 0.03, 0.07}) {
    description.bodies[1].pose = {shift, 0, 0, 1, 0, 0, 0};
    const Scene scene(description);
    StateArrays states(description, 1);
    State state = states.view();
    state.poses.stride = 14;
    const double expected = energy_of_overlaps(pair_context(scene.data().view, state, 0, 0));
    ResultArrays results(scene, 1, {.energy = true});
    Evaluator(scene).evaluate(states.view(), results.view());
    EXPECT_NEAR(results.energy[0], expected, 1e-12 * expected);
  }
}

}  // namespace
}  // namespace isopatch::test
