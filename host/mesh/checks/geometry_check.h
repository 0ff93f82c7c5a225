// SPDX-License-Identifier: Apache-2.0
//
// The check of a geometry before it is evaluated, however it was made.
#pragma once

#include <string>

#include "isopatch/geometry/geometry.h"

namespace isopatch::detail {

/// Throws Error, naming `source` and the element, unless `geometry` is as a make_ function leaves it. Takes linear
/// time, far less than making its hierarchy.
void check_geometry(const Geometry& geometry, const std::string& source);

}  // namespace isopatch::detail
