// SPDX-License-Identifier: Apache-2.0
//
// Relations of two edges that are near each other: alone, past the end of one, or where ends of both meet.
#pragma once

#include "isopatch/detail/polytope/near_edges.h"
#include "isopatch/detail/polytope/relation_list.h"
#include "isopatch/detail/polytope/ridges.h"

namespace isopatch::detail {

/// Two edges, their ends that are near the other edge, and how near that is.
struct NearEdgePair {
  std::int32_t a, b;
  int ends;  // as bits, of near_ends()

  ISOPATCH_HD bool of_both() const { return (ends & 3) != 0 && (ends & 12) != 0; }
};

/// Past an end of one of two edges, the face of the other edge on the side that the end comes from: over the edge, or
/// past it there (PEG eq. 36).
ISOPATCH_HD ContactCode passed_end(const PolytopePair& pair, const FeatureMemory& m, const NearEdgePair& near,
                                   int end) {
  const ShapeEdge &a = pair.a.edges[near.a], &b = pair.b.edges[near.b];
  const bool first = (end & 1) == 0;
  if (end < 2) {
    const std::int32_t v = first ? a.i : a.j, o = first ? a.j : a.i;
    return contact_code(kVertexOnFace, v, dot(b.t_f - b.t_g, m.a_in_b[o] - m.a_in_b[v]) > 0 ? b.f : b.g);
  }
  const std::int32_t w = first ? b.i : b.j, o = first ? b.j : b.i;
  return contact_code(kFaceUnderVertex, dot(a.t_f - a.t_g, m.b_in_a[o] - m.b_in_a[w]) > 0 ? a.f : a.g, w);
}

/// Two near ends of a pair of edges: vertices v of a and w of b. `second`: of two ends, what both have was added for
/// the first.
struct NearCorner {
  std::int32_t v, w;
  bool second_a, second_b;
};

/// Calls visit(corner) for each near end of a with each of b, until one returns true, which is then returned.
template <class Visit>
ISOPATCH_HD bool any_near_corner(const PolytopePair& pair, const NearEdgePair& near, const Visit& visit) {
  const ShapeEdge &a = pair.a.edges[near.a], &b = pair.b.edges[near.b];
  ISOPATCH_NO_UNROLL
  for (int end_a = 0; end_a < 2; ++end_a) {
    if ((near.ends >> end_a & 1) == 0) continue;
    ISOPATCH_NO_UNROLL
    for (int end_b = 0; end_b < 2; ++end_b) {
      if ((near.ends >> (2 + end_b) & 1) == 0) continue;
      if (visit(NearCorner{end_a == 0 ? a.i : a.j, end_b == 0 ? b.i : b.j, (near.ends & 3) == 3 && end_a == 1,
                           (near.ends & 12) == 12 && end_b == 1})) {
        return true;
      }
    }
  }
  return false;
}

/// Of the vertex at a corner with the other's faces there.
template <class Sink>
ISOPATCH_HD void add_vertex_contacts(const PolytopePair& pair, const FeatureMemory& m, const NearEdgePair& near,
                                     const NearCorner& at, Sink& sink) {
  const PolytopeView &shape_a = pair.a, &shape_b = pair.b;
  const ShapeEdge &a = shape_a.edges[near.a], &b = shape_b.edges[near.b];
  ISOPATCH_NO_UNROLL
  for (std::int32_t k = shape_b.vertex_begin[at.w]; k < shape_b.vertex_begin[at.w + 1]; ++k) {
    const std::int32_t face = shape_b.vertex_faces[k];
    if (at.second_b && (face == b.f || face == b.g)) continue;
    if (!(applicability_on_b(pair, m, at.v, face) >= -kFacetSine)) continue;
    sink.add(contact_code(kVertexOnFace, at.v, face), gap_on_b(pair, m, at.v, face));
  }
  ISOPATCH_NO_UNROLL
  for (std::int32_t k = shape_a.vertex_begin[at.v]; k < shape_a.vertex_begin[at.v + 1]; ++k) {
    const std::int32_t face = shape_a.vertex_faces[k];
    if (at.second_a && (face == a.f || face == a.g)) continue;
    if (!(applicability_on_a(pair, face, at.w) >= -kFacetSine)) continue;
    sink.add(contact_code(kFaceUnderVertex, face, at.w), gap_on_a(pair, m, face, at.w));
  }
}

/// Of the edges at a corner, but for the near ones with each other.
template <class Sink>
ISOPATCH_HD void add_edge_contacts(const PolytopePair& pair, const FeatureMemory& m, const NearEdgePair& near,
                                   const NearCorner& at, Sink& sink) {
  const PolytopeView &shape_a = pair.a, &shape_b = pair.b;
  ISOPATCH_NO_UNROLL
  for (std::int32_t k = shape_a.vertex_begin[at.v]; k < shape_a.vertex_begin[at.v + 1]; ++k) {
    const std::int32_t e_a = shape_a.spokes[k].edge;
    if (at.second_a && e_a == near.a) continue;
    const EdgeInSpace in_a = edge_of_a(pair, e_a);
    ISOPATCH_NO_UNROLL
    for (std::int32_t l = shape_b.vertex_begin[at.w]; l < shape_b.vertex_begin[at.w + 1]; ++l) {
      const std::int32_t e_b = shape_b.spokes[l].edge;
      if ((at.second_b && e_b == near.b) || (e_a == near.a && e_b == near.b)) continue;
      const EdgeInSpace in_b = edge_of_b(pair, m, e_b);
      const EdgePair edges = edge_pair(in_a, in_b);
      if (!edges.crosses || !(edges.applicability >= -kFacetSine)) continue;
      sink.add(contact_code(kEdgeOnEdge, e_a, e_b), edge_gap(in_a.segment, in_b.segment, edges.normal()));
    }
  }
}

/// All that separates two corners now: of each near end v of a and w of b the contacts C(v, faces at w), C(faces at v,
/// w) and C(edges at v, edges at w) that are facets, each once and without C(a, b).
template <class Sink>
ISOPATCH_HD void add_corners(const PolytopePair& pair, const FeatureMemory& m, const NearEdgePair& near, Sink& sink) {
  any_near_corner(pair, near, [&](const NearCorner& at) {
    add_vertex_contacts(pair, m, near, at, sink);
    add_edge_contacts(pair, m, near, at, sink);
    return false;
  });
}

/// The members of a relation of two edges, each once: C(a, b) and what its near ends add.
template <class Sink>
ISOPATCH_HD_LARGE void add_edge_members(const PolytopePair& pair, const FeatureMemory& m, const NearEdgePair& near,
                                        Sink& sink) {
  const ContactCode own = contact_code(kEdgeOnEdge, near.a, near.b);
  sink.add(own, contact_gap(pair, m, own));
  if (near.of_both()) {
    add_corners(pair, m, near, sink);
    return;
  }
  ISOPATCH_NO_UNROLL
  for (int end = 0; end < 4; ++end) {
    if ((near.ends >> end & 1) == 0) continue;
    const ContactCode code = passed_end(pair, m, near, end);
    sink.add(code, contact_gap(pair, m, code));
  }
}

/// Whether the relation of two edges is about a ridge: of one body's near ends with the other edge; if there are ends
/// of both, of all near ends with all edges at those of the other body.
ISOPATCH_HD bool is_about(const PolytopePair& pair, const NearEdgePair& near, const Ridge& ridge) {
  const auto is_near_end = [&](bool of_a, std::int32_t vertex) {
    const ShapeEdge& edge = of_a ? pair.a.edges[near.a] : pair.b.edges[near.b];
    const int ends = of_a ? near.ends & 3 : near.ends >> 2;
    return ((ends & 1) != 0 && vertex == edge.i) || ((ends & 2) != 0 && vertex == edge.j);
  };
  if (!is_near_end(ridge.of_a, ridge.vertex)) return false;
  if (!near.of_both()) return ridge.edge == (ridge.of_a ? near.b : near.a);
  const ShapeEdge& edge = ridge.of_a ? pair.b.edges[ridge.edge] : pair.a.edges[ridge.edge];
  return is_near_end(!ridge.of_a, edge.i) || is_near_end(!ridge.of_a, edge.j);
}

ISOPATCH_HD double edge_applicability(const PolytopePair& pair, const FeatureMemory& m, std::int32_t e_a,
                                      std::int32_t e_b) {
  return edge_pair(edge_of_a(pair, e_a), edge_of_b(pair, m, e_b)).applicability;
}

/// The members of a pair of near edges as one number, for which equal ones are taken to be the same.
template <class Warp>
ISOPATCH_HD std::uint64_t hash_of_members(Warp& warp, const PolytopePair& pair, const FeatureMemory& m,
                                          const NearEdgePair& near) {
  MemberSink<Warp> sink{warp, m, false, nullptr, 0, 0, true};
  add_edge_members(pair, m, near, sink);
  return sink.hash;
}

/// Whether a pair of near edges has one near end of each body.
ISOPATCH_HD bool has_one_corner(const NearEdgePair& near) { return (near.ends & 3) != 3 && (near.ends & 12) != 12; }

/// Whether the only corner of `near` is `at`.
ISOPATCH_HD bool has_its_corner(const PolytopePair& pair, const NearEdgePair& near, const NearCorner& at) {
  const ShapeEdge &a = pair.a.edges[near.a], &b = pair.b.edges[near.b];
  return (near.ends & 1 ? a.i : a.j) == at.v && (near.ends & 4 ? b.i : b.j) == at.w;
}

/// Whether an earlier pair of near edges has the corners and all contacts of this one. That pair is itself one of the
/// contacts, so it is enough to look at the edges at the near ends.
template <class Warp>
ISOPATCH_HD_LARGE bool is_repeated(Warp& warp, const PolytopePair& pair, const FeatureMemory& m,
                                   const NearEdgePair& near, double reach) {
  const PolytopeView &shape_a = pair.a, &shape_b = pair.b;
  const int words = m.bits.of_edge;
  const bool is_one_of_them = edge_applicability(pair, m, near.a, near.b) >= -kFacetSine;
  bool has_hash = false;
  std::uint64_t hash = 0;
  return any_near_corner(pair, near, [&](const NearCorner& at) {
    ISOPATCH_NO_UNROLL
    for (std::int32_t k = shape_a.vertex_begin[at.v]; k < shape_a.vertex_begin[at.v + 1]; ++k) {
      const std::int32_t e_a = shape_a.spokes[k].edge;
      if (e_a > near.a) break;
      ISOPATCH_NO_UNROLL
      for (std::int32_t l = shape_b.vertex_begin[at.w]; l < shape_b.vertex_begin[at.w + 1]; ++l) {
        const std::int32_t e_b = shape_b.spokes[l].edge;
        if (e_a == near.a && e_b >= near.b) break;
        if ((m.near[e_a * words + e_b / 32] >> (e_b & 31) & 1u) == 0u) continue;
        const NearEdgePair other{e_a, e_b, near_ends(pair, m, e_a, e_b, 2 * reach)};
        if (!other.of_both() || !(edge_applicability(pair, m, e_a, e_b) >= -kFacetSine)) continue;
        if (is_one_of_them && has_one_corner(near) && has_one_corner(other) && has_its_corner(pair, other, at)) {
          return true;
        }
        ISOPATCH_NO_UNROLL
        for (int which = has_hash ? 1 : 0; which < 2; ++which) {  // one call in the code, which is long
          const std::uint64_t found = hash_of_members(warp, pair, m, which == 0 ? near : other);
          if (which == 1 && found == hash) return true;
          if (which == 0) hash = found;
        }
        has_hash = true;
      }
    }
    return false;
  });
}

}  // namespace isopatch::detail
