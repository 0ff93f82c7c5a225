// SPDX-License-Identifier: Apache-2.0
//
// How far apart two convex shapes are, or how deep in each other, by trying all directions that can separate them; and
// what they have in common.
#pragma once

#include <vector>

#include "host/reference/polytope/contacts.h"
#include "host/reference/polytope/convex_shape.h"

namespace isopatch::reference::polytope {

/// The contacts whose normal separates as much as their gap says: of each face of b the lowest vertex of a (of several
/// the first), of each face of a that of b, and edges whose applicability is -1e-12 or more. In the order of contacts
/// except that those of faces are ordered by face. A shape without vertices has no lowest one.
std::vector<Contact> separating_contacts(const ConvexShape& a, const ConvexShape& b);

/// The one with the largest gap; of several the first. The gap is a lower bound of the distance and, where the shapes
/// overlap, minus the shortest way out.
Contact separation(const ConvexShape& a, const ConvexShape& b);

/// The volume of the intersection or, of two polygons, its area, by the divergence theorem: its boundary is the part of
/// each boundary that lies in the other shape. At most one of the shapes is a half space.
Real overlap(const ConvexShape& a, const ConvexShape& b);

}  // namespace isopatch::reference::polytope
