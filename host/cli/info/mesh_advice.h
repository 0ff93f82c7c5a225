// SPDX-License-Identifier: Apache-2.0
//
// How coarse a mesh may be.
#pragma once

#include <optional>
#include <string>

namespace isopatch::cli {

/// Prints, of each geometry of a scene file with a mesh, how far its forces, torques and areas against a plane are from
/// those of a mesh 16 times as fine, and the cheapest mesh for which they are within `share`, areas within three times
/// that. Of a mesh file, as the geometry of one. Throws Error as read_scene().
void print_mesh_advice(const std::string& file, const std::optional<std::string>& data, double share);

}  // namespace isopatch::cli
