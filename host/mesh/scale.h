// SPDX-License-Identifier: Apache-2.0
//
// Scale factors along x, y and z, points to which they are applied, and lengths that suggest some.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isopatch/geometry/geometry.h"
#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

/// Throws Error for a factor that is 0 or not finite.
void check_factors(const Point3& factors);

/// Multiplies coordinates; factors as for check_factors().
void scale_points(std::vector<Point3>& points, const Point3& factors);

/// What suggests that a file is in other units than metres.
struct UnitsDoubt {
  std::string question;  // "spoon.obj is 97 m long. In millimetres?"
  std::string remedy;    // keys of a geometry in a scene: "units": "mm"
};

/// Nothing for a likely length [m] of the longest side of a file's box.
std::optional<UnitsDoubt> doubt_of_units(const std::string& file, double length);

/// The longest side of the box around the points that elements use, m.
double longest_side(const Geometry& geometry);
double longest_side(const TriangleMesh& mesh);

}  // namespace isopatch::detail
