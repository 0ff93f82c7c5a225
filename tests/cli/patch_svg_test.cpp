// SPDX-License-Identifier: Apache-2.0
//
// The picture of `isopatch evaluate --svg`.
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <pugixml.hpp>

#include "host/pictures/patch_svg.h"
#include "isopatch/isopatch.h"
#include "tests/support/paths/paths.h"
#include "tests/support/program.h"

namespace isopatch::testing {
namespace {

struct PatchSvg : FolderTest {
  /// The picture of a scene, with the number of its polygons in the results.
  pugi::xml_document drawn(const std::string& scene, int& polygons) const {
    const auto [code, out] = run_program("evaluate " + scene + " --backend cpu --svg " + path("patch.svg"));
    EXPECT_EQ(code, 0) << out;
    polygons = 0;
    for (std::size_t at = 0; (at = out.find("\"polygons\": ", at)) != std::string::npos; ++at) {
      polygons += std::stoi(out.substr(at + 12));
    }
    pugi::xml_document document;
    EXPECT_TRUE(document.load_string(read("patch.svg").c_str())) << read("patch.svg");
    return document;
  }
};

int count(const pugi::xml_node& svg, const char* name) {
  int found = 0;
  for ([[maybe_unused]] const pugi::xml_node& child : svg.children(name)) ++found;
  return found;
}

TEST_F(PatchSvg, HasEveryPolygonInsideThePicture) {
  int expected = 0;
  const pugi::xml_document document = drawn(source_path("bench/scenes/box_stack.json"), expected);
  const pugi::xml_node svg = document.child("svg");
  ASSERT_GT(expected, 20);
  EXPECT_EQ(count(svg, "polygon"), expected);
  const double width = svg.attribute("width").as_double(), height = svg.attribute("height").as_double();
  for (const pugi::xml_node& polygon : svg.children("polygon")) {
    std::istringstream points(polygon.attribute("points").value());
    double x = 0, y = 0;
    char comma = 0;
    int corners = 0;
    for (; points >> x >> comma >> y; ++corners) {
      EXPECT_TRUE(x >= 0 && x <= width && y >= 0 && y <= height) << x << " " << y;
    }
    EXPECT_GE(corners, 3);
  }
}

TEST_F(PatchSvg, IsXmlWhateverTheNamesAre) {
  const std::string name = "a]]>b<c>&amp;'--><![CDATA[";
  int expected = 0;
  const pugi::xml_document document = drawn(write("named.json", R"({"isopatch": 1,
    "geometries": {"box": {"type": "box", "size": [1, 1, 1]}},
    "bodies": [{"name": ")" + name + R"(", "geometry": "box", "position": [0, 0, 0.9], "friction": 0.5},
               {"name": "table", "geometry": "box", "friction": 0.5, "fixed": true}]})"),
                                            expected);
  EXPECT_GT(expected, 0);
  EXPECT_EQ(read("patch.svg").find("]]>"), std::string::npos);  // XML forbids it in text, which pugixml does not mind
  bool shown = false;
  for (const pugi::xml_node& line : document.child("svg").children("text")) {
    shown = shown || std::string(line.text().get()).find(name) != std::string::npos;
  }
  EXPECT_TRUE(shown) << read("patch.svg");
}

TEST_F(PatchSvg, SaysThatNothingTouches) {
  Polygon none = {};
  for (const std::vector<Polygon>& polygons : {std::vector<Polygon>(), std::vector<Polygon>{none}}) {
    pugi::xml_document document;
    ASSERT_TRUE(document.load_string(detail::patches_svg({}, polygons, {}).c_str()));
    EXPECT_STREQ(document.child("svg").child("text").text().get(), "nothing touches");
  }
}

TEST_F(PatchSvg, IsSeenAlongItsNormalAtTheSameScale) {
  // a square of 2 cm at 4 kPa in the plane of y and z, and one of 1 cm at 1 kPa in the plane of x and y
  SceneDescription scene;
  scene.bodies.resize(3);
  for (std::size_t i = 0; i < 3; ++i) scene.bodies[i].name = i == 0 ? "a<b" : std::to_string(i);
  scene.pairs.emplace(2);
  (*scene.pairs)[0].a = 0, (*scene.pairs)[0].b = 1;
  (*scene.pairs)[1].a = 1, (*scene.pairs)[1].b = 2;
  const auto square = [](int pair, float edge, float pressure) {
    Polygon p = {};
    p.pair = pair;
    p.num_vertices = 4;
    p.area = edge * edge;
    p.normal[pair == 0 ? 0 : 2] = 1;
    for (int i = 0; i < 4; ++i) {
      float* const v = p.vertices[i] + (pair == 0 ? 1 : 0);
      v[0] = i == 1 || i == 2 ? edge : 0;
      v[1] = i >= 2 ? edge : 0;
      p.pressures[i] = pressure;
    }
    return p;
  };
  pugi::xml_document document;
  const std::string svg = detail::patches_svg(scene, {square(0, 0.02F, 4000), square(1, 0.01F, 1000)},
                                              {0, 0, 1.6, 0, 0, 0, 0.06, 0, 0.08, 0, 0, 0});
  ASSERT_TRUE(document.load_string(svg.c_str())) << svg;
  double edges[2] = {0, 0};
  int at = 0;
  for (const pugi::xml_node& polygon : document.child("svg").children("polygon")) {
    double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    char comma = 0;
    std::istringstream(polygon.attribute("points").value()) >> x0 >> comma >> y0 >> x1 >> comma >> y1;
    edges[at++] = std::hypot(x1 - x0, y1 - y0);
  }
  EXPECT_NEAR(edges[0], 2 * edges[1], 0.05);
  EXPECT_NEAR(edges[0], 272, 0.05);  // a panel without its margins
  EXPECT_NE(svg.find("a&lt;b on 1: 1.6 N on 4 cm²"), std::string::npos) << svg;
  EXPECT_NE(svg.find("4 kPa"), std::string::npos);
  EXPECT_NE(svg.find("#fde725"), std::string::npos) << "the highest colour, of the largest pressure";
}

TEST_F(PatchSvg, IsNotMirroredAndIntegratesThePressure) {
  // 1 MPa/m times x over a trapezoid: 7/6 N, where the mean of the corners would give 1.125 N
  SceneDescription scene;
  scene.bodies.resize(2);
  scene.pairs.emplace(1);
  (*scene.pairs)[0].b = 1;
  Polygon p = {};
  p.num_vertices = 4;
  p.area = 1.5e-4F;
  p.normal[2] = -1;  // one looks down, so that the world's x is to the right and its y up
  const float corners[4][2] = {{0, 0}, {0, 0.01F}, {0.01F, 0.01F}, {0.02F, 0}};
  for (int i = 0; i < 4; ++i) {
    p.vertices[i][0] = corners[i][0];
    p.vertices[i][1] = corners[i][1];
    p.pressures[i] = 1e6F * corners[i][0];
  }
  pugi::xml_document document;
  const std::string svg = detail::patches_svg(scene, {p}, {0, 0.47, -1.1, 5, 6, 7});
  ASSERT_TRUE(document.load_string(svg.c_str())) << svg;
  EXPECT_NE(svg.find(": 1.2 N on 1.5 cm²"), std::string::npos) << svg;
  double x[4], y[4];
  char comma = 0;
  std::istringstream points(document.child("svg").child("polygon").attribute("points").value());
  for (int i = 0; i < 4; ++i) points >> x[i] >> comma >> y[i];
  EXPECT_NEAR(x[3] - x[0], 272, 0.05);   // a panel without its margins; the world's x
  EXPECT_NEAR(y[1] - y[0], -136, 0.05);  // up, the world's y
}

TEST_F(PatchSvg, NeedsItsEnding) {
  const auto [code, out] =
      run_program("evaluate " + source_path("bench/scenes/box_stack.json") + " --svg " + path("patch.png"));
  EXPECT_EQ(code, 2);
  EXPECT_NE(out.find("--svg"), std::string::npos) << out;
}

}  // namespace
}  // namespace isopatch::testing
