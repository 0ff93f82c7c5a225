// SPDX-License-Identifier: Apache-2.0
//
// Plane convex polygons as vertex lists: sections of tets, clipping, moments; and convex polyhedra as lists of tets:
// cutting by planes and integrating affine functions, exactly.
#pragma once

#include <vector>

#include "host/reference/scene/vector.h"

namespace isopatch::reference {

using VertexList = std::vector<Vector3>;  // counter-clockwise about the plane's normal

/// A directed line in space that bounds a polygon on its left, seen against the normal.
struct BoundingLine {
  Vector3 point;
  Vector3 direction;
};

/// The polygon in which a plane cuts a tet, with the line of each edge (vertex k to k + 1).
struct Section {
  VertexList vertices;
  std::vector<BoundingLine> lines;
};

/// Cuts a tet where the affine function with the values `d` at its vertices is zero; a value of zero counts as not
/// positive. The section's edges lie in those faces that have vertices of both kinds, so a face in the plane bounds
/// nothing. `normal` is the unit direction in which the function grows. Empty unless both kinds of vertices are
/// present.
Section cut_tet(const std::array<Vector3, 4>& vertices, const std::array<Real, 4>& d, const Vector3& normal);

/// A triangle as a section, about its normal by the right-hand rule.
Section triangle_section(const SurfaceTriangle& triangle);

/// The piece of `subject` to the left of every line (Sutherland and Hodgman). Both lie in one plane with this normal.
VertexList clip(const VertexList& subject, const std::vector<BoundingLine>& lines, const Vector3& normal);

/// The piece of `subject` where the function is not positive.
VertexList clip(const VertexList& subject, const Affine& function);

/// True for fewer than three vertices, a polygon that is a line to working precision, or a point on the
/// scale `size` [m] of the elements it was cut from.
bool is_degenerate(const VertexList& polygon, const Vector3& normal, Real size);

struct PolygonMoments {
  Real area = 0;
  Vector3 centroid = Vector3::Zero();
  Matrix3 second = Matrix3::Zero();  // integral of (x - centroid)(x - centroid)^T
};

PolygonMoments moments(const VertexList& polygon, const Vector3& normal);

using TetVertices = std::array<Vector3, 4>;
using TetList = std::vector<TetVertices>;  // disjoint, of either orientation

/// The part where a function is positive, and the rest. Together they are everything that was cut, however many
/// vertices lie on the plane where the function is zero: a tet with all vertices there belongs to the rest.
struct Parts {
  TetList positive, others;
};
Parts cut(const TetList& tets, const Affine& function);

/// The part of `tets` where the function is positive.
TetList positive_part(const TetList& tets, const Affine& function);

/// The intersection with a tet.
TetList intersection(const TetList& tets, const TetVertices& tet);

Real integral(const TetList& tets, const Affine& function);

/// The integral of the smaller of two functions.
Real integral_of_minimum(const TetList& tets, const Affine& f, const Affine& g);

}  // namespace isopatch::reference
