// SPDX-License-Identifier: Apache-2.0
#include "host/polytope/convex_shape.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/detail/math/transform.h"

namespace isopatch::detail {
namespace {

constexpr double kOnLine = 1e-9;  // of the size: a point so near to the line of its neighbours is no corner

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
std::int32_t index_of(std::size_t i) { return static_cast<std::int32_t>(i); }

Vec3d unit(Vec3d v) {
  const double size = norm(v);
  return {v.x / size, v.y / size, v.z / size};
}

double length(double x, double y) { return std::sqrt(x * x + y * y); }

template <class Points>
void check_all_finite(const char* what, const Points& points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (const double x : points[i]) {
      if (!std::isfinite(x)) throw_error("{}: point {} has the coordinate {}; it must be finite", what, i, x);
    }
  }
}

void check_faces(const char* what, std::size_t count, const char* faces, const char* fewer) {
  if (count <= kMaxFaces) return;
  throw_error("{}: it has {} {}, the limit for contact of polytopes is {}; use fewer {}", what, count, faces, kMaxFaces,
              fewer);
}

/// Twice the area of the triangle from p over q to r, positive if it turns left.
double turn(const std::array<double, 2>& p, const std::array<double, 2>& q, const std::array<double, 2>& r) {
  return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
}

/// The corners of the convex hull, counter-clockwise, by the monotone chain of Andrew (1979).
std::vector<std::int32_t> corners_of(const std::vector<std::array<double, 2>>& points, double size) {
  std::vector<std::int32_t> order(points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = index_of(i);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return points[at(a)] < points[at(b)]; });
  order.erase(std::unique(order.begin(), order.end(), [&](auto a, auto b) { return points[at(a)] == points[at(b)]; }),
              order.end());
  std::vector<std::int32_t> chain;
  const auto extend = [&](std::int32_t point, std::size_t least) {
    while (chain.size() > least) {
      const auto &p = points[at(chain.end()[-2])], &q = points[at(chain.back())], &r = points[at(point)];
      if (turn(p, q, r) > kOnLine * size * length(r[0] - p[0], r[1] - p[1])) break;
      chain.pop_back();
    }
    chain.push_back(point);
  };
  for (const std::int32_t point : order) extend(point, 1);
  const std::size_t lower = chain.size();
  for (auto point = order.rbegin() + 1; point < order.rend(); ++point) extend(*point, lower);
  if (chain.size() > 1) chain.pop_back();  // the first again
  std::rotate(chain.begin(), std::min_element(chain.begin(), chain.end()), chain.end());
  return chain;
}

}  // namespace

void check_finite(const char* what, const std::vector<Point3>& points) { check_all_finite(what, points); }

ConvexShape ConvexShape::hull(const std::vector<Point3>& points, const char* name, const char* fewer) {
  const StandardArithmetic standard;
  check_finite("convex hull", points);
  Loops loops = hull_faces(points);
  check_faces(name, loops.size(), "faces", fewer);
  std::map<std::int32_t, std::int32_t> vertex_of;
  for (const auto& loop : loops) {
    for (const std::int32_t v : loop) vertex_of.try_emplace(v, 0);
  }
  std::vector<Vec3d> vertices;
  for (auto& [point, vertex] : vertex_of) {
    vertex = index_of(vertices.size());
    vertices.push_back({points[at(point)][0], points[at(point)][1], points[at(point)][2]});
  }
  for (auto& loop : loops) {
    for (std::int32_t& v : loop) v = vertex_of.at(v);
  }
  return polyhedron(std::move(vertices), std::move(loops));
}

ConvexShape ConvexShape::polygon(const std::vector<std::array<double, 2>>& points) {
  const StandardArithmetic standard;
  check_all_finite("polygon", points);
  if (points.size() < 3) throw_error("polygon: {} points; it needs at least three", points.size());
  double low[2] = {points[0][0], points[0][1]}, high[2] = {low[0], low[1]};
  for (const auto& p : points) {
    for (std::size_t k = 0; k < 2; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
  }
  const double size = length(high[0] - low[0], high[1] - low[1]);
  const std::vector<std::int32_t> corners = corners_of(points, size);
  if (corners.size() < 3)
    throw_error("polygon: its {} points lie on a line; it needs three that do not", points.size());
  check_faces("polygon", corners.size(), "corners", "points");
  ConvexShape shape;
  shape.planar_ = true;
  for (const std::int32_t corner : corners)
    shape.vertices_.push_back({points[at(corner)][0], points[at(corner)][1], 0});
  shape.set_polygon();
  return shape;
}

ConvexShape ConvexShape::box(const Point3& half) {
  for (const double h : half) {
    if (!(h > 0 && std::isfinite(h))) throw_error("box: a half size is {}; it must be positive and finite", h);
  }
  std::vector<Vec3d> vertices;
  for (int v = 0; v < 8; ++v) {
    vertices.push_back({v & 1 ? half[0] : -half[0], v & 2 ? half[1] : -half[1], v & 4 ? half[2] : -half[2]});
  }
  return polyhedron(std::move(vertices),
                    {{0, 2, 3, 1}, {0, 1, 5, 4}, {0, 4, 6, 2}, {1, 3, 7, 5}, {2, 6, 7, 3}, {4, 5, 7, 6}});
}

ConvexShape ConvexShape::half_space() {
  ConvexShape shape;
  shape.faces_.push_back({{0, 0, 1}, 0, 0, 0});
  shape.vertex_begin_.push_back(0);
  return shape;
}

ConvexShape ConvexShape::placed(const std::array<Point3, 3>& rotation, const Point3& translation) const {
  const StandardArithmetic standard;
  Transform<double> X;
  for (std::size_t k = 0; k < 3; ++k) X.row[k] = {rotation[k][0], rotation[k][1], rotation[k][2]};
  X.translation = {translation[0], translation[1], translation[2]};
  if (is_half_space()) {
    ConvexShape shape = *this;
    shape.faces_[0].normal = unit(rotate(X, faces_[0].normal));
    shape.faces_[0].offset = faces_[0].offset + dot(shape.faces_[0].normal, X.translation);
    return shape;
  }
  std::vector<Vec3d> moved;
  for (const Vec3d& v : vertices_) moved.push_back(apply(X, v));
  if (planar_) {
    ConvexShape shape;
    shape.planar_ = true;
    shape.vertices_ = std::move(moved);
    shape.set_polygon();
    return shape;
  }
  Loops loops;
  for (std::int32_t f = 0; f < num_faces(); ++f) loops.push_back(face_vertices(f));
  return polyhedron(std::move(moved), std::move(loops));
}

ConvexShape ConvexShape::polyhedron(std::vector<Vec3d> vertices, Loops loops) {
  for (auto& loop : loops) std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
  std::sort(loops.begin(), loops.end());
  ConvexShape shape;
  shape.vertices_ = std::move(vertices);
  shape.add_faces(loops);
  shape.add_edges(loops);
  shape.add_sides(loops);
  shape.add_vertices();
  return shape;
}

/// Normals by Newell's sums about the first vertex, so that they are exact of faces along the axes.
void ConvexShape::add_faces(const Loops& loops) {
  for (const auto& loop : loops) {
    const Vec3d origin = vertices_[at(loop[0])];
    Vec3d sum{0, 0, 0};
    for (std::size_t i = 2; i < loop.size(); ++i) {
      sum = sum + cross(vertices_[at(loop[i - 1])] - origin, vertices_[at(loop[i])] - origin);
    }
    ShapeFace face{unit(sum), -std::numeric_limits<double>::infinity(), 0, 0};
    for (const std::int32_t v : loop) face.offset = std::max(face.offset, dot(face.normal, vertices_[at(v)]));
    faces_.push_back(face);
  }
}

void ConvexShape::add_edges(const Loops& loops) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> face_of;  // on the left of each direction
  for (std::size_t f = 0; f < loops.size(); ++f) {
    for (std::size_t i = 0; i < loops[f].size(); ++i) {
      face_of[{loops[f][i], loops[f][(i + 1) % loops[f].size()]}] = index_of(f);
    }
  }
  for (const auto& [ends, face] : face_of) {
    const auto [i, j] = ends;
    if (i > j) continue;
    ShapeEdge edge{};
    edge.i = i;
    edge.j = j;
    edge.f = face;
    edge.g = face_of.at({j, i});
    const Vec3d along = vertices_[at(j)] - vertices_[at(i)];
    edge.length = norm(along);
    edge.direction = unit(along);
    edge.t_f = unit(cross(faces_[at(edge.f)].normal, edge.direction));
    edge.t_g = unit(cross(edge.direction, faces_[at(edge.g)].normal));
    edges_.push_back(edge);
  }
}

void ConvexShape::add_sides(const Loops& loops) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> edge_of;
  for (std::int32_t e = 0; e < num_edges(); ++e) edge_of[{edges_[at(e)].i, edges_[at(e)].j}] = e;
  for (std::size_t f = 0; f < loops.size(); ++f) {
    faces_[f].begin = index_of(sides_.size());
    for (std::size_t i = 0; i < loops[f].size(); ++i) {
      const std::int32_t p = loops[f][i], q = loops[f][(i + 1) % loops[f].size()];
      const std::int32_t e = edge_of.at({std::min(p, q), std::max(p, q)});
      const ShapeEdge& edge = edges_[at(e)];
      const bool forward = p < q;
      sides_.push_back({forward ? edge.t_f : edge.t_g, edge.i, edge.j, forward ? edge.g : edge.f, e});
    }
    faces_[f].end = index_of(sides_.size());
  }
}

void ConvexShape::add_vertices() {
  vertex_begin_.push_back(0);
  for (std::int32_t v = 0; v < index_of(vertices_.size()); ++v) {
    std::vector<std::int32_t> faces;
    for (std::int32_t e = 0; e < num_edges(); ++e) {
      const ShapeEdge& edge = edges_[at(e)];
      if (edge.i == v) spokes_.push_back({edge.direction, edge.j, e});
      if (edge.j == v) spokes_.push_back({-edge.direction, edge.i, e});
      if (edge.i == v || edge.j == v) faces.insert(faces.end(), {edge.f, edge.g});
    }
    std::sort(faces.begin(), faces.end());
    faces.erase(std::unique(faces.begin(), faces.end()), faces.end());
    vertex_faces_.insert(vertex_faces_.end(), faces.begin(), faces.end());
    vertex_begin_.push_back(index_of(spokes_.size()));
  }
}

void ConvexShape::set_polygon() {
  const auto n = index_of(vertices_.size());
  vertex_begin_.push_back(0);
  for (std::int32_t k = 0; k < n; ++k) {
    const std::int32_t next = (k + 1) % n, before = (k + n - 1) % n;
    const Vec3d direction = unit(vertices_[at(next)] - vertices_[at(k)]);
    const Vec3d normal{direction.y, -direction.x, 0};
    const double offset = std::max(dot(normal, vertices_[at(k)]), dot(normal, vertices_[at(next)]));
    faces_.push_back({normal, offset, 2 * k, 2 * k + 2});
    sides_.push_back({direction, k, k, before, -1});
    sides_.push_back({-direction, next, next, next, -1});
    spokes_.push_back({unit(vertices_[at(before)] - vertices_[at(k)]), before, -1});
    spokes_.push_back({direction, next, -1});
    vertex_faces_.insert(vertex_faces_.end(), {before, k});
    vertex_begin_.push_back(2 * k + 2);
  }
}

std::vector<std::int32_t> ConvexShape::face_vertices(std::int32_t face) const {
  if (planar_) return {face, (face + 1) % index_of(vertices_.size())};
  std::vector<std::int32_t> loop;
  for (std::int32_t s = faces_[at(face)].begin; s < faces_[at(face)].end; ++s) {
    const FaceSide& side = sides_[at(s)];
    loop.push_back(edges_[at(side.edge)].f == face ? side.p : side.q);
  }
  return loop;
}

PolytopeView ConvexShape::view() const {
  PolytopeView view{};
  view.vertices = vertices_.data();
  view.faces = faces_.data();
  view.sides = sides_.data();
  view.edges = edges_.data();
  view.vertex_begin = vertex_begin_.data();
  view.spokes = spokes_.data();
  view.vertex_faces = vertex_faces_.data();
  view.num_vertices = index_of(vertices_.size());
  view.num_faces = num_faces();
  view.num_edges = num_edges();
  view.planar = planar_ ? 1 : 0;
  view.half_space = is_half_space() ? 1 : 0;
  if (is_half_space()) {
    view.ball = std::numeric_limits<double>::infinity();
    return view;
  }
  Vec3d low = vertices_[0], high = low;
  for (const Vec3d& v : vertices_) low = min(low, v), high = max(high, v);
  view.center = low + 0.5 * (high - low);
  view.half = max(high - view.center, view.center - low);
  for (const Vec3d& v : vertices_) view.middle = view.middle + (1 / static_cast<double>(vertices_.size())) * v;
  for (const Vec3d& v : vertices_) view.ball = std::max(view.ball, norm(v - view.center));
  return view;
}

PolytopeMeasure ConvexShape::measure() const {
  PolytopeMeasure result;
  if (is_half_space()) return result;
  const Vec3d origin = vertices_[0];
  Vec3d moment{0, 0, 0};  // of triangles or tets from the origin
  double sum = 0;
  const auto add = [&](double size, Vec3d corners, double count) {
    sum += size;
    moment = fma(size / count, corners, moment);
  };
  if (planar_) {
    for (std::size_t i = 2; i < vertices_.size(); ++i) {
      const Vec3d a = vertices_[i - 1] - origin, b = vertices_[i] - origin;
      add(0.5 * cross(a, b).z, a + b, 3);
    }
  } else {
    for (std::int32_t f = 0; f < num_faces(); ++f) {
      const std::vector<std::int32_t> loop = face_vertices(f);
      const Vec3d a = vertices_[at(loop[0])] - origin;
      for (std::size_t i = 2; i < loop.size(); ++i) {
        const Vec3d b = vertices_[at(loop[i - 1])] - origin, c = vertices_[at(loop[i])] - origin;
        add(dot(a, cross(b, c)) / 6, a + b + c, 4);
      }
    }
  }
  result.size = sum;
  const Vec3d centroid = origin + (1 / sum) * moment;
  result.centroid = {centroid.x, centroid.y, centroid.z};
  return result;
}

ConvexShape convex_shape_of(const Geometry& geometry) {
  if (geometry.kind == GeometryKind::kHalfSpace) return ConvexShape::half_space();
  if (geometry.polygon) {
    std::vector<std::array<double, 2>> corners;
    for (const Point3& p : geometry.mesh.points) corners.push_back({p[0], p[1]});
    return ConvexShape::polygon(corners);
  }
  std::vector<bool> used(geometry.mesh.points.size());
  for (const Triangle& triangle : geometry.surface) {
    for (const auto point : triangle) used[static_cast<std::size_t>(point)] = true;
  }
  std::vector<Point3> points;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) points.push_back(geometry.mesh.points[i]);
  }
  const bool is_cylinder = geometry.primitive.kind == PrimitiveKind::kCylinder;
  return is_cylinder ? ConvexShape::hull(points, "cylinder", "segments") : ConvexShape::hull(points);
}

}  // namespace isopatch::detail
