// SPDX-License-Identifier: Apache-2.0
//
// A member of a crossed relation leads on where it has a ridge within reach that the relation is not about: features
// are short there, and the shapes may be apart by what the relation does not have. Relations that lead on, or do not
// hold, give way to others that have everything.
#include "host/reference/polytope/completion.h"

#include <algorithm>
#include <cstddef>
#include <set>

#include "host/reference/polytope/feature_distances.h"
#include "host/reference/polytope/separation.h"

namespace isopatch::reference::polytope {
namespace {

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
