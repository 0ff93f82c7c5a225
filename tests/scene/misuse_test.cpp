// SPDX-License-Identifier: Apache-2.0
//
// Wrong geometries and scenes: each throws Error.
#include <gtest/gtest.h>

#include <climits>
#include <functional>
#include <string>

#include "host/mesh/math/point_math.h"
#include "tests/support/misuses.h"
#include "tests/support/scenes.h"

namespace isopatch::test {

using namespace detail;

namespace {

SceneDescription ball_and_ground() {
  SceneDescription scene = two_bodies(make_sphere("ball", 0.05, 1), make_half_space("ground", 0.1));
  (*scene.pairs)[0].friction = 0.5;
  return scene;
}

// --- geometries

/// Changes one thing of a ball's geometry; a Scene of it must be refused.
void expect_bad_ball(Misuses& misuses, const std::string& what, const std::function<void(Geometry&)>& change) {
  SceneDescription scene = ball_and_ground();
  change(scene.geometries[0]);
  misuses.expect_error(what, [&] { Scene{scene}; });
}

TEST(Misuse, OfGeometriesIsAnError) {
  Misuses misuses;
  for (const double value : {kNan, kInfinity, -kInfinity, 1.0001e9, -1e300}) {
    for (const std::size_t point : {0U, 20U, 42U}) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        expect_bad_ball(misuses, "coordinate", [&](Geometry& g) { g.mesh.points[point][axis] = value; });
      }
    }
  }
  for (const std::int32_t index : {-1, 43, INT_MAX, INT_MIN}) {
    for (const std::size_t element : {0U, 40U, 79U}) {
      for (std::size_t i = 0; i < 4; ++i) {
        expect_bad_ball(misuses, "tet index", [&](Geometry& g) { g.mesh.tets[element][i] = index; });
        if (i < 3) expect_bad_ball(misuses, "triangle index", [&](Geometry& g) { g.surface[element][i] = index; });
      }
    }
  }
  for (const double value : {kNan, kInfinity, -kInfinity, -1e-300, -1.0, 1.0001e9, 1e50}) {
    for (const std::size_t point : {0U, 42U}) {
      expect_bad_ball(misuses, "extent", [&](Geometry& g) { g.extent[point] = value; });
    }
  }
  for (const double value : {kNan, kInfinity, -kInfinity, 0.0, -1.0, 0.999e-9, 1.001e12, 1e300}) {
    expect_bad_ball(misuses, "thickness", [&](Geometry& g) {
      g.kind = GeometryKind::kHalfSpace;
      g.thickness = value;
    });
  }
  for (const int kind : {2, 17, 255}) {
    expect_bad_ball(misuses, "kind", [&](Geometry& g) { g.kind = static_cast<GeometryKind>(kind); });
  }
  expect_bad_ball(misuses, "nothing", [](Geometry& g) { g = Geometry(); });
  expect_bad_ball(misuses, "no surface", [](Geometry& g) { g.surface.clear(); });
  expect_bad_ball(misuses, "no points", [](Geometry& g) { g.mesh.points.clear(); });
  expect_bad_ball(misuses, "no extents", [](Geometry& g) { g.extent.clear(); });
  expect_bad_ball(misuses, "few extents", [](Geometry& g) { g.extent.pop_back(); });
  expect_bad_ball(misuses, "many extents", [](Geometry& g) { g.extent.push_back(0); });
  expect_bad_ball(misuses, "a tet is missing", [](Geometry& g) { g.mesh.tets.pop_back(); });
  expect_bad_ball(misuses, "a tet twice", [](Geometry& g) { g.mesh.tets.push_back(g.mesh.tets[3]); });
  expect_bad_ball(misuses, "a tet inverted", [](Geometry& g) { std::swap(g.mesh.tets[3][0], g.mesh.tets[3][1]); });
  expect_bad_ball(misuses, "a vertex twice", [](Geometry& g) { g.mesh.tets[3][0] = g.mesh.tets[3][1]; });
  expect_bad_ball(misuses, "two points in one", [](Geometry& g) { g.mesh.points[0] = g.mesh.points[42]; });
  expect_bad_ball(misuses, "a triangle is missing", [](Geometry& g) { g.surface.pop_back(); });
  expect_bad_ball(misuses, "a triangle twice", [](Geometry& g) { g.surface.push_back(g.surface[5]); });
  expect_bad_ball(misuses, "a triangle inward", [](Geometry& g) { std::swap(g.surface[5][0], g.surface[5][1]); });
  expect_bad_ball(misuses, "a triangle flat", [](Geometry& g) { g.surface[5][0] = g.surface[5][1]; });
  expect_bad_ball(misuses, "no extent", [](Geometry& g) { g.extent.assign(43, 0); });
  expect_bad_ball(misuses, "hardly an extent", [](Geometry& g) { g.extent[42] = 0.99e-6; });
  expect_bad_ball(misuses, "too small", [](Geometry& g) {
    for (Point3& p : g.mesh.points) p = 5e-9 * p;
  });
  const auto expect_bad_surface = [&](const std::string& what, const std::function<void(Geometry&)>& change) {
    SceneDescription scene = ball_and_ground();
    const Geometry ball = scene.geometries[0];
    scene.geometries[0] = make_surface_mesh("ball", {ball.mesh.points, ball.surface});
    scene.bodies[0].rigid = true;
    change(scene.geometries[0]);
    misuses.expect_error(what, [&] { Scene{scene}; });
  };
  expect_bad_surface("open", [](Geometry& g) { g.surface.pop_back(); });
  expect_bad_surface("turned", [](Geometry& g) { std::swap(g.surface[5][0], g.surface[5][1]); });
  expect_bad_surface("with an extent", [](Geometry& g) { g.extent[3] = 1; });
  EXPECT_GT(misuses.count(), 150);
}

// The surface is closed in space, but an edge on one side is two on the other.
TEST(Misuse, IsNotASurfaceWhoseFlatTrianglesWereLeftOut) {
  const TriangleMesh mesh = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0, 0}},
                             {{0, 2, 1}, {0, 4, 3}, {4, 1, 3}, {0, 1, 4}, {0, 3, 2}, {1, 2, 3}}};
  SceneDescription scene = ball_and_ground();
  scene.geometries[0] = make_surface_mesh("tet", mesh);
  EXPECT_EQ(scene.geometries[0].report.flat_triangles, 1);
  scene.bodies[0].rigid = true;
  EXPECT_NO_THROW(Scene{scene});
}

// --- scenes

TEST(Misuse, OfScenesIsAnError) {
  Misuses misuses;
  const auto expect_bad = [&](const std::string& what, const std::function<void(SceneDescription&)>& change) {
    SceneDescription scene = ball_and_ground();
    change(scene);
    misuses.expect_error(what, [&] { Scene{scene}; });
  };
  for (const int index : {-1, 2, INT_MAX, INT_MIN}) {
    expect_bad("geometry", [&](SceneDescription& s) { s.bodies[1].geometry = index; });
    expect_bad("pair.a", [&](SceneDescription& s) { (*s.pairs)[0].a = index; });
    expect_bad("pair.b", [&](SceneDescription& s) { (*s.pairs)[0].b = index; });
    SceneDescription scene = ball_and_ground();
    scene.bodies[1].geometry = index;
    misuses.expect_error("all_pairs", [&] { all_pairs(scene); });
  }
  for (const double value : {kNan, kInfinity, -1.0, 0.0, 0.99e-3, 1.001e18, 1e31}) {
    expect_bad("modulus", [&](SceneDescription& s) { s.bodies[0].modulus = value; });
  }
  for (const double value : {kNan, kInfinity, -kInfinity, -1e-300, 1.001e6, 1e18, 1e300}) {
    expect_bad("dissipation", [&](SceneDescription& s) { s.bodies[1].dissipation = value; });
    expect_bad("friction", [&](SceneDescription& s) { s.bodies[1].friction = value; });
    expect_bad("pair's dissipation", [&](SceneDescription& s) { (*s.pairs)[0].dissipation = value; });
    expect_bad("pair's friction", [&](SceneDescription& s) { (*s.pairs)[0].friction = value; });
  }
  for (const double value : {kNan, kInfinity, -kInfinity, 1.001e12, -1e13}) {
    for (std::size_t i = 0; i < 7; ++i) {
      expect_bad("pose", [&](SceneDescription& s) { s.bodies[0].pose[i] = value; });
      if (i < 6) expect_bad("velocity", [&](SceneDescription& s) { s.bodies[0].velocity[i] = value; });
    }
  }
  expect_bad("no rotation", [](SceneDescription& s) { s.bodies[0].pose[3] = 0; });
  for (const double value : {kNan, kInfinity, -1.0, 0.0, 0.99e-12, 1e-30, 1.001e6}) {
    expect_bad("slip tolerance", [&](SceneDescription& s) { s.contact.slip_tolerance = value; });
  }
  for (const int value : {4, 200, 255}) {
    expect_bad("model", [&](auto& s) { s.contact.dissipation_model = static_cast<DissipationModel>(value); });
    expect_bad("quadrature", [&](auto& s) { s.contact.quadrature = static_cast<Quadrature>(value); });
  }
  expect_bad("nothing", [](SceneDescription& s) { s = {}; });
  expect_bad("no bodies", [](SceneDescription& s) { s.bodies.clear(); });
  expect_bad("65 bodies", [](SceneDescription& s) { s.bodies.resize(65); });
  expect_bad("both rigid", [](SceneDescription& s) { s.bodies[0].rigid = s.bodies[1].rigid = true; });
  expect_bad("pair with itself", [](SceneDescription& s) { (*s.pairs)[0].b = 0; });
  expect_bad("pair twice", [](SceneDescription& s) { s.pairs->push_back({1, 0, {}, {}}); });
  expect_bad("two half spaces", [](SceneDescription& s) { s.bodies[0].geometry = 1; });
  EXPECT_GT(misuses.count(), 120);
}

/// The ball as the second of two parts, with an alternative.
SceneDescription compound_and_ground() {
  SceneDescription scene = ball_and_ground();
  scene.bodies[0].parts.resize(2);
  scene.bodies[0].parts[1].pose[0] = 0.1;
  scene.bodies[0].parts[1].alternatives = {0};
  return scene;
}

TEST(Misuse, OfPartsIsAnError) {
  EXPECT_NO_THROW(Scene{compound_and_ground()});
  Misuses misuses;
  const auto expect_bad = [&](const std::string& what, const std::function<void(SceneDescription&)>& change) {
    SceneDescription scene = compound_and_ground();
    change(scene);
    misuses.expect_error(what, [&] { Scene{scene}; });
  };
  const auto expect_bad_part = [&](const std::string& what, const std::function<void(Part&)>& change) {
    expect_bad(what, [&](SceneDescription& s) { change(s.bodies[0].parts[1]); });
  };
  for (const int index : {-1, 2, INT_MAX, INT_MIN}) {
    expect_bad_part("geometry", [&](Part& p) { p.geometry = index; });
    expect_bad_part("alternative", [&](Part& p) { p.alternatives.push_back(index); });
    expect_bad("alternative of a body", [&](auto& s) { s.bodies[1].alternatives = {index}; });
    SceneDescription scene = compound_and_ground();
    scene.bodies[0].parts[1].geometry = index;
    misuses.expect_error("all_pairs", [&] { all_pairs(scene); });
    scene = compound_and_ground();
    scene.bodies[0].parts[1].alternatives = {index};
    misuses.expect_error("all_pairs", [&] { all_pairs(scene); });
  }
  for (const double value : {kNan, kInfinity, -1.0, 0.0, 0.99e-3, 1.001e18}) {
    expect_bad_part("modulus", [&](Part& p) { p.modulus = value; });
    expect_bad("modulus of a body whose part has none", [&](auto& s) { s.bodies[0].modulus = value; });
  }
  for (const double value : {kNan, kInfinity, -1e-300, 1.001e6, 1e18}) {
    expect_bad_part("dissipation", [&](Part& p) { p.dissipation = value; });
    expect_bad_part("friction", [&](Part& p) { p.friction = value; });
  }
  for (const double value : {kNan, kInfinity, 1.001e12, -1e13}) {
    for (std::size_t i = 0; i < 7; ++i) {
      expect_bad_part("pose", [&](Part& p) { p.pose[i] = value; });
      expect_bad("offset", [&](auto& s) { s.bodies[1].offset[i] = value; });
    }
  }
  expect_bad_part("no rotation", [](Part& p) { p.pose[3] = 0; });
  expect_bad_part("beyond the coordinates of a mesh", [](Part& p) { p.pose[0] = 1.1e9; });
  expect_bad("no rotation of an offset", [](SceneDescription& s) { s.bodies[1].offset[3] = 0; });
  expect_bad("65 parts", [](SceneDescription& s) { s.bodies[0].parts.resize(65); });
  expect_bad("257 parts in all", [](SceneDescription& s) {
    s.bodies.resize(5);
    for (std::size_t i = 0; i < 4; ++i) s.bodies[i] = s.bodies[0], s.bodies[i].parts.resize(64);
    s.pairs->clear();
  });
  expect_bad("rigid parts on a rigid ground",
             [](SceneDescription& s) { s.bodies[0].rigid = s.bodies[1].rigid = true; });
  expect_bad("rigid parts and a half space on a rigid ground", [](SceneDescription& s) {
    s.bodies[1].rigid = true;
    s.bodies[0].parts[0].rigid = true;
    s.bodies[0].parts[1].geometry = 1;
  });
  expect_bad("half spaces on the ground", [](SceneDescription& s) {
    for (Part& part : s.bodies[0].parts) part.geometry = 1;
  });
  const auto with_shell = [](SceneDescription& s) {
    const Geometry ball = s.geometries[0];
    s.geometries.push_back(make_surface_mesh("shell", {ball.mesh.points, ball.surface}));
  };
  expect_bad("a compliant surface", [&](SceneDescription& s) { with_shell(s), s.bodies[0].parts[1].geometry = 2; });
  expect_bad("a surface as the alternative of a compliant part",
             [&](SceneDescription& s) { with_shell(s), s.bodies[0].parts[1].alternatives = {2}; });
  EXPECT_GT(misuses.count(), 100);
}

TEST(Scene, HasUpTo256PartsAnd64OfABody) {
  SceneDescription scene;
  scene.geometries = {make_sphere("ball", 0.05, 0)};
  scene.bodies.resize(4);
  for (Body& body : scene.bodies) body.parts.resize(64);
  EXPECT_EQ(Scene(scene).num_parts(), 256);
}

TEST(Misuse, OfTooManyCopiesOfGeometriesWithOffsetsIsAnError) {
  SceneDescription scene;
  scene.geometries = {make_sphere("ball", 0.05, 6)};  // 163 840 tets and triangles
  scene.bodies.resize(1);
  scene.bodies[0].parts.resize(11);
  for (std::size_t i = 0; i < 11; ++i) scene.bodies[0].parts[i].pose[0] = 0.1 * static_cast<double>(i + 1);
  try {
    const Scene made(scene);
    FAIL() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "scene: body '': the geometries with an offset up to here have 1146880 tets and triangles, of which each "
        "offset has its own; the limit is 1048576; make them coarser, or leave out offsets");
  }
}

}  // namespace
}  // namespace isopatch::test
