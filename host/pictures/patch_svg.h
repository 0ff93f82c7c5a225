// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isopatch/results/records.h"
#include "isopatch/scene/scene.h"

namespace isopatch::detail {

/// A picture of contact patches that a browser shows: a panel for each pair that touches, in which one looks along the
/// mean normal of its patch, from the second body into the first. All panels have one scale of length, and one of
/// pressure, which colours polygons by the mean of their corners. The force above a panel is that of `pair_wrench`, P x
/// 6 [N]. If there are no polygons, it is the text `without_patches`.
std::string patches_svg(const SceneDescription& scene, const std::vector<Polygon>& polygons,
                        const std::vector<double>& pair_wrench, std::string_view without_patches = "nothing touches");

}  // namespace isopatch::detail
