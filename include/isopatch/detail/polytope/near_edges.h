// SPDX-License-Identifier: Apache-2.0
//
// Pairs of edges that may meet soon, and which of their ends are near.
#pragma once

#include "isopatch/detail/polytope/separation.h"

namespace isopatch::detail {

/// A slab that lies between two bodies, or where they overlap, in the frame of A: A lies above `low_a`, B below
/// `high_b`, as heights along the normal, and the box of each holds it.
struct Between {
  Vec3d normal;
  double low_a, high_b;
};

ISOPATCH_HD Between between(const PolytopePair& pair, const FeatureMemory& m, const Separation& separation) {
  const ContactCode code = separation.code;
  const std::int32_t i = feature_a_of(code), j = feature_b_of(code);
  if (kind_of(code) == kVertexOnFace) {
    const Vec3d n = m.normals_b[j];
    const double low = dot(n, pair.a.vertices[i]);
    return {n, low, low - separation.feature};
  }
  if (kind_of(code) == kFaceUnderVertex) {
    const ShapeFace& face = pair.a.faces[i];
    return {-face.normal, -face.offset, -face.offset - separation.feature};
  }
  const EdgeInSpace a = edge_of_a(pair, i), b = edge_of_b(pair, m, j);
  const Vec3d n = edge_pair(a, b).normal();
  const double low = dot(n, a.segment.p);
  return {n, low, low - separation.feature};
}

/// Sets the bits of `near`: pairs of edges that are not parallel, within `reach` of each other, with at least this
/// applicability. Called by all lanes.
template <class Warp>
ISOPATCH_HD void find_near_edges(Warp& warp, const PolytopePair& pair, const FeatureMemory& m,
                                 const Separation& separation, double reach, double applicability) {
  const int words = m.bits.of_edge;
  for (int w = warp.lane(); w < pair.a.num_edges * words; w += Warp::kSize) m.near[w] = 0;

  // An edge is no nearer to a body than to a half space that holds it. The margin is far above rounding: what it lets
  // pass is tested exactly.
  const double margin = reach + 1e-12 * (pair.a.ball + pair.b.ball);
  const Between slab = between(pair, m, separation);
  const int of_a = separation::list_edges(warp, m.near_edges_a, pair.a.num_edges, [&](int e) {
    const ShapeEdge& edge = pair.a.edges[e];
    const Vec3d p = pair.a.vertices[edge.i], q = pair.a.vertices[edge.j];
    return min(dot(slab.normal, p), dot(slab.normal, q)) - slab.high_b <= margin;
  });
  const int of_b = separation::list_edges(warp, m.near_edges_b, pair.b.num_edges, [&](int e) {
    const ShapeEdge& edge = pair.b.edges[e];
    const Vec3d p = m.b_in_a[edge.i], q = m.b_in_a[edge.j];
    if (!(slab.low_a - max(dot(slab.normal, p), dot(slab.normal, q)) <= margin)) return false;
    const Vec3d low = min(p, q) - pair.a.center, high = max(p, q) - pair.a.center, half = pair.a.half;
    const Vec3d apart = max(low - half, -high - half);
    return !(apart.x > margin || apart.y > margin || apart.z > margin);
  });
  warp.sync();

  const auto grown_box = [&](int e_a) {
    const EdgeBox box = edge_box(pair.a.vertices, pair.a.edges[e_a]);
    const Vec3d more{margin, margin, margin};
    return EdgeBox{box.low - more, box.high + more};
  };
  const auto box_of_b = [&](int e_b) { return edge_box(m.b_in_a, pair.b.edges[e_b]); };
  const auto look_at = [&](int e_a, const EdgeBox& box, int e_b) {
    if (box_gap(box, box_of_b(e_b)) > 0) return;
    const EdgeInSpace a = edge_of_a(pair, e_a), b = edge_of_b(pair, m, e_b);
    const EdgePair edges = edge_pair(a, b);
    if (!edges.crosses || !(edges.applicability >= applicability)) return;
    if (!(squared_distance(a.segment, b.segment, edges.cross, edges.squared_sine) <= reach * reach)) return;
    warp.set_bits(&m.near[e_a * words + e_b / 32], 1u << (e_b & 31));
  };
  if constexpr (Warp::kSize == 1) {
    const ColumnTable<BoxColumns> table(of_b, [&](int k) { return box_of_b(m.near_edges_b[k]); });
    for (int row = 0; row < of_a; ++row) {
      const EdgeBox box = grown_box(m.near_edges_a[row]);
      for (int first = 0; first < of_b; first += kColumns) {
        if (!any_box_meets(box, table.columns[first / kColumns])) continue;
        for (int k = first; k < min(first + kColumns, of_b); ++k) look_at(m.near_edges_a[row], box, m.near_edges_b[k]);
      }
    }
  } else {
    int row = -1;
    EdgeBox box{};  // of this row
    for (RowWalk at(warp.lane(), of_b); at.row < of_a; at.advance(Warp::kSize)) {
      if (at.row != row) box = grown_box(m.near_edges_a[at.row]);
      row = at.row;
      look_at(m.near_edges_a[row], box, m.near_edges_b[at.column]);
    }
  }
  warp.sync();
}

/// Ends of two edges within a distance of the other edge, as bits: i and j of A's edge, then of B's.
ISOPATCH_HD_LARGE int near_ends(const PolytopePair& pair, const FeatureMemory& m, std::int32_t e_a, std::int32_t e_b,
                                double reach) {
  const ShapeEdge &a = pair.a.edges[e_a], &b = pair.b.edges[e_b];
  const Vec3d a_p = pair.a.vertices[a.i], a_q = pair.a.vertices[a.j], b_p = m.b_in_a[b.i], b_q = m.b_in_a[b.j];
  const double limit = reach * reach;
  return (squared_distance(a_p, b_p, b_q) <= limit ? 1 : 0) | (squared_distance(a_q, b_p, b_q) <= limit ? 2 : 0) |
         (squared_distance(b_p, a_p, a_q) <= limit ? 4 : 0) | (squared_distance(b_q, a_p, a_q) <= limit ? 8 : 0);
}

}  // namespace isopatch::detail
