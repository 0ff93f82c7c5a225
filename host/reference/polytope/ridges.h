// SPDX-License-Identifier: Apache-2.0
//
// Two convex shapes that do not turn overlap where the shift of one against the other lies in a convex body, their
// Minkowski difference. Its facets are the contacts that are applicable. Where facets meet is a ridge: a corner of one
// polygon at a corner of the other or, in space, a vertex of one shape at an edge of the other.
#pragma once

#include <set>
#include <vector>

#include "host/reference/polytope/contacts.h"

namespace isopatch::reference::polytope {

struct Ridge {
  bool is_vertex_of_a = false;
  int vertex = 0, edge = 0;  // of polygons the vertex of a and that of b

  bool operator==(const Ridge&) const = default;
};

/// A ridge and the contacts around it, which can be facets.
struct RidgeContacts {
  Ridge ridge;
  std::vector<FeaturePair> all;
  std::vector<FeaturePair> facets;  // more than two if features are parallel
};

/// Those whose features are within reach of each other.
std::vector<RidgeContacts> near_ridges(const ConvexShape& a, const ConvexShape& b, Real reach);

/// Whether features face each other but for rounding.
bool is_facet(const ConvexShape& a, const ConvexShape& b, const FeaturePair& features);

/// A facet and those that are reached from it across ridges.
std::set<FeaturePair> cluster_of(const FeaturePair& facet, const std::vector<RidgeContacts>& ridges);

}  // namespace isopatch::reference::polytope
