// SPDX-License-Identifier: Apache-2.0
//
// All element pairs of two bodies, one by one.
#pragma once

#include <vector>

#include "host/reference/pressure_field/contact_polygon.h"
#include "host/reference/scene/posed_body.h"

namespace isopatch::reference {

/// The contact surface between a and b. At most one of them is rigid and at most one a half space.
std::vector<ContactPolygon> contact_polygons(const PosedBody& a, const PosedBody& b);

/// The integral of the smaller pressure over the overlap of a and b, J. A rigid body's pressure is infinite.
Real elastic_energy(const PosedBody& a, const PosedBody& b);

}  // namespace isopatch::reference
