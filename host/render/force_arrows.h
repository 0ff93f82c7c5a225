// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "host/render/frame_contact.h"
#include "host/render/gltf_document.h"

namespace isopatch::detail {

/// The scale of the arrows, N/m, by which the longest one has 0.4 of the scene's size [m]; 0 without forces.
double scale_of_arrows(const std::vector<FrameContact>& contacts, double size);

/// Adds an arrow for each pair that touches in any of the frames: the force on the first body, from the centre of
/// pressure on. Where a pair does not touch, its arrow is hidden.
void add_force_arrows(GltfDocument& document, int world, std::span<const FrameContact> contacts,
                      double newtons_per_metre, int times, const std::function<std::string(int)>& name_of);

}  // namespace isopatch::detail
