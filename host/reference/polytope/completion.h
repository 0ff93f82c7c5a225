// SPDX-License-Identifier: Apache-2.0
//
// What makes relations exact where features are shorter than the reach.
#pragma once

#include <vector>

#include "host/reference/polytope/relations.h"
#include "host/reference/polytope/ridges.h"

namespace isopatch::reference::polytope {

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
