// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

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

}  // namespace isopatch::detail
