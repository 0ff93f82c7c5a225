// SPDX-License-Identifier: Apache-2.0
//
// How far the parts of a body overlap: if they do, both press on what they touch, so it counts twice.
#pragma once

#include <string>
#include <vector>

#include "host/scene/scene_data.h"

namespace isopatch::detail {

/// Two parts of a body, as indices into parts_of(), and how much of the smaller one is inside the other, from 0 to 1.
struct PartOverlap {
  std::size_t smaller, other;
  double share;
};

/// The parts of a body that overlap by more than `least`, with the body's own geometries. The share is that of 4096
/// points spread over the smaller part by volume, the same in every run.
std::vector<PartOverlap> overlaps_of(const SceneData& data, int body, double least);

/// One line for each body with parts that overlap by more than 2 %.
std::vector<std::string> overlap_warnings(const Scene& scene);

}  // namespace isopatch::detail
