// SPDX-License-Identifier: Apache-2.0
//
// A cup with a thin stiff wall, filled with tets by TetGen, in a soft pad: it presses as its surface does as a rigid
// body.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "host/meshing/tetrahedralize.h"
#include "tests/thin_walls/forces.h"

namespace isopatch::test {
namespace {

constexpr double kRadius = 0.04, kWall = 0.004, kHeight = 0.08;
constexpr int kSegments = 48;

/// The points of a line, without its end.
void add_line(std::vector<std::array<double, 2>>& profile, const std::array<double, 2>& from,
              const std::array<double, 2>& to) {
  constexpr double kStep = 0.005;
  const int steps = static_cast<int>(std::round(std::hypot(to[0] - from[0], to[1] - from[1]) / kStep));
  for (int i = 0; i < std::max(1, steps); ++i) {
    const double s = 1. * i / std::max(1, steps);
    profile.push_back({from[0] + s * (to[0] - from[0]), from[1] + s * (to[1] - from[1])});
  }
}

/// A closed profile (radius, z) from axis to axis, turned about z.
TriangleMesh revolved(const std::vector<std::array<double, 2>>& profile) {
  TriangleMesh mesh;
  const auto ring_of = [&](std::size_t row) {
    std::vector<std::int32_t> ring;
    const auto& [radius, z] = profile[row];
    for (int i = 0; i <= kSegments; ++i) {
      if (i == kSegments || (radius == 0 && i > 0)) {
        ring.push_back(ring[0]);
        continue;
      }
      const double angle = 2 * std::numbers::pi * i / kSegments;
      ring.push_back(static_cast<std::int32_t>(mesh.points.size()));
      mesh.points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
    return ring;
  };
  const auto add = [&](const Triangle& t) {
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) mesh.triangles.push_back(t);
  };
  std::vector<std::int32_t> below = ring_of(0);
  for (std::size_t row = 1; row < profile.size(); ++row) {
    const std::vector<std::int32_t> above = ring_of(row);
    for (std::size_t i = 0; i < kSegments; ++i) {
      add({below[i], below[i + 1], above[i + 1]});
      add({below[i], above[i + 1], above[i]});
    }
    below = above;
  }
  return mesh;
}

TriangleMesh cup() {
  std::vector<std::array<double, 2>> profile;
  add_line(profile, {0, 0}, {kRadius, 0});
  add_line(profile, {kRadius, 0}, {kRadius, kHeight});
  add_line(profile, {kRadius, kHeight}, {kRadius - kWall, kHeight});
  add_line(profile, {kRadius - kWall, kHeight}, {kRadius - kWall, kWall});
  add_line(profile, {kRadius - kWall, kWall}, {0, kWall});
  profile.push_back({0, kWall});
  return revolved(profile);
}

/// The force along x on a cup that is `depth` deep in a pad of 20 x 40 x 40 mm at half its height.
double force_on_cup(const Geometry& geometry, double depth, bool filter) {
  SceneDescription scene = two_bodies(geometry, make_box("pad", {0.02, 0.04, 0.04}));
  scene.bodies[0].rigid = geometry.is_surface_mesh();
  scene.bodies[0].modulus = 1e9;
  scene.bodies[1].modulus = 1e5;
  scene.bodies[1].pose = {kRadius + 0.01 - depth, 0, kHeight / 2, 1, 0, 0, 0};
  return -force_on_first(scene, filter)[0];
}

TEST(ThinCup, OfTetsPressesAsItsRigidSurface) {
  detail::Mesher mesher;
  try {
    mesher = detail::find_mesher("tetgen");
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  TriangleMesh surface = cup();
  const Geometry rigid = make_surface_mesh("rigid", surface);
  const Geometry stiff =
      make_tet_mesh("stiff", detail::fill_with_tets(surface, rigid.report.volume, mesher, {}, "cup", [] {}));
  EXPECT_GT(stiff.report.crossing_edges, 1000);

  constexpr double kTolerance = 1e-3;  // the wall is 1e4 times as stiff as the pad, and half as deep
  for (const double depth : {0.003, 0.005, 0.009}) {
    for (const bool filter : {false, true}) {
      const double expected = force_on_cup(rigid, depth, filter), found = force_on_cup(stiff, depth, filter);
      EXPECT_NEAR(found, expected, kTolerance * expected) << depth << (filter ? ", filter" : "");
    }
  }
}

}  // namespace
}  // namespace isopatch::test
