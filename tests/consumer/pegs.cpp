// Drops rigid pegs into rigid holes, each from a place and a tilt of its own, and counts those that are in after half a
// second. Two rigid bodies touch with a stiffness that their pair has. Usage: pegs [NUMBER], 4096 if not given. Fails
// unless all of them are in.
#include <isopatch/isopatch.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

using namespace isopatch;

namespace {

constexpr double kWidth = 0.04, kGap = 2e-4, kDepth = 0.05;  // of the hole, and how much narrower the peg is, m
constexpr double kWall = 0.02;                               // m

Part wall(const char* name, int geometry, double x, double y, double z) {
  Part part;
  part.name = name;
  part.geometry = geometry;
  part.pose = {x, y, z, 1, 0, 0, 0};
  return part;
}

SceneDescription peg_in_a_hole() {
  SceneDescription scene;
  const double outer = kWidth + 2 * kWall, at = (kWidth + kWall) / 2;
  scene.geometries = {make_box("peg", {kWidth - 2 * kGap, kWidth - 2 * kGap, 0.1}),
                      make_box("side", {kWall, outer, kDepth}), make_box("end", {kWidth, kWall, kDepth}),
                      make_box("bottom", {outer, outer, 0.01})};
  scene.bodies = {{.name = "peg", .geometry = 0, .rigid = true, .friction = 0.3, .mass = 0.4},
                  {.name = "hole", .rigid = true, .fixed = true, .friction = 0.3}};
  scene.bodies[1].parts = {wall("left", 1, -at, 0, 0), wall("right", 1, at, 0, 0), wall("front", 2, 0, -at, 0),
                           wall("back", 2, 0, at, 0), wall("bottom", 3, 0, 0, -kDepth / 2 - 0.005)};
  Pair pair;
  pair.a = 0, pair.b = 1;
  pair.model = ContactModel::kVolumetric;
  pair.stiffness = 1e9;  // N/m^3
  pair.restitution = 0.3;
  scene.pairs = {pair};
  scene.rollout.time_step = 1e-3;
  return scene;
}

}  // namespace

int main(int argc, char** argv) {
  const int pegs = argc > 1 ? std::atoi(argv[1]) : 4096;
  const Simulator simulator{Scene(peg_in_a_hole())};
  RolloutStateArrays state(simulator.scene(), pegs);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int i = 0; i < pegs; ++i) {
    double* pose = &state.poses[static_cast<std::size_t>(i) * 14];
    const double x = 3e-3 * normal(random), y = 3e-3 * normal(random);  // half the tilt, rad
    pose[0] = 1e-4 * normal(random), pose[1] = 1e-4 * normal(random), pose[2] = kDepth / 2 + 0.05 - 5e-3;
    pose[3] = std::sqrt(1 - x * x - y * y), pose[4] = x, pose[5] = y, pose[6] = 0;
  }
  simulator.step(state.view(), {}, {}, 500);

  int in = 0;
  for (int i = 0; i < pegs; ++i) {
    in +=
        state.status[static_cast<std::size_t>(i)] == kOk && state.poses[static_cast<std::size_t>(i) * 14 + 2] < 0.0255;
  }
  std::printf("%d of %d pegs are in their holes\n", in, pegs);
  return in == pegs ? 0 : 1;
}
