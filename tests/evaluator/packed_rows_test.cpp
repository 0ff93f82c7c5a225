// SPDX-License-Identifier: Apache-2.0
//
// Packed arrays: the polygons and contacts of all environments one after another, in an order that nothing changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/compounds.h"
#include "tests/support/misuses.h"
#include "tests/support/packed_rows.h"

namespace isopatch::test {
namespace {

using detail::CpuOptions;
using detail::Outputs;

CpuOptions on_threads(int threads, Precision precision = Precision::kFloat) {
  CpuOptions options;
  options.precision = precision;
  options.num_threads = threads;
  return options;
}

PackedResults evaluated(const Evaluator& evaluator, const Batch& batch, PackedRoom room, std::int32_t capacity = 2048) {
  PackedResults results(evaluator.scene(), batch.num_environments, room, capacity);
  evaluator.evaluate(batch.state(), results.view());
  return results;
}

PackedResults evaluated(const Scene& scene, const Batch& batch, const CpuOptions& options, PackedRoom room,
                        std::int32_t capacity = 2048) {
  return evaluated(detail::make_evaluator(scene, options), batch, room, capacity);
}

constexpr PackedRoom kAmple = {20'000, 20'000};

struct Packed : ::testing::TestWithParam<Precision> {};

TEST_P(Packed, RowsAreThoseOfTheEnvironments) {
  const Scene scene(mixed_scene());
  const Batch batch = random_batch(scene, 12, 701, 0.16, true);
  const PackedResults r = evaluated(scene, batch, on_threads(2, GetParam()), kAmple);
  expect_rows_of_environments(r);
  expect_first_rows(r, r);
  EXPECT_GT(all_rows(r).polygons, 500);
  EXPECT_GT(all_rows(r).contacts, 100);
  EXPECT_LT(all_rows(r).contacts, all_rows(r).polygons);  // some do not resist

  UnwrittenResults without(scene, 12, Outputs::kPolygons, 2048);
  without.give_contacts(2048);
  Evaluator(scene, on_threads(2, GetParam())).evaluate(batch.state(), without.view());
  EXPECT_EQ(first_difference(r, without), "");
}

// Without the hierarchy, one thread finds them cell by cell.
TEST_P(Packed, RowsAreInTheOrderOfCells) {
  for (const bool filter : {false, true}) {
    ContactOptions contact;
    contact.gradient_filter = filter;
    const Scene scene(mixed_scene(contact));
    const Batch batch = random_batch(scene, 8, 702, 0.16, true);
    const PackedResults r = evaluated(scene, batch, on_threads(1, GetParam()), kAmple);
    CpuOptions options = on_threads(1, GetParam());
    options.brute_force = true;
    const PackedResults brute = evaluated(scene, batch, options, kAmple);
    for (std::size_t e = 0; e < 8; ++e) {
      for (std::int32_t i = 0; i < brute.polygons_needed[e]; ++i) {
        ASSERT_EQ(bytes_of(r.packed_polygons[static_cast<std::size_t>(r.polygon_offsets[e] + i)]),
                  bytes_of(brute.polygons[e * 2048 + static_cast<std::size_t>(i)]));
      }
      for (std::int32_t i = 0; i < brute.contacts_needed[e]; ++i) {
        ASSERT_EQ(bytes_of(r.packed_contacts[static_cast<std::size_t>(r.contact_offsets[e] + i)]),
                  bytes_of(brute.contacts[e * 2048 + static_cast<std::size_t>(i)]));
      }
    }
    expect_first_rows(brute, r);
  }
}

TEST_P(Packed, RowsDoNotDependOnThreadsOrVectors) {
  const Scene scene(mixed_scene());
  const Batch batch = random_batch(scene, 41, 703);
  const PackedResults one = evaluated(scene, batch, on_threads(1, GetParam()), kAmple, 1024);
  for (const int threads : {2, 3}) {
    expect_first_rows(evaluated(scene, batch, on_threads(threads, GetParam()), kAmple, 1024), one);
  }
  CpuOptions plain = on_threads(2, GetParam());
  plain.vectors = detail::Vectors::kNone;
  expect_first_rows(evaluated(scene, batch, plain, kAmple, 1024), one);
}

TEST_P(Packed, RowsThatDoNotFitAreCountedAndReported) {
  const Scene scene(boxes_on_ground());
  const Batch batch = random_batch(scene, 19, 704);
  const PackedResults all = evaluated(scene, batch, on_threads(1, GetParam()), kAmple, 512);
  ASSERT_GT(all_rows(all).contacts, 50);
  for (const PackedRoom& room : rooms(all)) {
    SCOPED_TRACE(testing::Message() << room.polygons << " and " << room.contacts);
    for (const int threads : {1, 3}) {
      expect_first_rows(evaluated(scene, batch, on_threads(threads, GetParam()), room, 512), all);
    }
  }
}

TEST_P(Packed, RowsOfSeveralPartsAreInTheOrderOfParts) {
  std::int64_t rows = 0;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const Scene scene(random_compounds(seed, {.most_bodies = 3, .most_parts = 5, .coarse = true}));
    const Batch batch = compound_states(scene, 4, seed, seed % 2 == 0);
    const PackedResults r = evaluated(scene, batch, on_threads(2, GetParam()), kAmple, 4096);
    expect_rows_of_environments(r);
    CpuOptions brute = on_threads(1, GetParam());
    brute.brute_force = true;
    expect_first_rows(evaluated(scene, batch, brute, kAmple, 4096), r);
    rows += all_rows(r).polygons;
  }
  EXPECT_GT(rows, 300);
}

INSTANTIATE_TEST_SUITE_P(Precisions, Packed, ::testing::Values(Precision::kFloat, Precision::kDouble),
                         [](const auto& case_info) {
                           return case_info.param == Precision::kFloat ? "Float" : "Double";
                         });

// The cells of a mesh are its elements, in their order, so the reference finds the rows in this order too.
TEST(PackedRows, AreInTheOrderOfTheReference) {
  std::int64_t compared = 0;
  const auto expect_same_order = [&](const Scene& scene, const Batch& batch) {
    const PackedResults r = evaluated(scene, batch, on_threads(2, Precision::kDouble), kAmple, 4096);
    const PackedResults truth = evaluated(Evaluator(scene, {.backend = Backend::kReference}), batch, kAmple, 4096);
    expect_rows_of_environments(truth);
    ASSERT_EQ(r.polygon_offsets, truth.polygon_offsets);
    ASSERT_EQ(r.contact_offsets, truth.contact_offsets);
    ASSERT_EQ(r.polygon_environments, truth.polygon_environments);
    ASSERT_EQ(r.contact_environments, truth.contact_environments);
    for (std::int64_t i = 0; i < all_rows(r).polygons; ++i) {
      const Polygon &x = r.packed_polygons[static_cast<std::size_t>(i)],
                    &y = truth.packed_polygons[static_cast<std::size_t>(i)];
      ASSERT_EQ(x.pair, y.pair) << i;
      ASSERT_EQ(x.part_a, y.part_a) << i;
      ASSERT_EQ(x.part_b, y.part_b) << i;
      if (y.area < 1e-9f) continue;  // slivers of the rounding of both
      ASSERT_NEAR(x.area, y.area, 1e-6f * y.area) << i;
      for (int k = 0; k < 3; ++k) ASSERT_NEAR(x.normal[k], y.normal[k], 1e-5f) << i;
      ++compared;
    }
    for (std::int64_t i = 0; i < all_rows(r).contacts; ++i) {
      const DiscreteContact &x = r.packed_contacts[static_cast<std::size_t>(i)],
                            &y = truth.packed_contacts[static_cast<std::size_t>(i)];
      ASSERT_EQ(x.pair, y.pair) << i;
      if (y.area < 1e-9f) continue;
      for (int k = 0; k < 3; ++k) ASSERT_NEAR(x.point[k], y.point[k], 1e-6f) << i;
    }
  };
  const Scene mixed(mixed_scene());
  expect_same_order(mixed, random_batch(mixed, 3, 304));
  const Scene compounds(random_compounds(2, {.most_bodies = 3, .most_parts = 5, .coarse = true}));
  expect_same_order(compounds, compound_states(compounds, 3, 2));
  EXPECT_GT(compared, 200);
}

TEST(PackedRows, OfTheReferenceThatDoNotFitAreReported) {
  const Scene scene(boxes_on_ground());
  const Batch batch = random_batch(scene, 6, 705);
  const Evaluator evaluator(scene, {.backend = Backend::kReference});
  const PackedResults all = evaluated(evaluator, batch, kAmple, 512);
  for (const PackedRoom& room : rooms(all)) expect_first_rows(evaluated(evaluator, batch, room, 512), all);
}

TEST(PackedRows, OffsetsMayBeAskedForAlone) {
  const Scene scene(mixed_scene());
  const Batch batch = random_batch(scene, 9, 706);
  const PackedResults all = evaluated(scene, batch, on_threads(1), kAmple);
  for (const Backend backend : {Backend::kCpu, Backend::kReference}) {
    for (const bool of_contacts : {false, true}) {
      std::vector<std::int64_t> offsets(10, -7);
      std::vector<std::uint32_t> status(9, 7);
      Results results;
      results.status = status.data();
      (of_contacts ? results.contact_offsets : results.polygon_offsets) = offsets.data();
      Evaluator(scene, {.backend = backend}).evaluate(batch.state(), results);
      if (backend == Backend::kCpu) {
        EXPECT_EQ(offsets, of_contacts ? all.contact_offsets : all.polygon_offsets);
      }
      EXPECT_EQ(offsets[0], 0);
      EXPECT_TRUE(std::is_sorted(offsets.begin(), offsets.end()));
      EXPECT_EQ(status, all.status);
    }
  }
}

TEST(PackedRows, EnvironmentsMayBeLeftOut) {
  const Scene scene(boxes_on_ground());
  const Batch batch = random_batch(scene, 5, 707);
  const PackedResults all = evaluated(scene, batch, on_threads(1), kAmple, 512);
  PackedResults r(scene, 5, kAmple, 512);
  Results view = r.view();
  view.polygon_environments = nullptr;
  view.contact_environments = nullptr;
  Evaluator(scene).evaluate(batch.state(), view);
  r.polygon_environments = all.polygon_environments;
  r.contact_environments = all.contact_environments;
  expect_first_rows(r, all);
}

TEST(PackedRows, AreEmptyForEnvironmentsWithAFaultOrWithoutContact) {
  const Scene scene(boxes_on_ground());
  Batch batch = random_batch(scene, 30, 708);
  const PackedResults sound = evaluated(scene, batch, on_threads(2), kAmple, 512);
  batch.poses[21 * 7 + 1] = kNan;
  std::fill_n(batch.poses.begin() + 21 * 8 + 3, 4, 0.0);
  batch.poses[21 * 9 + 2] += 10;  // above the ground, and apart
  batch.poses[21 * 9 + 9] += 20;
  const PackedResults r = evaluated(scene, batch, on_threads(2), kAmple, 512);
  const auto count = [](const std::vector<std::int64_t>& offsets, std::size_t e) {
    return offsets[e + 1] - offsets[e];
  };
  for (std::size_t e = 0; e < 30; ++e) {
    const bool none = e >= 7 && e <= 9;
    EXPECT_EQ(count(r.polygon_offsets, e), none ? 0 : count(sound.polygon_offsets, e)) << e;
    for (std::int64_t i = 0; i < count(r.polygon_offsets, e); ++i) {
      EXPECT_EQ(bytes_of(r.packed_polygons[static_cast<std::size_t>(r.polygon_offsets[e] + i)]),
                bytes_of(sound.packed_polygons[static_cast<std::size_t>(sound.polygon_offsets[e] + i)]));
    }
  }
  EXPECT_EQ(r.status[7], kBadPose);
  EXPECT_EQ(r.status[8], kBadPose);
  EXPECT_EQ(r.status[9], kOk);
}

// A pair that is evaluated again without the filter, or on wider scales, has its rows once.
TEST(PackedRows, OfBodiesInsideOthersAreThoseOfTheFilter) {
  for (const bool filter : {false, true}) {
    ContactOptions contact;
    contact.gradient_filter = filter;
    const Scene scene(balls_in_a_ball(contact));
    const PackedResults r = evaluated(scene, random_batch(scene, 40, 709, 0.18), on_threads(2), kAmple, 512);
    expect_rows_of_environments(r);
    EXPECT_NE(std::count(r.status.begin(), r.status.end(), kNoContactSurface), 0);
  }
}

TEST(PackedRows, OfNoEnvironmentsAreNone) {
  const Scene scene(boxes_on_ground());
  for (const Backend backend : {Backend::kCpu, Backend::kReference}) {
    std::int64_t polygons = -7, contacts = -7;
    Polygon row = {};
    row.pair = -7;
    Results results;
    results.packed_polygons = {&row, 1};
    results.polygon_offsets = &polygons;
    results.contact_offsets = &contacts;
    Evaluator(scene, {.backend = backend}).evaluate(State(), results);
    EXPECT_EQ(polygons, 0);
    EXPECT_EQ(contacts, 0);
    EXPECT_EQ(row.pair, -7);
  }
}

TEST(PackedRows, OwnersHaveRoomForThem) {
  const Scene scene(boxes_on_ground());
  const Batch batch = random_batch(scene, 4, 710);
  ResultArrays owned(scene, 4, {.capacity = {{"packed_polygons", 500}}});
  EXPECT_EQ(owned.packed_polygons.size(), 500u);
  EXPECT_EQ(owned.polygon_offsets.size(), 5u);
  EXPECT_EQ(owned.polygon_environments.size(), 500u);
  EXPECT_TRUE(owned.packed_contacts.empty() && owned.contact_offsets.empty() && owned.contact_environments.empty());
  HostEvaluator(scene).evaluate(batch.state(), owned.view());
  const PackedResults all = evaluated(scene, batch, on_threads(1), kAmple, 512);
  EXPECT_EQ(owned.polygon_offsets, all.polygon_offsets);
  EXPECT_EQ(owned.status, all.status);
  for (std::size_t i = 0; i < static_cast<std::size_t>(owned.polygon_offsets[4]); ++i) {
    EXPECT_EQ(bytes_of(owned.packed_polygons[i]), bytes_of(all.packed_polygons[i]));
  }
}

// --- wrong calls

struct PackedMisuse : ::testing::Test {
  const Scene scene{boxes_on_ground()};
  const Batch batch = random_batch(scene, 3, 711);
  PackedResults arrays{scene, 3, {64, 64}, 64};

  template <class Change>
  std::string message(const Change& change) {
    State state = batch.state();
    Results results = arrays.view();
    change(state, results);
    try {
      Evaluator(scene).evaluate(state, results);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(PackedMisuse, NamesWhatIsMissing) {
  EXPECT_EQ(message([](State&, Results&) {}), "");
  EXPECT_EQ(message([](State&, Results& r) { r.polygon_offsets = nullptr; }),
            "evaluate: results.packed_polygons needs results.polygon_offsets, which is null; give both");
  EXPECT_EQ(message([](State&, Results& r) { r.contact_offsets = nullptr; }),
            "evaluate: results.packed_contacts needs results.contact_offsets, which is null; give both");
  EXPECT_EQ(message([](State&, Results& r) { r.packed_polygons.data = nullptr; }),
            "evaluate: results.polygon_environments needs results.packed_polygons, which is null; give both");
  EXPECT_EQ(message([](State&, Results& r) { r.packed_contacts.data = nullptr; }),
            "evaluate: results.contact_environments needs results.packed_contacts, which is null; give both");
}

TEST_F(PackedMisuse, NamesWrongCapacitiesAndCounts) {
  EXPECT_EQ(message([](State&, Results& r) { r.packed_polygons.capacity = -1; }),
            "evaluate: results.packed_polygons.capacity is -1; it must not be negative");
  EXPECT_EQ(message([](State&, Results& r) { r.packed_contacts.capacity = INT64_MIN; }),
            "evaluate: results.packed_contacts.capacity is -9223372036854775808; it must not be negative");
  EXPECT_NE(message([](State&, Results& r) { r.packed_polygons.capacity = INT64_MAX; }).find("results.packed_polygons"),
            std::string::npos);
  const std::string many = message([](State& s, Results&) { s.num_environments = std::int64_t{1} << 31; });
  EXPECT_NE(many.find("results.polygon_environments cannot have the indices of 2147483648 environments"),
            std::string::npos)
      << many;
  Misuses misuses;
  misuses.expect_error("a capacity of -1", [&] { ResultArrays(scene, 1, {.capacity = {{"packed_polygons", -1}}}); });
  misuses.expect_error("a capacity of -1", [&] { ResultArrays(scene, 1, {.capacity = {{"packed_contacts", -1}}}); });
  const Evaluator evaluator(scene);
  misuses.expect_error("reserve", [&] { evaluator.reserve(1, -1); });
  misuses.expect_error("reserve", [&] { evaluator.reserve(1, 0, -1); });
}

TEST_F(PackedMisuse, NamesWrongAddresses) {
  EXPECT_NE(message([](State&, Results& r) {
              r.polygon_offsets = reinterpret_cast<std::int64_t*>(r.polygon_environments.data + 1);
            }).find("results.polygon_offsets"),
            std::string::npos);
  EXPECT_NE(message([](State&, Results& r) {
              r.contact_environments = r.polygon_environments;
            }).find("share bytes; give each output memory of its own"),
            std::string::npos);
  EXPECT_NE(message([](State&, Results& r) { r.contact_offsets = r.polygon_offsets.data + 3; }).find("share bytes"),
            std::string::npos);
}

TEST_F(PackedMisuse, APartOfABatchHasNone) {
  Misuses misuses;
  misuses.expect_error("part_of", [&] { part_of(arrays.view(), scene, 1); });
  EXPECT_EQ(part_of(arrays.view(), scene, 0).polygon_offsets.data, arrays.polygon_offsets.data());
  ResultArrays owned(scene, 4, {.capacity = {{"packed_contacts", 5}}});
  misuses.expect_error("view", [&] { owned.view(1); });
  EXPECT_EQ(owned.view(0).packed_contacts.data, owned.packed_contacts.data());
}

}  // namespace
}  // namespace isopatch::test
