// SPDX-License-Identifier: Apache-2.0
//
// What two parts have in common, in extended precision: the intersections of their tets, each with its integrals about
// its own middle, added up.
#pragma once

#include "host/reference/force_law/force_law.h"
#include "host/reference/scene/environment.h"

namespace isopatch::reference {

struct MeshOverlap {
  OverlapIntegrals integrals;
  Real surface = 0;  // of what is in common, m^2
  Real size = 0;     // of both parts, m
};

/// `X_A` and `X_B` are the poses of the parts' geometries.
MeshOverlap mesh_overlap(const PartState& a, const Transform& X_A, const PartState& b, const Transform& X_B);

}  // namespace isopatch::reference
