// SPDX-License-Identifier: Apache-2.0
//
// Meshes of polyhedra on which the distance to the surface is linear in each tet.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/mesh/primitives/hull_polyhedron.h"
#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

/// A mesh of a polyhedron of size 1 on which the distance to its surface is linear in each tet. None if the polyhedron
/// is too near to one with more symmetries.
std::optional<TetMesh> exact_medial_mesh(const Polyhedron& hull);

/// The same to a thousandth of the distance in the middle, of a merged polyhedron whose faces need not be quite plane.
/// None, which is rare, if tets remain that are nearly flat.
std::optional<TetMesh> medial_mesh(const Polyhedron& hull);

/// The smallest volume of the tets, six times and over the product of three edges; not above 1.
double flattest_tet(const TetMesh& mesh, std::size_t first = 0);

/// Removes tets flatter than `flat`, six times the volume over the product of three edges, by moving a vertex of each
/// that is not on the surface onto another one: if no tet becomes flatter than the flattest around, every tet keeps a
/// vertex inside, and the distance to the hull's surface stays linear in the middle of each tet within `error`.
/// Vertices that no tet uses any more stay.
void remove_flat_tets(TetMesh& mesh, const std::vector<std::uint8_t>& on_surface, const Polyhedron& hull, double flat,
                      double error);

}  // namespace isopatch::detail
