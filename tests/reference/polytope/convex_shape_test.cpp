// SPDX-License-Identifier: Apache-2.0
#include "host/reference/polytope/convex_shape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "isopatch/error.h"
#include "tests/reference/polytope/random_shapes.h"

namespace isopatch::reference::polytope {
namespace {

constexpr Real kExact = 1e-17L;

void expect_near(const Vector3& found, const Vector3& expected) {
  EXPECT_LT(static_cast<double>((found - expected).norm()), static_cast<double>(kExact)) << found.transpose();
}

/// What every polyhedron fulfils.
void expect_sound(const ConvexShape& shape) {
  const Real tolerance = 1e-9L * size_of(shape);
  EXPECT_EQ(shape.vertices.size() + shape.faces.size(), shape.edges.size() + 2);
  for (const ConvexFace& face : shape.faces) {
    EXPECT_NEAR(static_cast<double>(face.normal.norm()), 1, 1e-15);
    for (const Vector3& x : shape.vertices) EXPECT_LE(face.normal.dot(x - face.point), tolerance);
  }
  for (const ConvexEdge& edge : shape.edges) {
    const Vector3 middle =
        (shape.vertices[static_cast<std::size_t>(edge.i)] + shape.vertices[static_cast<std::size_t>(edge.j)]) / 2;
    for (const auto& [into, f] : {std::pair{edge.into_f, edge.f}, std::pair{edge.into_g, edge.g}}) {
      const ConvexFace& face = shape.faces[static_cast<std::size_t>(f)];
      EXPECT_LT(std::abs(into.dot(edge.direction)), kExact);
      EXPECT_LT(std::abs(into.dot(face.normal)), kExact);
      Vector3 inside = Vector3::Zero();
      for (int v : face.loop) inside += shape.vertices[static_cast<std::size_t>(v)];
      EXPECT_GT(into.dot(inside / static_cast<Real>(face.loop.size()) - middle), 0);
    }
    // f is on the left seen from outside: outward normal, direction and the way into f are a right-handed frame
    EXPECT_GT(shape.faces[static_cast<std::size_t>(edge.f)].normal.cross(edge.direction).dot(edge.into_f), 0);
  }
}

TEST(PolytopeShape, ABoxHasItsFeatures) {
  const ConvexShape shape = box({1, 2, 3});
  EXPECT_EQ(shape.vertices.size(), 8u);
  EXPECT_EQ(shape.faces.size(), 6u);
  EXPECT_EQ(shape.edges.size(), 12u);
  expect_sound(shape);
  for (const std::vector<int>& neighbours : shape.neighbours) EXPECT_EQ(neighbours.size(), 3u);
  for (const std::vector<int>& faces : shape.faces_at) EXPECT_EQ(faces.size(), 3u);
  for (const std::vector<int>& edges : shape.edges_at) EXPECT_EQ(edges.size(), 3u);
  EXPECT_NEAR(static_cast<double>(radius_about(shape, Vector3::Zero())), std::sqrt(14.0) / 2, 1e-15);
}

TEST(PolytopeShape, CoplanarPointsAreOneFaceAndPointsThatAreNoCornersAreLeftOut) {
  std::vector<Vector3> points;
  for (int x = -1; x <= 1; ++x) {
    for (int y = -1; y <= 1; ++y) {
      for (int z = -1; z <= 1; ++z) points.emplace_back(x, 2 * y, 3 * z);
    }
  }
  const Matrix3 rotation = Eigen::AngleAxis<Real>(0.3L, Vector3(1, 2, 3).normalized()).toRotationMatrix();
  for (Vector3& point : points) point = rotation * point;
  const ConvexShape shape = convex_hull(points);
  EXPECT_EQ(shape.vertices.size(), 8u);
  EXPECT_EQ(shape.faces.size(), 6u);
  expect_sound(shape);
}

TEST(PolytopeShape, TheHullOfRandomPointsIsSound) {
  RandomShapes random(1);
  for (int k = 0; k < 40; ++k) expect_sound(random.stretched_hull(false, 100));
}

TEST(PolytopeShape, APrismOf64FacesIsTheHullOfItsCorners) {
  std::vector<Vector3> corners;
  for (int k = 0; k < 62; ++k) {
    const Real angle = 2 * std::numbers::pi_v<Real> * static_cast<Real>(k) / 62;
    corners.emplace_back(std::cos(angle), std::sin(angle), 0);
  }
  const ConvexShape expected = prism(polygon(corners), 1);
  expect_sound(expected);
  const ConvexShape hull = convex_hull(expected.vertices);
  EXPECT_EQ(hull.faces.size(), 64u);
  EXPECT_EQ(hull.vertices.size(), 124u);
  expect_sound(hull);
}

TEST(PolytopeShape, APolygonHasItsEdgesAsFaces) {
  const ConvexShape shape = convex_polygon({{1, 0, 0}, {0.5L, 0.5L, 0}, {0, 0, 0}, {1, 1, 0}, {0.5L, 0, 0}, {0, 1, 0}});
  ASSERT_EQ(shape.vertices.size(), 4u);
  expect_near(shape.vertices[0], {0, 0, 0});
  expect_near(shape.vertices[1], {1, 0, 0});
  expect_near(shape.faces[0].normal, {0, -1, 0});
  expect_near(shape.faces[1].normal, {1, 0, 0});
  EXPECT_EQ(shape.faces[3].loop, (std::vector<int>{3, 0}));
  EXPECT_EQ(shape.neighbours[0], (std::vector<int>{1, 3}));
  EXPECT_EQ(shape.faces_at[0], (std::vector<int>{0, 3}));
  EXPECT_TRUE(shape.edges.empty());
}

TEST(PolytopeShape, TheCallersNumbersAreKept) {
  const std::vector<Vector3> vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const std::vector<std::vector<int>> loops = {{1, 2, 3}, {0, 2, 1}, {0, 1, 3}, {2, 0, 3}};
  const ConvexShape shape = polyhedron(vertices, loops, {{3, 0}, {1, 2}, {2, 1}, {0, 1}, {2, 3}, {1, 3}});
  expect_near(shape.faces[0].normal, Vector3(1, 1, 1).normalized());
  expect_near(shape.faces[1].normal, {0, 0, -1});
  EXPECT_EQ(shape.edges[0].f, 2);
  EXPECT_EQ(shape.edges[0].g, 3);
  EXPECT_EQ(shape.edges[1].f, shape.edges[2].g);
  EXPECT_EQ(shape.edges[1].g, shape.edges[2].f);
  EXPECT_THROW(polyhedron(vertices, {{1, 2, 3}}, {{1, 2}}), Error);
  EXPECT_THROW(convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}), Error);
  EXPECT_THROW(convex_polygon({{0, 0, 0}, {1, 1, 0}, {2, 2, 0}}), Error);
}

}  // namespace
}  // namespace isopatch::reference::polytope
