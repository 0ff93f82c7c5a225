// SPDX-License-Identifier: Apache-2.0
#include "host/reference/polytope/relations.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <set>

#include "host/reference/polytope/completion.h"
#include "host/reference/polytope/distances.h"
#include "host/reference/polytope/separation.h"

namespace isopatch::reference::polytope {
namespace {

using Members = std::vector<FeaturePair>;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// Collects the relations of two shapes, their members by name.
class Finder {
 public:
  Finder(const ConvexShape& a, const ConvexShape& b, const RelationRange& range) : a_(a), b_(b), range_(range) {}

  void add_vertices() {
    add_vertices_of(true);
    add_vertices_of(false);
  }
  void add_corners();
  void add_edge_pairs();
  void complete() { relations_ = completed(a_, b_, range_, relations_); }

  void add_lone_edge_pairs();
  void add_every_contact();
  void add_most_separating();

  RelationSet result() const;

 private:
  const ConvexShape& shape(bool is_a) const { return is_a ? a_ : b_; }

  /// A vertex of a (or of b) with a face of the other shape.
  static FeaturePair vertex_and_face(bool vertex_is_of_a, int v, int f) {
    return vertex_is_of_a ? FeaturePair{ContactKind::kVertexOnFace, v, f}
                          : FeaturePair{ContactKind::kFaceUnderVertex, f, v};
  }
  static FeaturePair edges(int e, int f) { return {ContactKind::kEdgeOnEdge, e, f}; }

  bool is_applicable(const FeaturePair& features, Real at_least) const {
    const auto contact = find_contact(a_, b_, features);
    return contact && contact->applicability >= at_least;
  }

  void add_vertices_of(bool of_a);
  std::set<int> faces_around(const Vector3& x, const ConvexShape& other, int nearest) const;
  std::vector<int> near_ends(bool of_a, int edge_a, int edge_b) const;
  Members past_the_ends(bool of_a, int edge_a, int edge_b, const std::vector<int>& ends) const;
  Members between_vertices(const std::vector<int>& of_a, const std::vector<int>& of_b) const;
  void add_meeting(const FeaturePair& features, Members& members) const;

  const ConvexShape &a_, &b_;
  const RelationRange& range_;
  std::vector<NamedRelation> relations_;
};

void add_once(const FeaturePair& features, Members& members) {
  if (std::find(members.begin(), members.end(), features) == members.end()) members.push_back(features);
}

/// The faces of a shape that are reached from the nearest one across corners or edges that a vertex is near.
std::set<int> Finder::faces_around(const Vector3& x, const ConvexShape& other, int nearest) const {
  std::vector<std::array<int, 2>> neighbours;
  for (std::size_t w = 0; w < other.vertices.size() && other.is_planar; ++w) {
    if ((x - other.vertices[w]).norm() <= range_.reach) {
      neighbours.push_back({other.faces_at[w][0], other.faces_at[w][1]});
    }
  }
  for (std::size_t e = 0; e < other.edges.size(); ++e) {
    if (edge_distance(x, other, static_cast<int>(e)) <= range_.reach) {
      neighbours.push_back({other.edges[e].f, other.edges[e].g});
    }
  }
  std::set<int> faces = {nearest};
  for (std::size_t before = 0; before != faces.size();) {
    before = faces.size();
    for (const auto& [f, g] : neighbours) {
      if (faces.count(f) + faces.count(g) == 1) faces.insert({f, g});
    }
  }
  return faces;
}

void Finder::add_vertices_of(bool of_a) {
  const ConvexShape& other = shape(!of_a);
  for (std::size_t v = 0; v < shape(of_a).vertices.size(); ++v) {
    const Vector3& x = shape(of_a).vertices[v];
    int nearest = -1;
    Real distance = std::numeric_limits<Real>::infinity();
    for (std::size_t f = 0; f < other.faces.size(); ++f) {
      const Real to_face = face_distance(x, other, static_cast<int>(f));
      if (to_face < distance) {
        distance = to_face;
        nearest = static_cast<int>(f);
      }
    }
    if (nearest < 0 || distance > range_.reach) continue;
    NamedRelation relation;
    for (int f : faces_around(x, other, nearest)) {
      relation.members.push_back(vertex_and_face(of_a, static_cast<int>(v), f));
    }
    relation.kind = relation.members.size() == 1 ? RelationKind::kUnilateral : RelationKind::kIntercontact;
    relations_.push_back(relation);
  }
}

/// Of two near corners of polygons. Going round counter-clockwise, face k - 1 enters vertex k and face k leaves it.
void Finder::add_corners() {
  if (!a_.is_planar) return;
  const auto entering = [](const ConvexShape& shape, int v) {
    return (v + static_cast<int>(shape.faces.size()) - 1) % static_cast<int>(shape.faces.size());
  };
  for (int v = 0; v < static_cast<int>(a_.vertices.size()); ++v) {
    for (int w = 0; w < static_cast<int>(b_.vertices.size()); ++w) {
      if ((a_.vertices[index(v)] - b_.vertices[index(w)]).norm() > range_.reach) continue;
      const auto cross = [&](const FeaturePair& one, const FeaturePair& other) {
        if (!is_applicable(one, -range_.turning) || !is_applicable(other, -range_.turning)) return;
        relations_.push_back({RelationKind::kCross, {one, other}, {{true, v, w}}});
      };
      cross(vertex_and_face(true, v, entering(b_, w)), vertex_and_face(false, w, v));
      cross(vertex_and_face(true, v, w), vertex_and_face(false, w, entering(a_, v)));
    }
  }
}

/// The ends of one edge that are near the other.
std::vector<int> Finder::near_ends(bool of_a, int edge_a, int edge_b) const {
  const ConvexEdge& edge = of_a ? a_.edges[index(edge_a)] : b_.edges[index(edge_b)];
  std::vector<int> ends;
  for (int end : {edge.i, edge.j}) {
    const Vector3& x = shape(of_a).vertices[index(end)];
    const Real distance = of_a ? edge_distance(x, b_, edge_b) : edge_distance(x, a_, edge_a);
    if (distance <= 2 * range_.reach) ends.push_back(end);
  }
  return ends;
}

/// Of each near end the face beside the other edge that it is over if it has gone past the edge without turning back.
Members Finder::past_the_ends(bool of_a, int edge_a, int edge_b, const std::vector<int>& ends) const {
  const ConvexEdge& own = of_a ? a_.edges[index(edge_a)] : b_.edges[index(edge_b)];
  const ConvexEdge& other = of_a ? b_.edges[index(edge_b)] : a_.edges[index(edge_a)];
  Members members;
  for (int end : ends) {
    const int far_end = end == own.i ? own.j : own.i;
    const Vector3 way = shape(of_a).vertices[index(far_end)] - shape(of_a).vertices[index(end)];
    const bool is_on_f = (other.into_f - other.into_g).dot(way) > 0;
    members.push_back(vertex_and_face(of_a, end, is_on_f ? other.f : other.g));
  }
  return members;
}

void Finder::add_meeting(const FeaturePair& features, Members& members) const {
  if (is_facet(a_, b_, features)) add_once(features, members);
}

/// All that may touch now at a vertex of a and a vertex of b.
Members Finder::between_vertices(const std::vector<int>& of_a, const std::vector<int>& of_b) const {
  Members members;
  for (int v : of_a) {
    for (int w : of_b) {
      for (int f : b_.faces_at[index(w)]) add_meeting(vertex_and_face(true, v, f), members);
      for (int f : a_.faces_at[index(v)]) add_meeting(vertex_and_face(false, w, f), members);
      for (int e : a_.edges_at[index(v)]) {
        for (int f : b_.edges_at[index(w)]) add_meeting(edges(e, f), members);
      }
    }
  }
  return members;
}

void Finder::add_edge_pairs() {
  for (int e = 0; e < static_cast<int>(a_.edges.size()); ++e) {
    for (int f = 0; f < static_cast<int>(b_.edges.size()); ++f) {
      if (edge_distance(a_, e, b_, f) > range_.reach || !is_applicable(edges(e, f), -range_.turning)) continue;
      const std::vector<int> ends_a = near_ends(true, e, f), ends_b = near_ends(false, e, f);
      NamedRelation relation = {RelationKind::kCross, {edges(e, f)}};
      if (ends_a.empty() && ends_b.empty()) {
        relation.kind = RelationKind::kUnilateral;
      } else if (ends_a.empty() || ends_b.empty()) {
        const bool of_a = !ends_a.empty();
        for (const FeaturePair& past : past_the_ends(of_a, e, f, of_a ? ends_a : ends_b)) {
          add_once(past, relation.members);
        }
        for (int end : of_a ? ends_a : ends_b) relation.about.push_back({of_a, end, of_a ? f : e});
      } else {
        for (const FeaturePair& meeting : between_vertices(ends_a, ends_b)) add_once(meeting, relation.members);
        for (int v : ends_a) {
          for (int w : ends_b) {
            for (int edge : b_.edges_at[index(w)]) relation.about.push_back({true, v, edge});
            for (int edge : a_.edges_at[index(v)]) relation.about.push_back({false, w, edge});
          }
        }
      }
      relations_.push_back(relation);
    }
  }
}

/// Edges whose ends are all out of reach.
void Finder::add_lone_edge_pairs() {
  const auto is_near_end = [&](const ConvexShape& own, const ConvexEdge& edge, const ConvexShape& other, int f) {
    return edge_distance(own.vertices[index(edge.i)], other, f) <= range_.reach ||
           edge_distance(own.vertices[index(edge.j)], other, f) <= range_.reach;
  };
  for (int e = 0; e < static_cast<int>(a_.edges.size()); ++e) {
    for (int f = 0; f < static_cast<int>(b_.edges.size()); ++f) {
      if (edge_distance(a_, e, b_, f) > range_.reach || !is_applicable(edges(e, f), -range_.turning)) continue;
      if (is_near_end(a_, a_.edges[index(e)], b_, f) || is_near_end(b_, b_.edges[index(f)], a_, e)) continue;
      relations_.push_back({RelationKind::kUnilateral, {edges(e, f)}});
    }
  }
}

void Finder::add_every_contact() {
  const auto add = [&](const FeaturePair& features) {
    if (find_contact(a_, b_, features)) relations_.push_back({RelationKind::kUnilateral, {features}});
  };
  for (bool of_a : {true, false}) {
    const ConvexShape &own = shape(of_a), &other = shape(!of_a);
    for (std::size_t v = 0; v < own.vertices.size(); ++v) {
      const Vector3& x = own.vertices[v];
      for (int f = 0; f < static_cast<int>(other.faces.size()); ++f) {
        if (face_distance(x, other, f) <= range_.reach) add(vertex_and_face(of_a, static_cast<int>(v), f));
      }
    }
  }
  for (int e = 0; e < static_cast<int>(a_.edges.size()); ++e) {
    for (int f = 0; f < static_cast<int>(b_.edges.size()); ++f) {
      if (edge_distance(a_, e, b_, f) <= range_.reach) add(edges(e, f));
    }
  }
}

/// Of features that separate equally but for the tolerance, faces: bodies stand on them.
void Finder::add_most_separating() {
  const std::vector<Contact> contacts = separating_contacts(a_, b_);
  const Contact *face = nullptr, *edges = nullptr;
  for (const Contact& contact : contacts) {
    const Contact*& best = contact.features.kind == ContactKind::kEdgeOnEdge ? edges : face;
    if (best == nullptr || contact.gap > best->gap) best = &contact;
  }
  if (edges != nullptr && edges->gap > range_.reach) return;
  const Contact& most = edges != nullptr && edges->gap > face->gap + range_.tolerance ? *edges : *face;
  const auto add = [&](const FeaturePair& features) {
    if (find_contact(a_, b_, features)->gap <= range_.reach) {
      relations_.push_back({RelationKind::kUnilateral, {features}});
    }
  };
  if (most.features.kind == ContactKind::kEdgeOnEdge) return add(most.features);
  const bool of_a = most.features.kind == ContactKind::kVertexOnFace;
  const int f = of_a ? most.features.feature_b : most.features.feature_a;
  for (int v = 0; v < static_cast<int>(shape(of_a).vertices.size()); ++v) add(vertex_and_face(of_a, v, f));
}

RelationSet Finder::result() const {
  std::set<FeaturePair> all;
  for (const NamedRelation& relation : relations_) all.insert(relation.members.begin(), relation.members.end());
  RelationSet set;
  for (const FeaturePair& features : all) set.contacts.push_back(*find_contact(a_, b_, features));
  for (const NamedRelation& relation : relations_) {
    // alone, two edges between vertices that nothing else can touch at are no choice
    Relation numbered = {relation.members.size() == 1 ? RelationKind::kUnilateral : relation.kind, {}};
    for (const FeaturePair& member : relation.members) {
      numbered.members.push_back(static_cast<int>(std::distance(all.begin(), all.find(member))));
    }
    set.relations.push_back(numbered);
  }
  return set;
}

}  // namespace

RelationSet find_relations(const ConvexShape& a, const ConvexShape& b, const RelationRange& range, RelationMode mode) {
  Finder finder(a, b, range);
  switch (mode) {
    case RelationMode::kExact:
      if (separation(a, b).gap < -range.tolerance) {
        finder.add_most_separating();
        break;
      }
      finder.add_vertices();
      finder.add_corners();
      finder.add_edge_pairs();
      finder.complete();
      break;
    case RelationMode::kLnc:
      finder.add_vertices();
      finder.add_lone_edge_pairs();
      break;
    case RelationMode::kUnilateral:
      finder.add_every_contact();
      break;
    case RelationMode::kSeparating:
      finder.add_most_separating();
      break;
  }
  return finder.result();
}

Real gap_after_shift(const RelationSet& set, const Relation& relation, const Vector3& shift) {
  Real largest = -std::numeric_limits<Real>::infinity();
  for (int member : relation.members) {
    const Contact& contact = set.contacts[index(member)];
    largest = std::max(largest, contact.gap + contact.normal.dot(shift));
  }
  return largest;
}

}  // namespace isopatch::reference::polytope
