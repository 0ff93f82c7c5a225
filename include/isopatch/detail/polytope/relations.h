// SPDX-License-Identifier: Apache-2.0
//
// The relations of a part pair. A relation lists contacts of which at least one must keep a gap >= 0. All of them
// together hold just where two polytopes do not overlap, near the present poses and whatever the translation. Their
// order:
//
//   1. vertices of A, then of B, ascending: U or I, its faces ascending;
//   2. of polygons, corners v of A and w of B, ascending, with the edge that enters w, then with the one that leaves
//      it: X of the vertex of A, then that of B;
//   3. pairs of edges, ascending: the pair itself, alone U; else X with what its near ends add, first those of A. Of
//      equal sets of members the first;
//   4. clusters, by their first contacts: X of a cluster of facets, ascending;
//   5. everything: X of all contacts with a gap >= -reach that can separate the bodies, ascending.
//
// As long as features are longer than the reach, 1 to 3 are enough. Else, in the terms of ridges.h:
//
// - A relation 2 or 3 leads on if one of its members has a ridge within the reach that the relation is not about. Then
//   the bodies may part along contacts that it does not have, and it would forbid what is free. It is left out. The
//   facets among the members that lead on have their clusters as relations 4; if one of these members is no facet, 5 is
//   needed. A relation 2 is about its two corners; a relation 3 with near ends of one edge about these ends on the
//   other edge; with near ends of both, about all near ends on all edges at near ends of the other body.
// - A relation of 1 to 4 none of whose members within the reach has a gap >= -tolerance, although the bodies are apart,
//   is about the far side of something thin. It is left out, and 5 is needed.
// - 5 is there if it is needed, or if all other relations have members that are no facets. For where the bodies
//   overlap, no facet has a gap >= 0: a relation of facets alone forbids all overlaps, whatever the others do.
//
// Nothing is lost: with all that is near added to it, a relation that is left out would follow from the one that
// replaces it. Bodies that overlap go back along what separates them most instead.
//
// The tests shift polygons 150 000 times near touch and polyhedra 30 000 times, also needles, plates, parallel boxes
// and shapes as small as the reach: no shift is allowed though the bodies overlap then, and none is forbidden though
// they could go there without overlapping. Shifts through a thin body are forbidden.
#pragma once

#include "isopatch/detail/polytope/edge_relations.h"
#include "isopatch/detail/polytope/relation_list.h"

namespace isopatch::detail {

/// Which contacts constrain which motions.
enum class RelationMode : std::uint8_t {
  kExact,       // those that hold just where polytopes do not overlap
  kLnc,         // of vertices, and of edges away from ends: allows overlaps (locally non-convex)
  kUnilateral,  // every near contact: half spaces without end, as in most textbooks
  kSeparating,  // of the feature that separates most
  kLocal        // those of kExact of bodies apart, also if these overlap
};

struct RelationOptions {
  double reach;      // m: how near features must be
  double angle;      // by how much less than applicable, as a sine
  double tolerance;  // m: a gap >= -tolerance touches
  RelationMode mode;
};

/// How near features must be that may meet within a time step, m: speeds are those of the farthest points of the
/// bodies.
ISOPATCH_HD double relation_reach(double margin, double dt, double speed_a, double speed_b) {
  return fma(dt, speed_a + speed_b, margin);
}

/// By how much less than applicable a contact of two bodies is that may turn so within a time step.
ISOPATCH_HD double relation_angle(double dt, double angular_speed_a, double angular_speed_b) {
  return min(0.4, fma(dt, angular_speed_a + angular_speed_b, 1e-6));
}

/// Whether two shapes may be within `reach`, by their balls, then by the box of each along its own axes.
ISOPATCH_HD bool may_touch(const PolytopePair& pair, double reach) {
  const PolytopeView &a = pair.a, &b = pair.b;
  if (b.half_space != 0) return face_gap(b.faces[0], apply(pair.X_BA, a.center)) <= reach + a.ball;
  if (a.half_space != 0) return face_gap(a.faces[0], apply(pair.X_AB, b.center)) <= reach + b.ball;
  const Vec3d from = apply(pair.X_AB, b.center) - a.center;
  const double far = reach + a.ball + b.ball;
  if (!(dot(from, from) <= far * far)) return false;
  const Transform<double>&X = pair.X_AB, &Y = pair.X_BA;
  const Vec3d in_a = abs(from) - a.half, in_b = abs(rotate(Y, from)) - b.half;
  const Vec3d reach_b = {dot(abs(X.row[0]), b.half), dot(abs(X.row[1]), b.half), dot(abs(X.row[2]), b.half)};
  const Vec3d reach_a = {dot(abs(Y.row[0]), a.half), dot(abs(Y.row[1]), a.half), dot(abs(Y.row[2]), a.half)};
  const Vec3d apart = max(in_a - reach_b, in_b - reach_a);
  return !(apart.x > reach || apart.y > reach || apart.z > reach);
}

/// Finds the relations of one part pair.
template <class Warp, class Contact>
class RelationFinder {
 public:
  ISOPATCH_HD RelationFinder(Warp& warp, const PolytopePair& pair, const FeatureMemory& memory,
                             const RelationOptions& options, const Separation& separation,
                             RelationList<Warp, Contact>& list)
      : warp_(warp), pair_(pair), m_(memory), options_(options), separation_(separation), list_(list) {}

  /// Called by all lanes, as all that follows.
  ISOPATCH_HD void find() {
    if (separation_.value > options_.reach) return;  // no feature is nearer
    const RelationMode mode = options_.mode;
    if (mode == RelationMode::kSeparating ||
        (mode == RelationMode::kExact && separation_.value < -options_.tolerance)) {
      separating();
      return;
    }
    const bool has_edges = pair_.a.num_edges > 0 && pair_.b.num_edges > 0;
    if (mode == RelationMode::kUnilateral) {
      ISOPATCH_NO_UNROLL
      for (int body = 0; body < 2; ++body) vertices_on_each_face(body == 0);
      if (has_edges) near_edges();
      return;
    }
    is_complete_ = mode != RelationMode::kLnc;
    is_apart_ = !(separation_.value < -options_.tolerance);
    if (is_complete_) {
      for (int w = warp_.lane(); w < m_.bits.size; w += Warp::kSize) m_.open[w] = 0;
      warp_.sync();
    }
    ISOPATCH_NO_UNROLL
    for (int body = 0; body < 2; ++body) vertices(body == 0);
    if (is_complete_ && pair_.a.planar != 0) corners();
    if (has_edges) near_edges();
    if (!is_complete_) return;
    if (warp_.ballot(has_seeds_) != 0u) clusters();
    if (warp_.ballot(needs_everything_) != 0u ||
        (warp_.ballot(has_any_) != 0u && warp_.ballot(has_only_facets_) == 0u)) {
      everything();
    }
  }

 private:
  ISOPATCH_HD static ContactCode code_of(bool of_a, int vertex, int face) {
    return of_a ? contact_code(kVertexOnFace, vertex, face) : contact_code(kFaceUnderVertex, face, vertex);
  }

  /// The vertices of A or B, in the frame of the other, and this.
  ISOPATCH_HD const Vec3d* points(bool of_a) const {
    const Vec3d* found = m_.b_in_a;
    if (of_a) found = m_.a_in_b;
    return found;
  }
  ISOPATCH_HD int num_points(bool of_a) const { return of_a ? pair_.a.num_vertices : pair_.b.num_vertices; }
  ISOPATCH_HD PolytopeView other(bool of_a) const { return view_of(pair_, !of_a); }

  ISOPATCH_HD void vertices(bool of_a) {
    const PolytopeView shape = other(of_a);
    const int faces_b = pair_.b.num_faces, begin = of_a ? 0 : faces_b;
    const int best = separation::best_face(m_, begin, begin + shape.num_faces) - begin;
    for (int first = 0; first < num_points(of_a); first += Warp::kSize) {
      const int v = first + warp_.lane();
      FaceBits faces = 0;
      if (v < num_points(of_a)) faces = faces_in_reach(shape, points(of_a)[v], options_.reach, best);
      add(
          faces != 0, kIntercontactRelation,
          [&](auto& sink) {
            for (FaceBits left = faces; left != 0; left &= left - 1) {
              const int f = lowest_face(left);
              sink.add(code_of(of_a, v, f), face_gap(shape.faces[f], points(of_a)[v]));
            }
          },
          [](const Ridge&) { return true; });
    }
  }

  ISOPATCH_HD void vertices_on_each_face(bool of_a) {
    const PolytopeView shape = other(of_a);
    const int num_faces = shape.num_faces;
    RowWalk at(warp_.lane(), num_faces);
    for (int first = 0; first < num_points(of_a) * num_faces; first += Warp::kSize, at.advance(Warp::kSize)) {
      const int v = at.row, f = at.column;
      bool near = v < num_points(of_a);
      if (near) {
        const Vec3d x = points(of_a)[v];
        const double gap = face_gap(shape.faces[f], x);
        near = abs(gap) <= options_.reach &&
               squared_distance(shape, shape.faces[f], x, gap) <= options_.reach * options_.reach;
      }
      list_.add_unilateral(near, code_of(of_a, v, f));
    }
  }

  ISOPATCH_HD void corners() {
    const int num_b = pair_.b.num_vertices, count = 2 * pair_.a.num_vertices * num_b;
    const double limit = options_.reach * options_.reach;
    RowWalk at(warp_.lane(), 2 * num_b);
    for (int first = 0; first < count; first += Warp::kSize, at.advance(Warp::kSize)) {
      const int k = first + warp_.lane(), v = at.row, w = at.column / 2;
      bool has = false;
      CornerContacts corner{0, 0};
      if (k < count) {
        const Vec3d apart = pair_.a.vertices[v] - m_.b_in_a[w];
        if (dot(apart, apart) <= limit) {
          corner = corner_contacts(pair_, v, w, k % 2 == 1);
          has = applicability_on_b(pair_, m_, v, corner.face_b) >= -options_.angle &&
                applicability_on_a(pair_, corner.face_a, w) >= -options_.angle;
        }
      }
      add(
          has, kCrossRelation,
          [&](auto& sink) {
            sink.add(code_of(true, v, corner.face_b), gap_on_b(pair_, m_, v, corner.face_b));
            sink.add(code_of(false, w, corner.face_a), gap_on_a(pair_, m_, corner.face_a, w));
          },
          [v, w](const Ridge& ridge) { return ridge.vertex == v && ridge.edge == w; });
    }
  }

  /// One relation for each cluster that relations lead on to.
  ISOPATCH_HD void clusters() {
    while (next_cluster(warp_, pair_, m_, options_.reach)) {
      bool has = !is_apart_;
      visit_cluster([&](ContactCode code) { has = has || holds(code); });
      has_only_facets_ = has_only_facets_ || has;
      needs_everything_ = needs_everything_ || !has;
      add_cluster(has && warp_.lane() == 0);
    }
  }

  ISOPATCH_HD void add_cluster(bool has) {
    list_.add(has, [&](auto& sink) {
      visit_cluster([&](ContactCode code) { sink.add(code, 0.0); });
      return kCrossRelation;
    });
  }

  template <class Visit>
  ISOPATCH_HD void visit_cluster(const Visit& visit) const {
    for (int w = 0; w < m_.bits.size; ++w) {
      for (std::uint32_t left = m_.cluster[w]; left != 0u; left &= left - 1u) {
        visit(m_.bits.code_of(w) + lowest_bit(left));
      }
    }
  }

  /// Everything that may separate the bodies within the reach, in one relation.
  ISOPATCH_HD void everything() {
    warp_.sync();  // others may still read what is found again
    for (int w = warp_.lane(); w < m_.bits.begin_edges; w += Warp::kSize) m_.cluster[w] = 0;
    warp_.sync();
    if (pair_.a.num_edges > 0 && pair_.b.num_edges > 0) {
      separation::best_edges(warp_, pair_, m_, -options_.reach);
    }
    for (int k = warp_.lane(); k < pair_.b.num_faces + pair_.a.num_faces; k += Warp::kSize) {
      if (m_.lowest[k] < 0 || !(m_.face_gaps[k] >= -options_.reach)) continue;
      const ContactCode code = separation::code_of_face(pair_, m_, k);
      warp_.set_bits(&m_.cluster[m_.bits.word_of(code)], ContactBits::bit_of(code));
    }
    warp_.sync();
    add_cluster(warp_.lane() == 0);
  }

  ISOPATCH_HD void near_edges() {
    const bool is_unilateral = options_.mode == RelationMode::kUnilateral;
    find_near_edges(warp_, pair_, m_, separation_, options_.reach, is_unilateral ? -HUGE_VAL : -options_.angle);
    const int words = m_.bits.of_edge;
    for (int row = 0; row < pair_.a.num_edges * words; ++row) {
      const std::uint32_t bits = m_.near[row];
      if (bits == 0u) continue;
      const int e_a = row / words, first = row % words * 32;
      if constexpr (Warp::kSize == 1) {
        for (std::uint32_t left = bits; left != 0u; left &= left - 1u) {
          add_edges(true, e_a, first + lowest_bit(left));
        }
      } else {
        for (int bit = 0; bit < 32; bit += Warp::kSize) {
          add_edges((bits >> (bit + warp_.lane()) & 1u) != 0u, e_a, first + bit + warp_.lane());
        }
      }
    }
  }

  ISOPATCH_HD void add_edges(bool has, int e_a, int e_b) {
    if (options_.mode == RelationMode::kUnilateral) {
      list_.add_unilateral(has, contact_code(kEdgeOnEdge, e_a, e_b));
      return;
    }
    if (options_.mode == RelationMode::kLnc) {
      has = has && near_ends(pair_, m_, e_a, e_b, options_.reach) == 0;
      list_.add_unilateral(has, contact_code(kEdgeOnEdge, e_a, e_b));
      return;
    }
    NearEdgePair near{e_a, e_b, 0};
    if (has) {
      near.ends = near_ends(pair_, m_, e_a, e_b, 2 * options_.reach);
      has = !(near.of_both() && is_repeated(warp_, pair_, m_, near, options_.reach));
    }
    add(
        has, kCrossRelation, [&](auto& sink) { add_edge_members(pair_, m_, near, sink); },
        [&](const Ridge& ridge) { return near.ends == 0 || is_about(pair_, near, ridge); });
  }

  /// Appends a relation of each lane that has one, unless it leads on or does not hold. build(sink) adds its members;
  /// is_about(ridge) says whether the relation is about a ridge.
  template <class Build, class IsAbout>
  ISOPATCH_HD void add(bool has, std::int32_t kind, const Build& build, const IsAbout& is_about) {
    KeptMembers<Warp::kSize == 1 ? 32 : 0> kept;
    const auto members = [&](auto& sink) {
      if (!kept.visit([&](ContactCode code) { sink.add(code, 0.0); })) build(sink);
    };
    if (has && is_complete_) {
      has_any_ = true;
      RelationCheck<IsAbout, decltype(kept)> check{
          pair_, m_, options_.reach, options_.tolerance, is_about, !has_only_facets_, kept};
      build(check);
      if (check.leads) {
        SeedSink<Warp, decltype(check)> seeds{warp_, check};
        members(seeds);
        has = false;
        has_seeds_ = true;
        needs_everything_ = needs_everything_ || !seeds.only_facets;
      } else if (!check.holds && is_apart_) {
        has = false;
        needs_everything_ = true;
      } else {
        has_only_facets_ = has_only_facets_ || check.only_facets;
      }
    }
    list_.add(has, [&](auto& sink) {
      members(sink);
      return kind;
    });
  }

  /// Whether a contact separates the bodies now, by features within reach.
  ISOPATCH_HD bool holds(ContactCode code) const {
    return contact_gap(pair_, m_, code) >= -options_.tolerance && is_within(pair_, m_, code, options_.reach);
  }

  ISOPATCH_HD void separating() {
    const ContactCode code = separation_.code;
    const std::int32_t kind = kind_of(code);
    if (kind == kEdgeOnEdge) {
      list_.add_unilateral(warp_.lane() == 0, code);
      return;
    }
    const bool of_a = kind == kVertexOnFace;
    const int f = of_a ? feature_b_of(code) : feature_a_of(code);
    const ShapeFace& face = other(of_a).faces[f];
    for (int first = 0; first < num_points(of_a); first += Warp::kSize) {
      const int v = first + warp_.lane();
      const bool near = v < num_points(of_a) && face_gap(face, points(of_a)[v]) <= options_.reach;
      list_.add_unilateral(near, code_of(of_a, v, f));
    }
  }

  Warp& warp_;
  const PolytopePair& pair_;
  const FeatureMemory& m_;
  const RelationOptions& options_;
  const Separation& separation_;
  RelationList<Warp, Contact>& list_;
  bool is_complete_ = false;  // so that no overlap is allowed
  bool is_apart_ = true;
  // of this lane:
  bool has_any_ = false;           // relations, kept or not
  bool has_only_facets_ = false;   // in one of them
  bool has_seeds_ = false;         // of clusters
  bool needs_everything_ = false;  // in place of a relation
};

/// Appends contacts and relations of a part pair to those of its environment. Its memory is that of find_separation(),
/// which found `separation`. `X_WA` is the pose of body A in the world, in which the contacts are written. Called by
/// all lanes.
template <class Warp, class Contact>
ISOPATCH_HD void find_relations(Warp& warp, const PolytopePair& pair, const FeatureMemory& memory,
                                const RelationOptions& options, const Separation& separation,
                                const Transform<double>& X_WA, const PartPairNames& names,
                                const RelationArraysOf<Contact>& arrays, RelationCounts& counts) {
  RelationList<Warp, Contact> list(warp, memory, arrays, counts, names);
  RelationFinder<Warp, Contact>(warp, pair, memory, options, separation, list).find();
  list.finish(pair, X_WA);
}

/// The same with what comes before: fills the memory, and returns the separation.
template <class Warp, class Contact>
ISOPATCH_HD Separation find_relations(Warp& warp, const PolytopePair& pair, const FeatureMemory& memory,
                                      const RelationOptions& options, const Transform<double>& X_WA,
                                      const PartPairNames& names, const RelationArraysOf<Contact>& arrays,
                                      RelationCounts& counts) {
  fill(warp, pair, memory);
  const Separation separation = find_separation(warp, pair, memory, options.tolerance);
  find_relations(warp, pair, memory, options, separation, X_WA, names, arrays, counts);
  return separation;
}

}  // namespace isopatch::detail
