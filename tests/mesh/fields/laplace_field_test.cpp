// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <ostream>

#include "host/mesh/fields/laplace_field.h"
#include "isopatch/geometry/geometry.h"
#include "tests/mesh/fields/layered_ball.h"
#include "tests/mesh/mesh_fixtures.h"

namespace isopatch {

using namespace detail;

namespace {

using testing::contains;
using testing::error_of;
using testing::layered_ball;

FieldOptions laplace(FieldCore core = {}) {
  FieldOptions options;
  options.kind = FieldOptions::Kind::kLaplace;
  options.core = std::move(core);
  return options;
}

FieldCore deeper_than(double depth) {
  FieldCore core;
  core.kind = FieldCore::Kind::kDepth;
  core.depth = depth;
  return core;
}

FieldCore ball_core(const Point3& center, double radius) {
  FieldCore core;
  core.kind = FieldCore::Kind::kBall;
  core.center = center;
  core.radius = radius;
  return core;
}

FieldCore vertex_core(std::vector<std::int32_t> vertices) {
  FieldCore core;
  core.kind = FieldCore::Kind::kVertices;
  core.vertices = std::move(vertices);
  return core;
}

void expect_in_range(const Geometry& geometry) {
  const std::vector<std::uint8_t> on_surface = boundary_points(geometry.mesh, geometry.surface);
  for (std::size_t i = 0; i < geometry.extent.size(); ++i) {
    if (on_surface[i] != 0) {
      ASSERT_EQ(geometry.extent[i], 0) << geometry.name << ", point " << i;
    } else {
      ASSERT_GT(geometry.extent[i], 0) << geometry.name << ", point " << i;
      ASSERT_LE(geometry.extent[i], 1) << geometry.name << ", point " << i;
    }
  }
}

bool warns(const Geometry& geometry, const std::string& text) {
  return std::any_of(geometry.warnings.begin(), geometry.warnings.end(),
                     [&](const std::string& warning) { return contains(warning, text); });
}

struct ShellError {
  double largest = 0;
  double root_mean_square = 0;  // over the points that are solved for
};

/// Between spheres of radius 1/2 and 1 the harmonic function with values 1 and 0 is 1/r - 1.
ShellError shell_error(int subdivisions, int layers) {
  const Geometry shell =
      make_tet_mesh("shell", layered_ball(subdivisions, layers, 0.5), laplace(ball_core({}, 0.5 + 1e-9)));
  EXPECT_TRUE(shell.warnings.empty());
  expect_in_range(shell);
  ShellError result;
  double squares = 0;
  std::int64_t free = 0;
  for (std::size_t i = 0; i < shell.extent.size(); ++i) {
    const double r = norm(shell.mesh.points[i]);
    const double error = std::fabs(shell.extent[i] - (1 / std::max(r, 0.5) - 1));
    result.largest = std::max(result.largest, error);
    squares += error * error;
    free += r > 0.5 + 1e-9 && r < 1 - 1e-9;
  }
  result.root_mean_square = std::sqrt(squares / static_cast<double>(free));
  std::printf("  %d subdivisions, %2d layers: largest error %.3e, root mean square %.3e\n", subdivisions, layers,
              result.largest, result.root_mean_square);
  return result;
}

TEST(LaplaceField, OfASphericalShellConvergesToTheHarmonicFunctionAtSecondOrder) {
  ShellError last = shell_error(1, 2);
  for (const int n : {2, 3}) {
    const ShellError now = shell_error(n, 1 << n);
    EXPECT_GT(last.root_mean_square / now.root_mean_square, 3.5) << n << " subdivisions";
    EXPECT_LT(now.largest, last.largest);
    last = now;
  }
  EXPECT_LT(last.root_mean_square, 5e-4);
}

// More unknowns than are factorised: the iteration is as exact. Against 8 layers, more of them leave the error of the
// sphere's mesh.
TEST(LaplaceField, OfManyVerticesIsAsExact) { EXPECT_LT(shell_error(3, 18).root_mean_square, 5e-4); }

SolverWork work_of_ball(int layers, std::size_t tets) {
  TetMesh mesh = layered_ball(3, layers, 0.2);
  const std::vector<Triangle> surface = make_tet_mesh("ball", mesh).surface;
  EXPECT_EQ(mesh.tets.size(), tets);
  std::vector<std::string> warnings;
  SolverWork work;
  laplace_extent(mesh, surface, {}, "ball", warnings, work);
  return work;
}

// Factoring costs about the entries of the factor times their mean in a column. Measured: see the bounds; a worse order
// of the unknowns, or a system solved twice, is far beyond.
TEST(LaplaceField, FactorsASystemOf44000TetsOnceAndSparsely) {
  const SolverWork work = work_of_ball(11, 43520);
  EXPECT_GT(work.unknowns, 2000);
  EXPECT_LT(work.unknowns, 8000);
  EXPECT_EQ(work.iterations, 0);
  EXPECT_GT(work.factor_entries, 0);
  EXPECT_LT(work.factor_entries, 300 * work.unknowns);
}

TEST(LaplaceField, SolvesALargeSystemInFewIterations) {
  const SolverWork work = work_of_ball(26, 101120);
  EXPECT_GT(work.unknowns, 8000);
  EXPECT_EQ(work.factor_entries, 0);
  EXPECT_GT(work.iterations, 0);
  EXPECT_LT(work.iterations, 100);
}

struct MeshFile {
  const char* name;
};

void PrintTo(const MeshFile& file, std::ostream* out) { *out << file.name; }

class RealMeshLaplace : public ::testing::TestWithParam<MeshFile> {};

TEST_P(RealMeshLaplace, LiesBetweenZeroAndOne) {
  const char* const name = GetParam().name;
  TetMesh mesh;
  ISOPATCH_READ_OR_SKIP(mesh, name);
  const Geometry geometry = make_tet_mesh(name, mesh, laplace());
  expect_in_range(geometry);
  const FieldQuality quality = measure_field(geometry.mesh, geometry.surface, geometry.extent);
  const Geometry distance = make_tet_mesh(name, mesh);
  const FieldQuality of_distance = measure_field(distance.mesh, distance.surface, distance.extent);
  std::printf("  %s: aligned %.1f %% (distance %.1f %%), kinks %lld (%lld) of %lld, without gradient %lld (%lld)\n",
              name, 100 * quality.aligned_faces, 100 * of_distance.aligned_faces, static_cast<long long>(quality.kinks),
              static_cast<long long>(of_distance.kinks), static_cast<long long>(quality.inner_faces),
              static_cast<long long>(quality.tets_without_gradient),
              static_cast<long long>(of_distance.tets_without_gradient));
  for (const std::string& warning : geometry.warnings) std::printf("    %s\n", warning.c_str());
  EXPECT_EQ(quality.all_boundary_tets, 0);
  EXPECT_GT(quality.aligned_faces, 0.5);
}

INSTANTIATE_TEST_SUITE_P(Files, RealMeshLaplace,
                         ::testing::Values(MeshFile{"yellow_bell_pepper_no_stem_low.vtk"},
                                           MeshFile{"evo_bowl_coarse3k.vtk"}, MeshFile{"bubble.vtk"},
                                           MeshFile{"torus.vtk"}));

TEST(LaplaceField, CoreOfAPrimitiveIsItsMedialSet) {
  for (const Geometry& primitive :
       {make_box("box", {0.12, 0.08, 0.1}), make_sphere("sphere", 0.05, 2), make_cylinder("cylinder", 0.05, 0.3, 16),
        make_cylinder("disk", 0.05, 0.04, 16), make_capsule("capsule", 0.05, 0.1, 16)}) {
    EXPECT_EQ(make_tet_mesh(primitive.name, primitive.mesh, laplace()).extent, primitive.extent) << primitive.name;
  }
}

TEST(LaplaceField, IsOneOnTheCoreThatIsAskedFor) {
  const TetMesh mesh = layered_ball(2, 8, 0.2);
  // the triangles of the surface lie inside the sphere by up to 1 % here
  const Geometry by_depth = make_tet_mesh("ball", mesh, laplace(deeper_than(0.6)));
  const Geometry by_ball = make_tet_mesh("ball", mesh, laplace(ball_core({0, 0, 0.1}, 0.2)));
  const Geometry by_vertex = make_tet_mesh("ball", mesh, laplace(vertex_core({5, 7})));
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    const double r = norm(mesh.points[i]);
    EXPECT_EQ(by_depth.extent[i] == 1, r < 0.35) << "point " << i << " at radius " << r;
    EXPECT_EQ(by_ball.extent[i] == 1, norm(mesh.points[i] - Point3{0, 0, 0.1}) <= 0.2) << "point " << i;
    EXPECT_EQ(by_vertex.extent[i] == 1, i == 5 || i == 7) << "point " << i;
  }
}

TEST(LaplaceField, StaysInRangeOnVeryObtuseTets) {
  TetMesh mesh = layered_ball(2, 4, 0.3);
  for (Point3& p : mesh.points) p[2] *= 0.01;
  const Geometry flat =
      make_tet_mesh("flat", mesh, laplace(vertex_core({static_cast<std::int32_t>(mesh.points.size()) - 1})));
  expect_in_range(flat);
  EXPECT_TRUE(warns(flat, "obtuse tets gave")) << "this mesh is meant to need the repair";
}

/// Two unit balls, 10 apart.
TetMesh two_balls() {
  TetMesh mesh = layered_ball(1, 3, 0.4);
  const TetMesh one = mesh;
  const auto count = static_cast<std::int32_t>(one.points.size());
  for (const Point3& p : one.points) mesh.points.push_back(p + Point3{10, 0, 0});
  for (const auto& [a, b, c, d] : one.tets) mesh.tets.push_back({a + count, b + count, c + count, d + count});
  return mesh;
}

TEST(LaplaceField, GivesEveryComponentACore) {
  const Geometry both = make_tet_mesh("balls", two_balls(), laplace());
  expect_in_range(both);
  const std::size_t half = both.extent.size() / 2;
  for (std::size_t i = 0; i < half; ++i) EXPECT_NEAR(both.extent[i], both.extent[i + half], 1e-12);
}

TEST(LaplaceField, RefusesACoreThatCannotBe) {
  const TetMesh mesh = layered_ball(1, 3, 0.4);
  const auto message = [&](FieldCore core) {
    return error_of([&] { make_tet_mesh("ball", mesh, laplace(std::move(core))); });
  };
  EXPECT_TRUE(contains(message(deeper_than(2)), "ball: the core has no vertex; the deepest vertex is 0.9"));
  EXPECT_TRUE(contains(message(ball_core({5, 0, 0}, 1)), "the core has no vertex"));
  EXPECT_TRUE(contains(message(vertex_core({})), "the core has no vertex"));
  EXPECT_TRUE(
      contains(message(ball_core({0, 0, 0}, 2)), "is on the surface and in the core; the core must lie inside"));
  EXPECT_TRUE(contains(message(vertex_core({-1})), "vertex -1 of the core is not in the mesh"));
  EXPECT_TRUE(contains(message(vertex_core({100000})), "vertex 100000 of the core is not in the mesh"));
  EXPECT_TRUE(contains(error_of([] {
                         make_tet_mesh("balls", two_balls(), laplace(ball_core({0, 0, 0}, 0.5)));
                       }),
                       "has no vertex in the core; every component needs one"));
}

// A tet at an edge of a ball, with all of its faces on the surface: its new middle vertex is not reached from the core.
TEST(LaplaceField, GivesPocketsBehindTheSurfaceAnExtentOfTheirDepth) {
  TetMesh mesh = make_sphere_mesh(1, 1);
  const auto [a, b, c] = boundary_triangles(mesh)[0];
  const auto peak = static_cast<std::int32_t>(mesh.points.size());
  const Point3 beyond = point_at(mesh, a) + point_at(mesh, b);
  mesh.points.push_back(beyond - 0.3 * point_at(mesh, c));
  mesh.points.push_back(beyond + 0.3 * point_at(mesh, c));
  mesh.tets.push_back({a, b, peak, peak + 1});
  const Geometry geometry = make_tet_mesh("horn", mesh, laplace());
  EXPECT_EQ(geometry.report.split_tets, 1);
  EXPECT_TRUE(warns(geometry, "horn: 1 pockets of inner vertices"));
  expect_in_range(geometry);
  const std::vector<double> depth = distance_to_surface(geometry.mesh, geometry.surface);
  const auto centre = static_cast<std::size_t>(peak) - 1;
  EXPECT_EQ(geometry.extent[centre], 1);
  EXPECT_DOUBLE_EQ(geometry.extent.back(), depth.back() / depth[centre]);
  EXPECT_TRUE(!warns(geometry, "extent 0 at all four vertices"));
}

TEST(FieldQuality, CountsAlignedFacesAndKinks) {
  // a cube: the gradient is normal to every face, and turns by 90 degrees between the cube's faces
  const Geometry cube = make_box("cube", {1, 1, 1});
  const FieldQuality quality = measure_field(cube.mesh, cube.surface, cube.extent);
  EXPECT_EQ(quality.aligned_faces, 1);
  EXPECT_EQ(quality.inner_faces, 18);
  EXPECT_EQ(quality.kinks, 12);
  EXPECT_EQ(quality.all_boundary_tets, 0);
  EXPECT_EQ(quality.tets_without_gradient, 0);
  EXPECT_EQ(quality.free_points, 0);

  // one tet of two without gradient
  const TetMesh tets = testing::two_tets();
  const FieldQuality flat = measure_field(tets, boundary_triangles(tets), {0, 0, 0, 0, 1});
  EXPECT_EQ(flat.all_boundary_tets, 2);
  EXPECT_EQ(flat.tets_without_gradient, 1);
  EXPECT_EQ(flat.kinks, 1) << "the gradient begins at the face";
  EXPECT_EQ(flat.inner_faces, 1);
}

}  // namespace
}  // namespace isopatch
