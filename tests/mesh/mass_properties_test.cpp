// SPDX-License-Identifier: Apache-2.0
#include "isopatch/scene/mass_properties.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "tests/mesh/mesh_fixtures.h"

namespace isopatch {
namespace {

using namespace detail;
using testing::contains;
using testing::error_of;

// The errors of single terms, about 1e-15 of the largest, do not add up. Poses and coordinates are rounded too.
constexpr double kTolerance = 1e-12;

/// Equal up to `tolerance`: mass and volume relatively, the inertia relative to its largest element, the centre
/// relative to the radius of gyration.
void expect_near(const MassProperties& found, const MassProperties& expected, const std::string& what,
                 double tolerance = kTolerance) {
  double largest = 0;
  for (const Point3& row : expected.inertia) {
    for (const double element : row) largest = std::max(largest, std::fabs(element));
  }
  const double gyration = std::sqrt(largest / expected.mass);
  EXPECT_NEAR(found.volume, expected.volume, tolerance * expected.volume) << what;
  EXPECT_NEAR(found.mass, expected.mass, tolerance * expected.mass) << what;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(found.center[i], expected.center[i], tolerance * gyration) << what << ": centre, " << i;
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(found.inertia[i][k], expected.inertia[i][k], tolerance * largest) << what << ": inertia " << i << k;
    }
  }
}

/// m/12 (b^2 + c^2) and so on, at 1 kg/m^3.
MassProperties box(const Point3& size, const Point3& center = {}) {
  const auto [a, b, c] = size;
  const double m = a * b * c;
  return {m,
          m,
          center,
          {{{m / 12 * (b * b + c * c), 0, 0}, {0, m / 12 * (c * c + a * a), 0}, {0, 0, m / 12 * (a * a + b * b)}}}};
}

/// The sum over the tets of a mesh, in extended precision: a tet with corners p_k and volume V has the second moments
/// V/20 (sum p_k p_k^T + (sum p_k) (sum p_k)^T).
MassProperties by_tets(const Geometry& geometry) {
  long double volume = 0, first[3] = {}, second[3][3] = {};
  for (const Tet& tet : geometry.mesh.tets) {
    long double p[4][3], sum[3] = {};
    for (std::size_t k = 0; k < 4; ++k) {
      for (std::size_t i = 0; i < 3; ++i) sum[i] += p[k][i] = point_at(geometry.mesh, tet[k])[i];
    }
    const auto edge = [&p](int k, int i) { return p[k][i % 3] - p[0][i % 3]; };
    long double v = 0;
    for (int i = 0; i < 3; ++i) {
      v += (edge(1, i + 1) * edge(2, i + 2) - edge(1, i + 2) * edge(2, i + 1)) * edge(3, i) / 6;
    }
    volume += v;
    for (std::size_t i = 0; i < 3; ++i) {
      first[i] += v * sum[i] / 4;
      for (std::size_t k = 0; k < 3; ++k) {
        long double products = sum[i] * sum[k];
        for (const auto& corner : p) products += corner[i] * corner[k];
        second[i][k] += v / 20 * products;
      }
    }
  }

  MassProperties result;
  result.volume = result.mass = static_cast<double>(volume);
  const auto about_center = [&](std::size_t i, std::size_t k) { return second[i][k] - first[i] * first[k] / volume; };
  for (std::size_t i = 0; i < 3; ++i) {
    result.center[i] = static_cast<double>(first[i] / volume);
    for (std::size_t k = 0; k < 3; ++k) {
      long double element = -about_center(i, k);
      for (std::size_t j = 0; j < 3; ++j) element += i == k ? about_center(j, j) : 0;
      result.inertia[i][k] = static_cast<double>(element);
    }
  }
  return result;
}

Geometry surface_of(const Geometry& geometry) {
  return make_surface_mesh(geometry.name, {geometry.mesh.points, geometry.surface});
}

TEST(MassProperties, OfBoxesAreTheClosedForm) {
  for (const Point3& size : {Point3{1, 1, 1}, {0.1, 0.2, 0.7}, {3, 0.01, 2}, {1e-6, 2e-6, 3e-6}, {1e6, 1e3, 1e4}}) {
    expect_near(mass_properties(make_box("box", size)), box(size), "box of length " + std::to_string(size[0]));
  }
}

// The integrals of x, x^2 and x y over the tet of the unit vectors are 1/24, 1/60 and 1/120.
TEST(MassProperties, OfATetAreTheClosedForm) {
  const Geometry tet =
      make_surface_mesh("tet", {testing::one_tet().points, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}});
  const double diagonal = 1.0 / 80, product = 1.0 / 480;
  expect_near(mass_properties(tet),
              {1.0 / 6,
               1.0 / 6,
               {0.25, 0.25, 0.25},
               {{{diagonal, product, product}, {product, diagonal, product}, {product, product, diagonal}}}},
              "tet");
}

// A plate 1 m thick about the plane z = 0; of a triangle with the legs p and q, from its centre of mass, the means of
// x^2, y^2 and x y are p^2/18, q^2/18 and -p q/36.
TEST(MassProperties, OfAPolygonAreThoseOfAPlate) {
  for (const Point3& shift : {Point3{0, 0, 0}, {0.3, -0.7, 0}, {0x1p20, -0x1p19, 0}}) {
    const double x = shift[0], y = shift[1], p = 0.75, q = 0.5, area = p * q / 2;
    expect_near(mass_properties(make_polygon("square", {{x, y}, {x + p, y}, {x + p, y + q}, {x, y + q}})),
                box({p, q, 1}, shift + Point3{p / 2, q / 2, 0}), "a rectangle");
    expect_near(mass_properties(make_polygon("triangle", {{x, y + q}, {x, y}, {x + p, y}})),
                {area,
                 area,
                 shift + Point3{p / 3, q / 3, 0},
                 {{{area * (q * q / 18 + 1.0 / 12), area * p * q / 36, 0},
                   {area * p * q / 36, area * (p * p / 18 + 1.0 / 12), 0},
                   {0, 0, area * (p * p + q * q) / 18}}}},
                "a triangle");
  }
  const std::vector<std::array<double, 2>> corners = {{0.1, 0.2}, {0.9, 0.1}, {1.4, 0.8}, {1.1, 1.5}, {0.3, 1.2}};
  std::vector<Point3> prism;
  for (const auto& [x, y] : corners) prism.insert(prism.end(), {{x, y, -0.5}, {x, y, 0.5}});
  expect_near(mass_properties(make_polygon("polygon", corners)),
              mass_properties(make_convex_hull_surface("prism", prism)), "a pentagon and its prism");
}

// Its z axis stays: what a turn about it, and an offset in the plane, leave.
TEST(MassProperties, OfABodyOfPolygonsAreThoseOfAllItsParts) {
  SceneDescription scene;
  scene.geometries = {make_polygon("tile", {{0, 0}, {0.5, 0}, {0.5, 0.25}, {0, 0.25}})};
  const double half = std::sqrt(0.5);
  Body body = {.name = "row", .rigid = true};
  body.parts = {{.geometry = 0}, {.geometry = 0, .pose = {0.75, 0, 0, half, 0, 0, half}}};
  const std::vector<MassProperties> plates = {box({0.5, 0.25, 1}, {0.25, 0.125, 0}),
                                              box({0.25, 0.5, 1}, {0.625, 0.25, 0})};
  expect_near(mass_properties(scene, body), combined(plates), "two tiles");
}

TEST(MassProperties, OfEveryPrimitiveAreTheSumOverItsTets) {
  for (const Geometry& geometry :
       {make_sphere("sphere", 0.05, 3), make_ellipsoid("ellipsoid", {0.04, 0.05, 0.07}, 2),
        make_cylinder("cylinder", 0.04, 0.14, 24), make_capsule("capsule", 0.04, 0.06, 12),
        make_convex_hull("hull", {{0.05, 0, 0}, {-0.04, 0.01, 0.02}, {0, 0.06, 0}, {0.01, -0.05, 0.01}, {0, 0, 0.07}}),
        make_bolt("bolt"), make_nut("nut")}) {
    const MassProperties expected = by_tets(geometry);
    expect_near(mass_properties(geometry), expected, geometry.name);
    expect_near(mass_properties(surface_of(geometry)), expected, "surface of the " + geometry.name);
  }
}

TEST(MassProperties, OfFinerSpheresApproachTheBall) {
  constexpr double kRadius = 0.3, kPi = std::numbers::pi;
  const double volume = 4 * kPi / 3 * std::pow(kRadius, 3), inertia = 0.4 * volume * kRadius * kRadius;
  double before = 1;
  for (int subdivisions = 1; subdivisions <= 5; ++subdivisions) {
    const MassProperties sphere = mass_properties(make_sphere("sphere", kRadius, subdivisions));
    const double missing = 1 - sphere.inertia[0][0] / inertia;
    EXPECT_LT(sphere.volume, volume);
    EXPECT_GT(before / missing, 3) << subdivisions << " subdivisions: a quarter is missing of what was";
    EXPECT_LT(before / missing, 5) << subdivisions;
    before = missing;
  }
  EXPECT_LT(before, 1e-2);
}

TEST(MassProperties, OfAMillionTrianglesLoseNothing) {
  constexpr std::int32_t kCells = 410;  // along each edge: 12 x 410^2 triangles
  constexpr double kManyTolerance = 1e-14;
  const Point3 size = {0.3, 0.7, 0.9};
  Geometry fine;
  fine.name = "fine box";
  const auto add_side = [&](std::size_t axis, double side) {
    const auto first = static_cast<std::int32_t>(fine.mesh.points.size());
    const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int j = 0; j <= kCells; ++j) {
      for (int i = 0; i <= kCells; ++i) {
        Point3 p;
        p[axis] = side * size[axis] / 2;
        p[u] = size[u] * (static_cast<double>(i) / kCells - 0.5);
        p[v] = size[v] * (static_cast<double>(j) / kCells - 0.5);
        fine.mesh.points.push_back(p);
      }
    }
    for (std::int32_t j = 0; j < kCells; ++j) {
      for (std::int32_t i = 0; i < kCells; ++i) {
        const std::int32_t a = first + j * (kCells + 1) + i, b = a + 1, c = b + kCells + 1, d = c - 1;
        fine.surface.push_back(side > 0 ? Triangle{a, b, c} : Triangle{a, c, b});
        fine.surface.push_back(side > 0 ? Triangle{a, c, d} : Triangle{a, d, c});
      }
    }
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) add_side(axis, side);
  }
  ASSERT_GT(fine.surface.size(), 1'000'000U);
  expect_near(mass_properties(fine), box(size), fine.name, kManyTolerance);
}

// A shift by 2^20 m rounds no coordinate of these sizes. Integrals about the origin would lose 24 digits.
TEST(MassProperties, FarFromTheOriginLoseNothing) {
  const Point3 size = {0.5, 0.25, 0.125}, shift = {0x1p20, -0x1p20, 0x1p19};
  Geometry far = make_box("far box", size);
  for (Point3& p : far.mesh.points) p = p + shift;
  expect_near(mass_properties(far), box(size, shift), far.name);

  std::vector<MassProperties> halves = {box({0.25, 0.25, 0.125}, shift - Point3{0.125, 0, 0}),
                                        box({0.25, 0.25, 0.125}, shift + Point3{0.125, 0, 0})};
  expect_near(combined(halves), box(size, shift), "two halves");
}

TEST(MassProperties, PlacedAreThoseOfTheMeshThere) {
  // a turn by 120 degrees takes x to y, y to z and z to x; the quaternion is not of norm 1
  expect_near(placed(box({1, 2, 3}, {0.1, 0.2, 0.3}), {10, 20, 30, 7, 7, 7, 7}), box({3, 1, 2}, {10.3, 20.1, 30.2}),
              "a box turned about its diagonal");

  const std::array<double, 7> pose = {0.3, -0.2, 0.5, 0.8, -0.2, 0.5, 0.1};
  const auto [w, x, y, z] = std::array{pose[3], pose[4], pose[5], pose[6]};
  const double norm2 = w * w + x * x + y * y + z * z;
  Geometry nut = make_nut("nut");
  const MassProperties before = mass_properties(nut);
  for (Point3& p : nut.mesh.points) {  // p + 2 q x (q x p + w p) for a unit quaternion (w, q)
    const Point3 q = {x, y, z};
    p = p + (2 / norm2) * cross(q, cross(q, p) + w * p) + Point3{pose[0], pose[1], pose[2]};
  }
  expect_near(placed(before, pose), mass_properties(nut), "a placed nut");
}

TEST(MassProperties, OfAMeshAreThoseOfItsPartsCombined) {
  const std::vector<MassProperties> boxes = {box({1, 2, 3}, {-1, 0, 0}), box({2, 2, 3}, {0.5, 0, 0})};
  expect_near(combined(boxes), box({3, 2, 3}), "two boxes that share a face");

  const Geometry bolt = make_bolt("bolt"), nut = make_nut("nut");
  TriangleMesh both = {bolt.mesh.points, bolt.surface};
  const auto first = static_cast<std::int32_t>(both.points.size());
  for (const Point3& p : nut.mesh.points) both.points.push_back(p + Point3{0.2, 0, 0.01});
  for (const auto& [a, b, c] : nut.surface) both.triangles.push_back({first + a, first + b, first + c});
  const std::vector<MassProperties> parts = {mass_properties(bolt),
                                             placed(mass_properties(nut), {0.2, 0, 0.01, 1, 0, 0, 0})};
  expect_near(combined(parts), mass_properties(make_surface_mesh("both", both)), "a bolt beside a nut");
}

TEST(MassProperties, OfABodyAreThoseOfAllItsParts) {
  SceneDescription scene;
  scene.geometries = {make_box("bar", {0.02, 0.1, 0.02}), make_box("tip", {0.02, 0.03, 0.01}),
                      make_half_space("ground", 1)};
  const double half = std::sqrt(0.5);
  Body finger = {.name = "finger", .geometry = 0, .offset = {0, 0.05, 0, half, 0, 0, half}};
  expect_near(mass_properties(scene, finger), box({0.1, 0.02, 0.02}, {0, 0.05, 0}), "a bar turned about z");
  finger.parts = {{.geometry = 0, .pose = {0, 0.05, 0, 1, 0, 0, 0}},
                  {.geometry = 1, .pose = {0, 0.1, 0.02, 1, 0, 0, 0}}};
  const std::vector<MassProperties> boxes = {box({0.02, 0.1, 0.02}, {0, 0.05, 0}),
                                             box({0.02, 0.03, 0.01}, {0, 0.1, 0.02})};
  expect_near(mass_properties(scene, finger), combined(boxes), "a tip on a bar");
  finger.parts[1].geometry = 3;
  EXPECT_TRUE(contains(error_of([&] { mass_properties(scene, finger); }), "geometry index is 3; it must be in [0, 3)"));
  finger.parts[1].geometry = 2;
  EXPECT_FALSE(error_of([&] { mass_properties(scene, finger); }).empty());
}

// Two points of 1 and 3 kg, 2 m apart: 3/4 kg (2 m)^2 across their line.
TEST(MassProperties, CombinedWeighPartsByTheirMass) {
  const MassProperties tiny = box({1e-9, 1e-9, 1e-9});
  const std::vector<MassProperties> parts = {placed(with_mass(tiny, 1), {1, 0, 0, 1, 0, 0, 0}),
                                             placed(with_mass(tiny, 3), {3, 0, 0, 1, 0, 0, 0})};
  const MassProperties both = combined(parts);
  expect_near(both, {2e-27, 4, {2.5, 0, 0}, {{{0, 0, 0}, {0, 3, 0}, {0, 0, 3}}}}, "two points");

  const std::vector<MassProperties> twice = {box({1, 2, 3}), box({1, 2, 3})};
  MassProperties expected = with_density(box({1, 2, 3}), 2);
  expected.volume = 12;
  expect_near(combined(twice), expected, "an overlap counts twice");
}

TEST(MassProperties, ScaleWithDensityAndMass) {
  const MassProperties steel = with_density(box({0.1, 0.2, 0.3}, {1, 0, 0}), 7850);
  EXPECT_NEAR(steel.mass, 47.1, 47.1 * kTolerance);
  EXPECT_NEAR(steel.inertia[0][0], 47.1 / 12 * 0.13, kTolerance);
  EXPECT_NEAR(steel.volume, 0.006, 0.006 * kTolerance);
  EXPECT_EQ(steel.center, (Point3{1, 0, 0}));
  expect_near(with_mass(steel, 0.006), box({0.1, 0.2, 0.3}, {1, 0, 0}), "back to 1 kg/m^3");
}

TEST(MassProperties, SayWhatIsWrong) {
  const auto of = [](const Geometry& geometry) { return error_of([&] { mass_properties(geometry); }); };
  EXPECT_EQ(of(make_half_space("ground", 1)),
            "ground: a half space has no finite volume; mass properties are those of meshes");
  Geometry cube = make_box("cube", {1, 1, 1});
  for (Triangle& t : cube.surface) std::swap(t[0], t[1]);
  EXPECT_EQ(of(cube), "cube: its 12 surface triangles enclose a volume of -1 m^3; it must be finite and positive");
  cube.surface[3] = {0, 1, 77};
  EXPECT_EQ(of(cube), "cube: triangle 3 (vertices 0 1 77) has index 77; it must lie in [0, 8]");
  cube.surface.clear();
  EXPECT_TRUE(contains(of(cube), "its 0 surface triangles enclose a volume of 0 m^3"));

  const MassProperties good = box({1, 1, 1});
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto at = [&](const std::array<double, 7>& pose) { return error_of([&] { placed(good, pose); }); };
  EXPECT_EQ(at({0, kNan, 0, 1, 0, 0, 0}),
            "mass properties: a coordinate of the position is nan m; it must be in [-1000000000000, 1000000000000]");
  EXPECT_TRUE(contains(at({0, 0, 0, 0, 0, 0, 0}), "mass properties: orientation: a quaternion [w, x, y, z] of norm 0"));
  EXPECT_EQ(error_of([&] { with_density(good, -1); }),
            "mass properties: the density is -1 kg/m^3; it must be finite and positive");
  EXPECT_TRUE(contains(error_of([&] { with_mass(good, kNan); }), "the mass is nan kg"));
  EXPECT_TRUE(contains(error_of([] { with_mass({}, 1); }), "the mass before is 0 kg"));
  EXPECT_TRUE(contains(error_of([] { combined({}); }), "no parts to combine"));
  const std::vector<MassProperties> parts = {good, {}};
  EXPECT_EQ(error_of([&] { combined(parts); }),
            "mass properties: the mass of part 1 is 0 kg; it must be finite and positive");
}

}  // namespace
}  // namespace isopatch
