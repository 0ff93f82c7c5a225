#include <isopatch/isopatch.h>

#include <cstdio>
#include <vector>

int main() {
  isopatch::SceneDescription scene;
  scene.geometries = {isopatch::make_sphere("ball", 0.05, 2), isopatch::make_half_space("table", 0.1)};
  scene.bodies = {{.name = "ball", .geometry = 0, .modulus = 1e5}, {.name = "table", .geometry = 1, .rigid = true}};
  const isopatch::Evaluator evaluator{isopatch::Scene(scene)};

  // two environments: the ball 5 mm into the table, and 1 mm above it
  const std::vector<double> poses = {0, 0, 0.045, 1, 0, 0, 0, /**/ 0, 0, 0, 1, 0, 0, 0,
                                     0, 0, 0.051, 1, 0, 0, 0, /**/ 0, 0, 0, 1, 0, 0, 0};
  std::vector<double> wrenches(2 * 6);
  isopatch::Results results;
  results.pair_wrench = wrenches.data();
  evaluator.evaluate({.num_environments = 2, .poses = poses.data()}, results);

  std::printf("force on the ball: %.3f N, %.3f N\n", wrenches[2], wrenches[8]);
  return wrenches[2] > 0 && wrenches[8] == 0 ? 0 : 1;
}
