// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "host/mesh/primitives/hull_polyhedron.h"

namespace isopatch::detail {

/// A hull of some of the corners of another one, and how far from it the other's surface is at most, which is the
/// Hausdorff distance of the two.
struct SimplerHull {
  Polyhedron hull;
  double distance = 0;
};

/// The hull with at most `max_faces` faces, at least 100, of the corners that stick out most.
SimplerHull simplified(const Polyhedron& hull, std::size_t max_faces);

}  // namespace isopatch::detail
