// SPDX-License-Identifier: Apache-2.0
#include "host/reference/polytope/convex_shape.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "isopatch/error.h"

namespace isopatch::reference::polytope {
namespace {

/// The face whose loop goes from one vertex directly to another, or -1.
int face_left_of(const std::vector<ConvexFace>& faces, int from, int to) {
  for (std::size_t k = 0; k < faces.size(); ++k) {
    const std::vector<int>& loop = faces[k].loop;
    for (std::size_t l = 0; l < loop.size(); ++l) {
      if (loop[l] == from && loop[(l + 1) % loop.size()] == to) return static_cast<int>(k);
    }
  }
  return -1;
}

/// Twice the area of a loop, along its normal.
Vector3 area_vector(const std::vector<Vector3>& vertices, const std::vector<int>& loop) {
  const Vector3& base = vertices.at(static_cast<std::size_t>(loop[0]));
  Vector3 sum = Vector3::Zero();
  for (std::size_t l = 1; l + 1 < loop.size(); ++l) {
    const Vector3 a = vertices.at(static_cast<std::size_t>(loop[l])) - base;
    const Vector3 b = vertices.at(static_cast<std::size_t>(loop[l + 1])) - base;
    sum += a.cross(b);
  }
  return sum;
}

void insert_ascending(std::vector<int>& list, int value) {
  const auto at = std::lower_bound(list.begin(), list.end(), value);
  if (at == list.end() || *at != value) list.insert(at, value);
}

/// What meets at each vertex; from the loops and edges.
void find_incidence(ConvexShape& shape) {
  const std::size_t count = shape.vertices.size();
  shape.neighbours.resize(count);
  shape.faces_at.resize(count);
  shape.edges_at.resize(count);
  for (std::size_t f = 0; f < shape.faces.size(); ++f) {
    const std::vector<int>& loop = shape.faces[f].loop;
    for (std::size_t l = 0; l < loop.size(); ++l) {
      const int v = loop[l], next = loop[(l + 1) % loop.size()];
      insert_ascending(shape.faces_at[static_cast<std::size_t>(v)], static_cast<int>(f));
      insert_ascending(shape.neighbours[static_cast<std::size_t>(v)], next);
      insert_ascending(shape.neighbours[static_cast<std::size_t>(next)], v);
    }
  }
  for (std::size_t e = 0; e < shape.edges.size(); ++e) {
    insert_ascending(shape.edges_at[static_cast<std::size_t>(shape.edges[e].i)], static_cast<int>(e));
    insert_ascending(shape.edges_at[static_cast<std::size_t>(shape.edges[e].j)], static_cast<int>(e));
  }
}

std::vector<ConvexFace> faces_of(const std::vector<Vector3>& vertices, const std::vector<std::vector<int>>& loops) {
  std::vector<ConvexFace> faces;
  for (const std::vector<int>& loop : loops) {
    faces.push_back({loop, area_vector(vertices, loop).normalized(), vertices[static_cast<std::size_t>(loop[0])]});
  }
  return faces;
}

}  // namespace

ConvexShape polyhedron(const std::vector<Vector3>& vertices, const std::vector<std::vector<int>>& loops,
                       const std::vector<std::array<int, 2>>& edges) {
  ConvexShape shape;
  shape.vertices = vertices;
  shape.faces = faces_of(vertices, loops);
  for (const auto& [i, j] : edges) {
    ConvexEdge edge;
    edge.i = i;
    edge.j = j;
    edge.f = face_left_of(shape.faces, i, j);
    edge.g = face_left_of(shape.faces, j, i);
    if (edge.f < 0 || edge.g < 0) {
      throw Error("edge (" + std::to_string(i) + ", " + std::to_string(j) +
                  ") of a polyhedron is not between two faces");
    }
    edge.direction = (vertices.at(static_cast<std::size_t>(j)) - vertices.at(static_cast<std::size_t>(i))).normalized();
    edge.into_f = shape.faces[static_cast<std::size_t>(edge.f)].normal.cross(edge.direction).normalized();
    edge.into_g = edge.direction.cross(shape.faces[static_cast<std::size_t>(edge.g)].normal).normalized();
    shape.edges.push_back(edge);
  }
  find_incidence(shape);
  return shape;
}

ConvexShape polyhedron(const std::vector<Vector3>& vertices, const std::vector<std::vector<int>>& loops) {
  std::vector<std::array<int, 2>> edges;
  for (const std::vector<int>& loop : loops) {
    for (std::size_t l = 0; l < loop.size(); ++l) {
      const int a = loop[l], b = loop[(l + 1) % loop.size()];
      if (a < b) edges.push_back({a, b});  // its other face goes from b to a
    }
  }
  std::sort(edges.begin(), edges.end());
  return polyhedron(vertices, loops, edges);
}

ConvexShape polygon(const std::vector<Vector3>& vertices) {
  ConvexShape shape;
  shape.is_planar = true;
  shape.vertices = vertices;
  const std::size_t count = vertices.size();
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t next = (k + 1) % count;
    const Vector3 d = vertices[next] - vertices[k];
    shape.faces.push_back(
        {{static_cast<int>(k), static_cast<int>(next)}, Vector3(d.y(), -d.x(), 0).normalized(), vertices[k]});
  }
  find_incidence(shape);
  return shape;
}

ConvexShape half_space() {
  ConvexShape shape;
  shape.faces.push_back({{}, Vector3::UnitZ(), Vector3::Zero()});
  return shape;
}

ConvexShape moved(const ConvexShape& shape, const Transform& motion) {
  ConvexShape result = shape;
  for (Vector3& vertex : result.vertices) vertex = motion * vertex;
  for (ConvexFace& face : result.faces) {
    face.normal = motion.rotation * face.normal;
    face.point = motion * face.point;
  }
  for (ConvexEdge& edge : result.edges) {
    edge.direction = motion.rotation * edge.direction;
    edge.into_f = motion.rotation * edge.into_f;
    edge.into_g = motion.rotation * edge.into_g;
  }
  return result;
}

Real radius_about(const ConvexShape& shape, const Vector3& point) {
  Real radius = 0;
  for (const Vector3& vertex : shape.vertices) radius = std::max(radius, (vertex - point).norm());
  return radius;
}

Real size_of(const ConvexShape& shape) {
  Box box;
  for (const Vector3& vertex : shape.vertices) box.add(vertex);
  return shape.vertices.empty() ? 0 : box.diagonal();
}

Vector3 middle_of(const ConvexShape& shape) {
  Vector3 sum = Vector3::Zero();
  for (const Vector3& vertex : shape.vertices) sum += vertex;
  return sum / static_cast<Real>(shape.vertices.size());
}

}  // namespace isopatch::reference::polytope
