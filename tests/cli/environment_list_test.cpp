// SPDX-License-Identifier: Apache-2.0
#include "host/cli/environment_list.h"

#include <gtest/gtest.h>

#include "isopatch/error.h"

namespace isopatch::cli {
namespace {

using Numbers = std::vector<std::int64_t>;

TEST(EnvironmentList, HasNumbersAndRangesInTheirOrder) {
  EXPECT_EQ(named_environments("3", 4, ""), Numbers{3});
  EXPECT_EQ(named_environments("5,0,3", 6, ""), (Numbers{5, 0, 3}));
  EXPECT_EQ(named_environments("0-2,9,4-4", 10, ""), (Numbers{0, 1, 2, 9, 4}));
  EXPECT_EQ(named_environments("1000000000000", std::nullopt, ""), Numbers{1'000'000'000'000});
}

TEST(EnvironmentList, RefusesOtherTexts) {
  for (const char* text : {"", ",", "1,", ",1", "-1", "1-", "-", "2-1", "1--2", "a", "1 ", " 1", "1.5", "0x1", "+1",
                           "1;2", "1000000000001", "99999999999999999999", "1-2-3"}) {
    EXPECT_FALSE(parsed_environments(text)) << text;
  }
}

TEST(EnvironmentList, NamesTheOptionAndHowManyThereAre) {
  const auto error_of = [](const std::string& text, std::optional<std::int64_t> count) -> std::string {
    try {
      named_environments(text, count, "run.npz");
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(error_of("6", 6), "run.npz: --env 6: there are 6 environments, so it must be in [0, 5]");
  EXPECT_EQ(error_of("0,4-6", 6), "run.npz: --env 0,4-6: there are 6 environments, so each of them must be in [0, 5]");
  EXPECT_EQ(error_of("1-3,2", 6), "run.npz: --env 1-3,2: environment 2 is named twice");
  EXPECT_EQ(error_of("0-999999999999", std::nullopt),
            "run.npz: --env 0-999999999999: 1000000000000 environments are more than the 10000 of a picture");
}

}  // namespace
}  // namespace isopatch::cli
