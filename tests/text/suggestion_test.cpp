// SPDX-License-Identifier: Apache-2.0
#include "host/text/suggestion.h"

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

#include "host/text/foreign_words.h"

namespace isopatch {

using namespace detail;

namespace {

const std::vector<std::string> kKeys = {"position", "orientation", "linear_velocity", "friction", "modulus", "mass"};

TEST(Suggestion, IsANameThatIsSpelledNearlySo) {
  for (const char* name : {"frction", "firction", "frictions", "Friction", "FRICTION"}) {
    EXPECT_EQ(suggestion(name, kKeys), "; did you mean \"friction\"?") << name;
  }
  for (const char* name :
       {"linearVelocity", "linear velocity", "LinearVelocity", "linear-velocity", "linearvelocity"}) {
    EXPECT_EQ(suggestion(name, kKeys), "; did you mean \"linear_velocity\"?") << name;
  }
  EXPECT_EQ(suggestion("masses", kKeys), "; did you mean \"mass\"?");
  EXPECT_EQ(suggestion("body", {"bodies", "geometries"}), "; did you mean \"bodies\"?");
  EXPECT_EQ(suggestion("--Envs", {"--envs", "--every"}), "; did you mean \"--envs\"?");
}

TEST(Suggestion, IsWhatAnotherToolsWordIsHere) {
  EXPECT_EQ(suggestion("pos", kKeys), "; did you mean \"position\"?");
  EXPECT_EQ(suggestion("physics:staticFriction", kKeys),
            "; did you mean \"friction\" (one coefficient, static and sliding)?");
  EXPECT_EQ(suggestion("quat", kKeys), "; did you mean \"orientation\" (a quaternion [w, x, y, z])?");
}

TEST(Suggestion, IsOnlyWhatIsKnownAtThePlace) {
  EXPECT_EQ(suggestion("quat", {"mass"}), "; known: \"mass\"");
  EXPECT_EQ(suggestion("color", kKeys).find("; known: "), 0u) << "a name may be of a thing";
  EXPECT_EQ(key_suggestion("color", kKeys), "; scenes have no colours; pictures choose them");
  EXPECT_EQ(key_suggestion("gravity", kKeys), "; it is a key of \"rollout\"");
  EXPECT_EQ(suggestion("anything", {}), "");
  EXPECT_EQ(suggestion("--", {"--envs"}), "; known: \"--envs\"");
}

TEST(Suggestion, ListsAllThatIsKnown) {
  std::vector<std::string> known;
  std::string list;
  for (char c = 'a'; c <= 'z'; ++c) {
    known.emplace_back(4, c);
    list += (c == 'a' ? "\"" : ", \"") + known.back() + "\"";
  }
  EXPECT_EQ(suggestion("unlike", known), "; known: " + list);
}

TEST(ForeignWords, AreSmallLettersAndSayWhatIsMeant) {
  for (const ForeignWord& foreign : kForeignWords) {
    const std::string word = foreign.word;
    EXPECT_FALSE(word.empty());
    for (const char c : word) {
      EXPECT_TRUE(std::islower(static_cast<unsigned char>(c)) != 0 || std::isdigit(static_cast<unsigned char>(c)) != 0)
          << word;
    }
    EXPECT_TRUE(*foreign.key != '\0' || *foreign.note != '\0') << word;
  }
}

}  // namespace
}  // namespace isopatch
