// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "isopatch/geometry/geometry.h"
#include "tests/mesh/mesh_fixtures.h"

namespace isopatch {
namespace {

using testing::contains;
using testing::error_of;

StrainMap map_of(StrainMap::Kind kind, double parameter, std::vector<std::array<double, 2>> table = {}) {
  StrainMap map;
  map.kind = kind;
  map.parameter = parameter;
  map.table = std::move(table);
  return map;
}

TEST(StrainMap, HasItsFormula) {
  using Kind = StrainMap::Kind;
  EXPECT_EQ(mapped_extent({}, 0.3), 0.3);
  EXPECT_DOUBLE_EQ(mapped_extent(map_of(Kind::kPower, 2), 0.3), 0.09);
  EXPECT_DOUBLE_EQ(mapped_extent(map_of(Kind::kTrue, 0.75), 0.5), std::log(0.625) / std::log(0.25));
  const StrainMap table = map_of(Kind::kTable, 0, {{0, 0}, {0.5, 0.1}, {0.75, 0.2}, {1, 1}});
  check_strain_map(table);
  EXPECT_DOUBLE_EQ(mapped_extent(table, 0.25), 0.05);
  EXPECT_DOUBLE_EQ(mapped_extent(table, 0.5), 0.1);
  EXPECT_DOUBLE_EQ(mapped_extent(table, 0.875), 0.6);
}

TEST(StrainMap, AscendsFromZeroToOne) {
  using Kind = StrainMap::Kind;
  for (const StrainMap& map :
       {StrainMap{}, map_of(Kind::kPower, 0.5), map_of(Kind::kPower, 3), map_of(Kind::kTrue, 1e-9),
        map_of(Kind::kTrue, 0.999), map_of(Kind::kTable, 0, {{0, 0}, {0.1, 0.9}, {1, 1}})}) {
    EXPECT_EQ(mapped_extent(map, 0), 0);
    EXPECT_EQ(mapped_extent(map, 1), 1);
    double last = 0;
    for (int i = 1; i <= 1000; ++i) {
      const double now = mapped_extent(map, i / 1000.);
      EXPECT_GT(now, last) << i;
      EXPECT_LE(now, 1) << i;
      last = now;
    }
  }
}

TEST(StrainMap, RefusesWhatIsNoMap) {
  using Kind = StrainMap::Kind;
  const auto message = [](const StrainMap& map) { return error_of([&] { check_strain_map(map); }); };
  for (const double s : {0.0, 0.9999999, 1.0, std::nan("")}) {
    EXPECT_TRUE(contains(message(map_of(Kind::kTrue, s)), "it must be above 0 and at most 0.999999")) << s;
  }
  for (const double n : {0.0, 0.0099, 101.0, static_cast<double>(INFINITY)}) {
    EXPECT_TRUE(contains(message(map_of(Kind::kPower, n)), "it must lie in [0.01, 100]")) << n;
  }
  EXPECT_TRUE(contains(message(map_of(Kind::kTable, 0, {{0, 0}})), "a table of 1 rows"));
  EXPECT_TRUE(contains(message({Kind::kPower, 2, {}, 0}), "a tolerance of 0; it must lie in [0.0001, 0.1]"));
  EXPECT_TRUE(contains(message(map_of(Kind::kTable, 0, {{0, 0}, {1, 2}})), "it must go from (0, 0) to (1, 1)"));
  EXPECT_TRUE(contains(message(map_of(Kind::kTable, 0, {{0, 0}, {0.5, 0.5}, {0.5, 0.6}, {1, 1}})), "row 2"));
}

/// The largest error of the table relative to the map, from an extent on; as many samples in each decade.
double largest_error(const StrainMap& map, double from) {
  const auto rows = strain_table(map);
  double largest = 0;
  for (int i = 0; i <= 10'000; ++i) {
    const double e = std::pow(from, 1 - i / 10'000.0);
    largest = std::max(largest, std::fabs(interpolated(rows, e) / mapped_extent(map, e) - 1));
  }
  return largest;
}

TEST(StrainMap, HasATableWithinItsTolerance) {
  using Kind = StrainMap::Kind;
  for (const auto& [kind, parameter] : {std::pair{Kind::kPower, 2.0},
                                        {Kind::kPower, 3.0},
                                        {Kind::kPower, 1.2},
                                        {Kind::kPower, 0.5},
                                        {Kind::kPower, 0.7},
                                        {Kind::kPower, 0.9},
                                        {Kind::kPower, 0.98},
                                        {Kind::kPower, 8.0},
                                        {Kind::kTrue, 0.3},
                                        {Kind::kTrue, 0.9},
                                        {Kind::kTrue, 0.999}}) {
    StrainMap map = map_of(kind, parameter);
    std::size_t rows = 0;
    for (const double tolerance : {0.02, 0.005, 0.00125}) {
      map.tolerance = tolerance;
      double from = kind == Kind::kTrue ? 1e-6 : 0x1p-13;
      if (kind == Kind::kPower && parameter > 1) from = std::max(0.2 * tolerance, std::pow(1e-7, 1 / parameter));
      const double error = largest_error(map, from);
      EXPECT_LE(error, 1.001 * tolerance) << parameter;
      EXPECT_GE(error, 0.5 * tolerance) << parameter;
      const std::size_t more = strain_table(map).size() - 1;
      if (rows > 0) {
        EXPECT_LE(more, 2.6 * static_cast<double>(rows) + 1) << parameter;
      }
      rows = more;
    }
    EXPECT_EQ(strain_table(map).front(), (std::array<double, 2>{0, 0}));
    EXPECT_EQ(strain_table(map).back(), (std::array<double, 2>{1, 1}));
    map.table = strain_table(map);
    map.kind = Kind::kTable;
    check_strain_map(map);  // it ascends
  }
  EXPECT_EQ(strain_table({}).size(), 2U);
  EXPECT_EQ(strain_table(map_of(Kind::kPower, 1)).size(), 2U);
  EXPECT_EQ(strain_table(map_of(Kind::kPower, 2)).size(), 37U);
}

TEST(StrainMap, HasATableThatAscendsUpToItsLimits) {
  using Kind = StrainMap::Kind;
  for (StrainMap map : {map_of(Kind::kPower, 0.01), map_of(Kind::kPower, 0.05), map_of(Kind::kPower, 100),
                        map_of(Kind::kTrue, 1e-12), map_of(Kind::kTrue, 0.999999)}) {
    for (const double tolerance : {1e-4, 0.1}) {
      map.tolerance = tolerance;
      const std::vector<std::array<double, 2>> rows = strain_table(map);
      check_strain_map(map_of(Kind::kTable, 0, rows));
      EXPECT_LT(rows.size(), 2000U);
      with_strain(make_half_space("ground", 0.1), map);
    }
  }
}

// The heights of layers are rounded with those of the half space.
TEST(StrainMap, LeavesNoLayerOfAHalfSpaceTooThin) {
  const auto message = [](double thickness, const std::vector<std::array<double, 2>>& table) {
    return error_of(
        [&] { with_strain(make_half_space("ground", thickness), map_of(StrainMap::Kind::kTable, 0, table)); });
  };
  const std::string least = "a half space needs at least 5e-10 and 1e-12 m";
  EXPECT_EQ(message(1, {{0, 0}, {1e-16, 0.5}, {1, 1}}),
            "ground: strain: the layer between rows 0 and 1 has 1e-16 of the extent and is 1e-16 m thick; " + least);
  EXPECT_TRUE(contains(message(1, {{0, 0}, {0.25, 0.3}, {0.25 + 0x1p-40, 0.7}, {1, 1}}), "between rows 1 and 2 has"));
  EXPECT_TRUE(contains(message(1e-6, {{0, 0}, {1e-7, 0.5}, {1, 1}}), " m thick; " + least));
  EXPECT_EQ(with_strain(make_half_space("ground", 1), map_of(StrainMap::Kind::kTable, 0, {{0, 0}, {1e-8, 0.5}, {1, 1}}))
                .strain.size(),
            3U);
}

TEST(StrainMap, AppliesToPointData) {
  TetMesh mesh = make_sphere_mesh(1, 1);
  mesh.point_data["extent"] = make_sphere("ball", 1, 1).extent;
  FieldOptions options;
  options.strain = map_of(StrainMap::Kind::kPower, 2);
  options.kind = FieldOptions::Kind::kPointData;
  const Geometry ball = make_tet_mesh("ball", mesh, options);
  EXPECT_EQ(ball.extent, with_strain(make_sphere("ball", 1, 1), options.strain).extent);
  for (double& e : mesh.point_data["extent"]) e *= 1.5;
  EXPECT_TRUE(contains(error_of([&] { make_tet_mesh("ball", mesh, options); }),
                       "ball: the extents go up to 1.5; a strain map needs them in [0, 1]"));
}

}  // namespace
}  // namespace isopatch
