// SPDX-License-Identifier: Apache-2.0
//
// The lanes of a warp write the relations of one thread, to the bit, and full arrays count what they have no room for.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/polytope/polytope_fixture.h"
#include "tests/support/fiber_warp.h"

namespace isopatch::test {
namespace {

template <class Row>
bool same_bytes(const std::vector<Row>& a, const std::vector<Row>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Row)) == 0);
}

struct Arrays {
  std::vector<PotentialContact> contacts;
  std::vector<Relation> relations;
  std::vector<std::int32_t> members;

  explicit Arrays(detail::RelationCounts size)
      : contacts(static_cast<std::size_t>(size.contacts)),
        relations(static_cast<std::size_t>(size.relations)),
        members(static_cast<std::size_t>(size.members)) {}
  detail::RelationArrays view() {
    return {contacts.data(),
            relations.data(),
            members.data(),
            {static_cast<std::int32_t>(contacts.size()), static_cast<std::int32_t>(relations.size()),
             static_cast<std::int32_t>(members.size())}};
  }
};

detail::RelationCounts run_fibers(FiberGroup<32>& group, const PolytopePair& pair, const Transform<double>& X_WA,
                                  const detail::RelationOptions& options, const detail::RelationArrays& arrays,
                                  detail::RelationCounts before) {
  std::vector<double> memory(detail::feature_memory_size(pair.a, pair.b) / 8);
  const detail::FeatureMemory m = detail::feature_memory(pair.a, pair.b, memory.data());
  detail::RelationCounts counts[32];
  group.run([&](FiberWarp<32>& warp) {
    detail::Separation separation{};
    counts[warp.lane()] = run_relations(warp, pair, options, X_WA, m, arrays, before, separation);
  });
  for (const detail::RelationCounts& c : counts) {
    EXPECT_EQ(c.contacts, counts[0].contacts);
    EXPECT_EQ(c.relations, counts[0].relations);
    EXPECT_EQ(c.members, counts[0].members);
  }
  return counts[0];
}

detail::RelationCounts counts_of(const Found& found) {
  return {static_cast<std::int32_t>(found.contacts.size()), static_cast<std::int32_t>(found.relations.size()),
          static_cast<std::int32_t>(found.members.size())};
}

TEST(PolytopeLanes, WriteWhatOneThreadWrites) {
  PolytopeRandom random(31);
  FiberGroup<32> group;
  int relations = 0;
  for (int k = 0; k < 160; ++k) {
    const bool planar = k % 4 == 0;
    const ConvexShape shape_a = k % 4 == 1 ? ConvexShape::box({0.5, 0.4, 0.3}) : random.shape(planar, 8);
    const ConvexShape shape_b = k % 8 == 1 ? ConvexShape::box({0.5, 0.5, 0.3})
                                           : (k % 4 == 3 ? random.round_shape(24, 1) : random.thin_shape(planar, 8));
    Placed a{&shape_a, at({0, 0, 0})}, b{&shape_b, at({0, 0, 0})};
    const Vec3d along = k % 8 == 1 ? Vec3d{0, 0, 1} : random.direction(planar);
    a.X.translation = translation_for_gap(DenseDirections(a, b), along, random.uniform(-0.02, 0.05)) * along;
    const detail::RelationOptions o = options(random.uniform(0.05, 0.3), static_cast<RelationMode>(k / 8 % 4), 0.01);
    const Found found = find(a, b, o);
    Arrays arrays(counts_of(found));
    const detail::RelationCounts counts = run_fibers(group, found.pair, a.X, o, arrays.view(), {0, 0, 0});
    EXPECT_EQ(counts.contacts, counts_of(found).contacts) << k;
    EXPECT_EQ(counts.relations, counts_of(found).relations) << k;
    EXPECT_EQ(counts.members, counts_of(found).members) << k;
    EXPECT_TRUE(same_bytes(arrays.contacts, found.contacts)) << k;
    EXPECT_TRUE(same_bytes(arrays.relations, found.relations)) << k;
    EXPECT_TRUE(same_bytes(arrays.members, found.members)) << k;
    relations += counts.relations;
  }
  EXPECT_GT(relations, 500);
}

TEST(PolytopeLanes, CountWhatDoesNotFit) {
  const ConvexShape cube = ConvexShape::box({0.5, 0.5, 0.5});
  const Placed a{&cube, at({0, 0, 1})}, b{&cube, at({0, 0, 0})};
  const detail::RelationOptions o = options(0.02, RelationMode::kExact, 1e-6);
  const Found found = find(a, b, o);
  const detail::RelationCounts all = counts_of(found), before{2, 3, 4};
  FiberGroup<32> group;
  for (int room = 0; room < 60; room += 7) {
    Arrays arrays({room, room / 2, 2 * room});
    Arrays of_fibers({room, room / 2, 2 * room});
    std::vector<double> memory(detail::feature_memory_size(found.pair.a, found.pair.b) / 8);
    const detail::FeatureMemory m = detail::feature_memory(found.pair.a, found.pair.b, memory.data());
    detail::SerialWarp warp;
    detail::Separation separation{};
    const detail::RelationCounts counts = run_relations(warp, found.pair, o, a.X, m, arrays.view(), before, separation);
    run_fibers(group, found.pair, a.X, o, of_fibers.view(), before);
    EXPECT_EQ(counts.contacts, before.contacts + all.contacts);
    EXPECT_EQ(counts.relations, before.relations + all.relations);
    EXPECT_EQ(counts.members, before.members + all.members);
    EXPECT_TRUE(same_bytes(arrays.contacts, of_fibers.contacts));
    EXPECT_TRUE(same_bytes(arrays.relations, of_fibers.relations));
    EXPECT_TRUE(same_bytes(arrays.members, of_fibers.members));
    for (std::size_t k = 4; k < std::min<std::size_t>(arrays.members.size(), static_cast<std::size_t>(counts.members));
         ++k) {
      EXPECT_EQ(arrays.members[k], found.members[k - 4] + before.contacts);
    }
    for (std::size_t k = 2;
         k < std::min<std::size_t>(arrays.contacts.size(), static_cast<std::size_t>(counts.contacts)); ++k) {
      EXPECT_EQ(arrays.contacts[k].feature_b, found.contacts[k - 2].feature_b);
    }
  }
}

TEST(PolytopeLanes, NeedMostMemoryForTheLargestShapes) {
  detail::PolytopeView largest{};
  largest.num_faces = detail::kMaxFaces;
  largest.num_vertices = detail::kMaxVertices;
  largest.num_edges = detail::kMaxEdges;
  EXPECT_EQ(detail::feature_memory_size(largest, largest), detail::kMaxFeatureMemory);
}

}  // namespace
}  // namespace isopatch::test
