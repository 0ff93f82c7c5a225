// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "host/mesh/primitives/hull_polyhedron.h"
#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

/// Removes tets flatter than `flat`, six times the volume over the product of three edges, by moving a vertex of each
/// that is not on the surface onto another one: if no tet becomes flatter than the flattest around, every tet keeps a
/// vertex inside, and the distance to the hull's surface stays linear in the middle of each tet within `error`.
/// Vertices that no tet uses any more stay.
void remove_flat_tets(TetMesh& mesh, const std::vector<std::uint8_t>& on_surface, const Polyhedron& hull, double flat,
                      double error);

}  // namespace isopatch::detail
