// SPDX-License-Identifier: Apache-2.0
//
// From a closed surface to a mesh of tets that can carry a pressure field.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "host/meshing/mesher.h"
#include "isopatch/geometry/geometry.h"

namespace isopatch::detail {

/// A checked surface as meshers take it: no two points have the same coordinates, and each has a triangle.
struct MesherInput {
  TriangleMesh surface;
  double volume = 0;  // inside, m^3
};

/// Throws Error, naming `source` and the indices in `surface`, as check_and_repair(), and where the surface cuts
/// through itself, which no mesher fills.
MesherInput mesher_input(TriangleMesh surface, const std::string& source);

/// What was made, and of how many triangles: more than those of the input if edges were longer than `edge_length`.
struct Tetrahedralized {
  Geometry geometry;
  std::size_t triangles = 0;
};

/// Cuts triangles with edges that are longer than about `edge_length` [m], fills the surface, and makes a geometry
/// called `name` without tets that have all vertices on the surface. `check` is called every 50 ms, and ends the mesher
/// by throwing. Throws Error as fill_with_tets(), and for an edge length that is not finite and positive.
Tetrahedralized tetrahedralize(MesherInput input, const Mesher& mesher, std::optional<double> edge_length,
                               const std::string& name, const std::string& source, const std::function<void()>& check);

}  // namespace isopatch::detail
