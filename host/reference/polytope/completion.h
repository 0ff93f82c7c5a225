// SPDX-License-Identifier: Apache-2.0
//
// What makes relations exact where features are shorter than the reach.
//
// Two convex shapes that do not turn overlap where the shift of one against the other lies in a convex body, their
// Minkowski difference. Its facets are the contacts that are applicable. Where facets meet is a ridge: a corner of one
// polygon at a corner of the other or, in space, a vertex of one shape at an edge of the other.
#pragma once

#include <vector>

#include "host/reference/polytope/contacts.h"
#include "host/reference/polytope/relations.h"

namespace isopatch::reference::polytope {

struct Ridge {
  bool is_vertex_of_a = false;
  int vertex = 0, edge = 0;  // of polygons the vertex of a and the vertex of b

  bool operator==(const Ridge&) const = default;
};

/// Whether features face each other but for rounding.
bool is_facet(const ConvexShape& a, const ConvexShape& b, const FeaturePair& features);

/// A relation whose members are not numbered yet.
struct NamedRelation {
  RelationKind kind = RelationKind::kUnilateral;
  std::vector<FeaturePair> members;
  std::vector<Ridge> about = {};  // the ridges whose facets it means to have
};

/// The relations of vertices, corners and edges, without those that do not do: equal ones, those that lead on to
/// contacts which they lack, and broken ones; with others in their place.
std::vector<NamedRelation> completed(const ConvexShape& a, const ConvexShape& b, const RelationRange& range,
                                     const std::vector<NamedRelation>& found);

}  // namespace isopatch::reference::polytope
