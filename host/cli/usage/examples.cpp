// SPDX-License-Identifier: Apache-2.0
//
// The examples at the end of each help. A test runs them all.
#include <map>

#include "host/cli/usage/command_text.h"

namespace isopatch::cli {

std::vector<Example> examples_of(const std::string& command) {
  static const std::map<std::string, std::vector<Example>> examples = {
      {"isopatch",
       {{"contact in a scene, printed as JSON", "isopatch evaluate bench/scenes/sphere_on_box.json"},
        {"a scene in time", "isopatch rollout bench/scenes/bouncing_ball.json"},
        {"what a command can do", "isopatch help evaluate"}}},
      {"evaluate",
       {{"one state, printed as JSON", "isopatch evaluate bench/scenes/sphere_on_box.json"},
        {"1000 random states, as NumPy arrays",
         "isopatch evaluate bench/scenes/box_stack.json --envs 1000 --output r.npz"},
        {"contact patches for ParaView", "isopatch evaluate bench/scenes/sphere_on_box.json --vtk out/patches"}}},
      {"rollout",
       {{"a table with energies", "isopatch rollout bench/scenes/bouncing_ball.json --energies"},
        {"an animation for ParaView", "isopatch rollout bench/scenes/pinch.json --vtk out/pinch"},
        {"is the time step small enough?", "isopatch rollout bench/scenes/incline.json --check"}}},
      {"render",
       {{"a page for a browser", "isopatch render bench/scenes/gripper.json -o gripper.html"},
        {"five environments, for other viewers", "isopatch render bench/scenes/box_stack.json --envs 5 -o boxes.glb"}}},
      {"view", {{"in the browser of the system", "isopatch view bench/scenes/gripper.json"}}},
      {"field",
       {{"the smooth field of a mesh, to be used in a scene",
         "isopatch field tests/fuzz/corpus/vtk/cube.vtk cube.vtk --kind laplace"}}},
      {"tetrahedralize",
       {{"a spoon of edges about 5 mm long",
         "isopatch tetrahedralize bench/scenes/spoon.obj spoon.vtk --edge-length 0.005"}}},
      {"info", {{"a scene and a mesh", "isopatch info bench/scenes/nut_on_bolt.json tests/scenes/cube.obj"}}},
      {"help", {{"all options of rollout", "isopatch help rollout"}}}};
  const auto found = examples.find(command);
  return found == examples.end() ? std::vector<Example>() : found->second;
}

}  // namespace isopatch::cli
