// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/mesh/math/point_math.h"
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

}  // namespace isopatch::detail
