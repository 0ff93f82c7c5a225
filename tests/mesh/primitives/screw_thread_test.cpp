// SPDX-License-Identifier: Apache-2.0
//
// Bolts and nuts: closed, without gap or overlap, of the ISO profile, and fitting each other.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <set>

#include "host/mesh/primitives/screw_thread_grid.h"
#include "isopatch/geometry/geometry.h"
#include "tests/mesh/mesh_fixtures.h"
#include "tests/reference/oracle_helpers.h"

namespace isopatch {

using namespace detail;

namespace {

using testing::contains;
using testing::error_of;

Bolt bolt_of(double diameter, double pitch, double length, int segments, double head_height) {
  Bolt bolt;
  bolt.thread = {diameter, pitch, 0};
  bolt.length = length;
  bolt.segments = segments;
  bolt.head_height = head_height;
  bolt.across_flats = 1.5 * diameter;
  return bolt;
}

Nut nut_of(double diameter, double pitch, double height, int segments) {
  return {{diameter, pitch, 0}, height, 1.6 * diameter, segments};
}

// lengths that are and are not multiples of the pitch, coarse and fine screw threads
std::vector<Bolt> bolts() {
  return {metric_bolt(0.02),
          metric_bolt(0.006),
          bolt_of(0.02, 0.0025, 0.03, 12, 0),
          bolt_of(0.02, 0.0025, 0.0471, 24, 0.0125),
          bolt_of(0.02, 0.005, 0.0299999, 36, 0.01),
          bolt_of(0.02, 0.0005, 0.0100001, 60, 0),
          bolt_of(0.001, 0.00025, 0.0005, 48, 0.0007),
          bolt_of(1, 0.25, 1.5, 12, 0)};
}

std::vector<Nut> nuts() {
  return {metric_nut(0.02), metric_nut(0.006), nut_of(0.02, 0.0025, 0.018, 12), nut_of(0.02, 0.005, 0.0100001, 36),
          nut_of(0.02, 0.0005, 0.0047, 60)};
}

void expect_closed(const std::vector<Triangle>& triangles, const std::string& name) {
  std::set<std::pair<std::int32_t, std::int32_t>> edges;
  for (const auto& [a, b, c] : triangles) {
    for (const auto& edge : {std::pair{a, b}, std::pair{b, c}, std::pair{c, a}}) {
      ASSERT_TRUE(edges.insert(edge).second) << name << ": edge " << edge.first << " " << edge.second << " twice";
    }
  }
  for (const auto& [a, b] : edges) ASSERT_EQ(edges.count({b, a}), 1U) << name << ": open edge " << a << " " << b;
}

// Tets without gap or overlap have the volume inside their surface; the checks refuse two on one side of a face.
void expect_sound(const Geometry& geometry) {
  EXPECT_EQ(geometry.report.inverted_tets, 0) << geometry.name;
  EXPECT_EQ(geometry.report.all_boundary_tets, 0) << geometry.name;
  EXPECT_EQ(geometry.report.unused_points, 0) << geometry.name;
  EXPECT_TRUE(geometry.warnings.empty()) << geometry.name << ": " << geometry.warnings[0];
  expect_closed(geometry.surface, geometry.name);
  EXPECT_NEAR(testing::enclosed_volume(geometry.mesh, geometry.surface), geometry.report.volume,
              1e-12 * geometry.report.volume)
      << geometry.name;
  for (const Tet& tet : geometry.mesh.tets) {
    ASSERT_TRUE(std::any_of(tet.begin(), tet.end(), [&](std::int32_t v) {
      return geometry.extent[static_cast<std::size_t>(v)] > 0;
    })) << geometry.name;
  }
}

TEST(ScrewThreads, AreSoundTetMeshesWithPressureEverywhere) {
  for (std::size_t i = 0; i < bolts().size(); ++i) expect_sound(make_bolt("bolt " + std::to_string(i), bolts()[i]));
  for (std::size_t i = 0; i < nuts().size(); ++i) expect_sound(make_nut("nut " + std::to_string(i), nuts()[i]));
}

TEST(ScrewThreads, AreSoundForAnySizes) {
  std::mt19937 random(1);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int i = 0; i < 40; ++i) {
    const double diameter = std::exp(uniform(-7, 0)), pitch = diameter / uniform(4, 20);
    const int segments = 12 * (1 + i % 4);
    Bolt bolt = bolt_of(diameter, pitch, pitch * uniform(2, 12), segments, i % 3 * diameter * uniform(0.01, 1));
    bolt.across_flats = diameter * uniform(1.01, 3);
    bolt.thread.clearance = pitch * uniform(0, 0.25);
    Nut nut = nut_of(diameter, pitch, pitch * uniform(2, 12), segments);
    nut.across_flats = diameter + pitch * uniform(2, 20);
    nut.thread.clearance = pitch * uniform(0, 0.25);
    expect_sound(make_bolt("bolt " + std::to_string(i), bolt));
    expect_sound(make_nut("nut " + std::to_string(i), nut));
  }
}

// The surface for rigid bodies and the tets bound the same body, so they have its volume.
TEST(ScrewThreads, HaveClosedSurfacesOfTheSameVolume) {
  const auto compare = [](const TriangleMesh& triangles, const Geometry& tets, const std::string& name) {
    expect_closed(triangles.triangles, name);
    const Geometry surface = make_surface_mesh(name, triangles);
    EXPECT_TRUE(surface.warnings.empty()) << name;
    EXPECT_EQ(surface.report.unused_points, 0) << name;
    EXPECT_NEAR(surface.report.volume, tets.report.volume, 1e-12 * tets.report.volume) << name;
    EXPECT_LE(surface.surface.size(), tets.surface.size()) << name;
  };
  for (const Bolt& bolt : bolts()) compare(make_bolt_surface(bolt), make_bolt("bolt", bolt), "bolt");
  for (const Nut& nut : nuts()) compare(make_nut_surface(nut), make_nut("nut", nut), "nut");
}

// ISO 68-1 for M20x2.5: major diameter 20, pitch diameter 18.376, minor diameter 17.294 mm.
TEST(ScrewThreads, HaveTheBasicProfileOfM20) {
  const Bolt bolt = bolt_of(0.02, 0.0025, 0.03, 48, 0);
  const TriangleMesh mesh = make_bolt_surface(bolt);
  double largest = 0, smallest = 1;
  for (const Point3& p : mesh.points) {
    const double radius = std::hypot(p[0], p[1]);
    if (radius == 0) continue;  // the middles of the ends
    largest = std::max(largest, radius);
    smallest = std::min(smallest, radius);
    if (p[2] <= 0 || p[2] >= bolt.length) continue;
    // corners lie at 1/16 and 6/16 of a pitch from the middle of a crest
    const double turns = p[2] / 0.0025 - std::atan2(p[1], p[0]) / (2 * std::numbers::pi);
    const double from_crest = std::fabs(turns - std::round(turns));
    EXPECT_NEAR(from_crest, radius > 0.0095 ? 1.0 / 16 : 6.0 / 16, 1e-9);
  }
  EXPECT_NEAR(2 * largest, 0.02, 1e-15);
  EXPECT_NEAR(2 * smallest, 0.0172937, 1e-7);
  // halfway between the diameters at 1/16 and 6/16, the flank is at the pitch diameter at 1/4
  const double pitch_diameter = 0.02 - 3.0 / 5 * (2 * largest - 2 * smallest);
  EXPECT_NEAR(pitch_diameter, 0.0183762, 1e-7);
}

// The area of a polygon of n sides is off by 2 pi^2/(3 n^2) inside its circle, by half of that around it. The diagonals
// of the flanks, all of one hand, add about 0.006/n.
TEST(ScrewThreads, VolumesConvergeToTheProfiles) {
  // mean of r^2 over a pitch: crest 1/8, root 1/4, flanks 5/8 of which r is linear
  const double a = 0.01, b = 0.01 - 5.0 / 16 * std::numbers::sqrt3 * 0.0025;
  const double mean = a * a / 8 + b * b / 4 + (a * a + a * b + b * b) / 3 * 5 / 8;
  const double rod = std::numbers::pi * mean * 0.03, hole = std::numbers::pi * mean * 0.02;
  const double hexagon = 2 * std::numbers::sqrt3 * 0.016 * 0.016 * 0.02;
  for (const int n : {24, 48, 96, 192}) {
    const Geometry bolt = make_surface_mesh("bolt", make_bolt_surface(bolt_of(0.02, 0.0025, 0.03, n, 0)));
    const Geometry nut = make_surface_mesh("nut", make_nut_surface(nut_of(0.02, 0.0025, 0.02, n)));
    const double loss = std::pow(std::numbers::pi / n, 2) * 2 / 3;
    EXPECT_NEAR(bolt.report.volume / rod, 1 - loss, 0.05 * loss + 0.01 / n) << n;
    EXPECT_NEAR((hexagon - nut.report.volume) / hole, 1 + loss / 2, 0.05 * loss + 0.01 / n) << n;
  }
}

TEST(ScrewThreads, ClearanceMovesTheThreadOnly) {
  Bolt bolt = metric_bolt(0.02), loose = bolt;
  loose.thread.clearance = 42e-6;  // g of ISO 965 for a pitch of 2.5 mm
  Nut nut = metric_nut(0.02), wide = nut;
  wide.thread.clearance = 42e-6;
  const auto radius = [](const Point3& p) { return std::hypot(p[0], p[1]); };
  const TriangleMesh a = make_bolt_surface(bolt), b = make_bolt_surface(loose);
  const TriangleMesh c = make_nut_surface(nut), d = make_nut_surface(wide);
  ASSERT_EQ(a.points.size(), b.points.size());
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    const bool thread = a.points[i][2] >= 0 && radius(a.points[i]) > 0 && radius(a.points[i]) <= 0.0100001;
    EXPECT_NEAR(radius(a.points[i]) - radius(b.points[i]), thread ? 21e-6 : 0, 1e-15);
  }
  const double out = 1 / std::cos(std::numbers::pi / nut.segments);
  for (std::size_t i = 0; i < c.points.size(); ++i) {
    EXPECT_NEAR(radius(d.points[i]) - radius(c.points[i]), radius(c.points[i]) < 0.012 ? 21e-6 * out : 0, 1e-15);
  }
}

/// The bolt is rigid, the nut compliant.
SceneDescription nut_on_bolt(int segments, double clearance) {
  Bolt bolt = bolt_of(0.02, 0.0025, 0.03, segments, 0);
  bolt.thread.clearance = clearance;
  Nut nut = metric_nut(0.02);
  nut.segments = segments;
  SceneDescription scene = oracle::two_bodies(make_surface_mesh("bolt", make_bolt_surface(bolt)), make_nut("nut", nut));
  scene.bodies[0].rigid = true;
  scene.bodies[1].modulus = 1e8;
  return scene;
}

constexpr oracle::BackendCase kCpu{"Cpu", Backend::kCpu};

// Screwed along its thread a nut stays free, at any angle, but for a few spots at its end planes, where an edge of the
// profile leaves between two rays and is cut across. Moved along by 0.2 mm without a turn it is held, by an axial force
// and the moment that belongs to it.
TEST(ScrewThreads, ANutTurnsFreelyOnItsBolt) {
  SceneDescription scene = nut_on_bolt(36, 42e-6);
  for (const double angle : {0.0, 0.01, 0.3, 1.7, 3.1, 6.0, 12.9}) {
    const oracle::Vector3d at(0, 0, 0.012 + 0.0025 * angle / (2 * std::numbers::pi));
    const double turn = angle + 2 * std::numbers::pi * 0.012 / 0.0025;
    oracle::set_pose(scene.bodies[1], at, oracle::roll_pitch_yaw(0, 0, turn));
    const oracle::Outcome free = oracle::evaluate(scene, kCpu);
    EXPECT_LT(free.polygons, 50) << "angle " << angle;

    oracle::set_pose(scene.bodies[1], at + oracle::Vector3d(0, 0, 2e-4), oracle::roll_pitch_yaw(0, 0, turn));
    const oracle::Outcome up = oracle::evaluate(scene, kCpu);
    oracle::set_pose(scene.bodies[1], at - oracle::Vector3d(0, 0, 2e-4), oracle::roll_pitch_yaw(0, 0, turn));
    const oracle::Outcome down = oracle::evaluate(scene, kCpu);
    EXPECT_LT(free.force.norm(), 1e-3 * up.force.norm()) << "angle " << angle;
    EXPECT_GT(up.polygons, 500);
    EXPECT_GT(up.force.z(), 100) << "the nut pulls the bolt along";
    EXPECT_LT(down.force.z(), -100);
    EXPECT_LT(std::hypot(up.force.x(), up.force.y()), 0.02 * up.force.z()) << "angle " << angle;
    // without friction the work of a turn is that of its lead: M 2 pi = F pitch
    EXPECT_NEAR(-up.torque.z() * 2 * std::numbers::pi / (up.force.z() * 0.0025), 1, 0.05) << "angle " << angle;
  }
}

TEST(ScrewThreads, RefuseBadArguments) {
  const auto bolt = [](auto change) {
    return error_of([&] {
      Bolt b;
      change(b);
      make_bolt_mesh(b);
    });
  };
  EXPECT_EQ(bolt([](Bolt& b) { b.thread.diameter = -1; }), "bolt: diameter [m] -1; it must be finite and positive");
  EXPECT_TRUE(contains(bolt([](Bolt& b) { b.thread.pitch = 0.006; }), "at most a quarter of the diameter, 0.005"));
  EXPECT_TRUE(contains(bolt([](Bolt& b) { b.thread.clearance = -1e-5; }), "clearance [m] -1e-05; it must be from 0"));
  EXPECT_TRUE(
      contains(bolt([](Bolt& b) { b.length = 0.004; }), "length [m] 0.004; it must be finite and at least two"));
  EXPECT_TRUE(contains(bolt([](Bolt& b) { b.segments = 18; }), "a multiple of 12 from 12 to 720"));
  EXPECT_TRUE(contains(bolt([](Bolt& b) { b.length = 10; }), "number of segments in all turns 144000"));
  EXPECT_TRUE(contains(bolt([](Bolt& b) { b.head_height = std::nan(""); }), "head height [m] nan"));
  EXPECT_TRUE(contains(bolt([](Bolt& b) { b.across_flats = 0.02; }), "larger than the diameter, 0.02"));
  Nut nut;
  nut.across_flats = 0.021;
  EXPECT_TRUE(contains(error_of([&] { make_nut_surface(nut); }), "nut: width across flats [m] 0.021; it must be at"));
  nut.height = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(contains(error_of([&] { make_nut_surface(nut); }), "nut: height [m] inf; it must be finite"));
}

// Each chain goes once around, on edges of the cells, and has one section's cells below and the other's above.
TEST(ScrewThreadGrid, ChainsCloseAroundTheAxis) {
  const ScrewThreadGrid grid(0.0025, -0.001, 0.0647, 24, 3);
  ASSERT_EQ(grid.chains().size(), 4U);
  std::set<ScrewThreadGrid::Edge> edges;
  for (const auto& [cell, section] : grid.cells()) {
    for (std::size_t i = 0; i < 3; ++i) edges.insert({cell[i], cell[(i + 1) % 3]});
  }
  for (const auto& chain : grid.chains()) {
    ASSERT_EQ(chain.size(), 24U);
    double low = 1, high = -1;
    for (std::size_t j = 0; j < chain.size(); ++j) {
      EXPECT_EQ(chain[j][1], chain[(j + 1) % chain.size()][0]);
      EXPECT_EQ(grid.nodes()[static_cast<std::size_t>(chain[j][0])].ray, static_cast<int>(j));
      EXPECT_TRUE(edges.count(chain[j]) + edges.count({chain[j][1], chain[j][0]}) > 0);
      low = std::min(low, grid.nodes()[static_cast<std::size_t>(chain[j][0])].z);
      high = std::max(high, grid.nodes()[static_cast<std::size_t>(chain[j][0])].z);
    }
    EXPECT_LT(high - low, 0.5 * 0.0025);
  }
}

}  // namespace
}  // namespace isopatch
