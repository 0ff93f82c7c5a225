// SPDX-License-Identifier: Apache-2.0
//
// Rigid bodies that are triangle surfaces: Archimedes in a compliant half space, agreement with the tet meshes they
// bound, and contact in a face that two tets share.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/mesh/checks/surface_fixtures.h"
#include "tests/reference/oracle_helpers.h"

namespace isopatch::oracle {
namespace {

using namespace detail;

struct SurfaceMesh : Oracle {};

constexpr double kTolerance = 1e-12;  // of the force; of the torque over kLever

Geometry surface_of(const Geometry& geometry) {
  return make_surface_mesh(geometry.name, {geometry.mesh.points, geometry.surface});
}

Geometry small_cube() {
  TriangleMesh cube = parse_obj(testing::kCubeObj, "cube");
  for (Point3& p : cube.points) p = 0.1 * p;
  return make_surface_mesh("cube", cube);
}

/// The mesh is body a, at a pose in general position with its lowest point `depth` below the half space's surface.
SceneDescription sunk(const Geometry& mesh, double depth, const Quaterniond& orientation) {
  SceneDescription scene = two_bodies(mesh, make_half_space("water", 0.3));
  scene.bodies[0].rigid = true;
  scene.bodies[1].modulus = 3e5;
  double lowest = 1e300;
  for (const Triangle& triangle : mesh.surface) {
    for (const std::int32_t v : triangle) {
      const Point3& p = mesh.mesh.points[static_cast<std::size_t>(v)];
      lowest = std::min(lowest, (orientation * Vector3d(p[0], p[1], p[2])).z());
    }
  }
  set_pose(scene.bodies[0], {0.02, -0.03, -depth - lowest}, orientation);
  return scene;
}

double diameter_of(const Geometry& mesh) {
  double radius = 0;
  for (const Point3& p : mesh.mesh.points) radius = std::max(radius, norm(p));
  return 2 * radius;
}

struct Lift {
  Vector3d force, torque;  // torque about the body's origin
};

// F = (E / thickness) V through the centroid of the submerged part.
Lift archimedes(const SceneDescription& scene) {
  const Geometry& mesh = scene.geometries[0];
  const Quaterniond orientation = orientation_of(scene.bodies[0]);
  const Vector3d position = position_of(scene.bodies[0]);
  std::vector<Point3> posed;
  for (const Point3& p : mesh.mesh.points) {
    const Vector3d x = orientation * Vector3d(p[0], p[1], p[2]) + position;
    posed.push_back({x.x(), x.y(), x.z()});
  }
  const testing::Part part = testing::part_below(posed, mesh.surface, 0);
  EXPECT_GT(part.volume, 0) << mesh.name;
  const double slope = scene.bodies[1].modulus / scene.geometries[1].thickness;
  const Vector3d force(0, 0, slope * static_cast<double>(part.volume));
  const Vector3d centroid(static_cast<double>(part.moment[0] / part.volume),
                          static_cast<double>(part.moment[1] / part.volume),
                          static_cast<double>(part.moment[2] / part.volume));
  return {force, (centroid - position).cross(force)};
}

// Twenty closed surfaces: with corners and round, convex and not, with a hole, with a screw thread, scanned.
std::vector<Geometry> made_surfaces() {
  Bolt rod;
  rod.head_height = 0;
  const auto surface = [](Geometry geometry) { return surface_of(geometry); };
  return {small_cube(),
          surface(make_box("brick", {0.06, 0.08, 0.1})),
          surface(make_sphere("icosahedron", 0.05, 0)),
          surface(make_sphere("ball", 0.05, 2)),
          surface(make_sphere("fine ball", 0.05, 4)),
          surface(make_ellipsoid("ellipsoid", {0.02, 0.05, 0.08}, 3)),
          surface(make_cylinder("tall cylinder", 0.03, 0.2, 32)),
          surface(make_cylinder("disk", 0.1, 0.004, 64)),
          surface(make_capsule("capsule", 0.02, 0.07, 24)),
          surface(make_convex_hull("hull", {{0.05, 0, 0},
                                            {-0.04, 0.01, 0.02},
                                            {0, 0.06, 0},
                                            {0.01, -0.05, 0.01},
                                            {0, 0, 0.07},
                                            {0.01, 0.02, -0.06},
                                            {0.03, 0.03, 0.03}})),
          surface(make_tet_mesh("tet", testing::one_tet())),
          make_surface_mesh("bolt", make_bolt_surface({})),
          make_surface_mesh("rod", make_bolt_surface(rod)),
          make_surface_mesh("nut", make_nut_surface({}))};
}

std::vector<Geometry> real_surfaces() {
  std::vector<Geometry> surfaces;
  for (const char* name : {"evo_bowl_col.obj", "mustard_bottle.obj", "bubble.vtk", "torus.vtk", "evo_bowl_coarse3k.vtk",
                           "yellow_bell_pepper_no_stem_low.vtk"}) {
    if (!have_data_file(name)) return {};
    const std::string file = data_file(name);
    const bool tets = file.ends_with(".vtk");
    surfaces.push_back(tets ? surface_of(make_tet_mesh(name, read_tet_mesh(file)))
                            : make_surface_mesh(name, read_triangle_mesh(file)));
  }
  return surfaces;
}

double height_at(const Geometry& mesh, const Quaterniond& orientation) {
  double low = 1e300, high = -1e300;
  for (const Point3& p : mesh.mesh.points) {
    const double z = (orientation * Vector3d(p[0], p[1], p[2])).z();
    low = std::min(low, z), high = std::max(high, z);
  }
  return high - low;
}

// Partly and wholly submerged, upright and in nine orientations: largest error of force and torque, the torque's over
// the mesh's diameter.
double worst_archimedes_error(const Geometry& mesh, const BackendCase& backend) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<Lift> expected;
  std::vector<double> poses;
  SceneDescription scene;
  for (int i = 0; i < 10; ++i) {
    Quaterniond orientation = Quaterniond::Identity();
    if (i > 0) orientation = Quaterniond(normal(random), normal(random), normal(random), normal(random)).normalized();
    for (const double part : {0.02, 0.3, 0.7, 1.2}) {
      scene = sunk(mesh, part * height_at(mesh, orientation), orientation);
      expected.push_back(archimedes(scene));
      for (const Body& body : scene.bodies) poses.insert(poses.end(), body.pose.begin(), body.pose.end());
    }
  }

  std::vector<double> wrenches(6 * expected.size());
  std::vector<std::uint32_t> status(expected.size());
  State state;
  state.num_environments = static_cast<std::int64_t>(expected.size());
  state.poses = poses.data();
  Results results;
  results.pair_wrench = wrenches.data();
  results.status = status.data();
  Evaluator(Scene(scene), {backend.backend, Precision::kDouble, 0}).evaluate(state, results);

  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(test::but_far_side(status[i]), kOk) << mesh.name;
    const Eigen::Map<const Vector3d> force(&wrenches[6 * i]), torque(&wrenches[6 * i + 3]);
    const double errors =
        std::max((force - expected[i].force).norm(), (torque - expected[i].torque).norm() / diameter_of(mesh));
    worst = std::max(worst, errors / expected[i].force.norm());
  }
  return worst;
}

void expect_archimedes(const std::vector<Geometry>& surfaces, const BackendCase& backend) {
  for (const Geometry& mesh : surfaces) {
    const double worst = worst_archimedes_error(mesh, backend);
    std::printf("  %-36s %6zu triangles, worst error %.1e\n", mesh.name.c_str(), mesh.surface.size(), worst);
    EXPECT_LT(worst, kTolerance) << mesh.name;
  }
}

TEST_P(SurfaceMesh, IsLiftedByWhatItDisplaces) { expect_archimedes(made_surfaces(), GetParam()); }

TEST_P(SurfaceMesh, OfARealThingIsLiftedByWhatItDisplaces) {
  const std::vector<Geometry> surfaces = real_surfaces();
  if (surfaces.empty()) GTEST_SKIP() << missing_data_file("one of the real meshes");
  expect_archimedes(surfaces, GetParam());
}

// A rigid tet mesh is its boundary: given alone, it must do the same.
TEST_P(SurfaceMesh, GivesTheWrenchOfTheTetMeshItBounds) {
  std::vector<Geometry> rigid = {make_sphere("ball", 0.05, 2), make_box("brick", {0.06, 0.08, 0.1})};
  for (const char* name : {"torus.vtk", "yellow_bell_pepper_no_stem_low.vtk"}) {
    if (!have_data_file(name)) GTEST_SKIP() << missing_data_file(name);
    const std::string file = data_file(name);
    rigid.push_back(make_tet_mesh(name, read_tet_mesh(file)));
  }
  for (const Geometry& mesh : rigid) {
    for (const Geometry& other : {make_half_space("ground", 0.1), make_sphere("pad", 0.07, 2)}) {
      SceneDescription scene = sunk(mesh, 0.02, roll_pitch_yaw(0.3, 0.5, 0.2));
      scene.geometries[1] = other;
      scene.bodies[0].velocity = {0.1, -0.2, -0.05, 1, 2, 3};
      scene.bodies[1].friction = scene.bodies[0].friction = 0.5;
      scene.bodies[1].dissipation = 0.7;
      SceneDescription alone = scene;
      alone.geometries[0] = surface_of(mesh);
      for (const bool swap : {false, true}) {
        const Outcome expected = evaluate(swap ? exchanged(scene) : scene, GetParam());
        const Outcome found = evaluate(swap ? exchanged(alone) : alone, GetParam());
        ASSERT_GT(expected.polygons, 2) << mesh.name << " on " << other.name;
        EXPECT_EQ(found.polygons, expected.polygons) << mesh.name << " on " << other.name;
        EXPECT_LT(relative_error(found.force, found.torque, expected.force, expected.torque), kTolerance)
            << mesh.name << " on " << other.name;
        EXPECT_EQ(test::but_far_side(found.status), kOk);
      }
    }
  }
}

// The compliant body's two tets share a face in z = 0, with p = 1e5 (3 - z); a rigid block's lower side lies in it. The
// face presses with 3e5 Pa on half a square metre, once, whichever tet takes part.
TEST_P(SurfaceMesh, PressesOnceWhereATriangleLiesInASharedFace) {
  TetMesh tets{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.2, 1}, {0.2, 0.2, -1}}, {{0, 1, 2, 3}, {0, 2, 1, 4}}, {}};
  tets.point_data["extent"] = {3, 3, 3, 2, 4};
  FieldOptions options;
  options.kind = FieldOptions::Kind::kPointData;
  const Geometry body = make_tet_mesh("body", tets, options);
  TriangleMesh block = parse_obj(testing::kCubeObj, "block");
  for (Point3& p : block.points) p = {8 * p[0] - 3, 8 * p[1] - 4, 8 * p[2]};

  for (const bool upward : {true, false}) {
    for (const double shift : {0.0, 1e-9, -1e-9, 1e-13, -1e-13}) {
      SceneDescription scene = two_bodies(make_surface_mesh("block", block), body);
      scene.bodies[0].rigid = true;
      // above the plane, or turned half about x and below it
      set_pose(scene.bodies[0], {0, 0, shift}, upward ? Quaterniond::Identity() : Quaterniond(0, 1, 0, 0));
      for (const bool swap : {false, true}) {
        const Outcome outcome = evaluate(swap ? exchanged(scene) : scene, GetParam());
        const double expected = (upward ? 1.0 : -1.0) * (swap ? -1.0 : 1.0) * 1.5e5;
        EXPECT_NEAR(outcome.force.z(), expected, 1.5e5 * 4e-9) << "shift " << shift << (swap ? ", exchanged" : "");
        EXPECT_NEAR(outcome.area, 0.5, 4e-9) << "shift " << shift << (swap ? ", exchanged" : "");
      }
    }
  }
}

// The energy is a sum over cones, some of which take away: the torus has a hole, and its middle lies outside.
TEST(SurfaceMeshBackends, HasTheEnergyOfTheTetMeshItBounds) {
  if (!have_data_file("torus.vtk")) GTEST_SKIP() << missing_data_file("torus.vtk");
  const std::string file = data_file("torus.vtk");
  const Geometry torus = make_tet_mesh("torus", read_tet_mesh(file));
  for (const Geometry& other : {make_half_space("ground", 0.1), make_sphere("pad", 0.07, 2)}) {
    SceneDescription scene = two_bodies(torus, other);
    scene.bodies[0].rigid = true;
    set_pose(scene.bodies[0], {0.01, 0.02, 0.03}, roll_pitch_yaw(0.3, 0.5, 0.2));
    SceneDescription alone = scene;
    alone.geometries[0] = surface_of(torus);
    for (const BackendCase& backend :
         {BackendCase{"reference", Backend::kReference}, BackendCase{"cpu", Backend::kCpu}}) {
      const double expected = evaluate(scene, backend, true).energy;
      EXPECT_GT(expected, 0);
      EXPECT_NEAR(evaluate(alone, backend, true).energy, expected, expected * kTolerance) << other.name;
    }
  }
}

TEST(SurfaceMeshBackends, RefusesOneForACompliantBodyOfOneEnvironment) {
  SceneDescription scene = two_bodies(make_sphere("ball", 0.05, 1), make_half_space("ground", 0.1));
  scene.geometries.push_back(surface_of(scene.geometries[0]));
  const std::vector<double> pose = {0, 0, 0.04, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
  std::vector<double> poses = pose;
  poses.insert(poses.end(), pose.begin(), pose.end());
  const std::vector<std::int32_t> index = {0, 1, 2, 1};
  std::vector<std::uint32_t> status(2);
  std::vector<double> wrench(12);
  State state;
  state.num_environments = 2;
  state.poses = poses.data();
  state.geometry_index = index.data();
  Results results;
  results.status = status.data();
  results.pair_wrench = wrench.data();
  for (const Backend backend : {Backend::kReference, Backend::kCpu}) {
    const EvaluatorOptions options = {.backend = backend, .precision = Precision::kDouble};
    scene.bodies[0].rigid = false;
    Evaluator(Scene(scene), options).evaluate(state, results);
    EXPECT_EQ(status[0], kOk);
    EXPECT_EQ(status[1], kBadGeometry);
    EXPECT_GT(wrench[2], 0);
    EXPECT_EQ(wrench[8], 0);
    scene.bodies[0].rigid = true;
    Evaluator(Scene(scene), options).evaluate(state, results);
    EXPECT_EQ(status[1], kOk);
    EXPECT_NEAR(wrench[8], wrench[2], 1e-12 * wrench[2]);
  }
}

ISOPATCH_INSTANTIATE_ORACLE(SurfaceMesh);

}  // namespace
}  // namespace isopatch::oracle
