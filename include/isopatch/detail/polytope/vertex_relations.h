// SPDX-License-Identifier: Apache-2.0
//
// Relations of a vertex with the faces of another polytope, and of two corners of polygons.
#pragma once

#include "isopatch/detail/polytope/separation.h"

namespace isopatch::detail {

/// The faces that a vertex at x reaches: the nearest, if it is within `reach`, and those that are reached from it over
/// sides within `reach`. So the relation of the vertex leads around edges, and not through the body: faces behind a
/// thin wedge are no way out. 0 if no face is within reach.
/// `first` is looked at before all others: a face that is likely to be beyond reach.
ISOPATCH_HD_LARGE FaceBits faces_in_reach(const PolytopeView& shape, Vec3d x, double reach, int first) {
  const double limit = reach * reach;
  if (face_gap(shape.faces[first], x) > reach) return 0;
  double least = limit;
  int nearest = -1;
  for (int f = 0; f < shape.num_faces; ++f) {
    const ShapeFace& face = shape.faces[f];
    const double gap = face_gap(face, x);
    if (gap > reach) return 0;  // no point of the shape is nearer than the plane
    const double below = gap * gap;
    if (below > least || (nearest >= 0 && below == least)) continue;
    const double distance = squared_distance(shape, face, x, gap);
    if (distance < least || (nearest < 0 && distance == least)) least = distance, nearest = f;
  }
  if (nearest < 0) return 0;

  const double surely_far = reach + 1e-12 * (norm(x) + shape.ball);  // far above rounding: this only saves work
  FaceBits reached = FaceBits{1} << nearest, left = reached;
  while (left != 0) {
    const ShapeFace& face = shape.faces[lowest_face(left)];
    left &= left - 1;
    ISOPATCH_NO_UNROLL
    for (std::int32_t s = face.begin; s < face.end; ++s) {
      const FaceSide& side = shape.sides[s];
      if (has_face(reached, side.neighbor)) continue;
      if (dot(x - shape.vertices[side.p], side.inward) > surely_far) continue;
      if (squared_distance(x, shape.vertices[side.p], shape.vertices[side.q]) > limit) continue;
      reached |= FaceBits{1} << side.neighbor;
      left |= FaceBits{1} << side.neighbor;
    }
  }
  return reached;
}

/// One of the two sides of a pair of polygons' corners, v of A and w of B: the vertex of A on an edge of B that ends or
/// begins in w, and the edge of A that begins or ends in v under w. Where the bodies part along neither, they overlap
/// behind the corners (PEG eq. 33).
struct CornerContacts {
  std::int32_t face_b, face_a;
};

ISOPATCH_HD CornerContacts corner_contacts(const PolytopePair& pair, int v, int w, bool leaves) {
  const std::int32_t* const of_a = pair.a.vertex_faces + pair.a.vertex_begin[v];
  const std::int32_t* const of_b = pair.b.vertex_faces + pair.b.vertex_begin[w];
  return {of_b[leaves ? 1 : 0], of_a[leaves ? 0 : 1]};
}

ISOPATCH_HD double applicability_on_b(const PolytopePair& pair, const FeatureMemory& m, int vertex, int face) {
  return vertex_applicability(pair.a, vertex, m.normals_b[face]);
}
ISOPATCH_HD double applicability_on_a(const PolytopePair& pair, int face, int vertex) {
  return vertex_applicability(pair.b, vertex, rotate(pair.X_BA, pair.a.faces[face].normal));
}
ISOPATCH_HD double gap_on_b(const PolytopePair& pair, const FeatureMemory& m, int vertex, int face) {
  return face_gap(pair.b.faces[face], m.a_in_b[vertex]);
}
ISOPATCH_HD double gap_on_a(const PolytopePair& pair, const FeatureMemory& m, int face, int vertex) {
  return face_gap(pair.a.faces[face], m.b_in_a[vertex]);
}

}  // namespace isopatch::detail
