// SPDX-License-Identifier: Apache-2.0
//
// What a Scene owns: the description it was made from, and the flat arrays that backends read.
#pragma once

#include <vector>

#include "host/hierarchy/hierarchy.h"
#include "isopatch/scene.h"

namespace isopatch::detail {

struct SceneData {
  SceneDescription description;
  std::vector<Hierarchy> solids;    // per geometry
  std::vector<Hierarchy> surfaces;  // per geometry
  std::vector<std::vector<Vec3d>> component_points;
  std::vector<GeometryView> geometries;
  std::vector<BodyView> bodies;
  std::vector<PairView> pairs;
  std::vector<std::int32_t> body_pairs, body_pairs_begin;
  SceneView view;  // of the arrays above
};

}  // namespace isopatch::detail
