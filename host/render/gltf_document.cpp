// SPDX-License-Identifier: Apache-2.0
#include "host/render/gltf_document.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <string_view>
#include <utility>

#include "host/pictures/color_map.h"
#include "isopatch/error.h"

namespace isopatch::detail {
namespace {

/// With as few digits as say the same float.
double short_number(float value) { return std::strtod(fmt::format("{}", value).c_str(), nullptr); }

/// The lengths of a row, as tinygltf calls them.
int type_of(int width) {
  return width == 1 ? TINYGLTF_TYPE_SCALAR : width == 3 ? TINYGLTF_TYPE_VEC3 : TINYGLTF_TYPE_VEC4;
}

template <class T>
const void* bytes_of_array(const std::vector<T>& values) {
  return values.data();
}

constexpr int kPixels = 256;

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::string chunk(std::string_view type, std::string_view data) {
  const std::string body = std::string(type) + std::string(data);
  const uLong checksum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(static_cast<std::uint32_t>(checksum));
}

constexpr double kSecondsOfEnvironment = 0.5;

void append_scale(std::vector<float>& scales, bool shown) {
  scales.insert(scales.end(), 3, shown ? 1.0F : static_cast<float>(kHidden));
}

void hide_at_start(GltfDocument& document, int node) {
  document.model().nodes[static_cast<std::size_t>(node)].scale = {kHidden, kHidden, kHidden};
}

}  // namespace

Placement placement_of(const double* pose) {
  const double w = pose[3], x = pose[4], y = pose[5], z = pose[6];
  const double length = std::sqrt(w * w + x * x + y * y + z * z);
  const bool is_pose = length > 0 && std::isfinite(length + pose[0] + pose[1] + pose[2]);
  if (!is_pose) return {};
  return {{pose[0], pose[1], pose[2]}, {x / length, y / length, z / length, w / length}};
}

tinygltf::Value number(double value) {
  return tinygltf::Value(std::isfinite(value) ? std::strtod(fmt::format("{:.8g}", value).c_str(), nullptr) : 0.0);
}

tinygltf::Value numbers(const Point3& values) {
  return tinygltf::Value(tinygltf::Value::Array{number(values[0]), number(values[1]), number(values[2])});
}

int GltfDocument::add_array(View view, const void* bytes, std::size_t size, std::size_t count, int component,
                            int type) {
  tinygltf::Accessor accessor;
  accessor.bufferView = view;
  accessor.byteOffset = views_[view].size();
  accessor.count = count;
  accessor.componentType = component;
  accessor.type = type;
  const auto* first = static_cast<const unsigned char*>(bytes);
  views_[view].insert(views_[view].end(), first, first + size);
  model_.accessors.push_back(std::move(accessor));
  return static_cast<int>(model_.accessors.size()) - 1;
}

int GltfDocument::add_points(const std::vector<std::array<float, 3>>& points) {
  const int index = add_array(kPoints, bytes_of_array(points), 12 * points.size(), points.size(),
                              TINYGLTF_COMPONENT_TYPE_FLOAT, TINYGLTF_TYPE_VEC3);
  tinygltf::Accessor& accessor = model_.accessors.back();
  for (std::size_t k = 0; k < 3; ++k) {
    const auto less = [k](const auto& a, const auto& b) { return a[k] < b[k]; };
    const auto [low, high] = std::minmax_element(points.begin(), points.end(), less);
    accessor.minValues.push_back(short_number((*low)[k]));
    accessor.maxValues.push_back(short_number((*high)[k]));
  }
  return index;
}

int GltfDocument::add_texture_coordinates(const std::vector<std::uint16_t>& coordinates) {
  const int index = add_array(kTextureCoordinates, bytes_of_array(coordinates), 2 * coordinates.size(),
                              coordinates.size() / 2, TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT, TINYGLTF_TYPE_VEC2);
  model_.accessors.back().normalized = true;
  return index;
}

int GltfDocument::add_corners(const std::vector<std::uint32_t>& corners, std::size_t points) {
  if (points > std::numeric_limits<std::uint16_t>::max()) {  // the largest index of 16 bits is not allowed
    return add_array(kLongCorners, bytes_of_array(corners), 4 * corners.size(), corners.size(),
                     TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT, TINYGLTF_TYPE_SCALAR);
  }
  const std::vector<std::uint16_t> narrow(corners.begin(), corners.end());
  return add_array(kShortCorners, bytes_of_array(narrow), 2 * narrow.size(), narrow.size(),
                   TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT, TINYGLTF_TYPE_SCALAR);
}

int GltfDocument::add_times(const std::vector<float>& times) {
  const int index = add_values(times, 1);
  model_.accessors.back().minValues = {short_number(times.front())};
  model_.accessors.back().maxValues = {short_number(times.back())};
  return index;
}

int GltfDocument::add_values(const std::vector<float>& values, int width) {
  return add_array(kAnimation, bytes_of_array(values), 4 * values.size(),
                   values.size() / static_cast<std::size_t>(width), TINYGLTF_COMPONENT_TYPE_FLOAT, type_of(width));
}

int GltfDocument::add_image(const std::string& png) {
  views_[kImage].assign(png.begin(), png.end());
  tinygltf::Image image;
  image.mimeType = "image/png";
  image.bufferView = kImage;
  model_.images.push_back(std::move(image));
  return static_cast<int>(model_.images.size()) - 1;
}

int GltfDocument::add_material(tinygltf::Material material) {
  material.pbrMetallicRoughness.metallicFactor = 0;
  material.pbrMetallicRoughness.roughnessFactor = 0.8;
  material.doubleSided = true;
  model_.materials.push_back(std::move(material));
  return static_cast<int>(model_.materials.size()) - 1;
}

int GltfDocument::add_mesh(const std::string& name, int points, int corners, int material, int texture_coordinates) {
  tinygltf::Primitive primitive;
  primitive.attributes["POSITION"] = points;
  if (texture_coordinates >= 0) primitive.attributes["TEXCOORD_0"] = texture_coordinates;
  primitive.indices = corners;
  primitive.material = material;
  primitive.mode = TINYGLTF_MODE_TRIANGLES;
  tinygltf::Mesh mesh;
  mesh.name = name;
  mesh.primitives.push_back(std::move(primitive));
  model_.meshes.push_back(std::move(mesh));
  return static_cast<int>(model_.meshes.size()) - 1;
}

int GltfDocument::add_node(int parent, const std::string& name, const Placement& placement) {
  const int index = static_cast<int>(model_.nodes.size());
  tinygltf::Node node;
  node.name = name;
  const Placement none;
  const auto& [x, y, z] = placement.translation;
  if (placement.translation != none.translation) node.translation = {x, y, z};
  if (placement.rotation != none.rotation) node.rotation.assign(placement.rotation.begin(), placement.rotation.end());
  model_.nodes.push_back(std::move(node));
  if (parent < 0) {
    model_.scenes.resize(1);
    model_.scenes[0].nodes.push_back(index);
    model_.defaultScene = 0;
  } else {
    model_.nodes[static_cast<std::size_t>(parent)].children.push_back(index);
  }
  return index;
}

void GltfDocument::animate(int node, const char* path, int times, int values, const char* interpolation) {
  model_.animations.resize(1);
  tinygltf::Animation& animation = model_.animations[0];
  tinygltf::AnimationSampler sampler;
  sampler.input = times;
  sampler.output = values;
  sampler.interpolation = interpolation;
  tinygltf::AnimationChannel channel;
  channel.sampler = static_cast<int>(animation.samplers.size());
  channel.target_node = node;
  channel.target_path = path;
  animation.samplers.push_back(std::move(sampler));
  animation.channels.push_back(std::move(channel));
}

std::size_t GltfDocument::size() const {
  std::size_t bytes = 0;
  for (const auto& view : views_) bytes += view.size();
  return bytes;
}

std::string GltfDocument::glb() && {
  model_.asset.version = "2.0";
  model_.asset.generator = "isopatch";
  model_.buffers.resize(1);
  std::vector<unsigned char>& all = model_.buffers[0].data;
  all.reserve(size() + 4 * kViews);
  std::array<int, kViews> kept;  // views that are empty are left out
  kept.fill(-1);
  for (int i = 0; i < kViews; ++i) {
    if (views_[i].empty()) continue;
    all.resize((all.size() + 3) / 4 * 4);
    tinygltf::BufferView view;
    view.buffer = 0;
    view.byteOffset = all.size();
    view.byteLength = views_[i].size();
    if (i == kPoints) view.byteStride = 12;
    if (i == kTextureCoordinates) view.byteStride = 4;
    if (i <= kTextureCoordinates) view.target = TINYGLTF_TARGET_ARRAY_BUFFER;
    if (i == kShortCorners || i == kLongCorners) view.target = TINYGLTF_TARGET_ELEMENT_ARRAY_BUFFER;
    all.insert(all.end(), views_[i].begin(), views_[i].end());
    views_[i] = {};
    kept[i] = static_cast<int>(model_.bufferViews.size());
    model_.bufferViews.push_back(std::move(view));
  }
  for (tinygltf::Accessor& accessor : model_.accessors) accessor.bufferView = kept[accessor.bufferView];
  for (tinygltf::Image& image : model_.images) image.bufferView = kept[image.bufferView];

  std::ostringstream out;
  tinygltf::TinyGLTF().WriteGltfSceneToStream(&model_, out, false, true);
  return std::move(out).str();
}

std::string color_map_png() {
  std::string row(1, '\0');  // no filter
  for (int i = 0; i < kPixels; ++i) {
    for (const std::uint8_t channel : viridis(i / (kPixels - 1.0))) row += static_cast<char>(channel);
  }
  uLongf size = compressBound(row.size());
  std::string packed(size, '\0');
  if (compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(row.data()),
               row.size()) != Z_OK) {
    throw Error("the picture of the colour map cannot be compressed");
  }
  packed.resize(size);
  const std::string header = big_endian(kPixels) + big_endian(1) + std::string("\x08\x02\0\0\0", 5);  // RGB of 8 bits
  return std::string("\x89PNG\r\n\x1a\n") + chunk("IHDR", header) + chunk("IDAT", packed) + chunk("IEND", "");
}

std::vector<float> rising_times(const std::vector<double>& times, std::int64_t frames) {
  std::vector<float> rising;
  float step = 1.0F / 30;
  for (std::int64_t k = 0; k < frames; ++k) {
    if (times.empty()) {
      rising.push_back(static_cast<float>(kSecondsOfEnvironment * static_cast<double>(k)));
      continue;
    }
    const auto i = static_cast<std::size_t>(k);
    if (k == 0) {
      rising.push_back(0);
      continue;
    }
    const auto since_last = static_cast<float>(times[i] - times[i - 1]);
    if (since_last > 0) step = since_last;
    rising.push_back(rising.back() + step);
  }
  return rising;
}

void show_in(GltfDocument& document, int node, const std::vector<bool>& shown, int times) {
  std::vector<float> scales;
  for (const bool is_shown : shown) append_scale(scales, is_shown);
  if (!shown[0]) hide_at_start(document, node);
  document.animate(node, "scale", times, document.add_values(scales, 3), "STEP");
}

int one_of_three(GltfDocument& document) {
  std::vector<float> scales;
  for (const bool shown : {false, true, false}) append_scale(scales, shown);
  return document.add_values(scales, 3);
}

void show_in_one(GltfDocument& document, int node, std::size_t frame, const std::vector<float>& times, int middle) {
  if (frame > 0 && frame + 1 < times.size()) {
    hide_at_start(document, node);
    document.animate(node, "scale", document.add_times({times[0], times[frame], times[frame + 1]}), middle, "STEP");
    return;
  }
  std::vector<float> scales;
  append_scale(scales, frame == 0);
  append_scale(scales, frame > 0);
  if (frame > 0) hide_at_start(document, node);
  document.animate(node, "scale", document.add_times({times[0], times[frame == 0 ? 1 : frame]}),
                   document.add_values(scales, 3), "STEP");
}

}  // namespace isopatch::detail
