// SPDX-License-Identifier: Apache-2.0
//
// How many pictures `isopatch rollout --vtk` writes.
#include <filesystem>

#include "tests/cli/rollout_fixture.h"

namespace isopatch::cli {
namespace {

using testing::Outcome;

class RolloutFrames : public testing::RolloutTest {
 protected:
  /// The number of pictures of the bodies of environment 0.
  std::int64_t frames_of(const std::string& arguments) const {
    std::filesystem::remove_all(path("v"));
    const Outcome result = rollout(arguments + " --vtk " + path("v"));
    EXPECT_EQ(result.code, 0) << result.out;
    std::int64_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path("v"))) {
      count += entry.path().filename().string().starts_with("bodies_0000_");
    }
    const std::string row = "frames" + std::string(28 - std::to_string(count).size(), ' ') + std::to_string(count);
    EXPECT_NE(result.out.find(row + "   every "), std::string::npos) << count << "\n" << result.out;
    return count;
  }
};

TEST_F(RolloutFrames, AreAbout60) {
  EXPECT_EQ(frames_of("--steps 20 --dt 0.001"), 21);
  EXPECT_EQ(frames_of("--steps 60 --dt 0.001"), 61);
  EXPECT_EQ(frames_of("--steps 61 --dt 0.001"), 32);
  EXPECT_EQ(frames_of("--steps 1000 --dt 0.0001"), 60);  // 58 times 17 steps, and the end
  EXPECT_EQ(frames_of("--steps 0"), 1);
}

TEST_F(RolloutFrames, AreThoseOfEvery) {
  EXPECT_EQ(frames_of("--steps 120 --dt 0.001 --every 1"), 121);
  EXPECT_EQ(frames_of("--steps 120 --dt 0.001 --every 50"), 4);
  EXPECT_EQ(frames_of("--steps 120 --dt 0.001 --every 50 --output " + path("o.npz")), 4);
}

TEST_F(RolloutFrames, AreFewerThanTheRowsOfAFile) {
  EXPECT_EQ(frames_of("--steps 120 --dt 0.001 --output " + path("o.npz")), 61);
  const testing::RolloutArrays file = detail::parse_npz(read("o.npz"), "o.npz");
  EXPECT_EQ(file.at("time").shape, (testing::Shape{121}));
  expect_same(file, arrays("--steps 120 --dt 0.001", "p.npz"));
  EXPECT_NE(read("v/bodies_0000.vtk.series").find("\"bodies_0000_000060.vtk\", \"time\": 0.12}\n]}"), std::string::npos)
      << read("v/bodies_0000.vtk.series");
}

TEST_F(RolloutFrames, AreFewerThanTheRowsOfACheck) { EXPECT_EQ(frames_of("--steps 100 --dt 0.001 --check"), 51); }

}  // namespace
}  // namespace isopatch::cli
