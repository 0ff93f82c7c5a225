// SPDX-License-Identifier: Apache-2.0
#include "host/text/quote.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "isopatch/isopatch.h"
#include "tests/mesh/mesh_fixtures.h"
#include "tests/support/message_check.h"

namespace isopatch {

using namespace detail;

namespace {

using testing::contains;
using testing::error_of;
using testing::message_problem;

TEST(Quote, LeavesPrintableTextOfAllScriptsAsItIs) {
  for (const char* text : {"ball", "M\u00fcller", "\u7403", "\U0001f3c0", "a b", "%41"}) EXPECT_EQ(escaped(text), text);
}

TEST(Quote, EscapesWhatIsNotPrintable) {
  EXPECT_EQ(escaped("a\nb\tc\r"), R"(a\nb\tc\r)");
  EXPECT_EQ(escaped("\x1b[31m\x07\x7f"), R"(\x1b[31m\x07\x7f)");
  EXPECT_EQ(escaped(std::string("a\0b", 3)), R"(a\x00b)");
  EXPECT_EQ(escaped("\u009b31m"), R"(\u009b31m)") << "C1 in UTF-8";
  EXPECT_EQ(escaped("\x9b"), R"(\x9b)") << "C1 as a byte";
  EXPECT_EQ(escaped("\u202e\u2028\ufeff"), R"(\u202e\u2028\ufeff)");
  EXPECT_EQ(escaped("\xff\xc3(\xe2\x82\xed\xa0\x80\xc0\xaf\xf4\x90\x80\x80"),
            R"(\xff\xc3(\xe2\x82\xed\xa0\x80\xc0\xaf\xf4\x90\x80\x80)");
}

TEST(Quote, KeepsQuotesApartAndCutsLongText) {
  EXPECT_EQ(in_quotes("it's \"\\"), R"('it\'s "\\')");
  EXPECT_EQ(in_quotes("it's \"\\", '"'), R"("it's \"\\")");
  EXPECT_EQ(in_quotes(std::string(60, 'a')), "'" + std::string(60, 'a') + "'");
  EXPECT_EQ(in_quotes(std::string(61, 'a')), "'" + std::string(60, 'a') + "...'");
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "\u00fc";
  EXPECT_EQ(message_problem(in_quotes(umlauts)), "") << "cut between characters";
}

TEST(Quote, AMessageLosesItsMiddle) {
  const std::string long_one = "begin " + std::string(2 * kMaxMessage, 'x') + " what would be right";
  const std::string text = Error(long_one).what();
  EXPECT_EQ(text.size(), kMaxMessage);
  EXPECT_TRUE(text.starts_with("begin xxx")) << text;
  EXPECT_TRUE(text.ends_with("xxx what would be right")) << text;
  EXPECT_EQ(Error(std::string(kMaxMessage, 'x')).what(), std::string(kMaxMessage, 'x'));
}

TEST(Quote, EveryErrorIsPrintableWhateverItRepeats) {
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random() % 700 + 1, '\0');
    // bytes of all kinds, and many that begin or continue a character
    for (char& c : bytes) c = static_cast<char>(random() % 3 == 0 ? random() : 0x80 + random() % 0x80);
    ASSERT_EQ(message_problem(Error(bytes).what()), "") << i;
  }
}

TEST(MessageCheck, SeesEveryFault) {
  EXPECT_EQ(message_problem("all \u00fc \u7403 right"), "");
  for (const char* bad : {"", "a\nb", "\x1b", "\x7f", "\u0085", "\xff", "\xc3", "\xed\xa0\x80", "\xc0\xaf", "\u202e"})
    EXPECT_NE(message_problem(bad), "") << bad;
  EXPECT_NE(message_problem(std::string(kMaxMessage + 1, 'x')), "");
}

// Names come from files and callers alike.
TEST(Messages, OfAllReadersAndOfScenesAreReadable) {
  const std::string evil = "a\x1b[2J\x07\x7f\x9b\xff" + std::string(400, 'y');
  const auto check = [&](const auto& function) {
    const std::string message = error_of(function);
    EXPECT_EQ(message_problem(message), "") << message;
    EXPECT_TRUE(contains(message, "\\x1b[2")) << message;
  };
  check([&] { parse_msh(evil, "m"); });
  check([&] { parse_msh("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$" + evil, "m"); });
  check([&] { parse_vtk(evil, "m"); });
  check([&] { parse_vtk("# vtk DataFile Version 3.0\nt\nASCII\nDATASET " + evil, "m"); });
  check([&] { parse_vtu(evil, "m"); });
  check([&] { parse_vtu("<VTKFile type=\"" + evil + "\"/>", "m"); });
  EXPECT_EQ(message_problem(error_of([&] { parse_vtu("<a\x1b[2J/>", "m"); })), "");  // it quotes what follows
  check([&] { parse_obj("v 0 0 0\n" + evil, "m"); });
  check([&] { parse_stl("solid\nfacet \x1b[2J", "m"); });
  check([&] { parse_scene("{\"isopatch\": 1, \"\\u001b[2J\\n\": 1}", "", "m"); });
  // the parser of JSON writes <U+001B>
  for (const std::string& bytes : {"{\"isopatch\": " + evil.substr(1), "\"" + evil, std::string("\x80\xff")})
    EXPECT_EQ(message_problem(error_of([&] { parse_scene(bytes, "", "m"); })), "");
  check([&] { read_tet_mesh("/nowhere/" + evil + ".vtk"); });
  check([&] { read_scene("/nowhere/" + evil); });

  SceneDescription scene;
  scene.geometries = {make_sphere("ball", 1, 0)};
  scene.bodies = {{.name = evil, .geometry = 0, .modulus = -1}};
  check([&] { Scene{scene}; });
  scene.bodies = {{.name = evil, .geometry = 0, .modulus = 1e5}};
  scene.pairs = {{.a = 0, .b = 0, .dissipation = {}, .friction = {}}};
  check([&] { Scene{scene}; });
}

}  // namespace
}  // namespace isopatch
