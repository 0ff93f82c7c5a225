// SPDX-License-Identifier: Apache-2.0
//
// Polygons and discrete contacts can be counted without a buffer for them.
#include "tests/pressure_field/aligned.h"

namespace isopatch::test {
namespace {

struct Counting : Degenerate {
  static constexpr std::int32_t kRoom = 4096;
  const Scene scene = Scene(mixed_scene());
  const Batch batch = random_batch(scene, 4, 77);
  const std::size_t rows = static_cast<std::size_t>(batch.num_environments);
  std::vector<std::int32_t> polygons, contacts;  // of each environment, with room for all

  void SetUp() override {
    UnwrittenResults r(scene, batch.num_environments, detail::Outputs::kPolygons, kRoom);
    r.give_contacts(kRoom);
    evaluate(r.view());
    for (const std::uint32_t status : r.status) ASSERT_EQ(but_far_side(status), kOk);
    polygons = r.polygons_needed;
    contacts = r.contacts_needed;
    ASSERT_GT(*std::max_element(polygons.begin(), polygons.end()), 0);
    ASSERT_GT(*std::max_element(contacts.begin(), contacts.end()), 0);
  }

  void evaluate(const Results& results) const {
    Evaluator(scene, GetParam().options()).evaluate(batch.state(), results);
  }
  std::vector<std::int32_t> unwritten() const { return std::vector<std::int32_t>(rows, -7); }
};

TEST_P(Counting, OfPolygonsNeedsNoOtherOutput) {
  std::vector<std::int32_t> needed = unwritten();
  Results results;
  results.polygons_needed = needed.data();
  evaluate(results);
  EXPECT_EQ(needed, polygons);
}

TEST_P(Counting, OfContactsNeedsNoOtherOutput) {
  std::vector<std::int32_t> needed = unwritten();
  Results results;
  results.contacts_needed = needed.data();
  evaluate(results);
  EXPECT_EQ(needed, contacts);
}

// A capacity without a buffer is no capacity that could be exceeded.
TEST_P(Counting, OfBothBesideAWrenchSetsNoStatus) {
  for (const std::int32_t capacity : {0, 1, kRoom}) {
    UnwrittenResults r(scene, batch.num_environments, detail::Outputs::kPolygons, capacity);
    r.give_contacts(capacity);
    Results results = r.view();
    results.polygons.data = nullptr;
    results.contacts.data = nullptr;
    evaluate(results);
    EXPECT_EQ(r.polygons_needed, polygons);
    EXPECT_EQ(r.contacts_needed, contacts);
    for (const std::uint32_t status : r.status) EXPECT_EQ(but_far_side(status), kOk);
  }
}

TEST_P(Counting, WithBuffersOfNoPlace) {
  Polygon polygon = {};
  DiscreteContact contact = {};
  polygon.num_vertices = -7;
  contact.pair = -7;
  std::vector<std::int32_t> needed_polygons = unwritten(), needed_contacts = unwritten();
  std::vector<std::uint32_t> status(rows);
  Results results;
  results.status = status.data();
  results.polygons = {&polygon, 0};
  results.polygons_needed = needed_polygons.data();
  results.contacts = {&contact, 0};
  results.contacts_needed = needed_contacts.data();
  evaluate(results);
  EXPECT_EQ(needed_polygons, polygons);
  EXPECT_EQ(needed_contacts, contacts);
  EXPECT_EQ(polygon.num_vertices, -7);
  EXPECT_EQ(contact.pair, -7);
  for (std::size_t e = 0; e < rows; ++e) {
    const std::uint32_t expected =
        (polygons[e] > 0 ? kPolygonCapacity : 0u) | (contacts[e] > 0 ? kContactCapacity : 0u);
    EXPECT_EQ(but_far_side(status[e]), expected);
  }
}

ISOPATCH_INSTANTIATE_DEGENERATE(Counting);

}  // namespace
}  // namespace isopatch::test
