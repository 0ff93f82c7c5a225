// SPDX-License-Identifier: Apache-2.0
//
// How far two polytopes are apart: the largest gap over all directions that can separate them. For convex bodies these
// are the normals of faces and of those pairs of edges whose arcs on the Gauss map cross.
#pragma once

#include "isopatch/detail/polytope/feature_memory.h"
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

/// Edges of B of which a direction, in B's frame, may see one face from the front and one from behind: not those with
/// both faces clearly in front, or both clearly behind. An edge of two faces in front is in two sets of edges, and
/// drops out of their exclusive or.
struct Silhouette {
  static constexpr int kWords = bit_words(kMaxEdges);
  std::uint32_t words[kWords];  // in registers of a GPU: every index is a constant there

  ISOPATCH_HD Silhouette(const PolytopeView& shape, Vec3d direction, double tolerance) {
    const int size = bit_words(shape.num_edges);
    std::uint32_t odd[kWords];
    ISOPATCH_UNROLL_ON_GPU
    for (int w = 0; w < kWords; ++w) words[w] = odd[w] = 0;
    ISOPATCH_NO_UNROLL
    for (int f = 0; f < shape.num_faces; ++f) {
      const double sine = dot(direction, shape.faces[f].normal);
      const std::uint32_t* const edges = shape.face_edges + f * size;
      if (sine < -tolerance) continue;
      const bool in_front = sine > tolerance;
      ISOPATCH_UNROLL_ON_GPU
      for (int w = 0; w < kWords; ++w) {
        if (w >= size) break;
        const std::uint32_t bits = edges[w];
        odd[w] ^= in_front ? bits : 0u;
        words[w] |= in_front ? 0u : bits;
      }
    }
    ISOPATCH_UNROLL_ON_GPU
    for (int w = 0; w < kWords; ++w) words[w] |= odd[w];
  }

  ISOPATCH_HD std::uint32_t word(int index) const {
    std::uint32_t found = 0;
    ISOPATCH_UNROLL_ON_GPU
    for (int w = 0; w < kWords; ++w) found = w == index ? words[w] : found;
    return found;
  }
};

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

/// Over the pairs of edges that are applicable, but for some whose gaps are below those of the faces and below
/// `least_marked`, which is not positive. Sets the bits of `cluster`, as far as they are of edges, where the gap is at
/// least that. Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE BestEdges best_edges(Warp& warp, const PolytopePair& pair, const FeatureMemory& m,
                                       double least_marked) {
  // A sine of eq. 31 is a product of unit vectors over the sine of the edges, so what is below this is below
  // -kSeparatingSine too, whatever the rounding: 4e-16 for each product.
  constexpr double kSurely = 2 * kSeparatingSine;
  const int words = m.bits.of_edge, of_b = pair.b.num_faces, all = of_b + pair.a.num_faces;
  const int best_b = best_face(m, 0, of_b), best_a = best_face(m, of_b, all);  // both have faces, as they have edges
  // The margin is for rounding and for normals that miss applicability by kSeparatingSine.
  const double least =
      min(least_marked, max(m.face_gaps[best_b], m.face_gaps[best_a])) - 1e-10 * (pair.a.ball + pair.b.ball);
  const EdgesInSight sight_b(pair.b, m.a_in_b[m.lowest[best_b]], apply(pair.X_BA, pair.a.middle), least);
  const EdgesInSight sight_a(pair.a, m.b_in_a[m.lowest[best_a]], apply(pair.X_AB, pair.b.middle), least);
  std::uint32_t* const marked = m.cluster + m.bits.begin_edges;
  BestEdges best;
  for (int e = warp.lane(); e < pair.a.num_edges; e += Warp::kSize) {
    for (int w = 0; w < words; ++w) marked[e * words + w] = 0;
    if (!sight_a.has(pair.a.edges[e])) continue;
    const EdgeInSpace a = edge_of_a(pair, e);
    const Silhouette silhouette(pair.b, rotate(pair.X_BA, a.segment.direction), kSurely);
    for (int w = 0; w < words; ++w) {
      std::uint32_t marks = 0;
      for (std::uint32_t left = silhouette.word(w); left != 0u; left &= left - 1u) {
        const int bit = lowest_bit(left), e_b = 32 * w + bit;
        if (!sight_b.has(pair.b.edges[e_b])) continue;
        const Vec3d d_b = m.directions_b[e_b];
        const double a_f = dot(d_b, a.normal_f), a_g = dot(d_b, a.normal_g);
        if ((a_f > kSurely && a_g > kSurely) || (a_f < -kSurely && a_g < -kSurely)) continue;
        const EdgeInSpace b = edge_of_b(pair, m, e_b);
        const EdgePair edges = edge_pair(a, b);
        if (!edges.crosses || !(edges.applicability >= -kSeparatingSine)) continue;
        const double gap = edge_gap(a.segment, b.segment, edges.normal());
        if (gap >= least_marked) marks |= 1u << bit;
        best.add(gap, contact_code(kEdgeOnEdge, e, e_b));
      }
      marked[e * words + w] = marks;
    }
  }
  if constexpr (Warp::kSize > 1) {
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
  const separation::BestEdges edges = separation::best_edges(warp, pair, m, 0.0);
  result.value = max(edges.gap, of_faces);
  if (edges.gap > of_faces + bias) result.code = edges.code, result.feature = edges.gap;
  return result;
}

}  // namespace isopatch::detail
