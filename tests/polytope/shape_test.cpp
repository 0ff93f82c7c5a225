// SPDX-License-Identifier: Apache-2.0
//
// Convex shapes: which features they have, in which order, and what is refused.
#include "host/polytope/convex_shape.h"

#include <gtest/gtest.h>

#include <set>

#include "isopatch/detail/polytope/shape.h"
#include "isopatch/error.h"
#include "tests/polytope/polytope_fixture.h"

namespace isopatch::test {
namespace {

// of coordinates and sizes of about 1
constexpr double kRounding = 1e-14;

template <class Make>
std::string error_of(const Make& make) {
  try {
    make();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// What every polyhedron must fulfil: unit normals and tangents in their planes, loops and edges that agree, spokes and
/// faces of every vertex.
void expect_consistent(const ConvexShape& shape) {
  const detail::PolytopeView view = shape.view();
  EXPECT_EQ(view.num_vertices - view.num_edges + view.num_faces, 2);
  for (int f = 0; f < view.num_faces; ++f) {
    const detail::ShapeFace& face = view.faces[f];
    EXPECT_NEAR(norm(face.normal), 1, kRounding);
    for (int v = 0; v < view.num_vertices; ++v) EXPECT_LE(detail::face_gap(face, view.vertices[v]), 2e-9);
    for (const std::int32_t v : shape.face_vertices(f)) EXPECT_NEAR(detail::face_gap(face, view.vertices[v]), 0, 2e-9);
    for (std::int32_t s = face.begin; s < face.end; ++s) {
      const detail::FaceSide& side = view.sides[s];
      const detail::ShapeEdge& edge = view.edges[side.edge];
      EXPECT_TRUE((edge.f == f && edge.g == side.neighbor) || (edge.g == f && edge.f == side.neighbor));
      for (const std::int32_t v : shape.face_vertices(f)) {
        EXPECT_GE(dot(side.inward, view.vertices[v] - view.vertices[side.p]), -1e-8);
      }
    }
  }
  for (int e = 0; e < view.num_edges; ++e) {
    const detail::ShapeEdge& edge = view.edges[e];
    EXPECT_LT(edge.i, edge.j);
    if (e > 0) {
      EXPECT_LT(std::pair(view.edges[e - 1].i, view.edges[e - 1].j), std::pair(edge.i, edge.j));
    }
    const Vec3d f = view.faces[edge.f].normal, g = view.faces[edge.g].normal;
    EXPECT_NEAR(norm(edge.t_f), 1, kRounding);
    EXPECT_LT(dot(edge.t_f, g), 0);  // into the face f the surface falls away from g
    EXPECT_LT(dot(edge.t_g, f), 0);
    EXPECT_GT(dot(cross(f, g), edge.direction), 0);  // f is on the left
  }
  for (int v = 0; v < view.num_vertices; ++v) {
    std::set<int> faces;
    for (int k = view.vertex_begin[v]; k < view.vertex_begin[v + 1]; ++k) {
      const detail::Spoke& spoke = view.spokes[k];
      const Vec3d to = view.vertices[spoke.neighbor] - view.vertices[v];
      EXPECT_NEAR(dot(spoke.direction, to), norm(to), kRounding);
      faces.insert(view.vertex_faces[k]);
    }
    EXPECT_EQ(static_cast<int>(faces.size()), view.vertex_begin[v + 1] - view.vertex_begin[v]);
  }
}

TEST(ConvexShape, OfABoxHasTheNamedOrder) {
  const ConvexShape box = ConvexShape::box({1, 2, 3});
  const detail::PolytopeView view = box.view();
  EXPECT_EQ(view.num_vertices, 8);
  EXPECT_EQ(view.num_faces, 6);
  EXPECT_EQ(view.num_edges, 12);
  expect_consistent(box);
  const std::vector<std::vector<std::int32_t>> expected = {{0, 1, 5, 4}, {0, 2, 3, 1}, {0, 4, 6, 2},
                                                           {1, 3, 7, 5}, {2, 6, 7, 3}, {4, 5, 7, 6}};
  for (int f = 0; f < 6; ++f) EXPECT_EQ(box.face_vertices(f), expected[static_cast<std::size_t>(f)]);
  EXPECT_EQ(view.faces[5].normal.z, 1);
  EXPECT_EQ(view.faces[5].offset, 3);
  EXPECT_EQ(view.ball, std::sqrt(14.0));
  EXPECT_EQ(detail::radius_about(view, {0, 0, 1}), std::sqrt(1.0 + 4 + 16));
  EXPECT_NEAR(box.measure().size, 48, 48 * kRounding);
}

TEST(ConvexShape, OfCubePointsIsTheBoxWhateverElseIsInAndOnIt) {
  const ConvexShape box = ConvexShape::box({0.5, 0.5, 0.5});
  std::vector<Point3> points;
  for (const Vec3d& v : box.vertices()) points.push_back({v.x, v.y, v.z});
  for (const Point3& more : {Point3{0, 0, 0.5},
                             {0.5, 0.1, 0.2},
                             {0.5, 0.5, 0.1},
                             {0.1, 0.2, 0.3},
                             {0.5, 0.5, 0.5},
                             {-0.5, 0.2, 0.5 - 1e-11}}) {
    points.push_back(more);
  }
  const ConvexShape hull = ConvexShape::hull(points);
  ASSERT_EQ(hull.num_faces(), 6);
  ASSERT_EQ(hull.num_edges(), 12);
  for (int f = 0; f < 6; ++f) EXPECT_EQ(hull.face_vertices(f), box.face_vertices(f));
  for (int v = 0; v < 8; ++v) {
    const auto i = static_cast<std::size_t>(v);
    EXPECT_EQ(norm(hull.vertices()[i] - box.vertices()[i]), 0);
  }
  expect_consistent(hull);
}

TEST(ConvexShape, HasTheSameFeaturesInWhateverOrderThePointsCome) {
  PolytopeRandom random(3);
  for (int k = 0; k < 50; ++k) {
    std::vector<Point3> points;
    for (int i = 0; i < 12; ++i) {
      const Vec3d d = random.direction(false);
      points.push_back({d.x, d.y, d.z});
    }
    const ConvexShape shape = ConvexShape::hull(points);
    expect_consistent(shape);
    EXPECT_EQ(shape.num_faces(), 20);
    std::vector<Point3> reversed(points.rbegin(), points.rend());
    const ConvexShape other = ConvexShape::hull(reversed);
    std::set<std::set<std::int32_t>> faces, others;
    for (int f = 0; f < shape.num_faces(); ++f) {
      const auto loop = shape.face_vertices(f), back = other.face_vertices(f);
      faces.insert({loop.begin(), loop.end()});
      std::set<std::int32_t> turned;
      for (const std::int32_t v : back) turned.insert(11 - v);
      others.insert(turned);
    }
    EXPECT_EQ(faces, others);
    EXPECT_NEAR(shape.measure().size, other.measure().size, kRounding);
  }
}

TEST(ConvexShape, OfACylinderIsAPrism) {
  std::vector<Point3> points;
  constexpr int kSegments = 60;
  for (int i = 0; i < kSegments; ++i) {
    const double angle = 2 * std::numbers::pi * i / kSegments;
    for (const double z : {-0.7, 0.7}) points.push_back({0.3 * std::cos(angle), 0.3 * std::sin(angle), z});
  }
  const ConvexShape prism = ConvexShape::hull(points);
  EXPECT_EQ(prism.num_faces(), kSegments + 2);
  EXPECT_EQ(prism.num_edges(), 3 * kSegments);
  expect_consistent(prism);
  const double area = kSegments / 2.0 * 0.09 * std::sin(2 * std::numbers::pi / kSegments);
  EXPECT_NEAR(prism.measure().size, 1.4 * area, kRounding);
  EXPECT_NEAR(prism.measure().centroid[2], 0, kRounding);
}

TEST(ConvexShape, OfAPolygonIsCounterClockwiseFromTheFirstCorner) {
  const ConvexShape polygon = ConvexShape::polygon({{0.5, 0.5}, {1, 1}, {1, 0}, {0.5, 0}, {0, 0}, {0, 1}, {1, 1}});
  ASSERT_EQ(polygon.vertices().size(), 4u);
  const Vec3d expected[4] = {{1, 1, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}};
  for (std::size_t v = 0; v < 4; ++v) EXPECT_EQ(norm(polygon.vertices()[v] - expected[v]), 0);
  const detail::PolytopeView view = polygon.view();
  EXPECT_EQ(view.planar, 1);
  EXPECT_EQ(view.num_faces, 4);
  EXPECT_EQ(view.num_edges, 0);
  EXPECT_EQ(view.faces[0].normal.y, 1);
  EXPECT_EQ(view.vertex_faces[0], 3);
  EXPECT_EQ(view.vertex_faces[1], 0);
  EXPECT_NEAR(polygon.measure().size, 1, kRounding);
  EXPECT_NEAR(polygon.measure().centroid[1], 0.5, kRounding);
}

TEST(ConvexShape, OfAHalfSpaceIsOneFace) {
  const detail::PolytopeView view = ConvexShape::half_space().view();
  EXPECT_EQ(view.num_faces, 1);
  EXPECT_EQ(view.num_vertices, 0);
  EXPECT_EQ(view.half_space, 1);
}

TEST(ConvexShape, PlacedIsTheShapeOfThePlacedPoints) {
  PolytopeRandom random(4);
  const Transform<double> X = random.rotation(false);
  std::array<Point3, 3> rotation;
  for (std::size_t k = 0; k < 3; ++k) rotation[k] = {X.row[k].x, X.row[k].y, X.row[k].z};
  const ConvexShape box = ConvexShape::box({1, 2, 3}), placed = box.placed(rotation, {4, 5, 6});
  expect_consistent(placed);
  EXPECT_NEAR(placed.measure().size, 48, 1e-12);
  EXPECT_NEAR(placed.measure().centroid[1], 5, 1e-13);
  const ConvexShape ground = ConvexShape::half_space().placed(rotation, {4, 5, 6});
  const Vec3d above = apply(X, Vec3d{1, 2, 3}) + Vec3d{4, 5, 6};
  EXPECT_NEAR(detail::face_gap(ground.view().faces[0], above), 3, 1e-14);
}

TEST(ConvexShape, RefusesWhatIsNoShape) {
  EXPECT_TRUE(contains(error_of([] { ConvexShape::polygon({{0, 0}, {1, 0}}); }), "2 points; it needs at least three"));
  EXPECT_TRUE(contains(error_of([] { ConvexShape::polygon({{0, 0}, {1, 1}, {2, 2}}); }), "on a line"));
  EXPECT_TRUE(contains(error_of([] { ConvexShape::polygon({{0, 0}, {0, 0}, {0, 0}}); }), "on a line"));
  EXPECT_TRUE(contains(error_of([] { ConvexShape::polygon({{0, 0}, {1, NAN}, {2, 2}}); }), "point 1"));
  EXPECT_TRUE(contains(error_of([] { ConvexShape::hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}); }), "at least four"));
  EXPECT_TRUE(contains(error_of([] {
                         ConvexShape::hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 1, 0}});
                       }),
                       "lie in a plane"));
  EXPECT_TRUE(contains(error_of([] { ConvexShape::box({1, 0, 1}); }), "half size is 0"));
  std::vector<Point3> sphere;
  PolytopeRandom random(5);
  for (int i = 0; i < 40; ++i) {
    const Vec3d d = random.direction(false);
    sphere.push_back({d.x, d.y, d.z});
  }
  EXPECT_TRUE(contains(error_of([&] { ConvexShape::hull(sphere); }), "it has 76 faces, the limit"));
  std::vector<std::array<double, 2>> circle;
  for (int i = 0; i < 65; ++i)
    circle.push_back({std::cos(2 * std::numbers::pi * i / 65), std::sin(2 * std::numbers::pi * i / 65)});
  EXPECT_TRUE(contains(error_of([&] { ConvexShape::polygon(circle); }), "it has 65 corners, the limit"));
}

}  // namespace
}  // namespace isopatch::test
