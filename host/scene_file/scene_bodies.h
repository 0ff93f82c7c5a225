// SPDX-License-Identifier: Apache-2.0
//
// The bodies of a scene file, with their parts, masses and motions.
#pragma once

#include <vector>

#include "host/scene_file/json_value.h"
#include "isopatch/scene/scene.h"

namespace isopatch::detail {

/// Everything but how they move, which read_motions() reads.
std::vector<Body> parse_bodies(const JsonValue& value, const std::vector<Geometry>& geometries);

/// The key `motion` of all bodies; `value` is their list. All else of the bodies has been read.
void read_motions(const JsonValue& value, SceneDescription& scene);

}  // namespace isopatch::detail
