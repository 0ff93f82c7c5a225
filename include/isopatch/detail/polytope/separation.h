// SPDX-License-Identifier: Apache-2.0
//
// How far two polytopes are apart: the largest gap over all directions that can separate them. For convex bodies these
// are the normals of faces and of those pairs of edges whose arcs on the Gauss map cross.
#pragma once

#include "isopatch/detail/polytope/edge_columns.h"
#include "isopatch/detail/simt/warp.h"

namespace isopatch::detail {

/// The feature that separates two polytopes most: a face of B, a face of A, or two edges.
struct Separation {
  double value;      // m; negative: the depth of the overlap. At most the distance of the bodies
  ContactCode code;  // of a face with its lowest vertex
  double feature;    // m, the gap of `code`: less than `value` by at most the bias
};

/// Pairs of edges that miss applicability by this still separate.
inline constexpr double kSeparatingSine = 1e-12;

namespace separation {

/// Lists edges of a shape; returns how many. Called by all lanes.
template <class Warp, class IsNear>
ISOPATCH_HD int list_edges(Warp& warp, std::int32_t* list, int num_edges, const IsNear& is_near) {
  int count = 0;
  for (int first = 0; first < num_edges; first += Warp::kSize) {
    const int e = first + warp.lane();
    const bool near = e < num_edges && is_near(e);
    const std::uint32_t ballot = warp.ballot(near);
    if (near) list[count + rank_in(ballot, warp.lane())] = e;
    count += count_bits(ballot);
  }
  return count;
}

/// The lowest vertex over each face of the two: face_gaps and lowest of the memory. Called by all lanes.
template <class Warp>
ISOPATCH_HD void find_lowest(Warp& warp, const PolytopePair& pair, const FeatureMemory& m) {
  const int of_b = pair.b.num_faces, count = of_b + pair.a.num_faces;
  for (int k = warp.lane(); k < count; k += Warp::kSize) {
    const ShapeFace& face = k < of_b ? pair.b.faces[k] : pair.a.faces[k - of_b];
    const Vec3d* const points = k < of_b ? m.a_in_b : m.b_in_a;
    const int num_points = k < of_b ? pair.a.num_vertices : pair.b.num_vertices;
    double least = HUGE_VAL;
    int lowest = -1;
    for (int v = 0; v < num_points; ++v) {
      const double gap = face_gap(face, points[v]);
      if (gap < least) least = gap, lowest = v;
    }
    m.face_gaps[k] = least;
    m.lowest[k] = lowest;
  }
  warp.sync();
}

/// The contact of a face, numbered as in face_gaps.
ISOPATCH_HD ContactCode code_of_face(const PolytopePair& pair, const FeatureMemory& m, int k) {
  const int of_b = pair.b.num_faces;
  return k < of_b ? contact_code(kVertexOnFace, m.lowest[k], k) : contact_code(kFaceUnderVertex, k - of_b, m.lowest[k]);
}

/// The best of edge pairs; the lowest code of equals.
struct BestEdges {
  double gap = -HUGE_VAL;
  ContactCode code = 0;

  ISOPATCH_HD void add(double other_gap, ContactCode other_code) {
    if (other_gap > gap || (other_gap == gap && other_code < code)) gap = other_gap, code = other_code;
  }
};

/// Edges that may separate a shape from a body by a gap of at least `least`, which is negative, told from two points of
/// the body: a normal of two edges is a sum of the normals of the faces at one of them, with positive shares
/// that add up to at least 1, so its gap is no larger than the larger height of a point over those faces if both are
/// negative.
struct EdgesInSight {
  FaceBits one = 0, other = 0;  // faces that each of the points is not below

  ISOPATCH_HD EdgesInSight(const PolytopeView& shape, Vec3d point, Vec3d other_point, double least) {
    for (int f = 0; f < shape.num_faces; ++f) {
      const FaceBits bit = FaceBits{1} << f;
      one |= face_gap(shape.faces[f], point) >= least ? bit : 0;
      other |= face_gap(shape.faces[f], other_point) >= least ? bit : 0;
    }
  }
  ISOPATCH_HD bool has(const ShapeEdge& edge) const {
    return (has_face(one, edge.f) || has_face(one, edge.g)) && (has_face(other, edge.f) || has_face(other, edge.g));
  }
};

/// The face with the largest gap of those in [begin, end), numbered as in face_gaps; end if there is none.
ISOPATCH_HD int best_face(const FeatureMemory& m, int begin, int end) {
  int best = end;
  for (int k = begin; k < end; ++k) {
    if (m.lowest[k] >= 0 && (best == end || m.face_gaps[k] > m.face_gaps[best])) best = k;
  }
  return best;
}

/// Over the pairs of edges that are applicable, but for some whose gaps are below those of the faces, not positive and
/// below `least_marked`. Sets the bits of `cluster`, as far as they are of edges, where the gap is at least that; if it
/// is infinite, there are none to set. Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE BestEdges best_edges(Warp& warp, const PolytopePair& pair, const FeatureMemory& m,
                                       double least_marked) {
  // A sine of eq. 31 is a product of unit vectors over the sine of the edges, so what misses by more than this is below
  // -kSeparatingSine too, whatever the rounding: 4e-16 for each product.
  constexpr double kSurely = 2 * kSeparatingSine;
  const int faces_b = pair.b.num_faces, faces = faces_b + pair.a.num_faces;
  const int best_b = best_face(m, 0, faces_b), best_a = best_face(m, faces_b, faces);  // both exist, as edges do
  // The margin is for rounding and for normals that miss applicability by kSeparatingSine.
  const double least =
      min(min(least_marked, 0.0), max(m.face_gaps[best_b], m.face_gaps[best_a])) - 1e-10 * (pair.a.ball + pair.b.ball);
  const EdgesInSight sight_b(pair.b, m.a_in_b[m.lowest[best_b]], apply(pair.X_BA, pair.a.middle), least);
  const EdgesInSight sight_a(pair.a, m.b_in_a[m.lowest[best_a]], apply(pair.X_AB, pair.b.middle), least);
  const auto in_a = [&](int e) { return sight_a.has(pair.a.edges[e]); };
  const auto in_b = [&](int e) { return sight_b.has(pair.b.edges[e]); };
  const int of_a = list_edges(warp, m.near_edges_a, pair.a.num_edges, in_a);
  const int of_b = list_edges(warp, m.near_edges_b, pair.b.num_edges, in_b);
  const int words = m.bits.of_edge;
  std::uint32_t* const marked = m.cluster + m.bits.begin_edges;
  const bool marks = least_marked < HUGE_VAL;
  for (int w = warp.lane(); marks && w < pair.a.num_edges * words; w += Warp::kSize) marked[w] = 0;
  warp.sync();

  BestEdges best;
  const auto take = [&](int e_a, int e_b, double gap) {
    if (gap >= least_marked) warp.set_bits(&marked[e_a * words + e_b / 32], 1u << (e_b & 31));
    best.add(gap, contact_code(kEdgeOnEdge, e_a, e_b));
  };
  if constexpr (Warp::kSize == 1) {
    const ColumnTable<EdgeColumns> table(of_b, [&](int k) { return edge_of_b(pair, m, m.near_edges_b[k]); });
    for (int row = 0; row < of_a; ++row) {
      const int e_a = m.near_edges_a[row];
      const EdgeInSpace a = edge_of_a(pair, e_a);
      for (int first = 0; first < of_b; first += kColumns) {
        const EdgeColumns& columns = table.columns[first / kColumns];
        if (!any_edge_meets(a, columns, kSurely)) continue;
        double gaps[kColumns];
        edge_gaps(a, columns, -kSeparatingSine, gaps);
        for (int k = 0; k < kColumns && first + k < of_b; ++k) {
          if (gaps[k] > best.gap || gaps[k] >= least_marked) take(e_a, m.near_edges_b[first + k], gaps[k]);
        }
      }
    }
  } else {
    for (RowWalk at(warp.lane(), of_b); at.row < of_a; at.advance(Warp::kSize)) {
      const int e_a = m.near_edges_a[at.row], e_b = m.near_edges_b[at.column];
      const EdgeInSpace a = edge_of_a(pair, e_a), b = edge_of_b(pair, m, e_b);
      if (miss_of(a, b) > kSurely) continue;
      const EdgePair edges = edge_pair(a, b);
      if (!edges.crosses || !(edges.applicability >= -kSeparatingSine)) continue;
      take(e_a, e_b, edge_gap(a.segment, b.segment, edges.normal()));
    }
    warp.sync();
    m.lane_numbers[warp.lane()] = best.gap;
    m.lane_values[warp.lane()] = best.code;
    warp.sync();
    for (int l = 0; l < Warp::kSize; ++l) best.add(m.lane_numbers[l], m.lane_values[l]);
    warp.sync();
  }
  return best;
}

}  // namespace separation

/// Of a pair whose memory fill() has filled; leaves its face_gaps and lowest. Two edges count as the best feature only
/// if they separate by more than the best face and `bias`: of features that are equal but for rounding, the faces are
/// those that bodies stand on. Called by all lanes.
template <class Warp>
ISOPATCH_HD Separation find_separation(Warp& warp, const PolytopePair& pair, const FeatureMemory& m, double bias) {
  separation::find_lowest(warp, pair, m);
  const int best = separation::best_face(m, 0, pair.b.num_faces + pair.a.num_faces);
  const double of_faces = m.face_gaps[best];
  Separation result{of_faces, separation::code_of_face(pair, m, best), of_faces};
  if (pair.a.num_edges == 0 || pair.b.num_edges == 0) return result;
  const separation::BestEdges edges = separation::best_edges(warp, pair, m, HUGE_VAL);
  result.value = max(edges.gap, of_faces);
  if (edges.gap > of_faces + bias) result.code = edges.code, result.feature = edges.gap;
  return result;
}

}  // namespace isopatch::detail
