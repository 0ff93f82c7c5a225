// SPDX-License-Identifier: Apache-2.0
//
// Pressure as a non-linear function of the extent.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/mesh/fixed_math.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/error.h"
#include "isopatch/field.h"

namespace isopatch {

using namespace detail;

namespace {

void check_table(const std::vector<std::array<double, 2>>& table) {
  if (table.size() < 2) throw Error(fmt::format("strain: a table of {} rows; it needs at least two", table.size()));
  if (table.front() != std::array<double, 2>{0, 0} || table.back() != std::array<double, 2>{1, 1}) {
    throw Error(fmt::format("strain: a table from ({}, {}) to ({}, {}); it must go from (0, 0) to (1, 1)",
                            table.front()[0], table.front()[1], table.back()[0], table.back()[1]));
  }
  for (std::size_t i = 1; i < table.size(); ++i) {
    if (table[i][0] > table[i - 1][0] && table[i][1] > table[i - 1][1]) continue;
    throw Error(fmt::format("strain: row {} of the table is ({}, {}) after ({}, {}); both columns must ascend", i,
                            table[i][0], table[i][1], table[i - 1][0], table[i - 1][1]));
  }
}

double interpolated(const std::vector<std::array<double, 2>>& table, double extent) {
  const auto above =
      std::find_if(table.begin() + 1, table.end() - 1, [&](const auto& row) { return row[0] >= extent; });
  const auto& [e0, f0] = *(above - 1);
  const auto& [e1, f1] = *above;
  return f0 + (extent - e0) / (e1 - e0) * (f1 - f0);
}

}  // namespace

void check_strain_map(const StrainMap& map) {
  const StandardArithmetic standard;
  const double x = map.parameter;
  if (map.kind == StrainMap::Kind::kTrue && !(x > 0 && x < 1)) {
    throw Error(fmt::format("strain: a true strain map compressed by {}; it must lie between 0 and 1", x));
  }
  if (map.kind == StrainMap::Kind::kPower && !(x > 0 && std::isfinite(x))) {
    throw Error(fmt::format("strain: power {}; it must be finite and positive", x));
  }
  if (map.kind == StrainMap::Kind::kTable) check_table(map.table);
  if (static_cast<int>(map.kind) > static_cast<int>(StrainMap::Kind::kTable)) {
    throw Error(fmt::format("strain: kind {}; it must be one of StrainMap::Kind", static_cast<int>(map.kind)));
  }
}

double mapped_extent(const StrainMap& map, double extent) {
  const StandardArithmetic standard;
  if (map.kind != StrainMap::Kind::kTable || map.table.size() < 2) check_strain_map(map);
  if (std::isnan(extent)) throw Error("strain: the extent is NaN; it must be a number");
  // exact at both ends, in spite of rounding
  if (extent <= 0) return 0;
  if (extent >= 1) return 1;
  switch (map.kind) {
    case StrainMap::Kind::kTrue:
      return fixed_log1p(-map.parameter * extent) / fixed_log1p(-map.parameter);
    case StrainMap::Kind::kPower:
      return fixed_pow(extent, map.parameter);
    case StrainMap::Kind::kTable:
      return interpolated(map.table, extent);
    case StrainMap::Kind::kLinear:
      break;
  }
  return extent;
}

}  // namespace isopatch
