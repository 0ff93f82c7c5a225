// SPDX-License-Identifier: Apache-2.0
//
// What a scene may say without meaning it.
#include "host/scene/scene_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "host/mesh/scale.h"
#include "host/scene/contact_models.h"
#include "host/scene/motion_rules.h"
#include "host/scene/planar_rules.h"
#include "host/scene/scene_rules.h"
#include "host/text/quote.h"
#include "host/threads/standard_arithmetic.h"

namespace isopatch {

using namespace detail;

namespace {

constexpr std::size_t kMaxRigidPairs = 8;  // that have a line each

const std::string& name_of(const Scene& scene, int body) { return scene.description().bodies[body].name; }

bool is_rigid(const Body& body) {
  const std::vector<Part> parts = parts_of(body);
  return std::all_of(parts.begin(), parts.end(), [](const Part& part) { return *part.rigid; });
}

/// Why two rigid bodies pass through each other, and what can be done.
std::string rigid_text(const SceneDescription& scene, const Body& a, const Body& b) {
  const std::string names = fmt::format("bodies {} and {}", in_quotes(a.name), in_quotes(b.name));
  const auto by_faces = std::find_if(contact_models().begin(), contact_models().end(),
                                     [](const ContactModelInfo& info) { return info.touches_faces; });
  if (has_polygon(scene, a)) {
    return fmt::format(
        "{} are polygons, which touch in contact model {} alone, so they pass through each other; take "
        "that model, or exclude the pair",
        names, by_faces->name);
  }
  const bool touch_by_faces = any_of(scene.contact.model, &ContactModelInfo::touches_faces);
  return fmt::format(
      "{} are both rigid{}, so they pass through each other; make one of them compliant, or exclude the "
      "pair",
      names, touch_by_faces ? fmt::format(", but not both {}s", by_faces->name) : "");
}

/// Two rigid bodies of which one can move, and that would be expected to touch.
std::vector<std::string> rigid_pairs(const Scene& scene) {
  const std::vector<Body>& bodies = scene.description().bodies;
  std::vector<std::vector<PartKind>> kinds;
  for (const Body& body : bodies) kinds.push_back(kinds_of(body, scene.description()));
  std::vector<std::string> warnings;
  std::size_t count = 0;
  for (int a = 0; a < scene.num_bodies(); ++a) {
    for (int b = a + 1; b < scene.num_bodies(); ++b) {
      const Pair pair = {a, b, {}, {}};
      const auto is_listed = [&](const Pair& listed) { return std::minmax(listed.a, listed.b) == std::minmax(a, b); };
      if (!is_rigid(bodies[a]) || !is_rigid(bodies[b])) continue;
      if (kinds[a][0].polygon != kinds[b][0].polygon) continue;                        // they live in different worlds
      if (can_touch(scene.description().contact.model, kinds[a], kinds[b])) continue;  // left out of a list of pairs
      if (degrees_of_freedom(bodies[a]) + degrees_of_freedom(bodies[b]) == 0) continue;
      if (are_joined(scene.description(), pair) || is_excluded(scene.description(), pair)) continue;
      if (std::any_of(scene.pairs().begin(), scene.pairs().end(), is_listed)) continue;
      if (++count > kMaxRigidPairs) continue;
      warnings.push_back(rigid_text(scene.description(), bodies[a], bodies[b]));
    }
  }
  if (count > kMaxRigidPairs) {
    warnings.push_back(fmt::format("so do {} more pairs of rigid bodies", count - kMaxRigidPairs));
  }
  return warnings;
}

/// The parts of all bodies, in the order of PartPair.
std::vector<Part> all_parts(const Scene& scene) {
  std::vector<Part> parts;
  for (const Body& body : scene.description().bodies) {
    const std::vector<Part> of_body = parts_of(body);
    parts.insert(parts.end(), of_body.begin(), of_body.end());
  }
  return parts;
}

/// A compliant half space that is softer than a compliant part of the other body.
std::vector<std::string> soft_half_spaces(const Scene& scene) {
  const std::vector<Part> parts = all_parts(scene);
  std::vector<std::string> warnings;
  int last = -1;  // pair that has a line
  for (const auto& [pair, part_a, part_b] : scene.part_pairs()) {
    const Part &a = parts[part_a], &b = parts[part_b];
    if (*a.rigid || *b.rigid || pair == last) continue;
    const auto is_half_space = [&](const Part& part) {
      return scene.description().geometries[part.geometry].kind == GeometryKind::kHalfSpace;
    };
    if (!is_half_space(a) && !is_half_space(b)) continue;
    const auto& [body_a, body_b] = std::pair(scene.pairs()[pair].a, scene.pairs()[pair].b);
    const Part &below = is_half_space(a) ? a : b, &above = is_half_space(a) ? b : a;
    if (*below.modulus >= *above.modulus) continue;
    last = pair;
    warnings.push_back(fmt::format(
        "the half space of {} ({:g} Pa) is softer than {} ({:g} Pa), which can sink into it until there is no contact "
        "surface; make it rigid, or its modulus larger",
        in_quotes(name_of(scene, is_half_space(a) ? body_a : body_b)), *below.modulus,
        in_quotes(name_of(scene, is_half_space(a) ? body_b : body_a)), *above.modulus));
  }
  return warnings;
}

/// Pairs whose bodies give them no friction, together in one line.
std::vector<std::string> pairs_without_friction(const Scene& scene) {
  const std::vector<Part> parts = all_parts(scene);
  std::vector<bool> has_friction(scene.pairs().size());
  for (const auto& [pair, a, b] : scene.part_pairs()) {
    if (*parts[a].friction > 0 && *parts[b].friction > 0) has_friction[pair] = true;
  }
  std::vector<bool> has_force(scene.pairs().size());
  for (const PairView& view : scene.data().pairs) {
    if (!contact_models()[view.model].measures_distance) has_force[view.pair] = true;
  }
  std::string first;
  int further = 0;
  for (int i = 0; i < scene.num_pairs(); ++i) {
    const Pair& pair = scene.pairs()[i];
    if (pair.friction || has_friction[i] || !has_force[i]) continue;
    if (first.empty()) {
      first = fmt::format("{} and {}", in_quotes(name_of(scene, pair.a)), in_quotes(name_of(scene, pair.b)));
    } else {
      ++further;
    }
  }
  if (first.empty()) return {};
  const std::string more =
      further == 0 ? "" : fmt::format(" (and in {} more pair{})", further, further == 1 ? "" : "s");
  return {
      fmt::format("there is no friction between {}{}: it is 0 where one of the two bodies has none; give it to both, "
                  "or to the pair, 0 if that is meant",
                  first, more)};
}

/// Shapes of bodies that move, so long that they may be in millimetres. The reader of files asks of meshes itself.
std::vector<std::string> unlikely_sizes(const Scene& scene) {
  constexpr double kLong = 1;  // m; things shorter than a likely length are not rare in scenes
  const SceneDescription& description = scene.description();
  std::vector<std::uint8_t> moves(description.geometries.size(), 0);
  for (const Body& body : description.bodies) {
    if (body.fixed || degrees_of_freedom(body) == 0) continue;
    for (const Part& part : parts_of(body)) moves[static_cast<std::size_t>(part.geometry)] = 1;
  }
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const Geometry& geometry = description.geometries[i];
    if (moves[i] == 0 || geometry.size_is_known || geometry.kind != GeometryKind::kMesh) continue;
    const double length = longest_side(geometry);
    const auto doubt = length > kLong ? doubt_of_units("geometry " + in_quotes(geometry.name), length) : std::nullopt;
    if (doubt) warnings.push_back(doubt->question + " Lengths are in metres");
  }
  return warnings;
}

/// A contact model of the whole scene in which no two of its bodies can touch.
std::vector<std::string> no_default_pairs(const Scene& scene) {
  if (scene.num_pairs() > 0) return {};
  SceneDescription pressure_fields = scene.description();
  const ContactModels models = std::exchange(pressure_fields.contact.model, kDefaultModel);
  if (models == kDefaultModel || all_pairs(pressure_fields).empty()) return {};
  return {
      fmt::format("no two bodies can touch in the scene's contact model {}; list pairs, which may say more of their "
                  "shapes and have a model of their own",
                  info_of(models.back()).name)};
}

std::vector<std::string> warnings_of_models(const Scene& scene) {
  std::vector<std::string> warnings;
  for (const ContactModelInfo& info : contact_models()) {
    if (info.warn != nullptr) info.warn(scene, warnings);
  }
  return warnings;
}

}  // namespace

std::vector<std::string> warnings_of(const Scene& scene) {
  const StandardArithmetic standard;
  std::vector<std::string> warnings = scene.description().notes;
  for (const auto find : {rigid_pairs, soft_half_spaces, pairs_without_friction, no_default_pairs, warnings_of_models,
                          unlikely_sizes, overlap_warnings, capacity_warnings}) {
    const std::vector<std::string> found = find(scene);
    warnings.insert(warnings.end(), found.begin(), found.end());
  }
  return warnings;
}

}  // namespace isopatch
