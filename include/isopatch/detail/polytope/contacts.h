// SPDX-License-Identifier: Apache-2.0
//
// Contacts of two polytopes: gap, normal, point and applicability ("A geometrically exact contact model for polytopes
// in multirigid-body simulation", PEG, eqs. 28 to 31). Everything is computed in the frame of one body of the pair, so
// that no number depends on where the pair is in the world. Normals lead from body B into body A.
#pragma once

#include "isopatch/detail/math/transform.h"
#include "isopatch/detail/polytope/distances.h"
#include "isopatch/results/potential_contacts.h"

namespace isopatch::detail {

/// Two polytopes, each in the frame of its body, and the poses of the bodies relative to each other.
struct PolytopePair {
  PolytopeView a, b;
  Transform<double> X_AB, X_BA;
};

/// One of the two, as a copy: a GPU has no addresses of registers.
ISOPATCH_HD PolytopeView view_of(const PolytopePair& pair, bool is_a) {
  PolytopeView view = pair.b;
  if (is_a) view = pair.a;
  return view;
}

/// Poses are those of the bodies in the world.
ISOPATCH_HD PolytopePair polytope_pair(const PolytopeView& a, const PolytopeView& b, const Transform<double>& X_WA,
                                       const Transform<double>& X_WB) {
  PolytopePair pair{a, b, relative(X_WA, X_WB), {}};
  const Transform<double>& X = pair.X_AB;
  pair.X_BA.row[0] = {X.row[0].x, X.row[1].x, X.row[2].x};
  pair.X_BA.row[1] = {X.row[0].y, X.row[1].y, X.row[2].y};
  pair.X_BA.row[2] = {X.row[0].z, X.row[1].z, X.row[2].z};
  pair.X_BA.translation = -rotate(pair.X_BA, X.translation);
  return pair;
}

/// Which contact of a part pair, in a number that ascends with kind, feature of a and feature of b. No shape has more
/// than 256 features of a kind.
using ContactCode = std::int32_t;
static_assert(kMaxEdges <= 256 && kMaxVertices <= 256 && kMaxFaces <= 256);

ISOPATCH_HD constexpr ContactCode contact_code(std::int32_t kind, std::int32_t feature_a, std::int32_t feature_b) {
  return kind << 16 | feature_a << 8 | feature_b;
}
ISOPATCH_HD constexpr std::int32_t kind_of(ContactCode code) { return code >> 16; }
ISOPATCH_HD constexpr std::int32_t feature_a_of(ContactCode code) { return code >> 8 & 255; }
ISOPATCH_HD constexpr std::int32_t feature_b_of(ContactCode code) { return code & 255; }

/// In the frame of body A.
struct ContactGeometry {
  Vec3d normal;          // unit, from B into A
  Vec3d point;           // m
  double gap;            // m
  double applicability;  // the smallest sine by which the features face each other
};

/// Of a vertex on a face with this normal, in the frame of the vertex (PEG eqs. 28 to 30).
ISOPATCH_HD double vertex_applicability(const PolytopeView& shape, std::int32_t vertex, Vec3d normal) {
  double least = HUGE_VAL;
  ISOPATCH_NO_UNROLL
  for (std::int32_t s = shape.vertex_begin[vertex]; s < shape.vertex_begin[vertex + 1]; ++s) {
    least = min(dot(shape.spokes[s].direction, normal), least);
  }
  return least;
}

/// Edges have no contact if the sine of the angle between them is below this: vertices then speak for them.
inline constexpr double kMinSine = 1e-6;

/// An edge as contacts need it, in any frame.
struct EdgeInSpace {
  Segment segment;
  Vec3d normal_f, normal_g;  // of its faces
};

/// Two edges that face each other, or not: `crosses` is false of parallel ones, which have nothing else.
struct EdgePair {
  bool crosses;
  Vec3d cross;  // product of the directions
  double squared_sine;
  double scale;          // normal = scale * cross: one over the sine, with a sign
  double applicability;  // PEG eq. 31

  ISOPATCH_HD Vec3d normal() const { return scale * cross; }
};

/// The sines of eq. 31 are triple products: with n = +-(d_a x d_b) / s and t_f = eta_f x d_a, t_g = d_a x eta_g, which
/// are normal to d_a, n . t_f = -+(d_b . eta_f) / s and n . t_g = +-(d_b . eta_g) / s; likewise for b.
ISOPATCH_HD EdgePair edge_pair(const EdgeInSpace& a, const EdgeInSpace& b) {
  const Vec3d d_a = a.segment.direction, d_b = b.segment.direction;
  EdgePair pair;
  pair.cross = cross(d_a, d_b);
  pair.squared_sine = dot(pair.cross, pair.cross);
  pair.crosses = pair.squared_sine >= kMinSine * kMinSine;
  const double a_f = dot(d_b, a.normal_f), a_g = dot(d_b, a.normal_g);
  const double b_f = dot(d_a, b.normal_f), b_g = dot(d_a, b.normal_g);
  const double plus = min(min(-a_f, a_g), min(-b_f, b_g)), minus = min(min(a_f, -a_g), min(b_f, -b_g));
  const double inverse = 1 / sqrt(pair.squared_sine);
  pair.scale = plus >= minus ? inverse : -inverse;
  pair.applicability = max(plus, minus) * inverse;
  return pair;
}

ISOPATCH_HD Segment segment_of(const PolytopeView& shape, const ShapeEdge& edge) {
  return {shape.vertices[edge.i], shape.vertices[edge.j], edge.direction, edge.length};
}

ISOPATCH_HD EdgeInSpace edge_of(const PolytopeView& shape, const ShapeEdge& edge) {
  return {segment_of(shape, edge), shape.faces[edge.f].normal, shape.faces[edge.g].normal};
}

/// The same in another frame.
ISOPATCH_HD EdgeInSpace edge_of(const PolytopeView& shape, const ShapeEdge& edge, const Transform<double>& X) {
  return {{apply(X, shape.vertices[edge.i]), apply(X, shape.vertices[edge.j]), rotate(X, edge.direction), edge.length},
          rotate(X, shape.faces[edge.f].normal),
          rotate(X, shape.faces[edge.g].normal)};
}

/// The gap of two edges along their normal, whose lines are nearest along it.
ISOPATCH_HD double edge_gap(const Segment& a, const Segment& b, Vec3d normal) { return dot(normal, a.p - b.p); }

/// Of two edges that are not parallel, with either sign of the normal.
ISOPATCH_HD ContactGeometry edge_contact(const Segment& a, const Segment& b, const EdgePair& edges, Vec3d normal) {
  const NearestOnLines at = nearest_on_lines(a, b, edges.cross, edges.squared_sine);
  const Vec3d sum = fma(at.a, a.direction, a.p) + fma(at.b, b.direction, b.p);
  return {normal, 0.5 * sum, edge_gap(a, b, normal), edges.applicability};
}

/// The geometry of a contact.
ISOPATCH_HD ContactGeometry contact_geometry(const PolytopePair& pair, ContactCode code) {
  const std::int32_t i = feature_a_of(code), j = feature_b_of(code);
  if (kind_of(code) == kVertexOnFace) {
    const ShapeFace& face = pair.b.faces[j];
    const Vec3d x = pair.a.vertices[i], normal = rotate(pair.X_AB, face.normal);
    return {normal, x, face_gap(face, apply(pair.X_BA, x)), vertex_applicability(pair.a, i, normal)};
  }
  if (kind_of(code) == kFaceUnderVertex) {
    const ShapeFace& face = pair.a.faces[i];
    const Vec3d x = apply(pair.X_AB, pair.b.vertices[j]);
    return {-face.normal, x, face_gap(face, x), vertex_applicability(pair.b, j, rotate(pair.X_BA, face.normal))};
  }
  const EdgeInSpace a = edge_of(pair.a, pair.a.edges[i]), b = edge_of(pair.b, pair.b.edges[j], pair.X_AB);
  const EdgePair edges = edge_pair(a, b);
  return edge_contact(a.segment, b.segment, edges, edges.normal());
}

/// The same contact at other poses: the normal of two edges keeps to the side of the one before, in the frame of body
/// A, and stays as it was if the edges have become parallel.
ISOPATCH_HD ContactGeometry contact_geometry(const PolytopePair& pair, ContactCode code, Vec3d normal_before) {
  if (kind_of(code) != kEdgeOnEdge) return contact_geometry(pair, code);
  const EdgeInSpace a = edge_of(pair.a, pair.a.edges[feature_a_of(code)]);
  const EdgeInSpace b = edge_of(pair.b, pair.b.edges[feature_b_of(code)], pair.X_AB);
  const EdgePair edges = edge_pair(a, b);
  if (!edges.crosses) {
    const Vec3d sum = (a.segment.p + a.segment.q) + (b.segment.p + b.segment.q);
    return {normal_before, 0.25 * sum,
            0.5 * dot(normal_before, (a.segment.p - b.segment.p) + (a.segment.q - b.segment.q)), edges.applicability};
  }
  const Vec3d normal = edges.normal();
  return edge_contact(a.segment, b.segment, edges, dot(normal, normal_before) >= 0 ? normal : -normal);
}

/// The gap's derivative by the bodies' velocities, world frame: linear . (v_A - v_B) + angular_a . w_A - angular_b .
/// w_B. Velocities are those of the centres of mass.
struct ContactRow {
  Vec3d linear, angular_a, angular_b;
};

/// Centres of mass are given in the frames of their bodies. The normal turns too, but the features are apart along it
/// alone, so the gap does not see that.
ISOPATCH_HD ContactRow contact_row(const PolytopePair& pair, const Transform<double>& X_WA,
                                   const ContactGeometry& contact, Vec3d center_a, Vec3d center_b) {
  const Vec3d arm_a = contact.point - center_a, arm_b = contact.point - apply(pair.X_AB, center_b);
  return {rotate(X_WA, contact.normal), rotate(X_WA, cross(arm_a, contact.normal)),
          rotate(X_WA, cross(arm_b, contact.normal))};
}

}  // namespace isopatch::detail
