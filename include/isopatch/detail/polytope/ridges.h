// SPDX-License-Identifier: Apache-2.0
//
// Two shapes that do not turn overlap where the shift of one against the other lies in a convex body, their Minkowski
// difference. Its facets are the contacts that are applicable. Where facets meet is a ridge: a vertex of one shape on
// an edge of the other; of polygons, a corner of one on a corner of the other. It is as near to the present shift as
// these features are to each other. Facets that are joined by ridges within reach form a cluster: all facets within
// reach are in one, except that a body thinner than the reach may have two, one on each side.
#pragma once

#include "isopatch/detail/polytope/near_edges.h"
#include "isopatch/detail/polytope/vertex_relations.h"

namespace isopatch::detail {

/// Contacts between features that face each other but for this sine are facets. Edges that are nearer to parallel than
/// kMinSine have no contact, so vertices at their ends must be facets as far: else nothing joins the others.
inline constexpr double kFacetSine = (1 + 1e-6) * kMinSine;

struct Ridge {
  bool of_a;            // whose the vertex is; true of polygons
  std::int32_t vertex;  // of one shape
  std::int32_t edge;    // of the other; of polygons a vertex of B
};

/// Whether a vertex and an edge, or two corners, are within `reach` of each other.
ISOPATCH_HD bool is_within(const PolytopePair& pair, const FeatureMemory& m, const Ridge& ridge, double reach) {
  if (pair.a.planar != 0) {
    const Vec3d apart = pair.a.vertices[ridge.vertex] - m.b_in_a[ridge.edge];
    return dot(apart, apart) <= reach * reach;
  }
  const PolytopeView other = view_of(pair, !ridge.of_a);
  const ShapeEdge& edge = other.edges[ridge.edge];
  const Vec3d x = ridge.of_a ? m.a_in_b[ridge.vertex] : m.b_in_a[ridge.vertex];
  return squared_distance(x, other.vertices[edge.i], other.vertices[edge.j]) <= reach * reach;
}

/// Calls visit(ridge) for the ridges of a contact within `reach`.
template <class Visit>
ISOPATCH_HD void visit_ridges(const PolytopePair& pair, const FeatureMemory& m, ContactCode code, double reach,
                              const Visit& visit) {
  const std::int32_t kind = kind_of(code), i = feature_a_of(code), j = feature_b_of(code);
  if (kind == kEdgeOnEdge) {
    const ShapeEdge &a = pair.a.edges[i], &b = pair.b.edges[j];
    const int near = near_ends(pair, m, i, j, reach);
    ISOPATCH_NO_UNROLL
    for (int end = 0; end < 4; ++end) {
      if ((near >> end & 1) == 0) continue;
      visit(end < 2 ? Ridge{true, end == 0 ? a.i : a.j, j} : Ridge{false, end == 2 ? b.i : b.j, i});
    }
    return;
  }
  const bool of_a = kind == kVertexOnFace;
  const std::int32_t vertex = of_a ? i : j;
  const Vec3d x = of_a ? m.a_in_b[vertex] : m.b_in_a[vertex];
  const PolytopeView shape = view_of(pair, !of_a);
  const ShapeFace& face = shape.faces[of_a ? j : i];
  const double surely_far = reach + 1e-12 * (pair.a.ball + pair.b.ball);  // far above rounding: this only saves work
  ISOPATCH_NO_UNROLL
  for (std::int32_t s = face.begin; s < face.end; ++s) {
    const FaceSide& side = shape.sides[s];
    if (dot(x - shape.vertices[side.p], side.inward) > surely_far) continue;
    const Ridge ridge = pair.a.planar == 0 ? Ridge{of_a, vertex, side.edge}
                                           : Ridge{true, of_a ? vertex : side.p, of_a ? side.p : vertex};
    if (is_within(pair, m, ridge, reach)) visit(ridge);
  }
}

/// Calls visit(code) for every contact that may be a facet at a ridge.
template <class Visit>
ISOPATCH_HD void visit_contacts(const PolytopePair& pair, const Ridge& ridge, const Visit& visit) {
  if (pair.a.planar != 0) {
    ISOPATCH_NO_UNROLL
    for (int k = 0; k < 2; ++k) {
      visit(contact_code(kVertexOnFace, ridge.vertex, pair.b.vertex_faces[pair.b.vertex_begin[ridge.edge] + k]));
      visit(contact_code(kFaceUnderVertex, pair.a.vertex_faces[pair.a.vertex_begin[ridge.vertex] + k], ridge.edge));
    }
    return;
  }
  const PolytopeView one = view_of(pair, ridge.of_a), other = view_of(pair, !ridge.of_a);
  const ShapeEdge& edge = other.edges[ridge.edge];
  ISOPATCH_NO_UNROLL
  for (int k = 0; k < 2; ++k) {
    const std::int32_t face = k == 0 ? edge.f : edge.g;
    visit(ridge.of_a ? contact_code(kVertexOnFace, ridge.vertex, face)
                     : contact_code(kFaceUnderVertex, face, ridge.vertex));
  }
  ISOPATCH_NO_UNROLL
  for (std::int32_t s = one.vertex_begin[ridge.vertex]; s < one.vertex_begin[ridge.vertex + 1]; ++s) {
    const std::int32_t own = one.spokes[s].edge;
    visit(ridge.of_a ? contact_code(kEdgeOnEdge, own, ridge.edge) : contact_code(kEdgeOnEdge, ridge.edge, own));
  }
}

ISOPATCH_HD bool is_facet(const PolytopePair& pair, const FeatureMemory& m, ContactCode code) {
  const std::int32_t kind = kind_of(code), i = feature_a_of(code), j = feature_b_of(code);
  if (kind == kVertexOnFace) return applicability_on_b(pair, m, i, j) >= -kFacetSine;
  if (kind == kFaceUnderVertex) return applicability_on_a(pair, i, j) >= -kFacetSine;
  const EdgePair edges = edge_pair(edge_of_a(pair, i), edge_of_b(pair, m, j));
  return edges.crosses && edges.applicability >= -kFacetSine;
}

/// Whether the features of a contact are within `reach` of each other.
ISOPATCH_HD bool is_within(const PolytopePair& pair, const FeatureMemory& m, ContactCode code, double reach) {
  const std::int32_t kind = kind_of(code), i = feature_a_of(code), j = feature_b_of(code);
  const double limit = reach * reach;
  if (kind == kVertexOnFace) {
    return squared_distance(pair.b, pair.b.faces[j], m.a_in_b[i], gap_on_b(pair, m, i, j)) <= limit;
  }
  if (kind == kFaceUnderVertex) {
    return squared_distance(pair.a, pair.a.faces[i], m.b_in_a[j], gap_on_a(pair, m, i, j)) <= limit;
  }
  const EdgeInSpace a = edge_of_a(pair, i), b = edge_of_b(pair, m, j);
  const EdgePair edges = edge_pair(a, b);
  return squared_distance(a.segment, b.segment, edges.cross, edges.squared_sine) <= limit;
}

/// The gap of a contact.
ISOPATCH_HD double contact_gap(const PolytopePair& pair, const FeatureMemory& m, ContactCode code) {
  const std::int32_t kind = kind_of(code), i = feature_a_of(code), j = feature_b_of(code);
  if (kind == kVertexOnFace) return gap_on_b(pair, m, i, j);
  if (kind == kFaceUnderVertex) return gap_on_a(pair, m, i, j);
  const EdgeInSpace a = edge_of_a(pair, i), b = edge_of_b(pair, m, j);
  return edge_gap(a.segment, b.segment, edge_pair(a, b).normal());
}

/// The members of a relation, so that they need not be found again. If there are more than there is room for, visit()
/// visits none and returns false.
template <int kRoom>
struct KeptMembers {
  ContactCode codes[kRoom];
  int count = 0;

  ISOPATCH_HD void add(ContactCode code) {
    if (count < kRoom) codes[count] = code;
    ++count;
  }
  template <class Visit>
  ISOPATCH_HD bool visit(const Visit& visit) const {
    if (count == 0 || count > kRoom) return false;
    for (int k = 0; k < count; ++k) visit(codes[k]);
    return true;
  }
};

/// A lane of a GPU keeps none: an array would be in local memory.
template <>
struct KeptMembers<0> {
  ISOPATCH_HD void add(ContactCode) {}
  template <class Visit>
  ISOPATCH_HD bool visit(const Visit& /*visit*/) const {
    return false;
  }
};

/// Takes the members of a relation and tells whether it is to be kept as it is. A member leads on if it has a ridge
/// within `reach` that the relation is not about, as is_about(ridge) says: there the bodies may part along contacts
/// that the relation does not have.
template <class IsAbout, class Kept>
struct RelationCheck {
  const PolytopePair& pair;
  const FeatureMemory& memory;
  double reach, tolerance;
  const IsAbout& is_about;
  bool asks_facets;  // whether only_facets matters
  Kept& kept;
  bool holds = false;       // by a member within reach
  bool only_facets = true;  // as members
  bool leads = false;

  ISOPATCH_HD void add(ContactCode code, double gap) {
    kept.add(code);
    holds = holds || (gap >= -tolerance && is_within(pair, memory, code, reach));
    leads = leads || leads_on(code);
    if (asks_facets && only_facets) only_facets = is_facet(pair, memory, code);
  }
  ISOPATCH_HD bool leads_on(ContactCode code) const {
    bool found = false;
    visit_ridges(pair, memory, code, reach, [&](const Ridge& ridge) { found = found || !is_about(ridge); });
    return found;
  }
};

/// Takes the members of a relation that leads on: marks the facets that do as seeds of clusters.
template <class Warp, class Check>
struct SeedSink {
  Warp& warp;
  const Check& check;
  bool only_facets = true;  // of the members that lead on

  ISOPATCH_HD void add(ContactCode code, double /*gap*/) {
    if (!check.leads_on(code)) return;
    const FeatureMemory& m = check.memory;
    if (is_facet(check.pair, m, code)) {
      warp.set_bits(&m.open[m.bits.word_of(code)], ContactBits::bit_of(code));
    } else {
      only_facets = false;
    }
  }
};

/// Takes the first open facet and makes `cluster` what ridges within `reach` join it to; of these none is open
/// afterwards. False if no facet is open. Called by all lanes.
template <class Warp>
ISOPATCH_HD bool next_cluster(Warp& warp, const PolytopePair& pair, const FeatureMemory& m, double reach) {
  const int size = m.bits.size;
  warp.sync();
  int first = size;
  for (int w = 0; w < size && first == size; ++w) {
    if (m.open[w] != 0u) first = w;
  }
  if (first == size) return false;
  const std::uint32_t seed = m.open[first] & (0u - m.open[first]);
  warp.sync();
  for (int w = warp.lane(); w < size; w += Warp::kSize) m.cluster[w] = w == first ? seed : 0u;
  warp.sync();
  for (bool grows = true; grows;) {
    bool found = false;
    for (int begin = 0; begin < size; begin += Warp::kSize) {
      const int w = begin + warp.lane();
      std::uint32_t left = 0;
      if (w < size) {
        left = m.open[w] & m.cluster[w];
        m.open[w] &= ~left;
      }
      if (warp.ballot(left != 0u) == 0u) continue;
      warp.sync();
      found = true;
      for (; left != 0u; left &= left - 1u) {
        const ContactCode code = m.bits.code_of(w) + lowest_bit(left);
        visit_ridges(pair, m, code, reach, [&](const Ridge& ridge) {
          visit_contacts(pair, ridge, [&](ContactCode other) {
            const int at = m.bits.word_of(other);
            const std::uint32_t bit = ContactBits::bit_of(other);
            if ((m.cluster[at] & bit) != 0u || !is_facet(pair, m, other)) return;
            warp.set_bits(&m.open[at], bit);
            warp.set_bits(&m.cluster[at], bit);
          });
        });
      }
      warp.sync();
    }
    grows = found;
  }
  return true;
}

}  // namespace isopatch::detail
