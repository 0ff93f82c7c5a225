// SPDX-License-Identifier: Apache-2.0
//
// A surface folded many times has an area of hundreds of its own radius squared, too much for the first scale of the
// reproducible sums. The pair is then evaluated again with a wider scale; nothing wraps, and no status bit is set.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/plates.h"
#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

constexpr double kModulus = 1e6, kThickness = 0.2;  // of the soft body: p = kModulus depth / kThickness
constexpr double kFriction = 0.4, kSpeed = 0.03, kSlip = 1e-3;
constexpr double kDepth = 0.01;  // of the highest plate's middle

struct Expected {
  double area = 0, drag = 0, lift = 0, pressure = 0;  // m^2; N along x; N along z; N, the integral of p

  /// All plates below the surface, sliding along x. Those of their sides that look along x have no tangential motion.
  explicit Expected(const Plates& plates, double depth) {
    const double slope = kModulus / kThickness, slip = kSpeed / std::hypot(kSpeed, kSlip);
    for (std::size_t i = 0; i < plates.middle.size(); ++i) {
      const double at =
          slope * (depth - plates.middle[i]);  // both faces together have twice the pressure of the middle
      const double faces = 2 * plates.side * plates.side, rim = plates.side * plates.thickness[i];
      area += faces + 4 * rim;
      pressure += at * (faces + 4 * rim);
      drag -= kFriction * slip * at * (faces + 2 * rim);
      lift += slope * plates.side * plates.side * plates.thickness[i];
    }
  }
};

Plates random_plates(int count, unsigned seed) {
  Random random(seed);
  Plates plates = {0.05, {}, {}};
  const double pitch = 0.05 / count;
  for (int i = 0; i < count; ++i) {
    plates.middle.push_back(-pitch * (i + random.uniform(-0.2, 0.2)));
    plates.thickness.push_back(pitch * random.uniform(0.05, 0.4));
  }
  return plates;
}

/// `ground`: a half space, or a box twice as high, whose upper half has the same pressure.
void expect_closed_form(const Plates& plates, const Geometry& ground, double tolerance, Precision precision) {
  SceneDescription scene = two_bodies(make_surface_mesh("plates", plates.mesh()), ground);
  const bool box = ground.kind == GeometryKind::kMesh;
  scene.bodies[0].rigid = true;
  for (Body& body : scene.bodies) body.modulus = kModulus, body.friction = kFriction;
  scene.contact.slip_tolerance = kSlip;
  const Evaluator evaluator(Scene(scene), {Backend::kCpu, precision, 1});

  // the upper half of the box: its pressure rises downward from its top, as that of the half space
  const std::vector<double> poses = {0, 0, -kDepth, 1, 0, 0, 0, 0, 0, box ? -kThickness : 0.0, 1, 0, 0, 0};
  const std::vector<double> velocities = {kSpeed, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  double wrench[6], area, friction[3], center[3], energy;
  std::uint32_t status = ~0u;
  std::int32_t polygons = 0;
  Results results;
  results.pair_wrench = wrench;
  results.area = &area;
  results.friction_force = friction;
  results.center_of_pressure = center;
  results.energy = &energy;
  results.status = &status;
  results.polygon_count = &polygons;
  State state;
  state.num_environments = 1;
  state.poses = poses.data();
  state.velocities = velocities.data();
  evaluator.evaluate(state, results);

  const Expected expected(plates, kDepth);
  EXPECT_EQ(but_far_side(status), kOk) << status_text(status);
  EXPECT_GE(polygons, static_cast<std::int32_t>(12 * plates.middle.size()));
  EXPECT_NEAR(area / expected.area, 1, tolerance);
  EXPECT_NEAR(wrench[0] / expected.drag, 1, tolerance);
  EXPECT_NEAR(friction[0] / expected.drag, 1, tolerance);
  EXPECT_NEAR(wrench[1], 0, tolerance * expected.pressure);
  EXPECT_NEAR(wrench[2], expected.lift, tolerance * expected.pressure);

  Results alone;  // without the patch's sums
  double same_wrench[6];
  alone.pair_wrench = same_wrench;
  evaluator.evaluate(state, alone);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(same_wrench[i], wrench[i]) << i;
}

struct FoldedSurface : ::testing::TestWithParam<Precision> {
  double tolerance() const { return GetParam() == Precision::kFloat ? 1e-4 : 1e-9; }
};

TEST_P(FoldedSurface, OfPlatesInAHalfSpace) {
  for (const int count : {10, 100, 200, 400}) {
    SCOPED_TRACE(count);
    expect_closed_form(even_plates(count), make_half_space("ground", kThickness), tolerance(), GetParam());
  }
}

TEST_P(FoldedSurface, OfPlatesInABox) {
  for (const int count : {100, 200, 400}) {
    SCOPED_TRACE(count);
    expect_closed_form(even_plates(count), make_box("ground", {0.6, 0.6, 2 * kThickness}), tolerance(), GetParam());
  }
}

// 25 000 plates have 1e5 times the radius squared.
TEST_P(FoldedSurface, OfRandomPlates) {
  const int most = GetParam() == Precision::kFloat ? 25000 : 5000;
  for (const int count : {50, 500, most}) {
    SCOPED_TRACE(count);
    expect_closed_form(random_plates(count, 7), make_half_space("ground", kThickness), tolerance(), GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, FoldedSurface, ::testing::Values(Precision::kFloat, Precision::kDouble),
                         ::testing::PrintToStringParamName());

// Polygons are not listed twice where a pair is evaluated twice.
TEST(FoldedSurfaces, ListEachPolygonOnce) {
  SceneDescription scene =
      two_bodies(make_surface_mesh("plates", even_plates(100).mesh()), make_half_space("ground", kThickness));
  scene.bodies[0].rigid = true;
  const Evaluator evaluator(Scene(scene), {Backend::kCpu, Precision::kFloat, 1});
  const std::vector<double> poses = {0, 0, -kDepth, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
  std::vector<Polygon> polygons(2000);
  std::int32_t needed = 0, count = 0;
  double area = 0;
  Results results;
  results.polygons = {polygons.data(), 2000};
  results.polygons_needed = &needed;
  results.polygon_count = &count;
  results.area = &area;
  State state;
  state.num_environments = 1;
  state.poses = poses.data();
  evaluator.evaluate(state, results);
  EXPECT_EQ(needed, count);
  EXPECT_EQ(count, 1200);
  double sum = 0;
  for (int i = 0; i < needed; ++i) sum += static_cast<double>(polygons[static_cast<std::size_t>(i)].area);
  EXPECT_NEAR(sum / area, 1, 1e-5);
}

}  // namespace
}  // namespace isopatch::test
