// SPDX-License-Identifier: Apache-2.0
//
// What `isopatch info` says about rigid polytopes.
#include <gtest/gtest.h>

#include <string>

#include "tests/mesh/mesh_fixtures.h"
#include "tests/support/program.h"

namespace isopatch::cli {
namespace {

using testing::contains;
using testing::Outcome;
using testing::run_program;

// a tray of two boxes of different sizes, a peg of 8 sides about another centre of mass, and the ground
constexpr const char* kTray = R"({"isopatch": 1,
  "geometries": {"slab": {"type": "box", "size": [0.6, 0.2, 0.1]}, "rim": {"type": "box", "size": [0.02, 0.02, 0.01]},
                 "peg": {"type": "cylinder", "radius": 0.03, "height": 0.08, "segments": 8},
                 "ball": {"type": "sphere", "radius": 0.02, "subdivisions": 1}, "ground": {"type": "half_space"}},
  "bodies": [
    {"name": "tray", "fixed": true, "geometries": [{"name": "slab", "geometry": "slab", "rigid": true},
                                              {"name": "rim", "geometry": "rim", "rigid": true, "position": [0, 0, 0.055]}],
     "center_of_mass": [0, 0, 0], "mass": 1},
    {"name": "peg", "geometry": "peg", "rigid": true, "position": [0.1, 0, 0.2], "center_of_mass": [0, 0, -0.04]},
    {"name": "ball", "geometry": "ball", "modulus": 1e5, "position": [0, 0.05, 0.2]},
    {"name": "ground", "geometry": "ground", "rigid": true, "fixed": true, "position": [0, 0, -1]} ],
  "contact": {"model": "polytope" OPTIONS} })";

constexpr const char* kTiles = R"({"isopatch": 1,
  "geometries": {"floor": {"type": "polygon", "points": [[-1, -0.5], [1, -0.5], [1, 0], [-1, 0]]},
                 "tile": {"type": "polygon", "points": [[0, 0], [0.3, 0], [0, 0.4]]}},
  "bodies": [{"name": "floor", "geometry": "floor", "rigid": true, "fixed": true},
             {"name": "tile", "geometry": "tile", "rigid": true, "position": [0, 0.1, 0]}],
  "contact": {"model": "polytope"} })";

class PolytopeInfo : public testing::FolderTest {
 protected:
  std::string info(std::string scene, const std::string& options = "") const {
    const std::size_t at = scene.find(" OPTIONS");
    if (at != std::string::npos) scene.replace(at, 8, options);
    const Outcome result = run_program("info " + write("scene.json", scene));
    EXPECT_EQ(result.code, 0) << result.out;
    return result.out;
  }
};

TEST_F(PolytopeInfo, ListsPartsAndPairs) {
  // the slab's corner is sqrt(0.3^2 + 0.1^2 + 0.05^2) from the centre of mass, the rim's sqrt(2 0.01^2 + 0.06^2)
  const std::string text = info(kTray);
  for (const char* line :
       {"  polytope    vertices  faces  edges   radius m\n",  //
        "  tray: slab         8      6     12   0.320156\n", "  tray: rim          8      6     12  0.0616441\n",
        "  peg               16     10     24    0.08544\n", "  ground             0      1      0          -\n"}) {
    EXPECT_TRUE(contains(text, line)) << line << text;
  }
  EXPECT_FALSE(contains(text, "\n  ball              ")) << "in pressure fields alone";
  for (const char* line :
       {"  pair of polytopes                         margin m               tolerance m  relations\n",
        "  tray               peg     0.00123288 to 0.0017088  6.16441e-08 to 8.544e-08      exact\n",
        "  peg                ground                0.0017088                 8.544e-08      exact\n"}) {
    EXPECT_TRUE(contains(text, line)) << line << text;
  }
}

TEST_F(PolytopeInfo, HasTheOptionsOfTheScene) {
  const std::string text = info(kTray, R"(, "margin": 0.003, "tolerance": 2e-6, "relations": "lnc")");
  EXPECT_TRUE(contains(text, "  pair of polytopes          margin m  tolerance m  relations\n")) << text;
  EXPECT_TRUE(contains(text, "  tray               peg        0.003        2e-06        lnc\n")) << text;
  EXPECT_TRUE(contains(info(kTray, R"(, "margin": 0)"), "  tray               peg            0  6.16441e-08 to"))
      << text;
}

TEST_F(PolytopeInfo, HasAnAreaOfPolygons) {
  const std::string text = info(kTiles);
  for (const char* line : {"  geometry  kind     tets  points  triangles  volume m^3  nodes  depth\n",
                           "  tile      polygon     -       3          -    0.06 m^2      -      -\n",
                           "  tile   planar  -       -     -\n", "  floor            4      4      0   1.03078\n",
                           "  tile             3      3      0    0.2848\n",
                           "  floor              tile  0.005696    2.848e-07      exact\n"}) {
    EXPECT_TRUE(contains(text, line)) << line << text;
  }
}

TEST_F(PolytopeInfo, SaysNothingWithoutThem) {
  const Outcome result = run_program("info " + source_path("bench/scenes/box_on_box.json"));
  EXPECT_EQ(result.code, 0);
  EXPECT_FALSE(contains(result.out, "polytope")) << result.out;
}

}  // namespace
}  // namespace isopatch::cli
