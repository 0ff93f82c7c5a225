// SPDX-License-Identifier: Apache-2.0
//
// What `isopatch render` draws: a scene, variations of it, the states of a file, or a rollout.
#pragma once

#include <string>
#include <vector>

#include "host/cli/commands.h"
#include "host/render/frames.h"

namespace isopatch::cli {

/// The name by which results lead to their scene: its path from the folder of the file with the results.
std::string scene_reference(const std::string& scene, const std::string& results);

struct PictureSource {
  std::string name;   // of the scene file, without its folder and ending
  std::string title;  // the names of the files, without folders: of the scene and, if there is one, of the states
  SceneDescription scene;
  std::vector<detail::Frames> environments;  // of a rollout; else one, whose frames are the environments
};

/// Reads scene and states. Throws Error, naming the file and what would be right, for an environment that there is not,
/// for states of another scene, for too many frames, and for results that do not lead to a scene.
PictureSource picture_source(const RenderArguments& arguments);

}  // namespace isopatch::cli
