// SPDX-License-Identifier: Apache-2.0
//
// What scenes are warned of.
//
// How much pressure fields can carry: along each line in the direction of a force, a body's pressure presses at most
// with E times the largest extent that the line meets; so the force is at most the integral of that over the lines.
//
// How far the parts of a body overlap: if they do, both press on what they touch, so it counts twice.
#pragma once

#include <string>
#include <vector>

#include "host/scene/scene_data.h"
#include "isopatch/scene/scene.h"

namespace isopatch::detail {

/// What a geometry shows along a direction, on a grid over the lines.
struct Silhouette {
  double area = 0;            // of the lines that meet it, m^2
  double extent_area = 0;     // integral of the largest extent on each line, m^2
  double layer_area = 0;      // integral of what it can press at most into a layer, in extents of the layer, m^2
  double largest_extent = 0;  // of all lines
};

/// The silhouette of a mesh along `direction`, a unit vector in its frame. `layer` is a half space, or null.
Silhouette silhouette(const Geometry& mesh, const std::array<double, 3>& direction, const Geometry* layer);

/// A line for each free body that weighs more than its contacts can carry.
std::vector<std::string> capacity_warnings(const Scene& scene);

/// Two parts of a body, as indices into parts_of(), and how much of the smaller one is inside the other, from 0 to 1.
struct OverlappingParts {
  std::size_t smaller, other;
  double share;
};

/// The parts of a body that overlap by more than `least`, with the body's own geometries. The share is the one of 4096
/// points spread over the smaller part by volume, the same in every run.
std::vector<OverlappingParts> overlaps_of(const SceneData& data, int body, double least);

/// One line for each body with parts that overlap by more than 2 %.
std::vector<std::string> overlap_warnings(const Scene& scene);

}  // namespace isopatch::detail
