// SPDX-License-Identifier: Apache-2.0
//
// What a geometry must be to be evaluated, however it was made.
#pragma once

#include <string>

#include "isopatch/geometry.h"

namespace isopatch::detail {

/// Throws Error, naming `source` and the element, unless `geometry` is as a make_ function leaves it. Linear in its
/// size, and far cheaper than the hierarchy that is built from it.
void check_geometry(const Geometry& geometry, const std::string& source);

}  // namespace isopatch::detail
