// SPDX-License-Identifier: Apache-2.0
//
// Pictures as binary glTF; Python's tests read them by trimesh and pygltflib.
#include "host/render/glb.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include <nlohmann/json.hpp>

#include "host/cli/random_states.h"
#include "host/render/render.h"
#include "isopatch/isopatch.h"
#include "tests/mesh/mesh_fixtures.h"
#include "tests/support/paths/paths.h"

namespace isopatch::detail {
namespace {

using nlohmann::json;

constexpr std::size_t kHeader = 20;

std::uint32_t word_at(const std::string& bytes, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

class GlbPicture : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      require_render();
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  /// Draws frames of a scene of bench/scenes, and checks the file's header.
  void draw(const std::string& scene, std::int64_t environments) {
    evaluator_.emplace(Scene(read_scene(source_path("bench/scenes/" + scene))));
    frames_.states = cli::random_states(evaluator_->scene().description(), environments, 1);
    finish();
  }

  void finish() {
    const FrameContacts contacts = evaluated_contacts(*evaluator_, {frames_}, [](std::int64_t) {});
    contacts_ = contacts.all();
    glb_ = glbs_of(evaluator_->scene().description(), {frames_}, contacts_, "a scene").at(0);
    ASSERT_EQ(glb_.substr(0, 4), "glTF");
    ASSERT_EQ(word_at(glb_, 4), 2u);
    ASSERT_EQ(word_at(glb_, 8), glb_.size());
    json_ = json::parse(glb_.substr(kHeader, word_at(glb_, 12)));
  }

  /// The numbers of an accessor of floats.
  std::vector<float> floats(int accessor) const {
    const json& of = json_["accessors"].at(static_cast<std::size_t>(accessor));
    const json& view = json_["bufferViews"].at(of["bufferView"].get<std::size_t>());
    const std::size_t width = of["type"] == "SCALAR" ? 1 : of["type"] == "VEC3" ? 3 : 4;
    std::vector<float> values(width * of["count"].get<std::size_t>());
    const std::size_t begin = kHeader + word_at(glb_, 12) + 8 + view.value("byteOffset", std::size_t{0}) +
                              of.value("byteOffset", std::size_t{0});
    std::memcpy(values.data(), glb_.data() + begin, 4 * values.size());
    return values;
  }

  std::optional<HostEvaluator> evaluator_;
  Frames frames_;
  std::vector<FrameContact> contacts_;
  std::string glb_;
  json json_;
};

TEST_F(GlbPicture, NamesBodiesPairsAndUnits) {
  draw("box_stack.json", 1);
  const json& extras = json_["scenes"][0]["extras"];
  EXPECT_EQ(extras["title"], "a scene");
  EXPECT_EQ(extras["bodies"], (json{"table", "base", "left", "right", "lid"}));
  EXPECT_EQ(extras["units"]["pressure"], "Pa");
  EXPECT_EQ(extras["frames"].size(), 1u);
  EXPECT_FALSE(json_.contains("animations"));
  EXPECT_FALSE(extras.contains("flat"));
  std::set<std::string> names;
  for (const json& node : json_["nodes"]) names.insert(node["name"].get<std::string>());
  for (const char* name : {"world", "table", "lid", "table on base", "force of table on base"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST_F(GlbPicture, HasForceAndAreaOfEachPatch) {
  draw("box_stack.json", 1);
  std::size_t found = 0;
  for (const json& mesh : json_["meshes"]) {
    if (!mesh.contains("extras")) continue;
    const DrawnPatch& patch = contacts_[0].patches.at(found++);
    EXPECT_EQ(mesh["extras"]["pair"], patch.pair);
    EXPECT_NEAR(mesh["extras"]["area"], patch.area, 1e-7 * patch.area);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(mesh["extras"]["force"][k], patch.force[k], 1e-7 * std::fabs(patch.force[k]));
    }
  }
  EXPECT_EQ(found, contacts_[0].patches.size());
  EXPECT_GT(found, 4u);
}

TEST_F(GlbPicture, HasANeedleForEachContactOfRigidPolytopes) {
  draw("v_groove.json", 1);
  ASSERT_EQ(contacts_[0].contacts.size(), 1u);
  const std::size_t count = contacts_[0].contacts[0].contacts.size();
  EXPECT_GT(count, 3u);
  const json& mesh = json_["meshes"].back();
  EXPECT_EQ(mesh["extras"], (json{{"pair", 0}, {"contacts", count}}));
  const json& primitive = mesh["primitives"][0];
  EXPECT_EQ(json_["materials"].at(primitive["material"].get<std::size_t>())["name"], "contact");
  const std::vector<float> points = floats(primitive["attributes"]["POSITION"]);
  constexpr std::size_t kPoints = 11;  // of a needle, of which the last one is its tip
  ASSERT_EQ(points.size(), 3 * kPoints * count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [at, normal] = contacts_[0].contacts[0].contacts[i];
    double along = 0;
    for (std::size_t k = 0; k < 3; ++k) along += (points[3 * (kPoints * i + kPoints - 1) + k] - at[k]) * normal[k];
    EXPECT_GT(along, 0.01 * json_["scenes"][0]["extras"]["radius"].get<double>());
  }
}

TEST_F(GlbPicture, MovesBodiesAndShowsEachFrameOnceAndNothingWithScaleZero) {
  draw("box_stack.json", 5);
  const json& animation = json_["animations"].at(0);
  int scales = 0, rotations = 0;
  for (const json& channel : animation["channels"]) {
    const json& sampler = animation["samplers"].at(channel["sampler"].get<std::size_t>());
    const std::vector<float> times = floats(sampler["input"]), values = floats(sampler["output"]);
    for (std::size_t i = 1; i < times.size(); ++i) EXPECT_LT(times[i - 1], times[i]);
    const std::string path = channel["target"]["path"];
    if (path == "scale") {
      ++scales;
      for (const float scale : values) EXPECT_GE(scale, 1e-6F);
    }
    const json& node = json_["nodes"].at(channel["target"]["node"].get<std::size_t>());
    if (path != "rotation" || !node["extras"].contains("body")) continue;
    ++rotations;
    for (std::size_t i = 4; i < values.size(); i += 4) {
      float same = 0;
      for (std::size_t k = 0; k < 4; ++k) same += values[i - 4 + k] * values[i + k];
      EXPECT_GE(same, 0) << "the shorter way";
    }
  }
  EXPECT_GE(scales, 5);
  EXPECT_GE(rotations, 4);
  for (const json& node : json_["nodes"]) {
    for (const json& scale : node.value("scale", json::array())) EXPECT_GE(scale.get<double>(), 1e-6);
  }
}

TEST_F(GlbPicture, OfARolloutIsInTimeEvenIfTimeStands) {
  evaluator_.emplace(Scene(read_scene(source_path("bench/scenes/drop.json"))));
  frames_.states = cli::random_states(evaluator_->scene().description(), 4, 1);
  frames_.times = {0.1, 0.2, 0.2, 0.3};  // frozen for a while
  frames_.environment = 7;
  finish();
  const json& extras = json_["scenes"][0]["extras"];
  EXPECT_EQ(extras["environment"], 7);
  EXPECT_EQ(extras["frames"][2]["time"], 0.2);
  const json& animation = json_["animations"].at(0);
  EXPECT_EQ(animation["samplers"][0]["interpolation"], "LINEAR");
  const std::vector<float> times = floats(animation["samplers"][0]["input"]);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(times[i], 0.1 * static_cast<double>(i), 1e-6);
}

TEST_F(GlbPicture, ShowsTheGeometryThatAPartHasInAFrame) {
  const Scene scene(parse_scene(R"({"isopatch": 1,
    "geometries": {"large": {"type": "sphere", "radius": 0.1, "subdivisions": 1},
                   "small": {"type": "sphere", "radius": 0.05, "subdivisions": 1}},
    "bodies": [{"name": "ball", "geometry": "large"}]})",
                                ".", "scene"));
  evaluator_.emplace(scene);
  frames_.states = StateArrays(scene.description(), 2);
  frames_.states.geometry_index = {0, 1};
  finish();
  std::map<std::string, std::size_t> nodes;
  for (std::size_t i = 0; i < json_["nodes"].size(); ++i) nodes[json_["nodes"][i]["name"]] = i;
  EXPECT_FALSE(json_["nodes"][nodes.at("large")].contains("scale"));
  EXPECT_LT(json_["nodes"][nodes.at("small")]["scale"][0], 1e-3);
  for (const json& channel : json_["animations"][0]["channels"]) {
    const bool is_large = channel["target"]["node"] == nodes.at("large");
    const json& sampler = json_["animations"][0]["samplers"].at(channel["sampler"].get<std::size_t>());
    const std::vector<float> scales = floats(sampler["output"]);
    EXPECT_EQ(scales[0] > 0.5F, is_large);
    EXPECT_EQ(scales[3] > 0.5F, !is_large);
  }
}

TEST_F(GlbPicture, HasPolygonsAsFlatMeshesWithTwoSides) {
  const Scene scene(parse_scene(R"({"isopatch": 1,
    "geometries": {"tile": {"type": "polygon", "points": [[0, 0], [0.1, 0], [0.1, 0.05], [0.05, 0.1], [0, 0.05]]}},
    "bodies": [{"name": "low", "geometry": "tile", "rigid": true, "fixed": true},
               {"name": "high", "geometry": "tile", "rigid": true, "position": [0, 0.09, 0]}],
    "contact": {"model": "polytope"}})",
                                ".", "scene"));
  evaluator_.emplace(scene);
  frames_.states = cli::random_states(scene.description(), 3, 1);
  finish();
  EXPECT_TRUE(contacts_[0].patches.empty());
  int bodies = 0;
  for (const json& mesh : json_["meshes"]) {
    if (mesh.contains("extras")) continue;  // contacts
    ++bodies;
    const json& primitive = mesh["primitives"][0];
    EXPECT_EQ(json_["accessors"][primitive["indices"].get<std::size_t>()]["count"], 9) << "three triangles";
    EXPECT_EQ(json_["materials"][primitive["material"].get<std::size_t>()]["doubleSided"], true);
    const std::vector<float> points = floats(primitive["attributes"]["POSITION"]);
    ASSERT_EQ(points.size(), 15u);
    for (std::size_t i = 2; i < points.size(); i += 3) EXPECT_EQ(points[i], 0);
  }
  EXPECT_EQ(bodies, 2) << "of two colours";
  EXPECT_GT(json_["scenes"][0]["extras"]["radius"].get<double>(), 0.1);
  EXPECT_EQ(json_["scenes"][0]["extras"]["flat"], true) << "seen from above";
}

TEST_F(GlbPicture, OfABadPoseIsAtTheOriginAndSaysTheStatus) {
  evaluator_.emplace(Scene(read_scene(source_path("bench/scenes/sphere_on_box.json"))));
  frames_.states = StateArrays(evaluator_->scene().description(), 1);
  frames_.states.poses[0] = std::nan("");
  finish();
  EXPECT_NE(json_["scenes"][0]["extras"]["frames"][0]["status"], 0);
  for (const json& node : json_["nodes"]) EXPECT_TRUE(node["name"] != "ball" || !node.contains("translation"));
}

TEST_F(GlbPicture, OfSeveralEnvironmentsHaveOneRangeAndOneScaleAndViewsByTheirSize) {
  const HostEvaluator evaluator(Scene(read_scene(source_path("bench/scenes/sphere_on_box.json"))));
  const SceneDescription& scene = evaluator.scene().description();
  std::vector<Frames> environments(3);
  for (std::size_t k = 0; k < environments.size(); ++k) {
    environments[k].states = cli::random_states(scene, 1, 1, 0);
    environments[k].times = {0};
    environments[k].environment = static_cast<std::int64_t>(k);
  }
  environments[1].states.poses[2] -= 0.01;  // deeper
  environments[2].states.poses[2] += 9;
  const FrameContacts contacts = evaluated_contacts(evaluator, environments, [](std::int64_t) {});
  ASSERT_LT(contacts.all()[0].patches.at(0).max_pressure, contacts.all()[1].patches.at(0).max_pressure);
  std::vector<json> facts;
  for (const std::string& glb : glbs_of(scene, environments, contacts.all(), "x")) {
    facts.push_back(json::parse(glb.substr(kHeader, word_at(glb, 12)))["scenes"][0]["extras"]);
  }
  for (std::size_t k = 0; k < facts.size(); ++k) {
    EXPECT_EQ(facts[k]["environment"], k);
    EXPECT_EQ(facts[k]["newtons_per_metre"], facts[0]["newtons_per_metre"]) << k;
    EXPECT_NEAR(facts[k]["max_pressure"], contacts.all()[1].patches[0].max_pressure, 1) << k;
  }
  EXPECT_EQ(facts[0]["radius"], facts[1]["radius"]);
  EXPECT_EQ(facts[0]["center"], facts[1]["center"]);
  EXPECT_NEAR(facts[2]["radius"], 4.5, 0.5);
  EXPECT_LT(facts[0]["radius"], 0.5);
}

TEST_F(GlbPicture, RefusesStatesOfAnotherScene) {
  const SceneDescription one = read_scene(source_path("bench/scenes/sphere_on_box.json")),
                         other = read_scene(source_path("bench/scenes/box_stack.json"));
  frames_.states = StateArrays(other, 1);
  EXPECT_EQ(testing::error_of([&] { glbs_of(one, {frames_}, {}, "x"); }),
            "render: states of 5 bodies and 5 parts; the scene has 2 and 2");
}

}  // namespace
}  // namespace isopatch::detail
