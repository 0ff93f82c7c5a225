// SPDX-License-Identifier: Apache-2.0
//
// Bodies, their contacts and arrows of the forces on them, as nodes and meshes of a picture.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "host/mesh/math/point_math.h"
#include "host/render/frame_contact.h"
#include "host/render/frames.h"
#include "host/render/gltf_document.h"

namespace isopatch::detail {

/// What of the world a picture shows.
struct Extent {
  Point3 center = {0, 0, 0};  // of all frames, m
  double radius = 1;          // m
  double size = 1;            // the longest side of what there is in the first frame of any environment, m
  bool is_flat = false;       // all bodies are polygons, in one plane
};

/// The boxes of the bodies in all frames; of a scene of half spaces alone, a metre about the origin. Environments of at
/// most twice the radius of the smallest one have one extent, so that a body that falls away makes only its own small.
std::vector<Extent> extents_of(const SceneDescription& scene, const std::vector<Frames>& environments);

/// Adds a node for each body below `world`, with its parts; `times` is the accessor of the frames' times, or -1 for a
/// single frame.
void add_bodies(GltfDocument& document, int world, const SceneDescription& scene, const Frames& frames,
                const Extent& extent, int times);

/// Adds a mesh of contacts: for each a point, and a needle along its normal, of a length [m].
int add_contacts(GltfDocument& document, const std::string& name, const DrawnContacts& contacts, double length,
                 int material);

/// The scale of the arrows, N/m, by which the longest one has 0.4 of the scene's size [m]; 0 without forces.
double scale_of_arrows(const std::vector<FrameContact>& contacts, double size);

/// Adds an arrow for each pair that touches in any of the frames: the force on the first body, from the centre of
/// pressure on. Where a pair does not touch, its arrow is hidden.
void add_force_arrows(GltfDocument& document, int world, std::span<const FrameContact> contacts,
                      double newtons_per_metre, int times, const std::function<std::string(int)>& name_of);

}  // namespace isopatch::detail
