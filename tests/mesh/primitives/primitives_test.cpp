// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numbers>
#include <ostream>

#include "isopatch/geometry/geometry.h"
#include "tests/mesh/mesh_fixtures.h"

namespace isopatch {

using namespace detail;

namespace {

using testing::contains;
using testing::error_of;

double distance_in_box(const Point3& size, const Point3& p) {
  double distance = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < 3; ++k) distance = std::min(distance, size[k] / 2 - std::fabs(p[k]));
  return distance;
}

/// The extent at `p` by every tet that holds it (all must agree), and how many do.
struct Sample {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -1;
  int holders = 0;
};

Sample sample_extent(const Geometry& geometry, const Point3& p) {
  constexpr double kOnFace = 1e-12;
  Sample sample;
  for (const Tet& tet : geometry.mesh.tets) {
    const std::array<double, 4> weights = testing::barycentric(geometry.mesh, tet, p);
    if (*std::min_element(weights.begin(), weights.end()) < -kOnFace) continue;
    double extent = 0;
    for (std::size_t i = 0; i < 4; ++i) extent += weights[i] * geometry.extent[static_cast<std::size_t>(tet[i])];
    sample.lowest = std::min(sample.lowest, extent);
    sample.highest = std::max(sample.highest, extent);
    ++sample.holders;
  }
  return sample;
}

struct BoxCase {
  Point3 size;
  std::size_t points;
  std::size_t tets;
};

void PrintTo(const BoxCase& box, std::ostream* out) {
  *out << fmt::format("{}x{}x{}", box.size[0], box.size[1], box.size[2]);
}

class BoxMesh : public ::testing::TestWithParam<BoxCase> {};

TEST_P(BoxMesh, HasTheExpectedPointsTetsAndVolume) {
  const auto& [size, points, tets] = GetParam();
  const Geometry box = make_box("box", size);
  EXPECT_EQ(box.mesh.points.size(), points);
  EXPECT_EQ(box.mesh.tets.size(), tets);
  EXPECT_EQ(box.surface.size(), 12U);
  EXPECT_EQ(box.report.inverted_tets, 0);
  EXPECT_EQ(box.report.all_boundary_tets, 0);
  EXPECT_EQ(box.report.unused_points, 0);
  const double volume = size[0] * size[1] * size[2];
  EXPECT_NEAR(box.report.volume, volume, 1e-14 * volume);
  EXPECT_NEAR(testing::enclosed_volume(box.mesh, box.surface), volume, 1e-14 * volume);
}

// The tets fill the box without gap, and the field is the distance at every point: 2000 random ones.
TEST_P(BoxMesh, FieldIsTheDistanceToTheSurfaceEverywhere) {
  const Point3 size = GetParam().size;
  const Geometry box = make_box("box", size);
  const double half = *std::min_element(size.begin(), size.end()) / 2;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(-0.5, 0.5);
  for (int i = 0; i < 2000; ++i) {
    const Point3 p{size[0] * unit(random), size[1] * unit(random), size[2] * unit(random)};
    const double expected = distance_in_box(size, p) / half;
    const Sample sample = sample_extent(box, p);
    ASSERT_GE(sample.holders, 1) << "point " << i;
    // a point on the other side of a face by rounding sees the neighbour's field, equal on that face
    ASSERT_NEAR(sample.lowest, expected, 2e-10) << "point " << i;
    ASSERT_NEAR(sample.highest, expected, 2e-10) << "point " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, BoxMesh,
                         ::testing::Values(BoxCase{{0.1, 0.1, 0.1}, 9, 12}, BoxCase{{0.1, 0.1, 0.3 - 0.2}, 9, 12},
                                           BoxCase{{0.12, 0.1, 0.1}, 10, 16}, BoxCase{{0.1, 0.3, 0.1}, 10, 16},
                                           BoxCase{{0.1, 0.1, 5}, 10, 16}, BoxCase{{0.12, 0.08, 0.1}, 12, 24},
                                           BoxCase{{2, 2, 0.1}, 12, 24}, BoxCase{{0.1, 2, 2}, 12, 24},
                                           BoxCase{{3, 2, 1}, 12, 24}, BoxCase{{1, 1 + 1e-9, 100}, 12, 24}));

TEST(BoxMesh, ACubeIsTwelveTetsAboutItsCentreWithMirroredDiagonals) {
  const TetMesh cube = make_box_mesh({2, 2, 2});
  EXPECT_EQ(cube.points.back(), (Point3{0, 0, 0}));
  for (const Tet& tet : cube.tets) EXPECT_EQ(std::count(tet.begin(), tet.end(), 8), 1);

  std::vector<Triangle> surface = boundary_triangles(cube);
  for (Triangle& t : surface) std::sort(t.begin(), t.end());
  for (const std::int32_t bit : {1, 2, 4}) {  // a corner's index has one bit per axis
    for (const Triangle& t : surface) {
      Triangle mirrored{t[0] ^ bit, t[1] ^ bit, t[2] ^ bit};
      std::sort(mirrored.begin(), mirrored.end());
      const bool in_face = (t[0] & bit) == (t[1] & bit) && (t[1] & bit) == (t[2] & bit);
      if (in_face) {
        EXPECT_EQ(std::count(surface.begin(), surface.end(), mirrored), 1);
      }
    }
  }
}

TEST(BoxMesh, RefusesBadSizes) {
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_TRUE(contains(error_of([&] { make_box("b", {1, bad, 1}); }), "must be finite and positive"));
  }
}

TEST(SphereMesh, HasTwentyTimesFourToTheNTets) {
  std::size_t tets = 20;
  for (int n = 0; n <= 4; ++n, tets *= 4) {
    const Geometry ball = make_sphere("ball", 0.05, n);
    EXPECT_EQ(ball.mesh.tets.size(), tets);
    EXPECT_EQ(ball.surface.size(), tets);
    EXPECT_EQ(ball.mesh.points.size(), tets / 2 + 3);
    EXPECT_EQ(ball.mesh.points.back(), (Point3{0, 0, 0}));
    EXPECT_EQ(ball.extent.back(), 1);
    EXPECT_EQ(std::count(ball.extent.begin(), ball.extent.end(), 0.0), static_cast<std::int64_t>(tets / 2 + 2));
    EXPECT_EQ(ball.report.inverted_tets, 0);
    for (std::size_t i = 0; i + 1 < ball.mesh.points.size(); ++i) {
      EXPECT_NEAR(norm(ball.mesh.points[i]), 0.05, 1e-16);
    }
  }
}

TEST(SphereMesh, IcosahedronHasTheExactVolume) {
  const double edge = 4 / std::sqrt(10 + 2 * std::sqrt(5.0));  // of the icosahedron with circumradius 1
  const double phi2 = std::numbers::phi * std::numbers::phi;
  EXPECT_NEAR(make_sphere("s", 1, 0).report.volume, 5. / 6 * phi2 * edge * edge * edge, 1e-14);
}

TEST(SphereMesh, VolumeConvergesWithSecondOrder) {
  const double exact = 4 * std::numbers::pi / 3;
  double last = exact - make_sphere("s", 1, 2).report.volume;
  for (int n = 3; n <= 5; ++n) {
    const double error = exact - make_sphere("s", 1, n).report.volume;
    EXPECT_GT(error, 0);
    EXPECT_NEAR(last / error, 4, 0.1) << n << " subdivisions";
    last = error;
  }
}

TEST(SphereMesh, RefusesBadArguments) {
  EXPECT_TRUE(contains(error_of([] { make_sphere("s", -1, 2); }), "radius -1"));
  EXPECT_TRUE(contains(error_of([] { make_sphere("s", std::nan(""), 2); }), "radius nan"));
  EXPECT_TRUE(contains(error_of([] { make_sphere("s", 1, 8); }), "8 subdivisions; they must lie in [0, 7]"));
  EXPECT_TRUE(contains(error_of([] { make_sphere("s", 1, -1); }), "-1 subdivisions"));
}

TEST(HalfSpace, KeepsItsThickness) {
  const Geometry ground = make_half_space("ground", 0.1);
  EXPECT_EQ(ground.kind, GeometryKind::kHalfSpace);
  EXPECT_EQ(ground.thickness, 0.1);
  EXPECT_TRUE(ground.mesh.tets.empty());
  EXPECT_TRUE(contains(error_of([] { make_half_space("ground", 0); }), "ground: thickness 0 m"));
}

}  // namespace
}  // namespace isopatch
