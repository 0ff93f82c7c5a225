// SPDX-License-Identifier: Apache-2.0
//
// The fluxes of cells are those of fields with the divergences that the energy needs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "host/hierarchy/hierarchy.h"
#include "isopatch/isopatch.h"

namespace isopatch::detail {
namespace {

constexpr double kRounding = 1e-12;  // of the integral over a body

struct Built {
  Hierarchy hierarchy;
  CellFluxes fluxes;
};

Built built(const Geometry& geometry) {
  Built result = {build_hierarchy(tet_cells(geometry)), {}};
  result.fluxes = cell_fluxes(geometry, result.hierarchy);
  return result;
}

double extent_of(const Cell& cell) {
  double sum = 0;
  for (const Cell::Corner& corner : cell.corner) sum += corner.extent;
  return sum / 4;
}

std::vector<Geometry> shapes() {
  return {make_sphere("ball", 0.05, 2), make_box("box", {0.1, 0.2, 0.3}), make_cylinder("cylinder", 0.05, 0.2, 12),
          make_capsule("capsule", 0.05, 0.1, 8)};
}

TEST(CellFluxes, AddUpToTheIntegralOfTheExtentInEachTetButTheSinks) {
  for (const Geometry& shape : shapes()) {
    const Built body = built(shape);
    const std::vector<Cell>& cells = body.hierarchy.cells;
    ASSERT_EQ(body.fluxes.fluxes.size(), cells.size()) << shape.name;
    double total = 0;
    for (const Cell& cell : cells) total += extent_of(cell) * volume_of(cell);
    std::vector<double> expected(cells.size()), expected_check(cells.size(), 0);
    for (std::size_t t = 0; t < cells.size(); ++t) expected[t] = extent_of(cells[t]) * volume_of(cells[t]);
    double ends = 0, ends_check = 0;
    for (const FluxSink& sink : body.fluxes.sinks) {
      const auto at = static_cast<std::size_t>(sink.cell);
      EXPECT_EQ(body.hierarchy.nodes[static_cast<std::size_t>(sink.node)].cell(), sink.cell);
      const double integral = extent_of(cells[at]) * volume_of(cells[at]);
      expected[at] -= sink.rate * integral;
      expected_check[at] -= sink.check * integral;
      ends += sink.rate * integral;
      ends_check += sink.check * integral;
    }
    EXPECT_NEAR(ends, total, kRounding * total);
    EXPECT_NEAR(ends_check, 0, kRounding * total);
    for (std::size_t t = 0; t < cells.size(); ++t) {
      double sum = 0, sum_check = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        const double on_face = 4 * extent_of(cells[t]) - cells[t].corner[i].extent;
        sum += on_face * body.fluxes.fluxes[t].outward[i];
        sum_check += on_face * body.fluxes.fluxes[t].check[i];
      }
      ASSERT_NEAR(sum, expected[t], kRounding * total) << shape.name << ", tet " << t;
      ASSERT_NEAR(sum_check, expected_check[t], kRounding * total) << shape.name << ", tet " << t;
    }
  }
}

TEST(CellFluxes, AreOppositeOnBothSidesOfAFaceAndNoneAtTheSurface) {
  for (const Geometry& shape : shapes()) {
    const Built body = built(shape);
    std::map<std::array<std::int32_t, 3>, std::vector<std::array<double, 2>>> faces;
    for (std::size_t t = 0; t < body.hierarchy.cells.size(); ++t) {
      const Tet corners = vertices_of(body.hierarchy.cells[t], shape.mesh.tets[t], shape.mesh.points);
      for (std::size_t i = 0; i < 4; ++i) {
        std::array<std::int32_t, 3> face = {corners[(i + 1) % 4], corners[(i + 2) % 4], corners[(i + 3) % 4]};
        std::sort(face.begin(), face.end());
        faces[face].push_back({body.fluxes.fluxes[t].outward[i], body.fluxes.fluxes[t].check[i]});
      }
    }
    int with_check = 0;
    for (const auto& [face, fluxes] : faces) {
      const std::array<double, 2> other = fluxes.size() == 2 ? fluxes[1] : std::array<double, 2>{0, 0};
      ASSERT_EQ(fluxes[0][0], -other[0]) << shape.name;
      ASSERT_EQ(fluxes[0][1], -other[1]) << shape.name;
      with_check += fluxes.size() == 2 && fluxes[0][1] != 0 ? 1 : 0;
    }
    EXPECT_GT(with_check, static_cast<int>(faces.size()) / 3) << shape.name;
  }
}

TEST(CellFluxes, AreNoneWhereTheExtentIsNotZeroOnTheSurface) {
  Geometry box = make_box("box", {0.1, 0.1, 0.1});
  for (double& extent : box.extent) extent += 0.25;
  EXPECT_TRUE(built(box).fluxes.fluxes.empty());
}

TEST(CellFluxes, OfEachComponentEndInATetOfIt) {
  const Geometry ball = make_sphere("ball", 0.05, 1);
  Geometry two = ball;
  const auto shift = static_cast<std::int32_t>(ball.mesh.points.size());
  for (Point3 point : ball.mesh.points) {
    point[0] += 1;
    two.mesh.points.push_back(point);
  }
  for (Tet tet : ball.mesh.tets) {
    for (std::int32_t& vertex : tet) vertex += shift;
    two.mesh.tets.push_back(tet);
  }
  two.extent.insert(two.extent.end(), ball.extent.begin(), ball.extent.end());
  const Built body = built(two);
  ASSERT_EQ(body.fluxes.sinks.size(), 4u);
  const auto half = static_cast<std::int32_t>(ball.mesh.tets.size());
  EXPECT_LT(body.fluxes.sinks[0].cell, half);
  EXPECT_GE(body.fluxes.sinks[2].cell, half);
}

}  // namespace
}  // namespace isopatch::detail
