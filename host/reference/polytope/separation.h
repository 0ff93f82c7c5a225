// SPDX-License-Identifier: Apache-2.0
//
// How far apart two convex shapes are, or how deep in each other, by trying all directions that can separate them.
#pragma once

#include <vector>

#include "host/reference/polytope/contacts.h"

namespace isopatch::reference::polytope {

/// The contacts whose normal separates as much as their gap says: of each face of b the lowest vertex of a (of several
/// the first), of each face of a that of b, and edges whose applicability is -1e-12 or more. In the order of contacts
/// except that those of faces are ordered by face. A shape without vertices has no lowest one.
std::vector<Contact> separating_contacts(const ConvexShape& a, const ConvexShape& b);

/// The one with the largest gap; of several the first. The gap is a lower bound of the distance and, where the shapes
/// overlap, minus the shortest way out.
Contact separation(const ConvexShape& a, const ConvexShape& b);

}  // namespace isopatch::reference::polytope
