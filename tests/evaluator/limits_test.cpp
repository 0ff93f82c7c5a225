// SPDX-License-Identifier: Apache-2.0
//
// At every limit of limits.h the results are those of the reference backend; beyond it there is an Error.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tests/mesh/mesh_fixtures.h"
#include "tests/support/scenes.h"

namespace isopatch::test {

using namespace detail;

namespace {

using isopatch::testing::contains;
using isopatch::testing::error_of;

// What a float's rounding of 6e-8 grows to in a contact at a few per cent of a body's size; and a double's.
constexpr double kFloatTolerance = 2e-4, kDoubleTolerance = 1e-9;

constexpr double kBeyond = 1.0001;

struct Shape {
  std::string name;
  TetMesh mesh;  // within 1 of the origin, with a point at a coordinate of 1
};

std::vector<Shape> shapes() {
  std::vector<Shape> shapes = {
      {"box", make_box_mesh({2, 2, 2})},         {"flat box", make_box_mesh({2, 2, 0.5})},
      {"ball", make_sphere_mesh(1, 1)},          {"cylinder", make_cylinder_mesh(1, 1, 8)},
      {"capsule", make_capsule_mesh(0.5, 1, 8)}, {"ellipsoid", make_ellipsoid_mesh({1, 0.7, 0.4}, 0)}};
  for (Shape& shape : shapes) {
    double largest = 0;
    for (const Point3& p : shape.mesh.points) {
      for (const double x : p) largest = std::max(largest, std::fabs(x));
    }
    for (Point3& p : shape.mesh.points) p = {p[0] / largest, p[1] / largest, p[2] / largest};
  }
  return shapes;
}

/// Scaled in space, with its extents and a factor for them as point data.
TetMesh scaled(const TetMesh& mesh, double size, double extent_factor = 1) {
  TetMesh out = mesh;
  for (Point3& p : out.points) p = size * p;
  for (const std::uint8_t on_surface : boundary_points(mesh, boundary_triangles(mesh))) {
    out.point_data["extent"].push_back(on_surface != 0 ? 0 : extent_factor);
  }
  return out;
}

Geometry with_field(const TetMesh& mesh) {
  FieldOptions field;
  field.kind = FieldOptions::Kind::kPointData;
  return make_tet_mesh("m", mesh, field);
}

double half_height(const TetMesh& mesh) {
  double high = 0;
  for (const Point3& p : mesh.points) high = std::max(high, p[2]);
  return high;
}

/// Body a over body b by `height`, a little turned and moving.
Batch one_state(double height, const std::vector<double>& velocities) {
  Batch batch = Batch::of_two_bodies(1);
  batch.poses = {0.03 * height, 0.01 * height, height, 1, 0.02, 0.01, 0.3, 0, 0, 0, 1, 0, 0, 0};
  batch.velocities = velocities;
  return batch;
}

/// The cpu backend in both precisions against the reference: all results of the pair, relative to the largest of their
/// kind, and not zero.
void expect_agreement(const SceneDescription& description, const Batch& batch, const std::string& what) {
  const Scene scene(description);
  const UnwrittenResults expected = evaluate(scene, batch, {Backend::kReference}, detail::Outputs::kPatch);
  ASSERT_EQ(but_far_side(expected.status[0]), kOk) << what;
  ASSERT_NE(expected.pair_wrench[2], 0) << what;
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    const UnwrittenResults found = evaluate(scene, batch, {Backend::kCpu, precision, 1}, detail::Outputs::kPatch);
    const double tolerance = precision == Precision::kFloat ? kFloatTolerance : kDoubleTolerance;
    ASSERT_EQ(found.status[0], expected.status[0]) << what;
    const auto compare = [&](const char* name, const double* a, const double* b, int count, double largest = 0) {
      double error = 0;
      for (int i = 0; i < count; ++i) {
        largest = std::max(largest, std::fabs(b[i]));
        error = std::max(error, std::fabs(a[i] - b[i]));
      }
      EXPECT_LE(error, tolerance * largest) << what << ": " << name << ", precision " << static_cast<int>(precision);
    };
    compare("force", found.pair_wrench.data(), expected.pair_wrench.data(), 3);
    compare("area", found.area.data(), expected.area.data(), 1);
    compare("pressure", found.max_pressure.data(), expected.max_pressure.data(), 1);
    compare("energy", found.energy.data(), expected.energy.data(), 1);
    const double force =
        detail::norm(detail::Vec3d{expected.pair_wrench[0], expected.pair_wrench[1], expected.pair_wrench[2]});
    compare("friction", found.friction_force.data(), expected.friction_force.data(), 3, force);
  }
}

const std::vector<double> kSliding = {0.1, 0.2, -0.05, 0, 0, 0, 0, 0, 0, 0, 0, 0};

/// On a half space and on another of its kind, at a depth of some per cent.
void expect_agreement(const Geometry& geometry, double size, const std::string& what) {
  const double height = half_height(geometry.mesh);
  SceneDescription on_ground = two_bodies(geometry, make_half_space("ground", std::min(size, 1e11)));
  SceneDescription on_other = two_bodies(geometry, geometry);
  for (SceneDescription* scene : {&on_ground, &on_other}) {
    for (Body& body : scene->bodies) body.friction = 0.5;
    scene->bodies[0].modulus = 3e5;
  }
  std::vector<double> velocities = kSliding;
  for (double& v : velocities) v *= size;
  expect_agreement(on_ground, one_state(0.9 * height, velocities), what + " on the ground");
  expect_agreement(on_other, one_state(1.8 * height, velocities), what + " on another");
}

TEST(Limits, OfCoordinatesAndSizesHold) {
  int count = 0;
  for (const Shape& shape : shapes()) {
    for (const double size :
         {limits::kMaxCoordinate, 0.1 * limits::kMaxCoordinate, 1e3, 1e-6, 1e-8, limits::kMinSize}) {
      SCOPED_TRACE(size);
      ++count;
      expect_agreement(with_field(scaled(shape.mesh, size)), size, shape.name);
    }
    for (const double size : {kBeyond * limits::kMaxCoordinate, 1e10, 1e15, 1e30, 1e100, 1e300}) {
      ++count;
      const std::string error = error_of([&] { with_field(scaled(shape.mesh, size)); });
      EXPECT_TRUE(contains(error, "m: point ") && contains(error, "within 1000000000 m")) << error;
    }
    for (const double size : {0.1 * limits::kMinSize, 1e-11, 1e-20, 1e-30}) {
      ++count;
      const std::string error = error_of([&] { with_field(scaled(shape.mesh, size)); });
      EXPECT_TRUE(contains(error, "it must be at least 1e-09 m") || contains(error, "1e-30 m")) << error;
    }
  }
  EXPECT_EQ(count, 96);
}

TEST(Limits, OfExtentsHold) {
  int count = 0;
  for (const Shape& shape : shapes()) {
    for (const double size : {1.0, 1e-5, 1e5}) {
      for (const double extent : {limits::kMaxExtent, 1e3, 1e-3, limits::kMinLargestExtent}) {
        SCOPED_TRACE(extent);
        ++count;
        expect_agreement(with_field(scaled(shape.mesh, size, extent)), size, shape.name);
      }
      for (const double extent : {kBeyond * limits::kMaxExtent, 1e12, 1e30, 1e50, 1e300}) {
        ++count;
        const std::string error = error_of([&] { with_field(scaled(shape.mesh, size, extent)); });
        EXPECT_TRUE(contains(error, "m: the extent at point ") && contains(error, "at most 1000000000")) << error;
      }
      for (const double extent : {limits::kMinLargestExtent / kBeyond, 1e-10, 1e-50, 1e-300}) {
        ++count;
        const std::string error = error_of([&] { with_field(scaled(shape.mesh, size, extent)); });
        EXPECT_TRUE(contains(error, "the largest extent of all points is")) << error;
      }
    }
  }
  EXPECT_EQ(count, 234);
}

// The crash that was: one extent of 1e50, or of 1e30 on an edge of 1e-30 m.
TEST(Limits, AnExtentBeyondThemIsReportedWithItsPoint) {
  TetMesh ball = scaled(make_sphere_mesh(1, 1), 1);
  ball.point_data["extent"][17] = 1e50;
  EXPECT_TRUE(contains(error_of([&] { with_field(ball); }), "m: the extent at point 17 is 1e+50"));
  Geometry hand_made = make_sphere("ball", 1, 1);
  hand_made.extent[17] = 1e50;
  EXPECT_TRUE(contains(error_of([&] { Scene(two_bodies(hand_made, hand_made)); }),
                       "scene: geometry 'ball': the extent at point 17 is 1e+50"));
  ball.points[17] = ball.points[18];
  ball.points[17][0] += 1e-30;
  EXPECT_FALSE(error_of([&] { with_field(ball); }).empty());
}

/// A tet whose fourth vertex is at `height` over the middle of the others; the extent is 1 there.
TetMesh flat_tet(double height, double extent) {
  TetMesh mesh = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, height}}, {{0, 1, 2, 3}}, {}};
  mesh.point_data["extent"] = {0, 0, 0, extent};
  return mesh;
}

TEST(Limits, OfGradientsHold) {
  const double size = std::sqrt(2.0);
  for (const double extent : {1.0, 1e6, 1e-3}) {
    for (const double height : {1e-2, 1e-4, 1e-6, 1e-8, kBeyond * size / limits::kMaxSteepness}) {
      const Geometry geometry = with_field(flat_tet(height, extent));
      EXPECT_TRUE(geometry.warnings.empty()) << height << ": " << geometry.warnings[0];
    }
    for (const double height : {size / limits::kMaxSteepness / kBeyond, 1e-11, 1e-13, 3e-14}) {
      const std::string error = error_of([&] { with_field(flat_tet(height, extent)); });
      EXPECT_TRUE(contains(error, "m: the extent's gradient in tet 0 (vertices 0 1 2 3) is"))
          << height << ": " << error;
    }
  }
}

// A flat tet that fits its extents is good for a warning: others do not depend on it.
TEST(Limits, OfFlatTetsAreWarnedOf) {
  for (const double height : {0.9e-11, 1e-13, 3e-14}) {
    TetMesh mesh = flat_tet(height, 1);
    mesh.point_data["extent"] = {1, 1, 1, 1};
    const Geometry geometry = with_field(mesh);
    ASSERT_EQ(geometry.warnings.size(), 1U) << height;
    EXPECT_TRUE(contains(geometry.warnings[0],
                         "m: 1 of 1 tets are flatter than 1e-11 of their longest edge, the first "
                         "is tet 0 (vertices 0 1 2 3)"))
        << geometry.warnings[0];
  }
}

SceneDescription ball_on_ground() {
  SceneDescription scene = two_bodies(make_sphere("ball", 1, 1), make_half_space("ground", 1));
  for (Body& body : scene.bodies) body.friction = 0.5, body.dissipation = 0.1;
  return scene;
}

TEST(Limits, OfMaterialsHold) {
  const Batch state = one_state(0.9, kSliding), slow = one_state(0.9, {1e-9, 0, -1e-10, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  for (const double modulus : {limits::kMinModulus, 1e5, limits::kMaxModulus}) {
    for (const double other : {limits::kMinModulus, 1e5, limits::kMaxModulus}) {
      SceneDescription scene = ball_on_ground();
      scene.bodies[0].modulus = modulus;
      scene.bodies[1].modulus = other;
      expect_agreement(scene, state, "moduli " + std::to_string(modulus) + " and " + std::to_string(other));
    }
  }
  for (const double friction : {0.0, 1.0, limits::kMaxFriction}) {
    for (const double dissipation : {0.0, 1.0, limits::kMaxDissipation}) {
      for (const double slip : {limits::kMinSlipTolerance, 1e-4, limits::kMaxSlipTolerance}) {
        SceneDescription scene = ball_on_ground();
        for (Body& body : scene.bodies) body.friction = friction, body.dissipation = dissipation;
        scene.contact.slip_tolerance = slip;
        const std::string what = "friction " + std::to_string(friction) + ", dissipation " +
                                 std::to_string(dissipation) + ", slip " + std::to_string(slip);
        expect_agreement(scene, state, what);
        expect_agreement(scene, slow, what + ", slow");
      }
    }
  }
}

TEST(Limits, OfThicknessHold) {
  for (const double thickness : {limits::kMinThickness, 1e-3, 1e3, limits::kMaxThickness}) {
    SceneDescription scene = ball_on_ground();
    scene.geometries[1] = make_half_space("ground", thickness);
    expect_agreement(scene, one_state(0.9, kSliding), "thickness " + std::to_string(thickness));
  }
}

/// One number of a state, at the limit and beyond.
TEST(Limits, OfAStateAreThoseOfAScene) {
  const Scene scene(ball_on_ground());
  Batch good = one_state(0.9, kSliding);
  good.modulus = {1e5, 1e5};
  good.dissipation = {0.1, 0.1};
  good.friction = {0.5, 0.5};
  const auto expect_status = [&](std::vector<double> Batch::*array, std::size_t at, double value, std::uint32_t bit) {
    Batch batch = good;
    (batch.*array)[at] = value;
    for (const Backend backend : {Backend::kCpu, Backend::kReference}) {
      EXPECT_EQ(evaluate(scene, batch, {backend}).status[0] & 0xFu, bit) << value;
    }
  };
  const auto expect_most = [&](std::vector<double> Batch::*array, std::size_t at, double most, std::uint32_t bit) {
    expect_status(array, at, most, kOk);
    expect_status(array, at, kBeyond * most, bit);
  };
  expect_most(&Batch::modulus, 0, limits::kMaxModulus, kBadMaterial);
  expect_status(&Batch::modulus, 1, limits::kMinModulus, kOk);
  expect_status(&Batch::modulus, 1, limits::kMinModulus / kBeyond, kBadMaterial);
  expect_most(&Batch::dissipation, 1, limits::kMaxDissipation, kBadMaterial);
  expect_most(&Batch::friction, 0, limits::kMaxFriction, kBadMaterial);
  for (std::size_t i = 0; i < 3; ++i) {
    expect_most(&Batch::poses, 7 + i, -limits::kMaxPosition, kBadPose);
    expect_most(&Batch::velocities, i, -limits::kMaxVelocity, kBadVelocity);
    expect_most(&Batch::velocities, 3 + i, limits::kMaxAngularVelocity, kBadVelocity);
  }
}

}  // namespace
}  // namespace isopatch::test
