// SPDX-License-Identifier: Apache-2.0
//
// A glTF document that grows: its arrays lie in one buffer, arrays of one kind one after another. What is shown in some
// frames only is so by its scale.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "host/mesh/math/point_math.h"
#include "host/render/tinygltf.h"

namespace isopatch::detail {

/// Where a node is in its parent.
struct Placement {
  Point3 translation = {0, 0, 0};                 // m
  std::array<double, 4> rotation = {0, 0, 0, 1};  // x y z w
};

/// A pose x y z, quaternion w x y z, of any length; one that is none becomes the identity.
Placement placement_of(const double* pose);

/// A number with few digits, for JSON: 1e-7 of it is lost.
tinygltf::Value number(double value);
tinygltf::Value numbers(const Point3& values);

class GltfDocument {
 public:
  // Each adds an array and returns the index of its accessor.
  int add_points(const std::vector<std::array<float, 3>>& points);
  int add_texture_coordinates(const std::vector<std::uint16_t>& coordinates);  // u, v of each point, times 65535
  int add_corners(const std::vector<std::uint32_t>& corners, std::size_t points);
  int add_times(const std::vector<float>& times);
  int add_values(const std::vector<float>& values, int width);  // of an animation: 3 or 4 in a row

  int add_image(const std::string& png);
  int add_material(tinygltf::Material material);
  int add_mesh(const std::string& name, int points, int corners, int material, int texture_coordinates = -1);

  /// A node without a mesh; `parent` is -1 for the root of the scene.
  int add_node(int parent, const std::string& name, const Placement& placement = {});

  /// Moves a node in the one animation there is; `path` is "translation", "rotation" or "scale", and `interpolation`
  /// "LINEAR" or "STEP".
  void animate(int node, const char* path, int times, int values, const char* interpolation);

  tinygltf::Model& model() { return model_; }

  /// Bytes of the arrays so far.
  std::size_t size() const;

  /// The document as a binary file.
  std::string glb() &&;

 private:
  enum View { kPoints, kTextureCoordinates, kShortCorners, kLongCorners, kAnimation, kImage, kViews };

  int add_array(View view, const void* bytes, std::size_t size, std::size_t count, int component, int type);

  tinygltf::Model model_;
  std::array<std::vector<unsigned char>, kViews> views_;
};

/// The colour map as a PNG of 256 x 1 pixels, from 0 to the largest pressure.
std::string color_map_png();

/// The scale of what is not shown: with 0, matrices would be singular.
inline constexpr double kHidden = 1e-6;

/// The frames' times as a file has them, s: they rise, also where the times of a rollout do not since an environment is
/// frozen or was reset; environments follow each other every half a second.
std::vector<float> rising_times(const std::vector<double>& times, std::int64_t frames);

/// Shows a node in the frames that are true, one for each of the accessor `times`.
void show_in(GltfDocument& document, int node, const std::vector<bool>& shown, int times);

/// Shows a node in one frame of several; `hidden` is an accessor for those in the middle, see one_of_three().
void show_in_one(GltfDocument& document, int node, std::size_t frame, const std::vector<float>& times, int middle);

/// The scales of a node that is shown at the second of three times.
int one_of_three(GltfDocument& document);

}  // namespace isopatch::detail
