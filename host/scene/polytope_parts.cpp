// SPDX-License-Identifier: Apache-2.0
//
// What a scene needs for its pairs of polytopes, and what may not be meant of them.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "host/scene/models/models.h"
#include "host/scene/scene_data.h"
#include "host/scene/scene_rules.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"
#include "isopatch/detail/polytope/shape.h"
#include "isopatch/scene/mass_properties.h"

namespace isopatch::detail {
namespace {

/// Of a body of half spaces alone that does not say, the origin.
Point3 center_of_mass(const SceneDescription& scene, const Body& body) {
  if (body.center_of_mass) return *body.center_of_mass;
  const std::vector<PartKind> kinds = kinds_of(body, scene);
  const bool endless = std::all_of(kinds.begin(), kinds.end(), [](const PartKind& part) { return part.half_space; });
  return endless ? Point3{0, 0, 0} : body_mass(scene, body).center;
}

/// No part of a pair has a geometry that cannot be a polytope.
void check_shapes(const SceneData& data) {
  for (const PairView& view : data.pairs) {
    if (view.model != kPolytopeModel) continue;
    for (std::int32_t i = view.part_pairs_begin; i < view.part_pairs_end; ++i) {
      const PartPairView& both = data.part_pairs[i];
      for (const std::int32_t part : {both.a, both.b}) {
        const auto found = data.geometries.refused.find(data.parts[part].geometry);
        if (found == data.geometries.refused.end()) continue;
        const std::int32_t body =
            part < data.bodies[view.a].parts_end && part >= data.bodies[view.a].parts_begin ? view.a : view.b;
        const auto number = static_cast<std::size_t>(part - data.bodies[body].parts_begin);
        const std::string name = parts_of(data.description.bodies[body])[number].name;
        throw_error("scene: body {}, part {}, in a pair of model polytope: {}",
                    in_quotes(data.description.bodies[body].name), in_quotes(name), found->second);
      }
    }
  }
}

/// The centres of mass of bodies in pairs of polytopes, and the radii of their parts.
void add_radii(SceneData& data) {
  std::set<std::int32_t> bodies;
  for (const PairView& view : data.pairs) {
    if (view.model == kPolytopeModel) bodies.insert({view.a, view.b});
  }
  if (bodies.empty()) return;
  data.centers_of_mass.resize(data.bodies.size());
  data.part_radii.resize(data.parts.size());
  for (const std::int32_t index : bodies) {
    const auto body = static_cast<std::size_t>(index);
    const auto [x, y, z] = center_of_mass(data.description, data.description.bodies[body]);
    const Vec3d center = {x, y, z};
    data.centers_of_mass[body] = center;
    for (auto i = static_cast<std::size_t>(data.bodies[body].parts_begin);
         i < static_cast<std::size_t>(data.bodies[body].parts_end); ++i) {
      const auto geometry = static_cast<std::size_t>(data.parts[i].geometry);
      const PolytopeView* shape = data.geometries.views[geometry].shape;
      if (shape != nullptr) data.part_radii[i] = radius_about(*shape, center);
    }
  }
}

/// Options in a scene that has no polytopes.
void warn_of_options_without_effect(const Scene& scene, std::vector<std::string>& warnings) {
  if (scene.data().view.pairs_of_model(kPolytopeModel) > 0) return;
  const ContactOptions& contact = scene.description().contact;
  const auto warn = [&](bool given, const char* name) {
    if (!given) return;
    warnings.push_back(fmt::format("contact: {} is given, but no pair is of model polytope; it has no effect", name));
  };
  warn(contact.polytope.margin.has_value(), "margin");
  warn(contact.polytope.tolerance.has_value(), "tolerance");
  warn(contact.polytope.relations != ContactRelations::kExact, "relations");
}

/// A margin or tolerance beyond the size of a part, as of other units than metres.
void warn_of_wide_options(const Scene& scene, std::vector<std::string>& warnings) {
  const SceneData& data = scene.data();
  std::optional<std::int32_t> smallest;  // part
  for (const PairView& pair : data.pairs) {
    if (pair.model != kPolytopeModel) continue;
    for (std::int32_t i = pair.part_pairs_begin; i < pair.part_pairs_end; ++i) {
      for (const std::int32_t part : {data.part_pairs[i].a, data.part_pairs[i].b}) {
        if (!smallest || data.part_radii[part] < data.part_radii[*smallest]) smallest = part;
      }
    }
  }
  if (!smallest) return;
  const double radius = data.part_radii[*smallest];
  int body = 0;
  while (data.bodies[body].parts_end <= *smallest) ++body;
  const auto warn = [&](const std::optional<double>& value, const char* name, const char* usual) {
    if (!value || *value <= radius) return;
    warnings.push_back(fmt::format(
        "contact: {} is {:g} m, more than the radius of a part of {}, {:g} m; it is usually "
        "{} of that",
        name, *value, in_quotes(data.description.bodies[static_cast<std::size_t>(body)].name), radius, usual));
  };
  warn(data.description.contact.polytope.margin, "margin", "0.02");
  warn(data.description.contact.polytope.tolerance, "tolerance", "1e-6");
}

}  // namespace

void prepare_polytopes(SceneData& data) {
  check_shapes(data);
  add_radii(data);
}

DistanceView distances_of(const SceneData& data) {
  const ContactOptions& contact = data.description.contact;
  return {contact.polytope.margin.value_or(-1), contact.polytope.tolerance.value_or(-1),
          static_cast<std::int32_t>(contact.polytope.relations),
          data.centers_of_mass.empty() ? nullptr : data.centers_of_mass.data(),
          data.part_radii.empty() ? nullptr : data.part_radii.data()};
}

void warn_of_polytopes(const Scene& scene, std::vector<std::string>& warnings) {
  warn_of_options_without_effect(scene, warnings);
  warn_of_wide_options(scene, warnings);
}

}  // namespace isopatch::detail
