// SPDX-License-Identifier: Apache-2.0
//
// What include/isopatch/MEMORY.md says of polytopes are the sizes of their structs.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include "host/polytope/convex_shape.h"
#include "isopatch/detail/polytope/part_pair.h"
#include "tests/support/paths/paths.h"

namespace isopatch {
namespace {

using namespace detail;

void expect_in_memory_document(const std::string& row) {
  std::ifstream file(source_path("include/isopatch/MEMORY.md"), std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(text.find(row), std::string::npos) << row;
}

TEST(PolytopeMemory, IsAsDocumented) {
  const std::size_t vertex = sizeof(Vec3d) + sizeof(std::int32_t), face = sizeof(ShapeFace);
  const std::size_t side = sizeof(FaceSide), spoke = sizeof(Spoke) + sizeof(std::int32_t);
  expect_in_memory_document(
      fmt::format("can be one has {} bytes more, and {} for a vertex", sizeof(PolytopeView), vertex));
  expect_in_memory_document(fmt::format("{} for a\nface and {} for an edge, or {} for a corner of a polygon", face,
                                        sizeof(ShapeEdge) + 2 * side + 2 * spoke,
                                        vertex + face + 2 * side + 2 * spoke));
  expect_in_memory_document(fmt::format("each body has {} bytes more and each part {}", sizeof(Vec3d), sizeof(double)));
  expect_in_memory_document(fmt::format("a pair\nhas {} bytes of working memory", sizeof(RelationCounts)));
  expect_in_memory_document(fmt::format("and {} a contact, {} a relation and {} a member", sizeof(PotentialContact),
                                        sizeof(Relation), sizeof(std::int32_t)));
  const ConvexShape box = ConvexShape::box({1, 1, 1});
  expect_in_memory_document(fmt::format("{} bytes for two boxes, at most {} {}, and at least {} {} if `overlap`",
                                        feature_memory_size(box.view(), box.view()), kMaxFeatureMemory / 1000,
                                        kMaxFeatureMemory % 1000, sizeof(OverlapMemory) / 1000,
                                        sizeof(OverlapMemory) % 1000));
}

}  // namespace
}  // namespace isopatch
