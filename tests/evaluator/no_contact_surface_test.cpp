// SPDX-License-Identifier: Apache-2.0
//
// The status says where bodies overlap without a surface of equal pressure, on every backend and with any outputs.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

#include "host/cpu/isa/kernels.h"
#include "host/mesh/topology/connectivity.h"
#include "tests/support/hash.h"

namespace isopatch::test {

using namespace detail;

namespace {

using detail::Outputs;

/// Two bodies and their pair; the second is turned, so that no axis is special.
SceneDescription pair_of(const Geometry& a, const Geometry& b, const Point3& place_of_b = {0, 0, 0}) {
  SceneDescription scene = two_bodies(a, b);
  scene.bodies[1].pose = {place_of_b[0], place_of_b[1], place_of_b[2], 1, 0.1, -0.2, 0.15};
  return scene;
}

SceneDescription pair_of(const Geometry& a, double modulus_a, const Geometry& b, double modulus_b,
                         const Point3& place_of_b = {0, 0, 0}) {
  SceneDescription scene = pair_of(a, b, place_of_b);
  scene.bodies[0].modulus = modulus_a;
  scene.bodies[1].modulus = modulus_b;
  return scene;
}

/// With body 0 or 1 rigid.
SceneDescription with_rigid(SceneDescription scene, std::size_t body) {
  scene.bodies[body].rigid = true;
  return scene;
}

SceneDescription filtered(SceneDescription scene) {
  scene.contact.gradient_filter = true;
  return scene;
}

Geometry surface_of(const Geometry& geometry) {
  return make_surface_mesh(geometry.name, {geometry.mesh.points, geometry.surface});
}

/// One mesh of several, each moved by its offset.
TetMesh joined(const std::vector<std::pair<Geometry, Point3>>& parts) {
  TetMesh mesh;
  for (const auto& [part, offset] : parts) {
    const auto first = static_cast<std::int32_t>(mesh.points.size());
    for (const Point3& p : part.mesh.points)
      mesh.points.push_back({p[0] + offset[0], p[1] + offset[1], p[2] + offset[2]});
    for (const Tet& t : part.mesh.tets) mesh.tets.push_back({t[0] + first, t[1] + first, t[2] + first, t[3] + first});
  }
  return mesh;
}

/// The surface of a ball with a hollow in it.
Geometry hollow_ball(double radius, double hollow) {
  const Geometry outer = make_sphere("outer", radius, 1), inner = make_sphere("inner", hollow, 1);
  TriangleMesh mesh = {outer.mesh.points, outer.surface};
  const auto first = static_cast<std::int32_t>(mesh.points.size());
  mesh.points.insert(mesh.points.end(), inner.mesh.points.begin(), inner.mesh.points.end());
  for (const Triangle& t : inner.surface) mesh.triangles.push_back({t[0] + first, t[2] + first, t[1] + first});
  return make_surface_mesh("hollow ball", mesh);
}

std::uint32_t status_alone(const Scene& scene, const Batch& batch, const CpuOptions& options) {
  std::uint32_t status = 12345;
  Results results;
  results.status = &status;
  make_evaluator(scene, options).evaluate(batch.state(), results);
  return status;
}

/// Every way to evaluate on this machine.
std::vector<CpuOptions> all_ways() {
  std::vector<CpuOptions> ways;
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    for (const bool brute_force : {false, true}) {
      CpuOptions options;
      options.precision = precision;
      options.brute_force = brute_force;
      options.num_threads = 1;
      for (const Vectors v : {Vectors::kNone, Vectors::kBaseline, Vectors::kAvx512}) {
        options.vectors = v;
        try {
          select_kernels(v);
          ways.push_back(options);
        } catch (const Error&) {  // not on this machine
        }
      }
    }
  }
  ways.push_back({{Backend::kReference, Precision::kDouble, 1}});
  return ways;
}

Batch own_state(const Scene& scene) {
  Batch batch(scene, 1);
  for (const Body& body : scene.description().bodies) {
    batch.poses.insert(batch.poses.end(), body.pose.begin(), body.pose.end());
  }
  return batch;
}

/// What the backends agree on: the status and whether there are polygons. The pair is evaluated both ways round.
struct Finding {
  std::uint32_t status = kOk;
  bool touches = false;
};

Finding evaluated_in_all_ways(SceneDescription description) {
  const auto tets = [&](std::size_t i) { return description.geometries[i].mesh.tets.size() + 1; };
  const bool large = tets(0) * tets(1) > 100000;  // too much for every tet with every tet, again and again
  Finding first;
  bool is_first = true;
  for (int order = 0; order < 2; ++order) {
    const Scene scene(description);
    const Batch batch = own_state(scene);
    int way = 0;
    for (const CpuOptions& options : all_ways()) {
      if (large && options.brute_force) continue;
      SCOPED_TRACE("order " + std::to_string(order) + ", way " + std::to_string(way++));
      for (const Outputs outputs : {Outputs::kWrench, Outputs::kPatch, Outputs::kPolygons}) {
        for (const bool with_energy : {false, true}) {
          if (large && (with_energy || outputs != Outputs::kWrench)) continue;
          UnwrittenResults results(scene, 1, outputs);
          if (outputs == Outputs::kPolygons) results.give_contacts(4096);
          Results view = results.view();
          if (!with_energy) view.energy = {};
          make_evaluator(scene, options).evaluate(batch.state(), view);
          const Finding found = {results.status[0], results.polygon_count[0] > 0};
          if (is_first) first = found;
          is_first = false;
          EXPECT_EQ(status_text(found.status), status_text(first.status));
          EXPECT_EQ(found.touches, first.touches);
          EXPECT_TRUE(found.touches || results.pair_wrench == std::vector<double>(6, 0.0));
        }
      }
      EXPECT_EQ(status_text(status_alone(scene, batch, options)), status_text(first.status));
    }
    std::swap((*description.pairs)[0].a, (*description.pairs)[0].b);
  }
  return first;
}

/// The bodies overlap and do not touch, with the gradient filter and without.
void expect_no_surface(const SceneDescription& scene) {
  for (const SceneDescription& s : {scene, filtered(scene)}) {
    const Finding found = evaluated_in_all_ways(s);
    EXPECT_FALSE(found.touches);
    EXPECT_EQ(status_text(found.status), "no_contact_surface");
  }
}

void expect_contact(const SceneDescription& scene) {
  const Finding found = evaluated_in_all_ways(scene);
  EXPECT_TRUE(found.touches);
  EXPECT_EQ(status_text(but_far_side(found.status)), "ok");
}

void expect_nothing(const SceneDescription& scene) {
  const Finding found = evaluated_in_all_ways(scene);
  EXPECT_FALSE(found.touches);
  EXPECT_EQ(status_text(found.status), "ok");
}

const Geometry kBig = make_sphere("big", 0.1, 1);
const Geometry kSmall = make_sphere("small", 0.02, 0);
const Geometry kGround = make_half_space("ground", 0.1);

// of three and four pitches, so that half the rod's length is a whole number of turns
const Nut kShortNut = {.thread = {}, .height = 0.0075, .segments = 12};
const Bolt kShortRod = {.thread = {.clearance = 5e-4}, .length = 0.01, .head_height = 0, .segments = 12};

// ---- one body in the other

TEST(NoContactSurface, IsReportedOfASoftBallInsideAStiffOne) {
  expect_no_surface(pair_of(kBig, 1e7, kSmall, 1e4));
  expect_no_surface(pair_of(kBig, 1e7, kSmall, 1e4, {0.03, 0.02, -0.01}));
}

TEST(NoContactSurface, IsNotReportedOfAStiffBallInsideASoftOne) {
  expect_contact(pair_of(kBig, 1e4, kSmall, 1e7, {0.03, 0.02, -0.01}));
}

// Where the pressure is equal, both fall outwards: the normal is against the big ball's gradient, and the filter drops
// every polygon. There is a surface all the same.
TEST(NoContactSurface, IsNotReportedWhereTheGradientFilterDropsTheSurface) {
  const SceneDescription scene = pair_of(kBig, 1e5, kSmall, 1e7);
  expect_contact(scene);
  expect_nothing(filtered(scene));
}

TEST(NoContactSurface, IsNotReportedWhereABodyIsOnlyPartlyInside) {
  expect_contact(pair_of(kBig, 1e7, kSmall, 1e4, {0.095, 0.01, -0.01}));
}

TEST(NoContactSurface, IsReportedOfTwoBodiesInOnePlace) {
  const Geometry box = make_box("box", {0.1, 0.2, 0.3});
  SceneDescription scene = pair_of(box, 1e5, box, 1e5);
  scene.bodies[0].pose = scene.bodies[1].pose;
  expect_no_surface(scene);
}

// ---- half spaces

TEST(NoContactSurface, IsReportedOfAThinPlateDeeperThanItsMedialSurface) {
  const Geometry plate = make_box("plate", {0.2, 0.2, 0.004});
  const auto at_depth = [&](double depth_of_top, double modulus) {
    SceneDescription scene = pair_of(plate, modulus, kGround, 1e6);
    scene.bodies[0].pose = {0.3, -0.1, -0.002 - depth_of_top, 1, 0, 0, 0};
    scene.bodies[1].pose = {0, 0, 0, 1, 0, 0, 0.3};
    return scene;
  };
  expect_no_surface(at_depth(1e-3, 1e4));  // 1e4 Pa at most, in 3e4 Pa
  expect_contact(at_depth(1e-5, 1e6));     // a stiffer one holds its own
  expect_contact(at_depth(-5e-4, 1e4));    // not all in
  expect_nothing(at_depth(-5e-3, 1e4));    // above
}

// The table of include/isopatch/detail/pressure_field/README.md.
TEST(GradientFilter, KeepsAStiffThinPlateUpAndNotASoftOne) {
  const auto force = [](double depth_of_top, double modulus, bool filter) {
    SceneDescription scene = pair_of(make_box("plate", {0.2, 0.2, 0.004}), modulus, kGround, 1e6);
    scene.bodies[0].pose[2] = -0.002 - depth_of_top;
    scene.bodies[1].pose = {0, 0, 0, 1, 0, 0, 0};
    scene.contact.gradient_filter = filter;
    UnwrittenResults results(Scene(scene), 1, Outputs::kWrench);
    Evaluator(Scene(scene)).evaluate(own_state(Scene(scene)).state(), results.view());
    EXPECT_EQ(but_far_side(results.status[0]), results.polygon_count[0] > 0 ? kOk : kNoContactSurface);
    return results.pair_wrench[2];
  };
  struct Row {
    double depth_of_top, stiff, stiff_filtered, soft, soft_filtered;
  };
  constexpr double kHalf = 0.5;  // the table has whole newtons
  for (const Row& row : {Row{-1e-3, 1198, 1198, 392, 8}, Row{1e-3, 1595, 1996, 0, 0}, Row{4e-3, 1590, 3193, 0, 0}}) {
    SCOPED_TRACE(row.depth_of_top);
    EXPECT_NEAR(force(row.depth_of_top, 1e7, false), row.stiff, kHalf);
    EXPECT_NEAR(force(row.depth_of_top, 1e7, true), row.stiff_filtered, kHalf);
    EXPECT_NEAR(force(row.depth_of_top, 1e4, false), row.soft, kHalf);
    EXPECT_NEAR(force(row.depth_of_top, 1e4, true), row.soft_filtered, kHalf);
  }
}

TEST(NoContactSurface, IsReportedOfACompliantBodyUnderARigidGround) {
  for (const double depth : {0.03, 0.5}) {
    expect_no_surface(with_rigid(pair_of(kSmall, kGround, {0, 0, depth}), 1));
  }
  expect_contact(with_rigid(pair_of(kSmall, kGround, {0, 0, 0.01}), 1));
}

TEST(NoContactSurface, IsNotReportedOfARigidBodyUnderACompliantGround) {
  expect_contact(with_rigid(pair_of(kSmall, kGround, {0, 0, 0.5}), 0));
}

// ---- rigid bodies

TEST(NoContactSurface, IsReportedOfACompliantBodyInsideARigidOne) {
  const Point3 position = {0.03, 0.02, -0.01};
  expect_no_surface(with_rigid(pair_of(kBig, kSmall, position), 0));
  expect_no_surface(with_rigid(pair_of(surface_of(kBig), kSmall, position), 0));
  expect_no_surface(
      with_rigid(pair_of(surface_of(make_nut("nut", kShortNut)), make_sphere("ball", 1e-3, 0), {0.0125, 0, 0}), 0));
}

TEST(NoContactSurface, IsNotReportedOfARigidBodyInsideACompliantOne) {
  const Point3 position = {0.03, 0.02, -0.01};
  expect_contact(with_rigid(pair_of(kBig, kSmall, position), 1));
  expect_contact(with_rigid(pair_of(kBig, surface_of(kSmall), position), 1));
}

TEST(NoContactSurface, AHollowIsOutside) {
  const Geometry hollow = hollow_ball(0.2, 0.1);
  expect_nothing(with_rigid(pair_of(hollow, kSmall, {0.01, 0, 0.02}), 0));
  expect_no_surface(with_rigid(pair_of(hollow, kSmall, {0.15, 0, 0}), 0));
  expect_contact(with_rigid(pair_of(hollow, kSmall, {0.09, 0, 0}), 0));
}

// ---- bodies apart, one in the other's box

TEST(NoContactSurface, IsNotReportedOfARodInANutWithPlay) {
  SceneDescription scene = pair_of(make_nut("nut", kShortNut), make_bolt("rod", kShortRod));
  scene.bodies[1].pose = {0, 0, -kShortRod.length / 2, 1, 0, 0, 0};
  expect_nothing(scene);
  expect_nothing(with_rigid(scene, 0));
  expect_nothing(with_rigid(scene, 1));
}

TEST(NoContactSurface, IsNotReportedOfABallBesideACorner) {
  const Geometry ball = make_sphere("ball", 0.05, 2);
  expect_nothing(pair_of(make_box("box", {0.1, 0.1, 0.1}), ball, {0.083, 0.083, 0.083}));
}

// ---- several components

TEST(NoContactSurface, IsReportedOfOneComponentInsideWhileOthersAreApart) {
  const Geometry two = make_tet_mesh("two", joined({{kSmall, {0.3, 0, 0}}, {kSmall, {0, 0, 0.01}}}));
  expect_no_surface(pair_of(kBig, 1e7, two, 1e4));
  const Geometry swapped = make_tet_mesh("two", joined({{kSmall, {0, 0, 0.01}}, {kSmall, {0.3, 0, 0}}}));
  expect_no_surface(pair_of(kBig, 1e7, swapped, 1e4));
  expect_nothing(pair_of(kBig, 1e7, two, 1e4, {0, 0.3, 0}));
}

TEST(NoContactSurface, IsNotReportedOfAPairThatTouchesElsewhere) {
  const Geometry two = make_tet_mesh("two", joined({{kSmall, {0.1, 0, 0}}, {kSmall, {0, 0, 0}}}));
  expect_contact(pair_of(kBig, 1e7, two, 1e4));
}

TEST(NoContactSurface, IsReportedWhereItIsOneOfManyComponents) {
  std::vector<std::pair<Geometry, Point3>> parts;
  for (int i = 0; i < 70; ++i) parts.push_back({kSmall, {0.05 * i, 0, 0.5}});
  parts[66].second = {0.01, 0, 0};
  const TetMesh mesh = joined(parts);
  EXPECT_EQ(component_points(mesh).size(), 70u);
  expect_no_surface(pair_of(kBig, 1e7, make_tet_mesh("many", mesh), 1e4));
}

// ---- fields that are not zero on the surface

TEST(NoContactSurface, IsReportedWherePressuresAtTheSurfacesAreFarApart) {
  TetMesh mesh = kSmall.mesh;
  for (const double extent : kSmall.extent) mesh.point_data["extent"].push_back(1000 + extent);
  FieldOptions given;
  given.kind = FieldOptions::Kind::kPointData;
  expect_no_surface(pair_of(kBig, 1e5, make_tet_mesh("high", mesh, given), 1e5));
}

// ---- batches

TEST(NoContactSurface, IsReportedOfItsEnvironmentAlone) {
  constexpr std::size_t kEnvironments = 4096, kEnclosed = 17;
  const Scene scene(pair_of(kBig, 1e7, kSmall, 1e4));
  Batch batch = own_state(scene);
  batch.num_environments = kEnvironments;
  const std::vector<double> one = batch.poses;
  for (std::size_t e = 1; e < kEnvironments; ++e) batch.poses.insert(batch.poses.end(), one.begin(), one.end());
  for (std::size_t e = 0; e < kEnvironments; ++e) {
    batch.poses[14 * e + 7] = e == kEnclosed ? 0.03 : e % 2 == 0 ? 0.1 : 0.13;  // touching and near
  }
  for (const int threads : {1, 2}) {
    EvaluatorOptions options;
    options.num_threads = threads;
    UnwrittenResults results(scene, batch.num_environments, Outputs::kWrench);
    Results view = results.view();
    view.energy = {};
    Evaluator(scene, options).evaluate(batch.state(), view);
    for (std::size_t e = 0; e < kEnvironments; ++e) {
      ASSERT_EQ(but_far_side(results.status[e]), e == kEnclosed ? kNoContactSurface : kOk) << "environment " << e;
      ASSERT_EQ(results.polygon_count[e] > 0, e != kEnclosed && e % 2 == 0) << "environment " << e;
    }
  }
}

TEST(NoContactSurface, IsReportedBesideOtherBits) {
  const Scene scene(balls_in_a_ball());
  Batch batch = own_state(scene);
  batch.poses[14] = 0.09;  // the stiff ball through the surface, the soft one inside
  UnwrittenResults results(scene, 1, Outputs::kPolygons, 1);
  Evaluator(scene).evaluate(batch.state(), results.view());
  EXPECT_EQ(status_text(results.status[0]), "polygon_capacity|no_contact_surface");

  batch.pair_mask = {0, 1};
  Evaluator(scene).evaluate(batch.state(), results.view());
  EXPECT_EQ(status_text(results.status[0]), "polygon_capacity");
}

}  // namespace
}  // namespace isopatch::test
