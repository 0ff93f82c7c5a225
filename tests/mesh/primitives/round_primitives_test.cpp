// SPDX-License-Identifier: Apache-2.0
//
// Meshes of ellipsoids, cylinders, capsules and convex hulls: valid, symmetric, and with the right field.
#include <algorithm>
#include <functional>
#include <limits>
#include <numbers>
#include <set>

#include "host/mesh/primitives/revolve.h"
#include "isopatch/geometry/geometry.h"
#include "tests/mesh/mesh_fixtures.h"

namespace isopatch {

using namespace detail;

namespace {

using testing::contains;
using testing::error_of;

void expect_sound(const Geometry& geometry) {
  EXPECT_EQ(geometry.report.inverted_tets, 0) << geometry.name;
  EXPECT_EQ(geometry.report.all_boundary_tets, 0) << geometry.name;
  EXPECT_EQ(geometry.report.unused_points, 0) << geometry.name;
  EXPECT_TRUE(geometry.warnings.empty()) << geometry.name;
  for (const Tet& tet : geometry.mesh.tets) ASSERT_GT(six_volumes(geometry.mesh, tet), 0) << geometry.name;
  // tets without gap or overlap have the volume inside their surface
  EXPECT_NEAR(testing::enclosed_volume(geometry.mesh, geometry.surface), geometry.report.volume,
              1e-12 * geometry.report.volume)
      << geometry.name;
  const auto [lowest, highest] = std::minmax_element(geometry.extent.begin(), geometry.extent.end());
  EXPECT_EQ(*lowest, 0) << geometry.name;
  EXPECT_EQ(*highest, 1) << geometry.name;
  // a closed surface has every edge once in each direction
  std::multiset<std::pair<std::int32_t, std::int32_t>> edges;
  for (const auto& [a, b, c] : geometry.surface) edges.insert({{a, b}, {b, c}, {c, a}});
  for (const auto& [a, b] : edges) {
    ASSERT_EQ(edges.count({a, b}), 1U) << geometry.name;
    ASSERT_EQ(edges.count({b, a}), 1U) << geometry.name;
  }
}

/// Whether `image` of every tet is a tet, and of every extent the same.
bool is_symmetric(const Geometry& geometry, const std::function<Point3(Point3)>& image) {
  std::map<Point3, std::int32_t> index;
  const auto key = [](Point3 p) {
    for (double& x : p) x += 0.0;  // -0 to 0
    return p;
  };
  for (std::size_t i = 0; i < geometry.mesh.points.size(); ++i) {
    index[key(geometry.mesh.points[i])] = static_cast<std::int32_t>(i);
  }
  std::set<Tet> tets;
  for (Tet tet : geometry.mesh.tets) {
    std::sort(tet.begin(), tet.end());
    tets.insert(tet);
  }
  for (const Tet& tet : geometry.mesh.tets) {
    Tet other{};
    for (std::size_t i = 0; i < 4; ++i) {
      const auto found = index.find(key(image(point_at(geometry.mesh, tet[i]))));
      if (found == index.end()) return false;
      other[i] = found->second;
      if (geometry.extent[static_cast<std::size_t>(tet[i])] != geometry.extent[static_cast<std::size_t>(other[i])])
        return false;
    }
    std::sort(other.begin(), other.end());
    if (tets.count(other) == 0) return false;
  }
  return true;
}

std::vector<Geometry> round_shapes() {
  return {make_ellipsoid("ellipsoid", {0.03, 0.05, 0.08}, 2),
          make_cylinder("tall", 0.05, 0.3, 16),
          make_cylinder("flat", 0.05, 0.03, 16),
          make_cylinder("as tall as wide", 0.05, 0.1, 16),
          make_cylinder("square", 0.05, 0.3, 4),
          make_capsule("capsule", 0.05, 0.1, 16),
          make_capsule("octahedral", 0.05, 0.1, 4),
          make_cylinder("fine", 1, 0.1, 128)};
}

TEST(RoundPrimitives, AreSoundMeshes) {
  for (const Geometry& geometry : round_shapes()) expect_sound(geometry);
}

TEST(RoundPrimitives, AreSymmetricAtEveryCoordinatePlane) {
  for (const Geometry& geometry : round_shapes()) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_TRUE(is_symmetric(geometry,
                               [axis](Point3 p) {
                                 p[axis] = -p[axis];
                                 return p;
                               }))
          << geometry.name << ", axis " << axis;
    }
  }
  EXPECT_TRUE(is_symmetric(make_capsule("c", 1, 1, 16), [](Point3 p) { return Point3{p[1], p[0], p[2]}; }));
  EXPECT_FALSE(is_symmetric(make_ellipsoid("e", {1, 2, 3}, 1), [](Point3 p) {
    return Point3{p[1], p[0], p[2]};
  })) << "the check itself must be able to fail";
}

TEST(RoundPrimitives, InnerVerticesLieOnTheMedialSet) {
  for (const Geometry& geometry : {make_cylinder("tall", 0.05, 0.3, 16), make_cylinder("flat", 0.05, 0.03, 16),
                                   make_capsule("capsule", 0.05, 0.2, 16)}) {
    int inner = 0;
    for (std::size_t i = 0; i < geometry.extent.size(); ++i) {
      if (geometry.extent[i] != 1) continue;
      ++inner;
      const Point3& p = geometry.mesh.points[i];
      if (geometry.name == "flat") {
        EXPECT_EQ(p[2], 0);
        EXPECT_LE(std::hypot(p[0], p[1]), (0.05 - 0.015) * (1 + 1e-15));
      } else {
        EXPECT_EQ(p[0], 0);
        EXPECT_EQ(p[1], 0);
        EXPECT_LE(std::fabs(p[2]), 0.1 * (1 + 1e-15));
      }
    }
    EXPECT_EQ(inner, geometry.name == "flat" ? 17 : 3) << geometry.name;
  }
}

TEST(RoundPrimitives, HaveTheDocumentedNumberOfTets) {
  EXPECT_EQ(make_ellipsoid_mesh({1, 2, 3}, 3).tets.size(), 20U * 64);
  EXPECT_EQ(make_cylinder_mesh(1, 3, 32).tets.size(), 8U * 32);
  EXPECT_EQ(make_cylinder_mesh(1, 2, 32).tets.size(), 6U * 32);
  EXPECT_EQ(make_cylinder_mesh(1, 1, 32).tets.size(), 12U * 32);
  EXPECT_EQ(make_capsule_mesh(1, 1, 32).tets.size(), 32U * 32 / 2 + 6 * 32);
}

TEST(RoundPrimitives, VolumesConvergeWithSecondOrder) {
  const double pi = std::numbers::pi;
  const auto ratio = [](double exact, double coarse, double fine) { return (exact - coarse) / (exact - fine); };
  for (const int n : {16, 32, 64}) {
    EXPECT_NEAR(
        ratio(pi * 0.3, make_cylinder("c", 1, 0.3, n).report.volume, make_cylinder("c", 1, 0.3, 2 * n).report.volume),
        4, 0.1);
    EXPECT_NEAR(
        ratio(pi * 10 / 3, make_capsule("c", 1, 2, n).report.volume, make_capsule("c", 1, 2, 2 * n).report.volume), 4,
        0.15);
  }
  EXPECT_NEAR(
      ratio(pi * 8, make_ellipsoid("e", {1, 2, 3}, 3).report.volume, make_ellipsoid("e", {1, 2, 3}, 4).report.volume),
      4, 0.1);
}

TEST(RoundPrimitives, OfEqualVolumeHaveThatOfTheShapeAndTheSameTets) {
  constexpr double kPi = std::numbers::pi;
  const auto expect_volume = [](double exact, const Geometry& geometry, const Geometry& inscribed) {
    EXPECT_NEAR(geometry.report.volume, exact, 1e-12 * exact) << geometry.name;
    EXPECT_LT(inscribed.report.volume, exact);
    EXPECT_EQ(geometry.mesh.tets, inscribed.mesh.tets);
    EXPECT_EQ(geometry.extent, inscribed.extent);
    EXPECT_EQ(geometry.primitive.radius, inscribed.primitive.radius);
    expect_sound(geometry);
  };
  const auto facets = Facets::kEqualVolume;
  for (const int n : {0, 1, 2, 5}) {
    expect_volume(4 * kPi / 3 * 27e-6, make_sphere("ball", 0.03, n, facets), make_sphere("ball", 0.03, n));
    expect_volume(8 * kPi, make_ellipsoid("egg", {1, 2, 3}, n, facets), make_ellipsoid("egg", {1, 2, 3}, n));
  }
  for (const int n : {4, 8, 12, 32, 128}) {
    for (const double length : {1e-3, 0.02, 0.1, 3.0}) {  // flat, as tall as wide, tall
      expect_volume(kPi * 1e-4 * length, make_cylinder("can", 0.01, length, n, facets),
                    make_cylinder("can", 0.01, length, n));
      expect_volume(kPi * (4e-6 / 3 + 1e-4 * length), make_capsule("pen", 0.01, length, n, facets),
                    make_capsule("pen", 0.01, length, n));
    }
  }
}

double longest_edge(const TetMesh& mesh) {
  double longest = 0;
  for (const auto& [a, b, c] : boundary_triangles(mesh)) {
    for (const auto& [i, j] : {std::pair{a, b}, std::pair{b, c}, std::pair{c, a}})
      longest = std::max(longest, norm(point_at(mesh, i) - point_at(mesh, j)));
  }
  return longest;
}

TEST(RoundPrimitives, ResolutionByEdgeLengthIsKept) {
  for (const double edge : {2.0, 1.0, 0.5, 0.3, 0.2, 0.1, 0.05}) {
    EXPECT_LE(longest_edge(make_sphere_mesh(1, sphere_subdivisions(1, edge))), edge);
    const auto circle = unit_circle(circle_segments(1, edge));
    EXPECT_LE(std::hypot(circle[1][0] - circle[0][0], circle[1][1] - circle[0][1]), edge);
  }
  EXPECT_EQ(circle_segments(1, 100), 4);
  EXPECT_EQ(circle_segments(1, 0.1), 64);
  EXPECT_EQ(sphere_subdivisions(1, 100), 0);
  EXPECT_TRUE(contains(error_of([] { circle_segments(1, 1e-6); }), "needs more than 1024 segments"));
  EXPECT_TRUE(contains(error_of([] { sphere_subdivisions(1, 1e-6); }), "needs more than 7 subdivisions"));
  EXPECT_TRUE(contains(error_of([] { sphere_subdivisions(1, 0); }), "edge length 0 m; it must be finite and positive"));
}

TEST(RoundPrimitives, RefuseBadArguments) {
  EXPECT_TRUE(contains(error_of([] { make_ellipsoid("e", {1, 0, 1}, 2); }), "semi-axis 0 m"));
  EXPECT_TRUE(contains(error_of([] { make_cylinder("c", -1, 1, 8); }), "cylinder: radius -1 m"));
  EXPECT_TRUE(contains(error_of([] { make_cylinder("c", 1, std::nan(""), 8); }), "height nan m"));
  EXPECT_TRUE(contains(error_of([] { make_cylinder("c", 1, 1, 6); }), "6 segments; they must be a multiple of 4"));
  EXPECT_TRUE(contains(error_of([] { make_capsule("c", 1, 0, 8); }), "capsule: length 0 m"));
  EXPECT_TRUE(contains(error_of([] { make_capsule("c", 1, 1, 2048); }), "from 4 to 1024"));
}

TEST(UnitCircle, IsExactlySymmetric) {
  for (const int n : {4, 8, 12, 100}) {
    const auto circle = unit_circle(n);
    ASSERT_EQ(circle.size(), static_cast<std::size_t>(n));
    std::set<std::array<double, 2>> points(circle.begin(), circle.end());
    ASSERT_EQ(points.size(), circle.size());
    for (int k = 0; k < n; ++k) {
      const auto& [c, s] = circle[static_cast<std::size_t>(k)];
      EXPECT_NEAR(c, std::cos(2 * std::numbers::pi * k / n), 1e-15);
      EXPECT_NEAR(s, std::sin(2 * std::numbers::pi * k / n), 1e-15);
      EXPECT_EQ(points.count({-c, s}), 1U);
      EXPECT_EQ(points.count({s, c}), 1U);
    }
  }
}

}  // namespace
}  // namespace isopatch
