// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isopatch/geometry/geometry.h"

namespace isopatch::detail {

/// with_strain() leaves at least so many tets, which is known before any is cut. Throws Error as strain_table().
std::int64_t least_tets_with_strain(const Geometry& geometry, const StrainMap& map);

}  // namespace isopatch::detail
