// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/render/drawn_bodies.h"
#include "host/render/frame_contact.h"

namespace isopatch::detail {

/// Adds an arrow for each pair that touches in any frame: the force on the first body, from the centre of pressure on.
/// The longest one has 0.4 of the scene's size; where a pair does not touch, its arrow is hidden. Returns the scale,
/// N/m; 0 without forces.
double add_force_arrows(GltfDocument& document, int world, const std::vector<FrameContact>& contacts,
                        const Extent& extent, int times, const std::function<std::string(int)>& name_of);

}  // namespace isopatch::detail
