// SPDX-License-Identifier: Apache-2.0
//
// What scenes are warned of whose contacts have foundations: parts that are pressed in as deep as they are wide, and
// foundation depths that nothing reads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "host/mesh/math/point_math.h"
#include "host/scene/body_mass.h"
#include "host/scene/contact_models.h"
#include "host/scene/models/models.h"
#include "host/scene/scene_data.h"
#include "host/text/quote.h"
#include "isopatch/detail/contact/part_law.h"

namespace isopatch::detail {
namespace {

/// Half of the smallest edge of a mesh's box, m; of a half space infinite.
double half_width(const GeometryView& geometry) {
  if (geometry.half_space) return kInfinity;
  return std::min({geometry.half.x, geometry.half.y, geometry.half.z});
}

bool has_foundations(const PairView& pair) {
  return contact_models()[static_cast<std::size_t>(pair.model)].has_foundations;
}

/// The least stiffness of a part pair of the pair, N/m^3, and half of the smallest width of its parts, m.
struct Thinnest {
  double stiffness = kInfinity, half_width = kInfinity;
};

Thinnest thinnest_of(const SceneData& data, int view) {
  State state;  // the scene's materials
  state.num_environments = 1;
  Thinnest thinnest;
  const PairView& pair = data.view.pairs[view];
  const auto stiffness_of = contact_models()[static_cast<std::size_t>(pair.model)].stiffness_of;
  for (std::int32_t i = pair.part_pairs_begin; i < pair.part_pairs_end; ++i) {
    const PartPairView& parts = data.view.part_pairs[i];
    if (parts.layer > 0) continue;
    Softness softness = {};
    const LawNumbers law = law_of(data.view, state, 0, view, parts, softness);
    const bool is_given = data.view.laws[view].has_stiffness;
    thinnest.stiffness = std::min(thinnest.stiffness, stiffness_of(data.view, parts, law, softness, is_given).value);
    for (const std::int32_t part : {parts.a, parts.b}) {
      const GeometryView& geometry = data.view.geometries[data.view.parts[part].geometry];
      thinnest.half_width = std::min(thinnest.half_width, half_width(geometry));
    }
  }
  return thinnest;
}

/// A line for each free body that its volumetric contact carries with an overlap as thick as a part is wide.
void warn_of_thick_parts(const SceneData& data, std::vector<std::string>& warnings) {
  const SceneDescription& scene = data.description;
  GeometryMasses masses(scene);
  const auto& g = scene.rollout.gravity;
  const double gravity = norm(Point3{g[0], g[1], g[2]});
  for (int view = 0; view < data.view.num_pair_views; ++view) {
    const PairView& pair = data.view.pairs[view];
    if (!has_foundations(pair)) continue;
    const Thinnest thinnest = thinnest_of(data, view);
    for (const int index : {pair.a, pair.b}) {
      const Body& body = scene.bodies[static_cast<std::size_t>(index)];
      if (body.fixed || body.motion.type != MotionType::kFree) continue;
      const double volume = body_mass(scene, body, masses).mass * gravity / thinnest.stiffness;
      if (std::cbrt(volume) <= thinnest.half_width) continue;
      const Body& other = scene.bodies[static_cast<std::size_t>(index == pair.a ? pair.b : pair.a)];
      warnings.push_back(fmt::format(
          "bodies {} and {}: the overlap that carries {} has {:.2g} m^3, a cube of {:.2g} m, and the thinnest of their "
          "parts is {:.2g} m wide, so that its contact is thick (thick_contact) and no plate; take a larger stiffness "
          "than {:.2g} N/m^3",
          in_quotes(body.name), in_quotes(other.name), in_quotes(body.name), volume, std::cbrt(volume),
          2 * thinnest.half_width, thinnest.stiffness));
    }
  }
}

/// A line for each body whose foundation depth nothing reads.
void warn_of_idle_foundations(const SceneData& data, std::vector<std::string>& warnings) {
  for (std::size_t i = 0; i < data.description.bodies.size(); ++i) {
    const Body& body = data.description.bodies[i];
    const std::vector<Part> parts = parts_of(body);
    if (std::none_of(parts.begin(), parts.end(), [](const Part& part) { return part.foundation_depth.has_value(); })) {
      continue;
    }
    const auto reads = [&](const PairView& pair) {
      return has_foundations(pair) && (pair.a == static_cast<int>(i) || pair.b == static_cast<int>(i));
    };
    if (std::any_of(data.pairs.begin(), data.pairs.end(), reads)) continue;
    warnings.push_back(fmt::format(
        "body {}: no pair of it has model volumetric, so its foundation_depth changes nothing", in_quotes(body.name)));
  }
}

}  // namespace

void warn_of_foundations(const Scene& scene, std::vector<std::string>& warnings) {
  warn_of_thick_parts(scene.data(), warnings);
  warn_of_idle_foundations(scene.data(), warnings);
}

}  // namespace isopatch::detail
