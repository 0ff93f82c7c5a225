// SPDX-License-Identifier: Apache-2.0
//
// A member of a crossed relation leads on where it has a ridge within reach that the relation is not about: features
// are short there, and the shapes may be apart by what the relation does not have. Relations that lead on, or do not
// hold, give way to others that have everything.
#include "host/reference/polytope/completion.h"

#include <algorithm>
#include <cstddef>
#include <set>

#include "host/reference/polytope/distances.h"
#include "host/reference/polytope/separation.h"

namespace isopatch::reference::polytope {
namespace {

constexpr Real kFacet =
    -1.000001e-6L;  // applicability of a facet, at least; edges this near to parallel have no contact

/// A ridge and the contacts around it, which can be facets.
struct RidgeContacts {
  Ridge ridge;
  std::vector<FeaturePair> all;
  std::vector<FeaturePair> facets;  // more than two if features are parallel
};

RidgeContacts between_corners(const ConvexShape& a, int v, const ConvexShape& b, int w) {
  RidgeContacts ridge = {{true, v, w}, {}, {}};
  for (int f : b.faces_at[static_cast<std::size_t>(w)]) ridge.all.push_back({ContactKind::kVertexOnFace, v, f});
  for (int f : a.faces_at[static_cast<std::size_t>(v)]) ridge.all.push_back({ContactKind::kFaceUnderVertex, f, w});
  return ridge;
}

/// Of a vertex of `one` and an edge of `other`.
RidgeContacts between_vertex_and_edge(bool one_is_a, const ConvexShape& one, int v, const ConvexShape& other, int e) {
  const ConvexEdge& edge = other.edges[static_cast<std::size_t>(e)];
  RidgeContacts ridge = {{one_is_a, v, e}, {}, {}};
  for (int f : {edge.f, edge.g}) {
    ridge.all.push_back(one_is_a ? FeaturePair{ContactKind::kVertexOnFace, v, f}
                                 : FeaturePair{ContactKind::kFaceUnderVertex, f, v});
  }
  for (int own : one.edges_at[static_cast<std::size_t>(v)]) {
    ridge.all.push_back({ContactKind::kEdgeOnEdge, one_is_a ? own : e, one_is_a ? e : own});
  }
  return ridge;
}

/// The ridges whose features are within reach of each other.
std::vector<RidgeContacts> near_ridges(const ConvexShape& a, const ConvexShape& b, Real reach) {
  std::vector<RidgeContacts> ridges;
  const auto add = [&](RidgeContacts ridge) {
    for (const FeaturePair& features : ridge.all) {
      if (is_facet(a, b, features)) ridge.facets.push_back(features);
    }
    ridges.push_back(ridge);
  };
  if (a.is_planar) {
    for (std::size_t v = 0; v < a.vertices.size(); ++v) {
      for (std::size_t w = 0; w < b.vertices.size(); ++w) {
        const bool is_near = (a.vertices[v] - b.vertices[w]).norm() <= reach;
        if (is_near) add(between_corners(a, static_cast<int>(v), b, static_cast<int>(w)));
      }
    }
    return ridges;
  }
  for (bool of_a : {true, false}) {
    const ConvexShape &one = of_a ? a : b, &other = of_a ? b : a;
    for (std::size_t v = 0; v < one.vertices.size(); ++v) {
      for (std::size_t e = 0; e < other.edges.size(); ++e) {
        const bool is_near = edge_distance(one.vertices[v], other, static_cast<int>(e)) <= reach;
        if (is_near) add(between_vertex_and_edge(of_a, one, static_cast<int>(v), other, static_cast<int>(e)));
      }
    }
  }
  return ridges;
}

/// A facet and those that are reached from it across ridges.
std::set<FeaturePair> cluster_of(const FeaturePair& facet, const std::vector<RidgeContacts>& ridges) {
  std::set<FeaturePair> cluster = {facet};
  for (std::size_t before = 0; before != cluster.size();) {
    before = cluster.size();
    for (const RidgeContacts& ridge : ridges) {
      const bool is_reached = std::any_of(ridge.facets.begin(), ridge.facets.end(),
                                          [&](const FeaturePair& features) { return cluster.count(features) != 0; });
      if (is_reached) cluster.insert(ridge.facets.begin(), ridge.facets.end());
    }
  }
  return cluster;
}

/// Whether features are within reach and their contact separates the shapes now.
bool holds(const ConvexShape& a, const ConvexShape& b, const RelationRange& range, const FeaturePair& features) {
  if (find_contact(a, b, features)->gap < -range.tolerance) return false;
  const int i = features.feature_a, j = features.feature_b;
  switch (features.kind) {
    case ContactKind::kVertexOnFace:
      return face_distance(a.vertices[static_cast<std::size_t>(i)], b, j) <= range.reach;
    case ContactKind::kFaceUnderVertex:
      return face_distance(b.vertices[static_cast<std::size_t>(j)], a, i) <= range.reach;
    case ContactKind::kEdgeOnEdge:
      return edge_distance(a, i, b, j) <= range.reach;
  }
  return false;
}

bool leads_on(const NamedRelation& relation, const FeaturePair& member, const std::vector<RidgeContacts>& ridges) {
  return std::any_of(ridges.begin(), ridges.end(), [&](const RidgeContacts& at) {
    return std::count(at.all.begin(), at.all.end(), member) > 0 &&
           std::count(relation.about.begin(), relation.about.end(), at.ridge) == 0;
  });
}

}  // namespace

bool is_facet(const ConvexShape& a, const ConvexShape& b, const FeaturePair& features) {
  const auto contact = find_contact(a, b, features);
  return contact && contact->applicability >= kFacet;
}

std::vector<NamedRelation> completed(const ConvexShape& a, const ConvexShape& b, const RelationRange& range,
                                     const std::vector<NamedRelation>& found) {
  const std::vector<RidgeContacts> ridges = near_ridges(a, b, range.reach);
  const bool is_apart = separation(a, b).gap >= -range.tolerance;
  const auto is_broken = [&](const auto& members) {
    return is_apart && std::none_of(members.begin(), members.end(),
                                    [&](const FeaturePair& member) { return holds(a, b, range, member); });
  };
  std::vector<NamedRelation> kept;
  std::set<FeaturePair> seeds;
  bool has_only_facets = false, needs_everything = false;
  std::set<std::set<FeaturePair>> known;
  for (const NamedRelation& relation : found) {
    bool leads = false;
    if (relation.kind == RelationKind::kCross) {
      if (!known.insert({relation.members.begin(), relation.members.end()}).second) continue;
      for (const FeaturePair& member : relation.members) {
        if (!leads_on(relation, member, ridges)) continue;
        leads = true;
        if (is_facet(a, b, member)) {
          seeds.insert(member);
        } else {
          needs_everything = true;
        }
      }
    }
    if (leads) continue;
    if (is_broken(relation.members)) {
      needs_everything = true;
      continue;
    }
    has_only_facets |= std::all_of(relation.members.begin(), relation.members.end(),
                                   [&](const FeaturePair& member) { return is_facet(a, b, member); });
    kept.push_back(relation);
  }
  while (!seeds.empty()) {
    const std::set<FeaturePair> cluster = cluster_of(*seeds.begin(), ridges);
    for (const FeaturePair& facet : cluster) seeds.erase(facet);
    if (is_broken(cluster)) {
      needs_everything = true;
    } else {
      has_only_facets = true;
      kept.push_back({RelationKind::kCross, {cluster.begin(), cluster.end()}});
    }
  }
  if (needs_everything || (!found.empty() && !has_only_facets)) {
    NamedRelation everything = {RelationKind::kCross, {}};
    for (const Contact& contact : separating_contacts(a, b)) {
      if (contact.gap >= -range.reach) everything.members.push_back(contact.features);
    }
    std::sort(everything.members.begin(), everything.members.end());
    kept.push_back(everything);
  }
  return kept;
}

}  // namespace isopatch::reference::polytope
