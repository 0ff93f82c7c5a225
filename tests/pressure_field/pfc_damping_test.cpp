// SPDX-License-Identifier: Apache-2.0
//
// Damping by PFC takes the slope of the pressure from smoothed gradients, so it has no jump where the contact surface
// passes from one layer of tets to the next.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tests/mesh/grid_meshes.h"
#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

/// A block whose layers of vertices have these heights and, away from the walls, extents.
Geometry layered_block(double side, std::int32_t cells, const std::vector<double>& heights,
                       const std::vector<double>& extents) {
  const auto layers = static_cast<std::int32_t>(heights.size()) - 1;
  std::vector<double> extent;
  TetMesh mesh = isopatch::testing::grid_mesh({cells, cells, layers}, false, [&](auto x, auto y, auto layer) -> Point3 {
    const bool wall = x == 0 || y == 0 || x == cells || y == cells;
    extent.push_back(wall ? 0 : extents[static_cast<std::size_t>(layer)]);
    return {side * x / cells - side / 2, side * y / cells - side / 2, heights[static_cast<std::size_t>(layer)]};
  });
  mesh.point_data["extent"] = extent;
  FieldOptions field;
  field.kind = FieldOptions::Kind::kPointData;
  return make_tet_mesh("block", mesh, field);
}

double force_at(const Scene& scene, double depth, double height, Backend backend = Backend::kCpu) {
  StateArrays states(scene.description(), 1);
  states.poses[2] = height - depth;
  states.velocities[2] = -0.1;
  ResultArrays r(scene, 1);
  Evaluator(scene, {.backend = backend, .precision = Precision::kDouble}).evaluate(states.view(), r.view());
  EXPECT_EQ(r.status[0], 0u);
  return r.pair_wrench[2];
}

SceneDescription on(const Geometry& body, const Geometry& ground, bool rigid) {
  SceneDescription scene = two_bodies(body, ground);
  scene.contact.dissipation_model = DissipationModel::kPfc;
  scene.bodies[0].modulus = 1e6;
  scene.bodies[1].modulus = 3e5;
  scene.bodies[0].dissipation = scene.bodies[1].dissipation = 5;
  scene.bodies[1].rigid = rigid;
  return scene;
}

/// The largest change of the force between neighbours `step` apart around a depth.
double largest_change(const Scene& scene, double depth, double height, double step) {
  double largest = 0, before = 0;
  for (int i = -4; i <= 4; ++i) {
    const double force = force_at(scene, depth + (i + 0.37) * step, height);
    if (i > -4) largest = std::max(largest, std::fabs(force - before));
    before = force;
  }
  return largest;
}

struct Scan {
  const char* name;
  SceneDescription scene;
  double depth, height;  // where the surface passes a layer of vertices
};

TEST(PfcDamping, IsContinuousWhereTheSurfacePassesALayer) {
  const Geometry block = layered_block(0.1, 4, {-0.05, -0.04, -0.03, 0, 0.05}, {0, 0.1, 0.5, 0.7, 0});
  const std::vector<Scan> scans = {
      {"layered block in a rigid half space", on(block, make_half_space("plane", 1), true), 0.01, 0.05},
      {"layered block in a compliant half space", on(block, make_half_space("plane", 0.05), false), 0.026, 0.05},
      {"cube in a slab", on(make_box("cube", {0.1, 0.1, 0.1}), make_box("slab", {0.4, 0.4, 0.1}), false), 0.05, 0.1},
  };
  for (const Scan& scan : scans) {
    const Scene scene(scan.scene);
    double before = largest_change(scene, scan.depth, scan.height, 1e-4);
    ASSERT_GT(before, 0) << scan.name;
    for (const double step : {1e-5, 1e-6, 1e-7}) {
      const double change = largest_change(scene, scan.depth, scan.height, step);
      EXPECT_LT(change, 0.2 * before) << scan.name << ", step " << step;
      before = change;
    }
    const double force = force_at(scene, scan.depth, scan.height);
    EXPECT_NEAR(force, force_at(scene, scan.depth, scan.height, Backend::kReference), 1e-9 * force) << scan.name;
  }
}

TEST(PfcDamping, IsThatOfTheTetsWhereTheyAllHaveOneGradient) {
  // in the middle of a wide layer p = E x depth / thickness, and so is the smoothed slope
  const double E = 1e6, chi = 5, speed = 0.1, thickness = 0.1;
  SceneDescription description = on(make_half_space("ground", thickness), make_box("plate", {0.1, 0.1, 0.02}), true);
  std::swap(description.bodies[0].pose, description.bodies[1].pose);
  description.bodies[0].pose = {0, 0, 0, 1, 0, 0, 0};
  description.bodies[1].pose = {0, 0, 0.005, 1, 0, 0, 0};
  description.bodies[0].velocity = {0, 0, 0, 0, 0, 0};
  description.bodies[1].velocity = {0, 0, -speed, 0, 0, 0};
  const Scene scene(description);
  StateArrays states(scene.description(), 1);
  ResultArrays r(scene, 1);
  Evaluator(scene, {.backend = Backend::kCpu, .precision = Precision::kDouble}).evaluate(states.view(), r.view());
  const double static_force = E * 0.005 / thickness * 0.01;
  EXPECT_NEAR(-r.pair_wrench[2], static_force * (1 + chi / thickness * speed), 1e-9 * static_force);
}

}  // namespace
}  // namespace isopatch::test
