// SPDX-License-Identifier: Apache-2.0
//
// Pressure as a non-linear function of the extent.
#include <algorithm>
#include <cmath>

#include "host/mesh/math/fixed_math.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/field.h"

namespace isopatch {

using namespace detail;

namespace {

void check_table(const std::vector<std::array<double, 2>>& table) {
  if (table.size() < 2) throw_error("strain: a table of {} rows; it needs at least two", table.size());
  if (table.front() != std::array<double, 2>{0, 0} || table.back() != std::array<double, 2>{1, 1}) {
    throw_error("strain: a table from ({}, {}) to ({}, {}); it must go from (0, 0) to (1, 1)", table.front()[0],
                table.front()[1], table.back()[0], table.back()[1]);
  }
  for (std::size_t i = 1; i < table.size(); ++i) {
    if (table[i][0] > table[i - 1][0] && table[i][1] > table[i - 1][1]) continue;
    throw_error("strain: row {} of the table is ({}, {}) after ({}, {}); both columns must ascend", i, table[i][0],
                table[i][1], table[i - 1][0], table[i - 1][1]);
  }
}

using Row = std::array<double, 2>;

// Where a table ends: below, it is one line from 0.
constexpr double kMinStiffening = 0.2;  // of the tolerance
constexpr double kMinRise = 1e-7;
// A level closer to the surface would leave slivers of its distance squared along a mesh's edges, which rounding
// flattens.
constexpr double kMinLevel = 0x1p-13;

constexpr double kMinPower = 0.01, kLargestPower = 100, kLargestCompression = 0.999999;

/// The rows of a map that is convex or concave. They lie as far on one side of f as the lines between them may go to
/// the other: below a convex f.
class TableOfMap {
 public:
  explicit TableOfMap(const StrainMap& map)
      : map_(map), convex_(map.kind == StrainMap::Kind::kTrue || map.parameter > 1) {}

  std::vector<Row> rows() const {
    std::vector<Row> result = {{1, 1}};
    while (!is_last(result.back())) result.push_back(row_below(result.back()));
    result.push_back({0, 0});
    std::reverse(result.begin(), result.end());
    return result;
  }

 private:
  /// How far a value is on the side to which lines between rows go, relative to f.
  double excess(double extent, double value) const {
    const double relative = value / mapped_extent(map_, extent) - 1;
    return convex_ ? relative : -relative;
  }

  Row row_at(double extent) const {
    const double f = mapped_extent(map_, extent);
    if (convex_) return {extent, (1 - map_.tolerance) * f};
    return {extent, std::min((1 + map_.tolerance) * f, 0.5 * (1 + f))};  // below the last row, which is (1, 1)
  }

  /// Whether the table can end with a line from 0 to this row.
  bool is_last(const Row& row) const {
    const auto& [e, f] = row;
    if (e <= kMinLevel) return true;
    constexpr double kClose = 0x1p-20;  // to 0, where the line is farthest from f
    if (excess(kClose * e, kClose * f) <= map_.tolerance) return true;
    if (map_.kind == StrainMap::Kind::kTrue || !convex_) return false;
    return e <= kMinStiffening * map_.tolerance || f <= kMinRise;
  }

  /// Whether the line between two rows is within the tolerance; its excess has one maximum.
  bool fits(const Row& from, const Row& to) const {
    const double slope = (to[1] - from[1]) / (to[0] - from[0]);
    const auto excess_at = [&](double e) { return excess(e, from[1] + slope * (e - from[0])); };
    double low = from[0], high = to[0];
    for (int i = 0; i < 24; ++i) {
      const double third = (high - low) / 3;
      const double a = low + third, b = high - third;
      if (excess_at(a) < excess_at(b)) {
        low = a;
      } else {
        high = b;
      }
    }
    return excess_at(0.5 * (low + high)) <= map_.tolerance;
  }

  /// The lowest row whose line to `row`, which is above the lowest level, fits.
  Row row_below(const Row& row) const {
    if (fits(row_at(kMinLevel), row)) return row_at(kMinLevel);
    double low = kMinLevel, high = row[0];
    for (int i = 0; i < 30; ++i) {
      const double middle = 0.5 * (low + high);
      (fits(row_at(middle), row) ? high : low) = middle;
    }
    return row_at(high);
  }

  const StrainMap& map_;
  bool convex_;
};

}  // namespace

double interpolated(const std::vector<std::array<double, 2>>& rows, double extent) {
  const auto above = std::find_if(rows.begin() + 1, rows.end() - 1, [&](const auto& row) { return row[0] >= extent; });
  const auto& [e0, f0] = *(above - 1);
  const auto& [e1, f1] = *above;
  return f0 + (extent - e0) / (e1 - e0) * (f1 - f0);
}

std::vector<std::array<double, 2>> strain_table(const StrainMap& map) {
  const StandardArithmetic standard;
  check_strain_map(map);
  if (map.kind == StrainMap::Kind::kTable) return map.table;
  if (map.kind == StrainMap::Kind::kLinear || (map.kind == StrainMap::Kind::kPower && map.parameter == 1)) {
    return {{0, 0}, {1, 1}};
  }
  return TableOfMap(map).rows();
}

void check_strain_map(const StrainMap& map) {
  const StandardArithmetic standard;
  const double x = map.parameter;
  if (map.kind == StrainMap::Kind::kTrue && !(x > 0 && x <= kLargestCompression)) {
    throw_error("strain: a true strain map compressed by {}; it must be above 0 and at most {}", x,
                kLargestCompression);
  }
  if (map.kind == StrainMap::Kind::kPower && !(x >= kMinPower && x <= kLargestPower)) {
    throw_error("strain: power {}; it must lie in [{}, {}]", x, kMinPower, kLargestPower);
  }
  if (map.kind == StrainMap::Kind::kTable) check_table(map.table);
  if (!(map.tolerance >= 1e-4 && map.tolerance <= 0.1)) {
    throw_error("strain: a tolerance of {}; it must lie in [0.0001, 0.1]", map.tolerance);
  }
  if (static_cast<int>(map.kind) > static_cast<int>(StrainMap::Kind::kTable)) {
    throw_error("strain: kind {}; it must be one of StrainMap::Kind", static_cast<int>(map.kind));
  }
}

double mapped_extent(const StrainMap& map, double extent) {
  const StandardArithmetic standard;
  if (map.kind != StrainMap::Kind::kTable || map.table.size() < 2) check_strain_map(map);
  if (std::isnan(extent)) throw Error("strain: the extent is NaN; it must be a number");
  // exact at both ends, in spite of rounding
  if (extent <= 0) return 0;
  if (extent >= 1) return 1;
  if (map.kind == StrainMap::Kind::kTrue) return fixed_log1p(-map.parameter * extent) / fixed_log1p(-map.parameter);
  if (map.kind == StrainMap::Kind::kPower) return fixed_pow(extent, map.parameter);
  return map.kind == StrainMap::Kind::kTable ? interpolated(map.table, extent) : extent;
}

}  // namespace isopatch
