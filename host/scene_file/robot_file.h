// SPDX-License-Identifier: Apache-2.0
//
// Descriptions of robots in XML, and meshes, given in place of a scene.
#pragma once

#include <string>

namespace isopatch::detail {

/// Throws Error for the text of a URDF, MJCF or other XML file, and for text that is not JSON in a file named like
/// one or like a mesh: says what the file is, and how a scene names its geometry.
void refuse_robot_file(const std::string& text, const std::string& source);

/// ".urdf", ".xml" or ".mjcf".
bool is_robot_extension(const std::string& extension);

}  // namespace isopatch::detail
