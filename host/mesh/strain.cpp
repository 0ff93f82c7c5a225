// SPDX-License-Identifier: Apache-2.0
//
// A pressure that is not linear in the extent, as one that is linear in each tet.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "host/mesh/checks/geometry_check.h"
#include "host/mesh/primitives/tet_counts.h"
#include "host/mesh/topology/cuts.h"
#include "host/mesh/topology/element_check.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/geometry.h"

namespace isopatch {

using namespace detail;

namespace {

using Rows = std::vector<std::array<double, 2>>;

/// "strain: power 0.01"
std::string name_of(const StrainMap& map) {
  if (map.kind == StrainMap::Kind::kPower) return fmt::format("strain: power {}", map.parameter);
  if (map.kind == StrainMap::Kind::kTrue) return fmt::format("strain: true {}", map.parameter);
  return fmt::format("strain: a table of {} rows", map.table.size());
}

void apply_to_mesh(Geometry& geometry, const StrainMap& map, const Rows& rows) {
  const double most = *std::max_element(geometry.extent.begin(), geometry.extent.end());
  if (most > 1) throw_error("{}: the extents go up to {}; a strain map needs them in [0, 1]", geometry.name, most);
  std::vector<double> levels;
  for (const auto& [e, f] : rows) levels.push_back(e);
  const std::string source = geometry.name + ": " + name_of(map);
  const std::vector<std::size_t> level_of_new = cut_at_levels(geometry.mesh, geometry.extent, levels, source);
  for (double& extent : geometry.extent) extent = interpolated(rows, extent);
  for (const std::size_t level : level_of_new) geometry.extent.push_back(rows[level][1]);
  check_extents(geometry.mesh, geometry.extent, check_size(geometry.mesh.points, geometry.mesh.tets, source), source);
  measure_again(geometry);
}

}  // namespace

std::int64_t detail::least_tets_with_strain(const Geometry& geometry, const StrainMap& map) {
  const StandardArithmetic standard;
  const Rows rows = strain_table(map);
  std::int64_t count = 0;
  for (const Tet& tet : geometry.mesh.tets) {
    double low = geometry.extent[static_cast<std::size_t>(tet[0])], high = low;
    for (const std::int32_t vertex : tet) {
      low = std::min(low, geometry.extent[static_cast<std::size_t>(vertex)]);
      high = std::max(high, geometry.extent[static_cast<std::size_t>(vertex)]);
    }
    const auto first =
        std::upper_bound(rows.begin(), rows.end(), low, [](double extent, const auto& row) { return extent < row[0]; });
    const auto last = std::lower_bound(rows.begin(), rows.end(), high,
                                       [](const auto& row, double extent) { return row[0] < extent; });
    // a prism between two levels is three tets, and one is left at either end; levels close to a vertex may be on it
    count += 1 + 3 * std::max<std::int64_t>(last - first - 2, 0);
  }
  return count;
}

Geometry with_strain(Geometry geometry, const StrainMap& map) {
  const StandardArithmetic standard;
  Rows rows;
  try {
    rows = strain_table(map);
  } catch (const Error& error) {
    throw_error("{}: {}", geometry.name, error.what());
  }
  if (rows.size() == 2) return geometry;
  if (geometry.kind == GeometryKind::kHalfSpace) {
    if (!geometry.strain.empty()) throw Error(geometry.name + ": has a strain map already");
    geometry.strain = std::move(rows);
    check_geometry(geometry, geometry.name);
    return geometry;
  }
  if (geometry.mesh.tets.empty()) {
    throw Error(geometry.name + ": only a geometry with a pressure field can have a strain map");
  }
  apply_to_mesh(geometry, map, rows);
  geometry.strained = true;
  return geometry;
}

}  // namespace isopatch
