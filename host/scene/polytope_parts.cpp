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
    return any_of(models_of(pair, scene), &ContactModelInfo::has_polytopes);
  });
}

PolytopeSceneView polytopes_of(const SceneData& data) {
  const ContactOptions& contact = data.description.contact;
  const bool any = !data.centers_of_mass.empty();
  return {contact.margin.value_or(-1), contact.tolerance.value_or(-1), static_cast<std::int32_t>(contact.relations),
          any ? data.centers_of_mass.data() : nullptr, any ? data.polytope_radii.data() : nullptr};
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
  if (bodies.empty()) return;
  data.centers_of_mass.resize(data.bodies.size());
  data.polytope_radii.resize(data.parts.size());
  for (const std::int32_t index : bodies) {
    const auto body = static_cast<std::size_t>(index);
    const auto [x, y, z] = center_of_mass(data.description, data.description.bodies[body]);
    const Vec3d center = {x, y, z};
    data.centers_of_mass[body] = center;
    for (auto i = static_cast<std::size_t>(data.bodies[body].parts_begin);
         i < static_cast<std::size_t>(data.bodies[body].parts_end); ++i) {
      const auto geometry = static_cast<std::size_t>(data.parts[i].geometry);
      const PolytopeView* shape = data.geometries.views[geometry].polytope;
      if (shape != nullptr) data.polytope_radii[i] = radius_about(*shape, center);
    }
  }
}

}  // namespace isopatch::detail
