// SPDX-License-Identifier: Apache-2.0
//
// What contacts can carry is the largest force that evaluations find at any depth, and what is too heavy for it has a
// warning.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "host/scene/scene_warnings.h"
#include "isopatch/host_evaluator.h"
#include "tests/support/paths/paths.h"
#include "tests/support/rollouts.h"

namespace isopatch::test {
namespace {

using detail::Silhouette;
using detail::silhouette;
using Lines = std::vector<std::string>;

constexpr double kModulus = 1e5;     // Pa
constexpr double kGravity = 9.81;    // m/s^2
constexpr double kGridError = 5e-3;  // of 64 x 64 lines, for areas with round edges

/// A thing above the middle of a support, which it is let down into.
struct Resting {
  Geometry thing, support;
  bool soft_thing, soft_support;
  double height;  // of the thing's origin at first contact, m
};

SceneDescription scene_of(const Resting& resting, double mass, double height) {
  SceneBuilder scene;
  Body& thing = scene.add("thing", resting.thing, pose_at({0, 0, height}));
  Body& support = scene.add("support", resting.support);
  support.fixed = true;
  thing.rigid = !resting.soft_thing;
  support.rigid = !resting.soft_support;
  thing.mass = mass;
  for (Body* body : {&thing, &support}) {
    body->modulus = kModulus;
    body->friction = 0.5;
  }
  return scene.finish();
}

Lines warnings(const Resting& resting, double weight) {
  return warnings_of(Scene(scene_of(resting, weight / kGravity, resting.height)));
}

/// The largest upward force, N, at 400 depths.
double largest_force(const Resting& resting, double deepest) {
  constexpr int kDepths = 400;
  const HostEvaluator evaluator{Scene(scene_of(resting, 1, resting.height))};
  std::vector<double> poses;
  for (int i = 0; i < kDepths; ++i) {
    for (const double z : {resting.height - deepest * i / kDepths, 0.0})
      poses.insert(poses.end(), {0, 0, z, 1, 0, 0, 0});
  }
  std::vector<double> wrenches(kDepths * 6);
  Results results;
  results.pair_wrench = wrenches.data();
  State state;
  state.num_environments = kDepths;
  state.poses = poses.data();
  evaluator.evaluate(state, results);
  double largest = 0;
  for (std::size_t i = 2; i < wrenches.size(); i += 6) largest = std::max(largest, wrenches[i]);
  return largest;
}

const Geometry kBox = make_box("box", {0.2, 0.1, 0.08}), kBall = make_sphere("ball", 0.05, 3),
               kCan = make_cylinder("can", 0.04, 0.1, 32), kCapsule = make_capsule("capsule", 0.03, 0.05, 32);
const Geometry kDeep = make_half_space("deep", 1), kSlab = make_box("slab", {0.5, 0.5, 0.1});

std::vector<Resting> cases() {
  std::vector<Resting> found;
  for (const auto& [thing, half] : {std::pair(kBox, 0.04), {kBall, 0.05}, {kCan, 0.05}, {kCapsule, 0.055}}) {
    found.push_back({thing, kDeep, false, true, half});
    found.push_back({thing, kDeep, true, false, half});
    found.push_back({thing, kSlab, true, false, half + 0.05});
  }
  found.push_back({kBox, kSlab, false, true, 0.09});
  found.push_back({kCan, kSlab, false, true, 0.1});
  return found;
}

TEST(CarryingCapacity, IsTheLargestForceOfAnyDepth) {
  for (const Resting& resting : cases()) {
    const double largest = largest_force(resting, 3 * resting.height);
    const std::string name = resting.thing.name + " on " + resting.support.name;
    EXPECT_EQ(warnings(resting, 0.99 * largest), Lines{}) << name << " " << largest;
    const Lines lines = warnings(resting, 1.04 * largest);
    ASSERT_EQ(lines.size(), 1u) << name << " " << largest;
    EXPECT_TRUE(lines[0].starts_with("'thing' weighs ")) << lines[0];
  }
}

TEST(CarryingCapacity, OfABlockOnOneLikeItIsAThirdOfItsModulusTimesItsArea) {
  const Geometry block = make_box("block", {1, 1, 1});
  const double weight = 1000 * kGravity;
  SceneDescription scene = scene_of({block, block, true, true, 1.05}, 1000, 1.05);
  for (Body& body : scene.bodies) body.modulus = 1e4;
  EXPECT_EQ(warnings_of(Scene(scene)),
            Lines{"'thing' weighs 9810 N, but 'support' can carry at most 3335 N on its area as seen from above, so it "
                  "sinks through, or deeper than the layer is thick; 3 times the modulus would carry it"});
  for (Body& body : scene.bodies) body.modulus = 3 * 1e4;
  EXPECT_EQ(warnings_of(Scene(scene)), Lines{}) << weight;
}

TEST(CarryingCapacity, OfALayerIsItsModulusTimesTheAreaThatIsSeenFromAbove) {
  const Resting thin = {kBox, make_half_space("thin", 0.01), false, true, 0.04};
  const double area = 0.2 * 0.1;
  EXPECT_EQ(warnings(thin, 0.99 * kModulus * area), Lines{});
  EXPECT_EQ(warnings(thin, 1.05 * kModulus * area).size(), 1u);
  // on its side, it has less of it
  SceneDescription scene = scene_of(thin, 0.99 * kModulus * area / kGravity, 0.1);
  scene.bodies[0].pose = pose_at({0, 0, 0.1}, turn_about({0, 1, 0}, M_PI / 2));
  EXPECT_EQ(warnings_of(Scene(scene)).size(), 1u);
}

TEST(CarryingCapacity, OfAStrainedLayerIsThatOfItsMap) {
  // ln(1 - s e)/ln(1 - s) is 1 at e = 1 and flat near 0: a flat thing in a thick layer is carried by its steep end
  StrainMap map;
  map.kind = StrainMap::Kind::kTrue;
  map.parameter = 0.9;
  const Geometry layer = with_strain(make_half_space("layer", 0.2), map);
  const Resting resting = {kBox, layer, false, true, 0.04};
  const double largest = largest_force(resting, 0.199);
  EXPECT_EQ(warnings(resting, 0.98 * largest), Lines{}) << largest;
  EXPECT_EQ(warnings(resting, 1.1 * largest).size(), 1u) << largest;
}

TEST(CarryingCapacity, IsThatOfAllSupportsTogether) {
  SceneBuilder scene;
  const double share = 0.1 * 0.1 * kModulus / 3;  // of a cube, N
  Body& plank = scene.add("plank", make_box("plank", {1, 0.1, 0.02}), pose_at({0, 0, 0.06}));
  plank.rigid = true;
  plank.friction = 0.0;
  plank.mass = 1.8 * share / kGravity;
  const Geometry cube = make_box("cube", {0.1, 0.1, 0.1});
  for (const double x : {-0.4, 0.4}) {
    Body& post = scene.add(x < 0 ? "left" : "right", cube, pose_at({x, 0, 0}));
    post.fixed = true;
    post.modulus = kModulus;
  }
  scene.description.contact.force_law.friction_model = FrictionModel::kCoulomb;
  SceneDescription description = scene.finish();
  for (Pair& pair : *description.pairs) pair.friction = 0;
  EXPECT_EQ(warnings_of(Scene(description)), Lines{});
  description.bodies[0].mass = 2.2 * share / kGravity;
  const Lines lines = warnings_of(Scene(description));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("but its contacts can carry at most "), std::string::npos) << lines[0];
}

TEST(CarryingCapacity, IsOnlyAskedOfWhatLiesOnSomething) {
  const Resting resting = {kBox, kDeep, false, true, 0.04};
  const double mass = 1e6;
  SceneDescription scene = scene_of(resting, mass, 0.04);
  ASSERT_EQ(warnings_of(Scene(scene)).size(), 1u);
  const auto changed = [&](auto change) {
    SceneDescription other = scene;
    change(other);
    return warnings_of(Scene(other));
  };
  EXPECT_EQ(changed([](auto& s) { s.bodies[0].motion.type = MotionType::kPrescribed; }), Lines{});
  EXPECT_EQ(changed([](auto& s) { s.rollout.gravity = {0, 0, 0}; }), Lines{});
  EXPECT_EQ(changed([](auto& s) { s.rollout.gravity = {0, 0, 9.81}; }), Lines{});  // it falls away
  EXPECT_EQ(changed([](auto& s) { s.pairs = std::vector<Pair>(); }), Lines{});
  // a ball that lies on a heavy box, which nothing carries and whose weight is no concern
  SceneDescription above = scene_of({kBall, kSlab, true, false, 0.1}, 0.1, 0.1);
  above.bodies[1].fixed = false;
  above.bodies[1].mass = 1e6;
  EXPECT_EQ(warnings_of(Scene(above)), Lines{});
}

TEST(CarryingCapacity, IsEnoughInTheScenesOfTheProject) {
  int read = 0;
  for (const char* folder : {"bench/scenes", "tests/scenes"}) {
    for (const auto& entry : std::filesystem::directory_iterator(source_path(folder))) {
      if (entry.path().extension() != ".json") continue;
      try {
        const Scene scene(read_scene(entry.path().string()));
        EXPECT_EQ(detail::capacity_warnings(scene), Lines{}) << entry.path();
        ++read;
      } catch (const Error& error) {  // meshes that are not part of the project
        EXPECT_NE(std::string(error.what()).find("no such file"), std::string::npos) << error.what();
      }
    }
  }
  EXPECT_GT(read, 20);
}

TEST(Silhouette, OfABoxIsItsFaceAndTheRampsOfItsExtent) {
  // the extent rises over 0.04 m from every edge: over the face, 1 - 0.04 U/2A, and a third less in the corners
  const Silhouette found = silhouette(kBox, {0, 0, 1}, nullptr);
  const double ramp = 0.04, face = 0.2 * 0.1;
  EXPECT_NEAR(found.area, face, 1e-12);
  const double inner = (0.2 - 2 * ramp) * (0.1 - 2 * ramp);
  const double sides = ramp * ((0.2 - 2 * ramp) + (0.1 - 2 * ramp)), corners = 4 * ramp * ramp / 3;
  EXPECT_NEAR(found.extent_area, inner + sides + corners, kGridError * face);
  EXPECT_NEAR(found.largest_extent, 1, 1e-9);
}

TEST(Silhouette, OfABallIsADiscAndACone) {
  for (const Point3& direction : {Point3{0, 0, 1}, {0.6, 0.8, 0}, {0.48, 0.6, 0.64}}) {
    const Silhouette found = silhouette(make_sphere("ball", 1, 5), direction, &kDeep);
    EXPECT_NEAR(found.area, M_PI, kGridError * M_PI);
    EXPECT_NEAR(found.extent_area, M_PI / 3, kGridError * M_PI);
    // min(chord, 1): all but the rim, where the chord is below 1
    EXPECT_GT(found.layer_area, 0.75 * M_PI);
    EXPECT_LT(found.layer_area, found.area);
  }
}

}  // namespace
}  // namespace isopatch::test
