// SPDX-License-Identifier: Apache-2.0
//
// The keys of contacts with state: what they read as, their defaults and limits, and that they are written again.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "isopatch/isopatch.h"

namespace isopatch {
namespace {

/// Two balls, the parts of a body, on the ground, with a pair and a contact law of these keys.
std::string scene_text(const std::string& pair, const std::string& contact = "") {
  return R"({"isopatch": 1,
    "geometries": {"ball": {"type": "sphere", "radius": 0.05, "subdivisions": 0}, "ground": {"type": "half_space"}},
    "bodies": [
      {"name": "feet", "foundation_depth": 0.02, "friction": 0.5, "geometries": [
        {"geometry": "ball", "name": "left"},
        {"geometry": "ball", "name": "right", "position": [0.2, 0, 0], "foundation_depth": 0.03}]},
      {"name": "ground", "geometry": "ground", "rigid": true, "fixed": true, "friction": 0.5}],
    "pairs": [{"bodies": ["feet", "ground"])" +
         pair + R"(}], "contact": {)" + contact + "}}";
}

SceneDescription parse(const std::string& text) { return parse_scene(text, "", "test.json"); }

std::string error_of(const std::string& text) {
  try {
    Scene{parse(text)};
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// Every key, and none at its default.
const std::string kContact =
    R"("friction_model": "bristle", "bristle": {"stiffness": 2e5, "damping": 300, "viscous": 0.25,
       "stribeck_velocity": 0.002, "dwell_time": 0.3, "static_ratio": 1.5}, "bristle_flow": "always", "normal": "inertia",
       "small_speed": 0.004, "latch": "largest", "relaxation_time": 0.5, "model": "point")";
const std::string kPointPair =
    R"(, "model": "point", "friction_model": "bristle", "bristle": {"damping": 150}, "bristle_flow": "near_limit",
       "stiffness": 3e6, "exponent": 2, "restitution": 0.7, "spin_radius": 0.65, "contact_state": [[0.1, 1e-5, 1e-7, -2e-7, 3e-7, 1e-6, 0.5, 2],
                                                                 [0, 0, 0, 0, 0, 0, 0, 0]])";

void expect_equal(const ContactOptions& a, const ContactOptions& b) {
  EXPECT_EQ(a.model, b.model);
  EXPECT_EQ(a.force_law.friction_model, b.force_law.friction_model);
  EXPECT_EQ(a.force_law.bristle, b.force_law.bristle);
  EXPECT_EQ(a.force_law.bristle_flow, b.force_law.bristle_flow);
  EXPECT_EQ(a.force_law.normal, b.force_law.normal);
  EXPECT_EQ(a.force_law.small_speed, b.force_law.small_speed);
  EXPECT_EQ(a.force_law.latch, b.force_law.latch);
  EXPECT_EQ(a.force_law.relaxation_time, b.force_law.relaxation_time);
}

void expect_equal(const Pair& a, const Pair& b) {
  EXPECT_EQ(a.model, b.model);
  EXPECT_EQ(a.friction_model, b.friction_model);
  EXPECT_EQ(a.bristle, b.bristle);
  EXPECT_EQ(a.bristle_flow, b.bristle_flow);
  EXPECT_EQ(a.stiffness, b.stiffness);
  EXPECT_EQ(a.exponent, b.exponent);
  EXPECT_EQ(a.restitution, b.restitution);
  EXPECT_EQ(a.exact_spheres, b.exact_spheres);
  EXPECT_EQ(a.inside, b.inside);
  EXPECT_EQ(a.spin_radius, b.spin_radius);
  EXPECT_EQ(a.contact_state, b.contact_state);
}

TEST(MemoryKeys, OfTheContactLawAreRead) {
  const ContactOptions contact = parse(scene_text("", kContact)).contact;
  EXPECT_EQ(contact.model, ContactModel::kPoint);
  EXPECT_EQ(contact.force_law.friction_model, FrictionModel::kBristle);
  EXPECT_EQ(contact.force_law.bristle, (BristleFriction{2e5, 300, 0.25, 0.002, 0.3, 1.5}));
  EXPECT_EQ(contact.force_law.bristle_flow, BristleFlow::kAlways);
  EXPECT_EQ(contact.force_law.normal, OverlapNormal::kInertia);
  EXPECT_EQ(contact.force_law.small_speed, 0.004);
  EXPECT_EQ(contact.force_law.latch, ImpactLatch::kLargest);
  EXPECT_EQ(contact.force_law.relaxation_time, 0.5);
}

TEST(MemoryKeys, OfAPairAreRead) {
  const SceneDescription scene = parse(scene_text(kPointPair, kContact));
  const Pair& pair = scene.pairs->at(0);
  EXPECT_EQ(pair.model, ContactModel::kPoint);
  EXPECT_EQ(pair.friction_model, FrictionModel::kBristle);
  EXPECT_EQ(pair.bristle_flow, BristleFlow::kNearLimit);
  EXPECT_EQ(pair.stiffness, 3e6);
  EXPECT_EQ(pair.exponent, 2.0);
  EXPECT_EQ(pair.restitution, 0.7);
  EXPECT_EQ(pair.spin_radius, 0.65);
  ASSERT_EQ(pair.contact_state.size(), 2u);
  EXPECT_EQ(pair.contact_state[0], (std::array<double, 8>{0.1, 1e-5, 1e-7, -2e-7, 3e-7, 1e-6, 0.5, 2}));

  const Pair volumes = parse(scene_text(R"(, "model": "volumetric", "exact_spheres": true)")).pairs->at(0);
  EXPECT_EQ(volumes.model, ContactModel::kVolumetric);
  EXPECT_TRUE(volumes.exact_spheres);
  EXPECT_FALSE(volumes.stiffness);
  EXPECT_FALSE(volumes.restitution);
}

TEST(MemoryKeys, OfThePairsBristlesThatAreLeftOutAreTheContactLaws) {
  const SceneDescription scene = parse(scene_text(kPointPair, kContact));
  BristleFriction expected = scene.contact.force_law.bristle;
  expected.damping = 150;
  EXPECT_EQ(scene.pairs->at(0).bristle, expected);
}

TEST(MemoryKeys, LeftOutAreTheDefaults) {
  const SceneDescription scene = parse(scene_text(""));
  expect_equal(scene.contact, ContactOptions());
  Pair plain;
  plain.a = 0, plain.b = 1;
  expect_equal(scene.pairs->at(0), plain);
  const BristleFriction bristle;
  EXPECT_EQ(bristle, (BristleFriction{1e5, 200, 0, 1e-3, 0.1, 1}));
  EXPECT_EQ(scene.contact.force_law.small_speed, 1e-3);
  EXPECT_EQ(Scene(scene).contact_state_size(), 0);
}

TEST(MemoryKeys, FoundationDepthIsTheBodysWhereAPartHasNone) {
  const SceneDescription scene = parse(scene_text(""));
  EXPECT_EQ(scene.bodies[0].foundation_depth, 0.02);
  EXPECT_EQ(parts_of(scene.bodies[0])[0].foundation_depth, 0.02);
  EXPECT_EQ(parts_of(scene.bodies[0])[1].foundation_depth, 0.03);
  EXPECT_FALSE(scene.bodies[1].foundation_depth);
}

TEST(MemoryKeys, InsideIsOfAHole) {
  const std::string text = R"({"isopatch": 1,
    "geometries": {"ball": {"type": "sphere", "radius": 0.05, "subdivisions": 0},
                   "can": {"type": "cylinder", "radius": 0.5, "height": 1, "segments": 8}},
    "bodies": [{"name": "ball", "geometry": "ball", "rigid": true},
               {"name": "can", "geometry": "can", "rigid": true, "fixed": true}],
    "pairs": [{"bodies": ["ball", "can"], "model": "point", "inside": true, "stiffness": 1e6}]})";
  const Scene scene(parse(text));
  EXPECT_TRUE(scene.pairs()[0].inside);
  EXPECT_EQ(scene.num_part_pairs(), 1) << "two rigid parts, with a stiffness";
  const SceneDescription again = parse_scene(to_json(scene), "", "", {.geometries = scene.description().geometries});
  expect_equal(scene.pairs()[0], again.pairs->at(0));
}

TEST(MemoryKeys, AreWrittenAndReadAgain) {
  for (const std::string& text :
       {scene_text(kPointPair, kContact), scene_text(R"(, "model": "volumetric", "exact_spheres": true)"),
        scene_text("", R"("friction_model": "bristle")"), scene_text(R"(, "friction_model": "bristle")")}) {
    const Scene scene(parse(text));
    const std::string written = to_json(scene);
    const SceneDescription again = parse_scene(written, "", "", {.geometries = scene.description().geometries});
    expect_equal(scene.description().contact, again.contact);
    expect_equal(scene.pairs()[0], again.pairs->at(0));
    EXPECT_EQ(again.bodies[0].foundation_depth, 0.02);
    EXPECT_EQ(parts_of(again.bodies[0])[1].foundation_depth, 0.03);
    EXPECT_EQ(to_json(Scene(again)), written);
  }
}

TEST(MemoryKeys, AreNotWrittenOfScenesWithoutThem) {
  const std::string written = to_json(Scene(parse(scene_text(""))));
  for (const char* key :
       {"friction_model", "bristle", "bristle_flow", "normal", "small_speed", "latch", "relaxation_time", "stiffness",
        "exponent", "restitution", "exact_spheres", "inside", "spin_radius", "contact_state"}) {
    EXPECT_EQ(written.find('"' + std::string(key) + '"'), std::string::npos) << key;
  }
}

TEST(MemoryKeys, TakeNumbersAtTheLimits) {
  EXPECT_EQ(error_of(scene_text(R"(, "model": "point", "stiffness": 5e-324, "exponent": 1, "restitution": 1,
                                   "spin_radius": 0)",
                                R"("bristle": {"stiffness": 5e-324, "damping": 5e-324, "viscous": 0, "dwell_time": 0,
                                   "stribeck_velocity": 1e-12, "static_ratio": 1}, "small_speed": 1e-12,
                                   "relaxation_time": 0)")),
            "no error");
  EXPECT_EQ(error_of(scene_text(R"(, "model": "point", "stiffness": 1e6, "exponent": 64)")), "no error");
}

// The same rules hold for scenes from C++, which no reader has checked.
TEST(MemoryKeys, AreCheckedInScenesFromMemory) {
  const auto error_with = [](const auto& change) {
    SceneDescription scene = parse(scene_text(kPointPair, kContact));
    change(scene, scene.pairs->at(0));
    try {
      Scene{scene};
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto expect = [&](const char* text, const auto& change) {
    const std::string error = error_with(change);
    EXPECT_NE(error.find(text), std::string::npos) << text << ": " << error;
  };
  const double nan = std::nan("");
  expect("no error", [](SceneDescription&, Pair&) {});
  expect("small_speed is nan", [&](SceneDescription& s, Pair&) { s.contact.force_law.small_speed = nan; });
  expect("relaxation_time is -1", [](SceneDescription& s, Pair&) { s.contact.force_law.relaxation_time = -1; });
  expect("latch is 7", [](SceneDescription& s, Pair&) { s.contact.force_law.latch = static_cast<ImpactLatch>(7); });
  expect("normal is 7", [](SceneDescription& s, Pair&) { s.contact.force_law.normal = static_cast<OverlapNormal>(7); });
  expect("friction_model is 7", [](SceneDescription&, Pair& p) { p.friction_model = static_cast<FrictionModel>(7); });
  expect("bristle_flow is 7", [](SceneDescription&, Pair& p) { p.bristle_flow = static_cast<BristleFlow>(7); });
  expect("bristle_flow is 7",
         [](SceneDescription& s, Pair&) { s.contact.force_law.bristle_flow = static_cast<BristleFlow>(7); });
  expect("bristle_flow is given, but the pair has no bristles",
         [](SceneDescription&, Pair& p) { p.friction_model = FrictionModel::kCoulomb; });
  expect("bristle.static_ratio is 0.5", [](SceneDescription&, Pair& p) { p.bristle->static_ratio = 0.5; });
  expect("stiffness is inf", [&](SceneDescription&, Pair& p) { p.stiffness = 1 / 0.0; });
  expect("restitution is nan", [&](SceneDescription&, Pair& p) { p.restitution = nan; });
  expect("exponent is 0.5", [](SceneDescription&, Pair& p) { p.exponent = 0.5; });
  expect("spin_radius is nan", [&](SceneDescription&, Pair& p) { p.spin_radius = nan; });
  expect("contact_state[1][7] (age) is nan", [&](SceneDescription&, Pair& p) { p.contact_state[1][7] = nan; });
  expect("contact_state[1][0] (impact speed) is 1e-310; it must be 0, or from",
         [](SceneDescription&, Pair& p) { p.contact_state[1][0] = 1e-310; });
  expect("foundation_depth is -1", [](SceneDescription& s, Pair&) { s.bodies[0].foundation_depth = -1; });
}

TEST(MemoryKeys, OneContactStateIsThatOfAllPartPairs) {
  const Scene scene(parse(scene_text(R"(, "model": "point", "contact_state": [0.1, 0, 0, 0, 0, 0, 0.5, 1])")));
  ASSERT_EQ(scene.num_part_pairs(), 2);
  const RolloutStateArrays state(scene, 1);
  for (const std::size_t row : {0, 8}) {
    EXPECT_EQ(state.contact_state[row], 0.1);
    EXPECT_EQ(state.contact_state[row + 6], 0.5);
    EXPECT_EQ(state.contact_state[row + 7], 1);
  }
}

TEST(MemoryKeys, AModelInWhichNoBodiesCanTouchIsAWarning) {
  const auto warnings = [](bool has_ball) {
    SceneDescription scene = parse(scene_text(""));
    scene.contact.model = ContactModel::kPoint;
    if (!has_ball) scene.geometries[0] = make_box("ball", {0.1, 0.1, 0.1});
    scene.pairs = all_pairs(scene);
    std::string text;
    for (const std::string& warning : warnings_of(Scene(scene))) text += warning + '\n';
    return text;
  };
  EXPECT_EQ(warnings(true).find("no two bodies can touch"), std::string::npos);
  EXPECT_NE(warnings(false).find("no two bodies can touch in the scene's contact model point"), std::string::npos);
}

}  // namespace
}  // namespace isopatch
