// SPDX-License-Identifier: Apache-2.0
//
// Convex hulls in any dimension, by Qhull.
#pragma once

#include <cstdint>
#include <vector>

namespace isopatch::detail {

/// A facet of a hull: the points with normal . x = offset; the hull lies below.
struct HullFacet {
  std::vector<double> normal;  // unit, outward
  double offset = 0;
  std::vector<std::int32_t> vertices;  // the points at its corners, in no particular order; coplanar ones are one facet
};

/// The facets of the convex hull of `coordinates.size() / dimension` points. Empty if the points are too few or all
/// in one hyperplane; throws Error if Qhull fails otherwise.
std::vector<HullFacet> convex_hull(std::vector<double> coordinates, int dimension);

}  // namespace isopatch::detail
