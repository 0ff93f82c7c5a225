// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isopatch/geometry/geometry.h"

namespace isopatch::detail {

/// Fills volume, min_quality, mean_quality and the flat tets of `report` from a mesh of positively oriented tets.
void measure_tets(const TetMesh& mesh, MeshReport& report);

/// The surface of a geometry whose tets were cut, and those numbers of its report that change with it.
void measure_again(Geometry& geometry);

}  // namespace isopatch::detail
