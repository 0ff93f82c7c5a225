// SPDX-License-Identifier: Apache-2.0
#include "host/scene/polytope_parts.h"

#include <algorithm>
#include <set>

#include "host/scene/scene_rules.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"
#include "isopatch/detail/polytope/radius.h"
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

}  // namespace

bool wants_polytopes(const SceneDescription& scene) {
  return std::any_of(scene.pairs->begin(), scene.pairs->end(), [&](const Pair& pair) {
    const ContactModels& models = models_of(pair, scene);
    return std::find(models.begin(), models.end(), ContactModel::kPolytope) != models.end();
  });
}

PolytopeOptions polytope_options(const ContactOptions& contact) {
  return {contact.margin.value_or(-1), contact.tolerance.value_or(-1), static_cast<std::int32_t>(contact.relations)};
}

void check_polytopes(const SceneData& data) {
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

void add_polytope_radii(SceneData& data) {
  std::set<std::int32_t> bodies;
  for (const PairView& view : data.pairs) {
    if (view.model == kPolytopeModel) bodies.insert({view.a, view.b});
  }
  for (const std::int32_t index : bodies) {
    BodyView& body = data.bodies[static_cast<std::size_t>(index)];
    const Point3 center = center_of_mass(data.description, data.description.bodies[static_cast<std::size_t>(index)]);
    body.center_of_mass = {center[0], center[1], center[2]};
    for (std::int32_t i = body.parts_begin; i < body.parts_end; ++i) {
      PartView& part = data.parts[static_cast<std::size_t>(i)];
      const PolytopeView* shape = data.geometries.views[static_cast<std::size_t>(part.geometry)].polytope;
      if (shape != nullptr) part.polytope_radius = radius_about(*shape, body.center_of_mass);
    }
  }
}

}  // namespace isopatch::detail
