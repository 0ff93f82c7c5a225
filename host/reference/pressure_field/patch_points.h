// SPDX-License-Identifier: Apache-2.0
//
// A patch as four points for each cluster of normals, with the formulas of INTERFACE.md.
#pragma once

#include <vector>

#include "host/reference/contact/pair_result.h"
#include "host/reference/pressure_field/contact_polygon.h"

namespace isopatch::reference {

PatchContacts patch_contacts(const std::vector<const ContactPolygon*>& polygons, int max_clusters);

}  // namespace isopatch::reference
