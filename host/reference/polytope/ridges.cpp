// SPDX-License-Identifier: Apache-2.0
#include "host/reference/polytope/ridges.h"

#include <algorithm>
#include <cstddef>

#include "host/reference/polytope/feature_distances.h"

namespace isopatch::reference::polytope {
namespace {

constexpr Real kFacet = -1e-9L;  // applicability of a facet, at least

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

}  // namespace

bool is_facet(const ConvexShape& a, const ConvexShape& b, const FeaturePair& features) {
  const auto contact = find_contact(a, b, features);
  return contact && contact->applicability >= kFacet;
}

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

}  // namespace isopatch::reference::polytope
