// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <ostream>

#include "host/mesh/topology/triangle_tree.h"
#include "isopatch/geometry/geometry.h"
#include "tests/mesh/grid_meshes.h"
#include "tests/mesh/mesh_fixtures.h"

namespace isopatch {

using namespace detail;

namespace {

using testing::contains;
using testing::error_of;

TetMesh with_extent(TetMesh mesh, std::vector<double> values) {
  mesh.point_data["extent"] = std::move(values);
  return mesh;
}

FieldOptions from_file() {
  FieldOptions options;
  options.kind = FieldOptions::Kind::kPointData;
  return options;
}

TEST(TriangleDistance, IsExactOverFaceEdgesAndCorners) {
  const Point3 a{0, 0, 0};
  const Point3 b{4, 0, 0};
  const Point3 c{0, 4, 0};
  EXPECT_EQ(squared_distance_to_triangle({1, 1, -3}, a, b, c), 9);   // over the face
  EXPECT_EQ(squared_distance_to_triangle({2, -3, 4}, a, b, c), 25);  // beside an edge
  EXPECT_EQ(squared_distance_to_triangle({3, 3, 0}, a, b, c), 2);    // beside the slanted edge
  EXPECT_EQ(squared_distance_to_triangle({-3, -4, 12}, a, b, c), 169);
  EXPECT_EQ(squared_distance_to_triangle({7, -4, 0}, a, b, c), 25);
  EXPECT_EQ(squared_distance_to_triangle({0, 9, 0}, a, b, c), 25);
  EXPECT_EQ(squared_distance_to_triangle({2, 0, 0}, a, b, c), 0);
}

TEST(TriangleDistance, TakesADegenerateTriangleAsSegmentOrPoint) {
  EXPECT_EQ(squared_distance_to_triangle({1, 2, 0}, {0, 0, 0}, {2, 0, 0}, {4, 0, 0}), 4);
  EXPECT_EQ(squared_distance_to_triangle({3, 4, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}), 25);
}

TEST(TriangleTree, AgreesWithAllTriangles) {
  const TetMesh mesh = make_sphere_mesh(1, 3);
  const std::vector<Triangle> surface = boundary_triangles(mesh);
  const TriangleTree tree(mesh.points, surface);
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> unit(-2, 2);
  for (int i = 0; i < 300; ++i) {
    const Point3 p{unit(random), unit(random), unit(random)};
    double expected = std::numeric_limits<double>::infinity();
    for (const auto& [a, b, c] : surface) {
      expected =
          std::min(expected, squared_distance_to_triangle(p, point_at(mesh, a), point_at(mesh, b), point_at(mesh, c)));
    }
    // a box can look nearer or farther than a triangle in it by rounding only
    ASSERT_NEAR(tree.squared_distance(p), expected, 1e-14) << "point " << i;
  }
}

struct RealMesh {
  const char* file;
  std::int64_t points;
  std::int64_t tets;
  std::int64_t crossing_edges;
  std::int64_t all_boundary;
  std::int64_t tets_after_split;
  double largest_depth;  // of a vertex of the file, metres
};

void PrintTo(const RealMesh& mesh, std::ostream* out) { *out << mesh.file; }

class RealMeshField : public ::testing::TestWithParam<RealMesh> {};

TEST_P(RealMeshField, HasTheKnownDepthAndCrossings) {
  const RealMesh& known = GetParam();
  TetMesh mesh;
  ISOPATCH_READ_OR_SKIP(mesh, known.file);
  EXPECT_EQ(static_cast<std::int64_t>(mesh.points.size()), known.points);
  EXPECT_EQ(static_cast<std::int64_t>(mesh.tets.size()), known.tets);

  const std::vector<double> distance = distance_to_surface(mesh, boundary_triangles(mesh));
  constexpr double kHalfLastDigit = 5e-7;  // of micrometres: the known depths have 5 to 6 digits
  EXPECT_NEAR(*std::max_element(distance.begin(), distance.end()), known.largest_depth, kHalfLastDigit);

  const Geometry geometry = make_tet_mesh(known.file, mesh);
  EXPECT_EQ(geometry.report.inverted_tets, 0);
  EXPECT_EQ(geometry.report.all_boundary_tets, known.all_boundary);
  EXPECT_EQ(geometry.report.crossing_edges, known.crossing_edges);
  EXPECT_EQ(geometry.report.tets, known.tets_after_split);
  EXPECT_EQ(geometry.warnings.size(), known.all_boundary > 0 ? 1U : 0U);
  EXPECT_EQ(*std::max_element(geometry.extent.begin(), geometry.extent.end()), 1);
  EXPECT_NEAR(testing::enclosed_volume(geometry.mesh, geometry.surface), geometry.report.volume,
              1e-12 * geometry.report.volume);
}

INSTANTIATE_TEST_SUITE_P(Files, RealMeshField,
                         ::testing::Values(RealMesh{"yellow_bell_pepper_no_stem_low.vtk", 667, 2519, 138, 171, 3164,
                                                    .0252086},
                                           RealMesh{"evo_bowl_coarse3k.vtk", 744, 3374, 0, 0, 3374, .0025622},
                                           RealMesh{"bubble.vtk", 67, 212, 0, 0, 212, .018057},
                                           RealMesh{"torus.vtk", 115, 286, 24, 25, 399, .037174}));

TEST(DistanceField, GivesASphereMeshExtentOneAtTheCentre) {
  const Geometry ball = make_tet_mesh("ball", make_sphere_mesh(0.05, 2));
  EXPECT_EQ(ball.extent, make_sphere("ball", 0.05, 2).extent);
}

TEST(DistanceField, GivesABoxMeshItsExactExtent) {
  const Geometry computed = make_tet_mesh("brick", make_box_mesh({0.12, 0.08, 0.1}));
  const Geometry exact = make_box("brick", {0.12, 0.08, 0.1});
  ASSERT_EQ(computed.extent.size(), exact.extent.size());
  for (std::size_t i = 0; i < exact.extent.size(); ++i) EXPECT_NEAR(computed.extent[i], exact.extent[i], 4e-16) << i;
}

TEST(DistanceField, OfAFineGridIsTheDistanceToTheCube) {
  TetMesh mesh = testing::block_mesh({1, 1, 1}, {20, 20, 20});
  const MeshReport report = check_and_repair(mesh, "grid", AllBoundaryTets::kKeep);
  EXPECT_EQ(report.tets, 48000);
  EXPECT_EQ(report.inverted_tets, 24000);  // the odd permutations
  EXPECT_EQ(report.interior_points, 19 * 19 * 19);
  EXPECT_EQ(report.boundary_triangles, 4800);
  EXPECT_NEAR(report.volume, 1, 1e-12);

  const std::vector<double> distance = distance_to_surface(mesh, boundary_triangles(mesh));
  for (std::size_t i = 0; i < distance.size(); ++i) {
    const Point3& p = mesh.points[i];
    const double expected = 0.5 - std::max({std::fabs(p[0]), std::fabs(p[1]), std::fabs(p[2])});
    ASSERT_NEAR(distance[i], expected, 1e-15) << "point " << i;
  }
}

TEST(DistanceField, NormalisesAfterTheSplitAndIgnoresUnusedPoints) {
  TetMesh mesh = testing::one_tet();
  mesh.points.push_back({5, 5, 5});
  const Geometry geometry = make_tet_mesh("t", mesh);
  EXPECT_EQ(geometry.extent, (std::vector<double>{0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(geometry.warnings.at(0),
            "t: 1 tets were split: 0 edges went through the inside from surface to surface, and 1 tets had all four "
            "vertices on the surface");
}

TEST(DistanceField, WarnsOfTetsWithoutExtentThatAreKept) {
  TetMesh mesh = make_sphere_mesh(1, 0);
  const auto [a, b, c] = boundary_triangles(mesh)[0];
  mesh.points.push_back(point_at(mesh, a) + point_at(mesh, b) + point_at(mesh, c));
  mesh.tets.push_back({a, b, c, 13});
  FieldOptions keep;
  keep.all_boundary_tets = AllBoundaryTets::kKeep;
  const Geometry geometry = make_tet_mesh("s", mesh, keep);
  ASSERT_EQ(geometry.warnings.size(), 1U);
  EXPECT_TRUE(contains(geometry.warnings[0], "s: 1 of 21 tets have extent 0 at all four vertices"));
  EXPECT_TRUE(
      contains(error_of([&] { make_tet_mesh("t", testing::one_tet(), keep); }), "at least one must be positive"));
}

TEST(PointDataField, IsTakenExactlyWithoutSplit) {
  const std::vector<double> values{0, 0.1, 2.5, 7, 0};
  const Geometry geometry = make_tet_mesh("t", with_extent(testing::two_tets(), values), from_file());
  EXPECT_EQ(geometry.extent, values);
  EXPECT_EQ(geometry.mesh.tets, testing::two_tets().tets);
  EXPECT_EQ(geometry.report.all_boundary_tets, 2);
  EXPECT_EQ(geometry.report.split_tets, 0);
  EXPECT_EQ(geometry.report.interior_points, 0);
  EXPECT_TRUE(geometry.warnings.empty());
}

TEST(PointDataField, CountsTetsWithoutExtent) {
  const Geometry geometry = make_tet_mesh("t", with_extent(testing::two_tets(), {1, 0, 0, 0, 0}), from_file());
  ASSERT_EQ(geometry.warnings.size(), 1U);
  EXPECT_TRUE(contains(geometry.warnings[0], "t: 1 of 2 tets have extent 0 at all four vertices"));
}

TEST(PointDataField, RefusesWhatIsNoExtent) {
  const auto message = [](std::vector<double> values) {
    return error_of([&] { make_tet_mesh("t", with_extent(testing::one_tet(), std::move(values)), from_file()); });
  };
  EXPECT_TRUE(
      contains(message({0, -0.5, 1, 0}), "t: the extent at point 1 is -0.5; it must be finite and not negative"));
  EXPECT_TRUE(contains(message({0, 1, std::nan(""), 0}), "point 2 is nan"));
  EXPECT_TRUE(contains(message({0, 0, 0, 0}), "the extent is 0 at all 4 points"));
  EXPECT_TRUE(contains(message({0, 1}), "has 2 values; the mesh has 4 points"));

  FieldOptions other = from_file();
  other.point_data = "depth";
  const std::string missing = error_of([&] {
    make_tet_mesh("t", with_extent(testing::one_tet(), {0, 0, 0, 1}), other);
  });
  EXPECT_TRUE(contains(missing, "t: no scalar point data 'depth'; the mesh has 'extent'")) << missing;
}

}  // namespace
}  // namespace isopatch
