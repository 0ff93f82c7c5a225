// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isopatch/mesh.h"

namespace isopatch::detail {

/// 3 x inradius / circumradius of a positively oriented tet: 1 for a regular one, 0 for a flat one.
double tet_quality(const TetMesh& mesh, const Tet& tet);

/// Fills volume, min_quality, mean_quality and the flat tets of `report` from a mesh of positively oriented tets.
void measure_tets(const TetMesh& mesh, MeshReport& report);

}  // namespace isopatch::detail
