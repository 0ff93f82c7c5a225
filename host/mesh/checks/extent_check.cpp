// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/checks/extent_check.h"

#include "host/mesh/topology/element_check.h"
#include "isopatch/limits.h"

namespace isopatch::detail {
namespace {

/// The largest extent. Throws if one is out of range.
double largest_of(const std::vector<double>& extent, const std::string& source) {
  double largest = 0;
  for (std::size_t i = 0; i < extent.size(); ++i) {
    if (!(std::isfinite(extent[i]) && extent[i] >= 0)) {
      throw Error(
          fmt::format("{}: the extent at point {} is {}; it must be finite and not negative", source, i, extent[i]));
    }
    if (!(extent[i] <= limits::kMaxExtent)) {
      throw Error(fmt::format("{}: the extent at point {} is {}; it must be at most {}", source, i, extent[i],
                              limits::kMaxExtent));
    }
    largest = std::max(largest, extent[i]);
  }
  if (largest == 0) {
    throw Error(
        fmt::format("{}: the extent is 0 at all {} points; at least one must be positive", source, extent.size()));
  }
  if (largest >= limits::kMinLargestExtent) return largest;
  throw Error(fmt::format("{}: the largest extent of all points is {}; it must be at least {}", source, largest,
                          limits::kMinLargestExtent));
}

/// The norm of the extent's gradient in a tet.
double gradient_of(const TetMesh& mesh, const Tet& tet, const std::vector<double>& extent) {
  const Point3& origin = point_at(mesh, tet[0]);
  const auto edge = [&](std::size_t i) { return point_at(mesh, tet[i]) - origin; };
  const auto rise = [&](std::size_t i) {
    return extent[static_cast<std::size_t>(tet[i])] - extent[static_cast<std::size_t>(tet[0])];
  };
  const Point3 u = edge(1), v = edge(2), w = edge(3), vw = cross(v, w);
  return norm(rise(1) * vw + rise(2) * cross(w, u) + rise(3) * cross(u, v)) / std::fabs(dot(u, vw));
}

}  // namespace

void check_extents(const TetMesh& mesh, const std::vector<double>& extent, double size, const std::string& source) {
  const double largest = largest_of(extent, source);
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const double gradient = gradient_of(mesh, mesh.tets[t], extent);
    if (gradient * size <= limits::kMaxSteepness * largest) continue;
    throw Error(
        fmt::format("{}: the extent's gradient in {} is {:.3g} per metre, in a mesh {:.3g} m large with extents "
                    "up to {:.3g}; gradient times size must be at most {} times that: the tet is too flat or "
                    "too small for its extents",
                    source, describe(t, mesh.tets[t]), gradient, size, largest, limits::kMaxSteepness));
  }
}

std::int64_t count_tets_without_extent(const TetMesh& mesh, const std::vector<double>& extent) {
  return std::count_if(mesh.tets.begin(), mesh.tets.end(), [&](const Tet& tet) {
    return std::all_of(tet.begin(), tet.end(),
                       [&](std::int32_t v) { return extent[static_cast<std::size_t>(v)] == 0; });
  });
}

}  // namespace isopatch::detail
