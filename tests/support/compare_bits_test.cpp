// SPDX-License-Identifier: Apache-2.0
//
// What same_bits says of results that differ.
#include "tests/support/compare_bits.h"

#include <gtest/gtest.h>

namespace isopatch {
namespace {

struct CompareBits : ::testing::Test {
  const Scene scene{test::boxes_on_ground()};
  const test::Batch batch = test::random_batch(scene, 2, 11);

  /// All outputs of two environments that have polygons.
  UnwrittenResults evaluated() const {
    UnwrittenResults results(scene, 2, detail::Outputs::kPolygons, 256);
    results.give_contacts(256);
    Evaluator(scene).evaluate(batch.state(), results.view());
    EXPECT_GT(results.polygons_needed[1], 3);
    return results;
  }
};

TEST_F(CompareBits, SaysNothingOfPolygonsInAnotherOrder) {
  const UnwrittenResults a = evaluated();
  UnwrittenResults b = a;
  std::swap(b.polygons[256], b.polygons[258]);
  std::swap(b.contacts[256], b.contacts[257]);
  EXPECT_EQ(environment_hash(b, 1), environment_hash(a, 1));
  EXPECT_TRUE(first_differences(a, b, 1).empty());
}

TEST_F(CompareBits, NamesTheValueOfAWrenchThatDiffers) {
  UnwrittenResults a = evaluated(), b = a;
  a.pair_wrench[(3 + 2) * 6 + 4] = 0.0;  // of environment 1, pair 2
  b.pair_wrench[(3 + 2) * 6 + 4] = -0.0;
  EXPECT_NE(environment_hash(b, 1), environment_hash(a, 1));
  EXPECT_TRUE(first_differences(a, b, 0).empty());
  ASSERT_EQ(first_differences(a, b, 1).size(), 1u);
  EXPECT_EQ(first_differences(a, b, 1)[0],
            "pair_wrench[2][4]: 0x0p+0 (0000000000000000) and -0x0p+0 (8000000000000000)");
}

TEST_F(CompareBits, NamesTheFieldOfAPolygonThatDiffers) {
  UnwrittenResults a = evaluated();
  a.polygons[257].vertices[1][2] = 0.5f;
  UnwrittenResults b = a;
  std::swap(b.polygons[256], b.polygons[257]);
  b.polygons[256].vertices[1][2] = 0.5f + 0x1p-24f;
  ASSERT_EQ(first_differences(a, b, 1).size(), 1u);
  EXPECT_EQ(first_differences(a, b, 1)[0],
            "polygons 1 in one only, 1 in the other; of pair " + std::to_string(a.polygons[257].pair) +
                ", 1 words differ, first vertices[1][2]: 0x1p-1 (3f000000) and 0x1.000002p-1 (3f000001)");
}

TEST_F(CompareBits, CountsAContactThatIsMissing) {
  const UnwrittenResults a = evaluated();
  UnwrittenResults b = a;
  --b.contacts_needed[1];
  const std::vector<std::string> found = first_differences(a, b, 1);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], "contacts 1 in one only, 0 in the other");
  EXPECT_NE(found[1].find("contacts_needed[0]: "), std::string::npos) << found[1];
}

TEST(CompareBitsOfSides, AreTheSameForSimdAndPlainArithmeticAndNotForFloatAndDouble) {
  const Scene scene(test::boxes_on_ground());
  const test::Batch batch = test::random_batch(scene, 5, 12);
  detail::CpuOptions without_simd;
  without_simd.vectors = detail::Vectors::kNone;
  const Variant simd = make_variant("cpu", EvaluatorOptions()), plain = make_variant("plain", without_simd),
                in_double = make_variant("double", EvaluatorOptions{.precision = Precision::kDouble});
  const BitCounts same = BitComparison(scene, {simd, plain}).compare(batch.state());
  EXPECT_EQ(same.environments, 5);
  EXPECT_GT(same.polygons, 0);
  EXPECT_EQ(same.differ, 0);
  EXPECT_TRUE(same.first.empty());
  const BitCounts other = BitComparison(scene, {simd, in_double}).compare(batch.state());
  EXPECT_GT(other.differ, 0);
  ASSERT_FALSE(other.first.empty());
  EXPECT_EQ(other.first[0].find("wrench only, environment "), 0u) << other.first[0];
}

}  // namespace
}  // namespace isopatch
