// SPDX-License-Identifier: Apache-2.0
//
// How many tets meshes will have.
#pragma once

#include <cstdint>

#include "isopatch/geometry/geometry.h"
#include "isopatch/geometry/screw_thread.h"

namespace isopatch::detail {

/// Exactly, for valid arguments; an ellipsoid has as many as a sphere.
std::int64_t sphere_tets(int subdivisions);
std::int64_t capsule_tets(int segments);

/// At most.
std::int64_t cylinder_tets(int segments);
std::int64_t bolt_tets(const Bolt& bolt);
std::int64_t nut_tets(const Nut& nut);

/// with_strain() leaves at least so many tets, which is known before any is cut. Throws Error as strain_table().
std::int64_t least_tets_with_strain(const Geometry& geometry, const StrainMap& map);

}  // namespace isopatch::detail
