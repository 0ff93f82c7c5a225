// SPDX-License-Identifier: Apache-2.0
#include "host/render/glb.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "host/pictures/color_map.h"
#include "host/render/gltf_document.h"
#include "host/render/picture_nodes.h"
#include "host/render/render.h"
#include "host/text/throw_error.h"
#include "isopatch/status.h"

namespace isopatch::detail {
namespace {

using tinygltf::Value;

constexpr double kNeedleLength = 0.06;  // the length of a contact's, over the scene's size

int pressure_material(GltfDocument& document) {
  tinygltf::Texture texture;
  texture.source = document.add_image(color_map_png());
  texture.sampler = 0;
  tinygltf::Sampler sampler;
  sampler.minFilter = sampler.magFilter = TINYGLTF_TEXTURE_FILTER_LINEAR;
  sampler.wrapS = sampler.wrapT = TINYGLTF_TEXTURE_WRAP_CLAMP_TO_EDGE;
  document.model().samplers.push_back(std::move(sampler));
  document.model().textures.push_back(std::move(texture));
  document.model().extensionsUsed.push_back("KHR_materials_unlit");
  tinygltf::Material material;
  material.name = "pressure";
  material.pbrMetallicRoughness.baseColorTexture.index = 0;
  material.extensions["KHR_materials_unlit"] = Value(Value::Object());
  return document.add_material(std::move(material));
}

int contact_material(GltfDocument& document) {
  tinygltf::Material material;
  material.name = "contact";
  material.pbrMetallicRoughness.baseColorFactor = {0.02, 0.05, 0.3, 1};
  return document.add_material(std::move(material));
}

Value extras_of(const DrawnPatch& patch, std::size_t frame) {
  Value::Object extras = {{"pair", Value(patch.pair)},
                          {"frame", Value(static_cast<int>(frame))},
                          {"polygons", Value(patch.polygons)},
                          {"area", number(patch.area)},
                          {"max_pressure", number(patch.max_pressure)},
                          {"force", numbers(patch.force)},
                          {"center_of_pressure", numbers(patch.center)}};
  if (patch.torque) extras["torque"] = numbers(*patch.torque);
  return Value(std::move(extras));
}

int patch_mesh(GltfDocument& document, const DrawnPatch& patch, const std::string& name, double max_pressure,
               int material) {
  constexpr double kOne = 65535;
  std::vector<std::uint16_t> coordinates;
  for (const float pressure : patch.pressures) {
    const double u = max_pressure > 0 ? pressure / max_pressure : 0;
    coordinates.insert(coordinates.end(), {static_cast<std::uint16_t>(std::lround(kOne * std::min(u, 1.0))), 32768});
  }
  const int points = document.add_points(patch.points);
  return document.add_mesh(name, points, document.add_corners(patch.corners, patch.points.size()), material,
                           document.add_texture_coordinates(coordinates));
}

Value units() {
  Value::Object units;
  for (const auto& [quantity, unit] : {std::pair{"length", "m"},
                                       {"time", "s"},
                                       {"force", "N"},
                                       {"torque", "N m"},
                                       {"area", "m^2"},
                                       {"pressure", "Pa"}}) {
    units[quantity] = Value(std::string(unit));
  }
  return Value(std::move(units));
}

/// The quantile .9 of the largest pressures of the frames in which something touches: what is above is drawn in the
/// last colour, so that an impact, or an overlap at the start, in a tenth of the frames leaves the others their
/// colours.
double pressure_of_last_color(const std::vector<FrameContact>& contacts) {
  std::vector<double> largest;
  for (const FrameContact& contact : contacts) {
    double pressure = 0;
    for (const DrawnPatch& patch : contact.patches) pressure = std::max(pressure, patch.max_pressure);
    if (pressure > 0) largest.push_back(pressure);
  }
  if (largest.empty()) return 0;
  const auto at = largest.begin() + static_cast<std::ptrdiff_t>((9 * largest.size() - 1) / 10);
  std::nth_element(largest.begin(), at, largest.end());
  return *at;
}

/// What the pictures of several environments have in common, so that they can be compared by eye.
struct Scales {
  double max_pressure;       // of the last colour, Pa
  double newtons_per_metre;  // of the arrows
};

std::string glb_of(const SceneDescription& scene, const Frames& frames, std::span<const FrameContact> contacts,
                   const Extent& extent, const Scales& scales, const std::string& title) {
  const std::vector<Pair> pairs = pairs_of(scene);
  const auto name_of = [&](int pair) {
    const Pair& of = pairs.at(static_cast<std::size_t>(pair));
    return scene.bodies[static_cast<std::size_t>(of.a)].name + " on " +
           scene.bodies[static_cast<std::size_t>(of.b)].name;
  };

  GltfDocument document;
  const double half = std::sqrt(0.5);
  const int world = document.add_node(-1, "world", {{0, 0, 0}, {-half, 0, 0, half}});
  const auto [max_pressure, newtons_per_metre] = scales;
  const std::vector<float> seconds = rising_times(frames.times, frames.count());
  const int times = frames.count() > 1 ? document.add_times(seconds) : -1;
  add_bodies(document, world, scene, frames, extent, times);

  const int material = pressure_material(document);
  const bool has_contacts = std::ranges::any_of(contacts, [](const FrameContact& of) { return !of.contacts.empty(); });
  const int color_of_contacts = has_contacts ? contact_material(document) : -1;
  const int middle = times >= 0 ? one_of_three(document) : -1;
  Value::Array listed;
  for (std::size_t frame = 0; frame < contacts.size(); ++frame) {
    const std::uint32_t status = contacts[frame].status;
    Value::Object facts = {{"status", Value(static_cast<int>(status))}};
    if (status != kOk) facts["status_text"] = Value(status_text(status));
    if (frames.times.empty()) {
      const std::int64_t listed_number = frames.environments.empty() ? std::int64_t(frame) : frames.environments[frame];
      facts["environment"] = number(static_cast<double>(listed_number));
    } else {
      facts["time"] = number(frames.times[frame]);
    }
    listed.emplace_back(std::move(facts));
    if (contacts[frame].patches.empty() && contacts[frame].contacts.empty()) continue;
    const int node = document.add_node(world, fmt::format("frame {}", frame));
    document.model().nodes[static_cast<std::size_t>(node)].extras =
        Value(Value::Object{{"frame", Value(static_cast<int>(frame))}});
    if (times >= 0) show_in_one(document, node, frame, seconds, middle);
    for (const DrawnPatch& patch : contacts[frame].patches) {
      const std::string name = name_of(patch.pair);
      const int mesh = patch_mesh(document, patch, name, max_pressure, material);
      document.model().meshes.back().extras = extras_of(patch, frame);
      const int child = document.add_node(node, name);
      document.model().nodes[static_cast<std::size_t>(child)].mesh = mesh;
    }
    for (const DrawnContacts& pair : contacts[frame].contacts) {
      const std::string name = name_of(pair.pair);
      const int mesh = add_contacts(document, name, pair, kNeedleLength * extent.size, color_of_contacts);
      const int child = document.add_node(node, name);
      document.model().nodes[static_cast<std::size_t>(child)].mesh = mesh;
    }
  }
  add_force_arrows(document, world, contacts, newtons_per_metre, times, name_of);

  Value::Array bodies, pair_rows, colors;
  for (const Body& body : scene.bodies) bodies.emplace_back(body.name);
  for (const Pair& pair : pairs) pair_rows.emplace_back(Value::Array{Value(pair.a), Value(pair.b)});
  for (const Color& color : kViridis) colors.emplace_back(hex_text(color));
  Value::Object extras = {{"title", Value(title)},
                          {"units", units()},
                          {"bodies", Value(std::move(bodies))},
                          {"pairs", Value(std::move(pair_rows))},
                          {"max_pressure", number(max_pressure)},
                          {"colors", Value(std::move(colors))},
                          {"newtons_per_metre", number(newtons_per_metre)},
                          {"center", numbers(extent.center)},
                          {"radius", number(extent.radius)},
                          {"frames", Value(std::move(listed))}};
  if (extent.is_flat) extras["flat"] = Value(true);
  if (!frames.times.empty()) extras["environment"] = number(static_cast<double>(frames.environment));
  document.model().scenes[0].extras = Value(std::move(extras));
  document.model().scenes[0].name = title;
  return std::move(document).glb();
}

}  // namespace

std::vector<std::string> glbs_of(const SceneDescription& scene, const std::vector<Frames>& environments,
                                 const std::vector<FrameContact>& contacts, const std::string& title) {
  const StateArrays of_scene(scene, 0);
  for (const Frames& frames : environments) {
    check_count(frames.count());
    if (frames.states.num_bodies != of_scene.num_bodies || frames.states.num_parts != of_scene.num_parts) {
      throw_error("render: states of {} bodies and {} parts; the scene has {} and {}", frames.states.num_bodies,
                  frames.states.num_parts, of_scene.num_bodies, of_scene.num_parts);
    }
  }
  const std::vector<Extent> extents = extents_of(scene, environments);
  const Scales scales = {pressure_of_last_color(contacts), scale_of_arrows(contacts, extents.at(0).size)};
  std::vector<std::string> glbs;
  std::span<const FrameContact> left = contacts;
  for (std::size_t k = 0; k < environments.size(); ++k) {
    const auto count = static_cast<std::size_t>(environments[k].count());
    glbs.push_back(glb_of(scene, environments[k], left.first(count), extents[k], scales, title));
    left = left.subspan(count);
  }
  return glbs;
}

void require_render() {}

}  // namespace isopatch::detail
