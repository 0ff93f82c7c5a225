// SPDX-License-Identifier: Apache-2.0
//
// The steps from a list of rows to packed arrays, on the host: which rows fit, and their order.
#include "isopatch/detail/contact/packed_row_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/support/fiber_warp.h"

namespace isopatch::test {
namespace {

using namespace detail;

/// Different keys; words below `parts`, `cells` and `cells`, and half spaces among them.
std::vector<ContactKey> random_keys(std::size_t count, unsigned seed, int parts, int cells) {
  std::mt19937 random(seed);
  const auto below = [&](int end) { return static_cast<std::int32_t>(random() % static_cast<unsigned>(end)); };
  std::vector<ContactKey> keys;
  for (std::size_t i = 0; i < count; ++i) keys.push_back({below(parts), below(cells), below(cells)});
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::shuffle(keys.begin(), keys.end(), random);
  return keys;
}

struct Scale {
  int parts, cells;
};

constexpr Scale kScales[] = {{1, 50}, {70'000, 300}, {130'000'000, 2'000'000'000}, {3, 66'000}};

TEST(RowDigits, HaveTheOrderOfKeys) {
  for (const auto& [parts, cells] : kScales) {
    const std::vector<ContactKey> keys = random_keys(200, 1, parts, cells);
    for (std::size_t i = 1; i < keys.size(); ++i) {
      const ContactKey &x = keys[i - 1], &y = keys[i];
      ContactKey made = {};
      bool less = false, same = true;
      for (int k = 0; k < RowDigits::kCount; ++k) {
        const std::int32_t digit = RowDigits::digit(x, k), other = RowDigits::digit(y, k);
        EXPECT_GE(digit, 0);
        EXPECT_LT(digit, RowDigits::kValues);
        EXPECT_TRUE(digit == 0 || RowDigits::may_differ(k, parts > RowDigits::kValues ? 2 : 1, cells)) << k;
        EXPECT_EQ(RowDigits::before(x, k) == RowDigits::before(y, k), same);
        EXPECT_TRUE(RowDigits::before(x, k) == made);
        less = less || (same && digit < other);
        same = same && digit == other;
        RowDigits::set(made, k, digit);
      }
      EXPECT_TRUE(made == x);
      EXPECT_EQ(less, x < y);
    }
  }
}

TEST(SortRows, IsInOrderForAnyCount) {
  for (const std::size_t count : {0, 1, 2, 3, 31, 32, 33, 127, 128, 129, 257, 10'007}) {
    const std::vector<ContactKey> keys = random_keys(count, 2, 5, 1000);
    std::vector<PackedRowEntry> rows, other(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) rows.push_back({keys[i], static_cast<std::int32_t>(i)});
    SerialWarp warp;
    const auto size = static_cast<std::int64_t>(keys.size());
    const PackedRowEntry* sorted = sort_rows(warp, rows.data(), other.data(), size);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i > 0) {
        ASSERT_TRUE(sorted[i - 1].key < sorted[i].key) << i << " of " << count;
      }
      ASSERT_TRUE(keys[static_cast<std::size_t>(sorted[i].record)] == sorted[i].key);
    }
  }
}

/// A list of one environment's rows, of which `fitting` fit, after the first pass.
struct DividedEnvironment {
  std::vector<ContactKey> keys;
  std::int64_t capacity;
  std::vector<std::int32_t> counts = {0};
  std::vector<std::int64_t> offsets;
  std::vector<PackedRowEntry> rows;
  std::vector<std::int32_t> environments, of_digit = std::vector<std::int32_t>(RowDigits::kValues);
  std::vector<ListedPolygon> records;
  RowProgress progress = {};
  PackedRowList<Polygon> list;

  DividedEnvironment(std::vector<ContactKey> keys_, std::int64_t fitting)
      : keys(std::move(keys_)),
        capacity(fitting),
        offsets({0, static_cast<std::int64_t>(keys.size())}),
        rows(static_cast<std::size_t>(capacity)),
        environments(rows.size()),
        records(rows.size()),
        list{{counts.data(), offsets.data(), capacity, capacity, rows.data(), environments.data(), nullptr,
              of_digit.data(), &progress},
             records.data()} {
    append_all(RowPass::kAll, 0);
    EXPECT_EQ(counts[0], static_cast<std::int32_t>(keys.size()));
    EXPECT_EQ(progress.listed, static_cast<std::int64_t>(keys.size()));
    list.divide(0, 1);
    EXPECT_EQ(counts[0], fitting);
    EXPECT_EQ(progress.listed, 0);
    EXPECT_EQ(progress.divided, 1);
  }

  void append_all(RowPass pass, int digit) {
    SerialWarp warp;
    const RowsOfPass::Destination<Polygon> to = {list, pass, digit};
    for (const ContactKey& key : keys) to.append(warp, 0, key);
  }
};

TEST(RowsThatFit, AreTheFirstInOrder) {
  for (const auto& [parts, cells] : kScales) {
    const std::vector<ContactKey> keys = random_keys(400, 3, parts, cells);
    const auto count = static_cast<std::int64_t>(keys.size());
    for (const std::int64_t fitting : {std::int64_t{1}, std::int64_t{2}, count / 2, count - 1}) {
      DividedEnvironment divided(keys, fitting);
      SerialWarp warp;
      for (int digit = 0; digit < RowDigits::kCount; ++digit) {
        if (!RowDigits::may_differ(digit, parts > RowDigits::kValues ? 2 : 1, cells)) continue;
        divided.append_all(RowPass::kCountDigit, digit);
        find_digit(warp, divided.list, digit);
        EXPECT_EQ(std::count(divided.of_digit.begin(), divided.of_digit.end(), 0), RowDigits::kValues);
      }
      EXPECT_EQ(divided.progress.rank, 0);
      divided.append_all(RowPass::kFitting, 0);
      ASSERT_EQ(divided.progress.listed, fitting);

      std::vector<ContactKey> expected = keys;
      std::sort(expected.begin(), expected.end());
      std::sort(divided.rows.begin(), divided.rows.end(),
                [](const PackedRowEntry& x, const PackedRowEntry& y) { return x.key < y.key; });
      for (std::size_t i = 0; i < divided.rows.size(); ++i) ASSERT_TRUE(divided.rows[i].key == expected[i]) << i;
    }
  }
}

// Each lane of a warp has some of the counts of a digit.
TEST(RowsThatFit, AreFoundByAWarp) {
  const std::vector<ContactKey> keys = random_keys(500, 4, 1, 60'000);
  for (const std::int64_t fitting : {1, 200, 499}) {
    DividedEnvironment by_warp(keys, fitting), alone(keys, fitting);
    for (const int digit : {1, 3, 5}) {
      SerialWarp serial;
      alone.append_all(RowPass::kCountDigit, digit);
      find_digit(serial, alone.list, digit);
      by_warp.append_all(RowPass::kCountDigit, digit);
      FiberGroup<32>().run([&](FiberWarp<32>& warp) { find_digit(warp, by_warp.list, digit); });
      EXPECT_TRUE(by_warp.progress.last == alone.progress.last);
      EXPECT_EQ(by_warp.progress.rank, alone.progress.rank);
      EXPECT_EQ(by_warp.of_digit, alone.of_digit);
    }
  }
}

/// What a list of four environments' rows is filled with again.
struct FourEnvironments {
  const std::vector<std::int64_t> offsets = {0, 4, 10, 10, 13};
  std::vector<std::int32_t> counts = std::vector<std::int32_t>(5);
  RowProgress progress = {};
  RowList list;

  FourEnvironments(std::int64_t capacity, std::int64_t room) {
    list.counts = counts.data();
    list.offsets = offsets.data();
    list.capacity = capacity;
    list.room = room;
    list.progress = &progress;
    for (std::int64_t e = 0; e < 4; ++e) list.divide(e, 4);
  }

  std::vector<std::int64_t> needed(RowPass pass) const {
    std::vector<std::int64_t> found;
    for (std::int64_t e = 0; e < 4; ++e) {
      if (list.needs(pass, e)) found.push_back(e);
    }
    return found;
  }
};

using Environments = std::vector<std::int64_t>;

TEST(RowsThatFit, AreListedOnceIfTheListHasRoomForAll) {
  for (const std::int64_t capacity : {1, 5, 10, 13}) {
    const FourEnvironments four(capacity, 13);
    EXPECT_FALSE(four.list.has_work(RowPass::kAgain) || four.list.has_work(RowPass::kCountDigit)) << capacity;
    EXPECT_EQ(four.needed(RowPass::kAgain), Environments());
    EXPECT_EQ(four.counts[0], 4);
    EXPECT_EQ(four.counts[1], capacity > 4 ? 6 : 0);
  }
}

TEST(RowsThatFit, AreOnlyThoseOfEnvironmentsBeforeTheEndOfTheRoom) {
  const FourEnvironments where_one_ends(10, 10);
  EXPECT_EQ(where_one_ends.needed(RowPass::kAgain), Environments({0, 1}));
  EXPECT_FALSE(where_one_ends.list.has_work(RowPass::kCountDigit));

  for (const std::int64_t room : {10, 12}) {
    const FourEnvironments whole(6, room);  // the list has room for all of the second one
    EXPECT_EQ(whole.needed(RowPass::kAgain), Environments({0, 1}));
    EXPECT_FALSE(whole.list.has_work(RowPass::kCountDigit));
    EXPECT_EQ(whole.list.fitting(1), 2);
    EXPECT_EQ(whole.counts, std::vector<std::int32_t>({4, 6, 0, 0, 0}));
  }
  for (const std::int64_t room : {6, 9}) {
    const FourEnvironments divided(6, room);
    EXPECT_EQ(divided.needed(RowPass::kAgain), Environments({0}));
    EXPECT_EQ(divided.needed(RowPass::kCountDigit), Environments({1}));
    EXPECT_EQ(divided.needed(RowPass::kFitting), Environments({1}));
    EXPECT_EQ(divided.progress.rank, 1);
    EXPECT_EQ(divided.counts, std::vector<std::int32_t>({4, 2, 0, 0, 0}));
  }
}

}  // namespace
}  // namespace isopatch::test
