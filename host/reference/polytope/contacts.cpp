// SPDX-License-Identifier: Apache-2.0
#include "host/reference/polytope/contacts.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "host/reference/polytope/distances.h"

namespace isopatch::reference::polytope {
namespace {

constexpr Real kParallelEdges = 1e-6L;

/// Of a vertex of one shape over a face of another; the normal is the face's.
Contact vertex_over_face(const ConvexShape& one, int v, const ConvexShape& other, int f) {
  const ConvexFace& face = other.faces[static_cast<std::size_t>(f)];
  Contact contact;
  contact.point = one.vertices[static_cast<std::size_t>(v)];
  contact.normal = face.normal;
  contact.gap = face.normal.dot(contact.point - face.point);
  contact.applicability = vertex_applicability(one, v, face.normal);
  return contact;
}

/// How far a direction from b into a is on the inner side of all four faces at two edges (eq. 31).
Real edge_applicability(const ConvexEdge& a, const ConvexEdge& b, const Vector3& n) {
  return std::min(std::min(n.dot(a.into_f), n.dot(a.into_g)), std::min(-n.dot(b.into_f), -n.dot(b.into_g)));
}

std::optional<Contact> edge_on_edge(const ConvexShape& a, int edge_a, const ConvexShape& b, int edge_b) {
  const ConvexEdge &e = a.edges[static_cast<std::size_t>(edge_a)], &f = b.edges[static_cast<std::size_t>(edge_b)];
  const Vector3 cross = e.direction.cross(f.direction);
  if (cross.norm() < kParallelEdges) return {};
  const Vector3 n = cross.normalized();
  const Real as_it_is = edge_applicability(e, f, n), reversed = edge_applicability(e, f, -n);
  const Vector3 &x = a.vertices[static_cast<std::size_t>(e.i)], &y = b.vertices[static_cast<std::size_t>(f.i)];
  const ClosestOfLines closest = closest_of_lines(x, e.direction, y, f.direction);
  Contact contact;
  contact.normal = as_it_is >= reversed ? n : Vector3(-n);
  contact.applicability = std::max(as_it_is, reversed);
  contact.gap = contact.normal.dot(x - y);
  contact.point = (x + closest.s * e.direction + y + closest.t * f.direction) / 2;
  return contact;
}

}  // namespace

Real vertex_applicability(const ConvexShape& shape, int vertex, const Vector3& normal) {
  const Vector3& x = shape.vertices[static_cast<std::size_t>(vertex)];
  Real least = std::numeric_limits<Real>::infinity();
  for (int neighbour : shape.neighbours[static_cast<std::size_t>(vertex)]) {
    const Vector3 way = shape.vertices[static_cast<std::size_t>(neighbour)] - x;
    least = std::min(least, way.dot(normal) / way.norm());
  }
  return least;
}

std::optional<Contact> find_contact(const ConvexShape& a, const ConvexShape& b, const FeaturePair& features) {
  std::optional<Contact> contact;
  switch (features.kind) {
    case ContactKind::kVertexOnFace:
      contact = vertex_over_face(a, features.feature_a, b, features.feature_b);
      break;
    case ContactKind::kFaceUnderVertex:
      contact = vertex_over_face(b, features.feature_b, a, features.feature_a);
      contact->normal = -contact->normal;
      break;
    case ContactKind::kEdgeOnEdge:
      contact = edge_on_edge(a, features.feature_a, b, features.feature_b);
      break;
  }
  if (contact) contact->features = features;
  return contact;
}

GapRow gap_row(const Contact& contact, const Vector3& center_a, const Vector3& center_b) {
  GapRow row;
  row << contact.normal, (contact.point - center_a).cross(contact.normal), -contact.normal,
      -(contact.point - center_b).cross(contact.normal);
  return row;
}

}  // namespace isopatch::reference::polytope
