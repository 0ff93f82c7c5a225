// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "isopatch/geometry.h"
#include "tests/mesh/fields/layered_ball.h"
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
  EXPECT_TRUE(contains(message(map_of(Kind::kTrue, 1)), "must lie between 0 and 1"));
  EXPECT_TRUE(contains(message(map_of(Kind::kTrue, std::nan(""))), "must lie between 0 and 1"));
  EXPECT_TRUE(contains(message(map_of(Kind::kPower, 0)), "power 0; it must be finite and positive"));
  EXPECT_TRUE(contains(message(map_of(Kind::kTable, 0, {{0, 0}})), "a table of 1 rows"));
  EXPECT_TRUE(contains(message(map_of(Kind::kTable, 0, {{0, 0}, {1, 2}})), "it must go from (0, 0) to (1, 1)"));
  EXPECT_TRUE(contains(message(map_of(Kind::kTable, 0, {{0, 0}, {0.5, 0.5}, {0.5, 0.6}, {1, 1}})), "row 2"));
}

FieldOptions with_power(double power) {
  FieldOptions options;
  options.strain = map_of(StrainMap::Kind::kPower, power);
  return options;
}

TEST(StrainMap, IsAppliedAtTheVertices) {
  const TetMesh mesh = testing::layered_ball(2, 6, 0.2);
  const Geometry linear = make_tet_mesh("ball", mesh);
  const Geometry squared = make_tet_mesh("ball", mesh, with_power(2));
  EXPECT_TRUE(squared.warnings.empty());
  for (std::size_t i = 0; i < linear.extent.size(); ++i)
    EXPECT_DOUBLE_EQ(squared.extent[i], linear.extent[i] * linear.extent[i]);
}

TEST(StrainMap, WarnsWhereTheLayersAreTooFew) {
  const Geometry one = make_tet_mesh("ball", make_sphere_mesh(1, 2), with_power(2));
  ASSERT_EQ(one.warnings.size(), 1U);
  EXPECT_TRUE(contains(one.warnings[0], "ball: the mesh has 1 layers of tets")) << one.warnings[0];
  const Geometry two = make_tet_mesh("ball", testing::layered_ball(1, 1, 0.5), with_power(2));
  ASSERT_EQ(two.warnings.size(), 1U);
  EXPECT_TRUE(make_tet_mesh("ball", testing::layered_ball(1, 2, 0.5), with_power(2)).warnings.empty());
}

TEST(StrainMap, IsNotForPointData) {
  TetMesh mesh = make_sphere_mesh(1, 1);
  mesh.point_data["extent"] = make_sphere("ball", 1, 1).extent;
  FieldOptions options = with_power(2);
  options.kind = FieldOptions::Kind::kPointData;
  EXPECT_TRUE(contains(error_of([&] { make_tet_mesh("ball", mesh, options); }), "ball: a strain map with point data"));
}

}  // namespace
}  // namespace isopatch
