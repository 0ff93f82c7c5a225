// SPDX-License-Identifier: Apache-2.0
#include "host/reference/polytope/separation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace isopatch::reference::polytope {
namespace {

constexpr Real kApplicable = -1e-12L;

int lowest_vertex(const ConvexShape& shape, const Vector3& normal) {
  const auto lowest =
      std::min_element(shape.vertices.begin(), shape.vertices.end(),
                       [&](const Vector3& x, const Vector3& y) { return normal.dot(x) < normal.dot(y); });
  return static_cast<int>(lowest - shape.vertices.begin());
}

/// Of the size: nearer to a plane a point lies on it.
constexpr Real kOnPlane = 1e-16L;

/// A piece of a boundary: the corners of a part of a face or the ends of a part of a polygon's edge, in order.
struct Piece {
  std::vector<Vector3> points;
  Vector3 normal = Vector3::Zero();
};

/// What of the way round a piece lies below a plane. A piece in the plane that looks the same way is part of both
/// boundaries and `keeps_common` says whether it counts.
void cut(Piece& piece, const ConvexFace& face, bool keeps_common, Real tolerance) {
  std::vector<Real> heights;
  for (const Vector3& x : piece.points) {
    const Real height = face.normal.dot(x - face.point);
    heights.push_back(std::abs(height) <= tolerance ? 0 : height);
  }
  const bool is_in_plane = std::all_of(heights.begin(), heights.end(), [](Real height) { return height == 0; });
  if (is_in_plane && face.normal.dot(piece.normal) > 0 && !keeps_common) piece.points.clear();

  std::vector<Vector3> kept;
  const std::size_t count = piece.points.size(), sides = count == 2 ? 1 : count;  // an edge is no way round
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t next = (k + 1) % count;
    if (heights[k] <= 0) kept.push_back(piece.points[k]);
    if (k < sides && ((heights[k] < 0 && heights[next] > 0) || (heights[k] > 0 && heights[next] < 0))) {
      const Real t = heights[k] / (heights[k] - heights[next]);
      kept.push_back(piece.points[k] + t * (piece.points[next] - piece.points[k]));
    }
  }
  piece.points = kept;
}

/// The face of a half space as far as it can matter to another shape.
Piece large_square(const ConvexFace& face, const ConvexShape& other) {
  const Real reach = 2 * size_of(other);
  const Vector3 middle = middle_of(other), foot = middle - face.normal.dot(middle - face.point) * face.normal;
  const Vector3 u = reach * face.normal.unitOrthogonal(), v = face.normal.cross(u);
  return {{foot + u + v, foot - u + v, foot - u - v, foot + u - v}, face.normal};
}

void add_pieces(const ConvexShape& shape, const ConvexShape& other, bool keeps_common, Real tolerance,
                std::vector<Piece>& pieces) {
  for (const ConvexFace& face : shape.faces) {
    Piece piece = {{}, face.normal};
    for (int v : face.loop) piece.points.push_back(shape.vertices[static_cast<std::size_t>(v)]);
    if (shape.is_half_space()) piece = large_square(face, other);
    for (const ConvexFace& plane : other.faces) cut(piece, plane, keeps_common, tolerance);
    if (piece.points.size() >= 2) pieces.push_back(piece);
  }
}

/// The length of a piece of an edge, the area of a piece of a face.
Real measure(const Piece& piece, bool is_planar) {
  if (is_planar) return (piece.points[1] - piece.points[0]).norm();
  Vector3 twice = Vector3::Zero();
  for (std::size_t k = 1; k + 1 < piece.points.size(); ++k) {
    twice += (piece.points[k] - piece.points[0]).cross(piece.points[k + 1] - piece.points[0]);
  }
  return twice.dot(piece.normal) / 2;
}

}  // namespace

std::vector<Contact> separating_contacts(const ConvexShape& a, const ConvexShape& b) {
  std::vector<Contact> contacts;
  const auto faces = [&](const ConvexShape& one, const ConvexShape& other, ContactKind kind) {
    for (std::size_t f = 0; f < other.faces.size() && !one.vertices.empty(); ++f) {
      const int v = lowest_vertex(one, other.faces[f].normal), face = static_cast<int>(f);
      const bool is_of_a = kind == ContactKind::kVertexOnFace;
      contacts.push_back(*find_contact(a, b, {kind, is_of_a ? v : face, is_of_a ? face : v}));
    }
  };
  faces(a, b, ContactKind::kVertexOnFace);
  faces(b, a, ContactKind::kFaceUnderVertex);
  for (std::size_t e = 0; e < a.edges.size(); ++e) {
    for (std::size_t f = 0; f < b.edges.size(); ++f) {
      const auto contact = find_contact(a, b, {ContactKind::kEdgeOnEdge, static_cast<int>(e), static_cast<int>(f)});
      if (contact && contact->applicability >= kApplicable) contacts.push_back(*contact);
    }
  }
  return contacts;
}

Contact separation(const ConvexShape& a, const ConvexShape& b) {
  const std::vector<Contact> contacts = separating_contacts(a, b);
  return *std::max_element(contacts.begin(), contacts.end(),
                           [](const Contact& x, const Contact& y) { return x.gap < y.gap; });
}

Real overlap(const ConvexShape& a, const ConvexShape& b) {
  if (separation(a, b).gap >= 0) return 0;
  const Real tolerance = kOnPlane * std::max(size_of(a), size_of(b));
  std::vector<Piece> pieces;
  add_pieces(a, b, true, tolerance, pieces);
  add_pieces(b, a, false, tolerance, pieces);

  Vector3 middle = Vector3::Zero();  // near all pieces, so that little cancels
  for (const Piece& piece : pieces) middle += piece.points[0] / static_cast<Real>(pieces.size());
  Real sum = 0;
  for (const Piece& piece : pieces) sum += piece.normal.dot(piece.points[0] - middle) * measure(piece, a.is_planar);
  return std::max<Real>(sum / (a.is_planar ? 2 : 3), 0);
}

}  // namespace isopatch::reference::polytope
