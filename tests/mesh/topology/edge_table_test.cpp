// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/topology/connectivity.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "isopatch/isopatch.h"

namespace isopatch {

using namespace detail;

namespace {

TriangleMesh ball() {
  const Geometry geometry = make_sphere("ball", 1, 2);
  return {geometry.mesh.points, geometry.surface};
}

void expect_open(const TriangleMesh& mesh, std::int64_t edges, std::int64_t holes) {
  const OpenEdges open = open_edges(mesh);
  EXPECT_EQ(open.edges, edges);
  EXPECT_EQ(open.holes, holes);
}

TEST(EdgeTable, OfAClosedSurfaceHasNoOpenEdges) { expect_open(ball(), 0, 0); }

TEST(EdgeTable, CountsHolesThatAreApartAndThatMeetInAPoint) {
  TriangleMesh mesh = ball();
  const Triangle first = mesh.triangles[0];
  const auto meets = [&](const Triangle& t) {
    return std::count_if(t.begin(), t.end(), [&](std::int32_t v) { return std::count(first.begin(), first.end(), v); });
  };
  for (const int shared : {0, 1}) {
    TriangleMesh open = mesh;
    const auto second = std::find_if(open.triangles.begin() + 1, open.triangles.end(),
                                     [&](const Triangle& t) { return meets(t) == shared; });
    open.triangles.erase(second);
    open.triangles.erase(open.triangles.begin());
    expect_open(open, 6, 2);
  }
}

TEST(EdgeTable, WeldingClosesSeams) {
  const TriangleMesh closed = ball();
  TriangleMesh loose;  // no two triangles share a point
  for (const Triangle& t : closed.triangles) {
    const auto n = static_cast<std::int32_t>(loose.points.size());
    for (const std::int32_t v : t) loose.points.push_back(closed.points[static_cast<std::size_t>(v)]);
    loose.triangles.push_back({n, n + 1, n + 2});
  }
  const auto triangles = static_cast<std::int64_t>(closed.triangles.size());
  expect_open(loose, 3 * triangles, triangles);
  weld(loose);
  expect_open(loose, 0, 0);
  EXPECT_EQ(loose.points.size(), closed.points.size() - 1) << "the middle of the ball is no corner";
  EXPECT_EQ(loose.triangles.size(), closed.triangles.size());
}

}  // namespace
}  // namespace isopatch
