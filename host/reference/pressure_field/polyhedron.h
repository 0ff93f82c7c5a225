// SPDX-License-Identifier: Apache-2.0
//
// Convex polyhedra as lists of tets: cutting by planes and integrating affine functions, exactly.
#pragma once

#include <vector>

#include "host/reference/scene/vector.h"

namespace isopatch::reference {

using TetVertices = std::array<Vector3, 4>;
using TetList = std::vector<TetVertices>;  // disjoint, of either orientation

/// The part where a function is positive, and the rest. Together they are everything that was cut, however many
/// vertices lie on the plane where the function is zero: a tet with all vertices there belongs to the rest.
struct Parts {
  TetList positive, others;
};
Parts cut(const TetList& tets, const Affine& function);

/// The part of `tets` where the function is positive.
TetList positive_part(const TetList& tets, const Affine& function);

/// The intersection with a tet.
TetList intersection(const TetList& tets, const TetVertices& tet);

Real integral(const TetList& tets, const Affine& function);

/// The integral of the smaller of two functions.
Real integral_of_minimum(const TetList& tets, const Affine& f, const Affine& g);

}  // namespace isopatch::reference
