// SPDX-License-Identifier: Apache-2.0
//
// Bodies of several parts against the reference, in every output.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/support/compounds.h"

namespace isopatch::test {
namespace {

using detail::Outputs;

/// The largest difference in an environment's row, in units of its largest value.
double deviation(const std::vector<double>& a, const std::vector<double>& b, std::size_t row, std::size_t e) {
  double worst = 0, largest = 0;
  for (std::size_t i = e * row; i < (e + 1) * row; ++i) {
    worst = std::max(worst, std::fabs(a[i] - b[i]));
    largest = std::max(largest, std::fabs(b[i]));
  }
  return worst == 0 ? 0 : worst / largest;
}

TEST(MovingCompounds, HaveTheReferencesResults) {
  constexpr double kTolerance = 1e-9;
  constexpr int kScenes = 200;
  constexpr std::int32_t kCapacity = 8192;
  std::map<std::string, double> worst;
  int touching = 0;
  for (unsigned seed = 0; seed < kScenes; ++seed) {
    SCOPED_TRACE(seed);
    SceneDescription description = random_compounds(1000 + seed, {.most_bodies = 3, .most_parts = 4, .coarse = true});
    // one point per polygon does not depend on where rounding puts corners into straight edges
    description.contact.quadrature = Quadrature::kCentroid;
    const Scene scene(description);
    const Batch batch = compound_states(scene, 1, seed, seed % 2 == 0);
    const auto evaluated = [&](Backend backend) {
      UnwrittenResults results(scene, 1, Outputs::kPolygons, kCapacity);
      results.give_contacts(kCapacity);
      results.give_part_pairs();
      Evaluator(scene, {backend, Precision::kDouble, 1}).evaluate(batch.state(), results.view());
      return results;
    };
    const UnwrittenResults found = evaluated(Backend::kCpu), expected = evaluated(Backend::kReference);
    EXPECT_EQ(status_text(found.status[0]), status_text(expected.status[0]));
    EXPECT_EQ(found.polygon_count, expected.polygon_count);
    ASSERT_LE(found.polygons_needed[0], kCapacity);
    EXPECT_EQ(found.polygons_needed, expected.polygons_needed);
    EXPECT_EQ(found.contacts_needed, expected.contacts_needed);
    for_each_output(
        [&](const ArrayInfo& info, const auto& a, const auto& b) {
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(a)>, std::vector<double>>) {
            const double most = a.empty() ? 0 : deviation(a, b, a.size(), 0);
            worst[info.name] = std::max(worst[info.name], most);
            EXPECT_LE(most, kTolerance) << info.name;
          }
        },
        found, expected);
    std::map<std::pair<int, int>, int> polygons;  // of each part pair
    for (std::int32_t i = 0; i < found.polygons_needed[0]; ++i) {
      ++polygons[{found.polygons[i].part_a, found.polygons[i].part_b}];
      --polygons[{expected.polygons[i].part_a, expected.polygons[i].part_b}];
    }
    for (std::int32_t i = 0; i < found.contacts_needed[0]; ++i) {
      ++polygons[{found.contacts[i].part_a, found.contacts[i].part_b}];
      --polygons[{expected.contacts[i].part_a, expected.contacts[i].part_b}];
    }
    for (const auto& [parts, difference] : polygons) EXPECT_EQ(difference, 0) << parts.first << ' ' << parts.second;
    for (const std::int32_t count : found.polygon_count) touching += count > 0 ? 1 : 0;
  }
  for (const auto& [name, value] : worst) std::cout << "  " << name << ": at most " << value << "\n";
  EXPECT_GT(touching, kScenes / 2);
}

}  // namespace
}  // namespace isopatch::test
