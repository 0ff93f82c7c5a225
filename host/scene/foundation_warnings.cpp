// SPDX-License-Identifier: Apache-2.0
//
// What scenes are warned of whose contacts have foundations: overlaps as large as half a body, and foundation depths
// that nothing reads.
#include <fmt/format.h>

#include <algorithm>
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

bool has_foundations(const PairView& pair) {
  return contact_models()[static_cast<std::size_t>(pair.model)].has_foundations;
}

/// The largest stiffness of a part pair of the pair, N/m^3.
double largest_stiffness(const SceneData& data, int view) {
  State state;  // the scene's materials
  state.num_environments = 1;
  double largest = 0;
  const PairView& pair = data.view.pairs[view];
  const auto stiffness_of = contact_models()[static_cast<std::size_t>(pair.model)].stiffness_of;
  for (std::int32_t i = pair.part_pairs_begin; i < pair.part_pairs_end; ++i) {
    const PartPairView& parts = data.view.part_pairs[i];
    if (parts.layer > 0) continue;
    Softness softness = {};
    const LawNumbers law = law_of(data.view, state, 0, view, parts, softness);
    const bool is_given = data.view.laws[view].has_stiffness;
    largest = std::max(largest, stiffness_of(data.view, parts, law, softness, is_given).value);
  }
  return largest;
}

/// Of all parts of a body, m^3; of a half space infinite.
double volume_of(const SceneDescription& scene, const Body& body, GeometryMasses& masses) {
  double sum = 0;
  for (const Part& part : parts_of(body)) {
    const bool has_end = scene.geometries[static_cast<std::size_t>(part.geometry)].kind != GeometryKind::kHalfSpace;
    sum += has_end ? masses.of(part.geometry).volume : kInfinity;
  }
  return sum;
}

/// A line for each free body that its volumetric contact carries with an overlap of half a body or more.
void warn_of_thick_parts(const SceneData& data, std::vector<std::string>& warnings) {
  constexpr double kShare = 0.5;
  const SceneDescription& scene = data.description;
  GeometryMasses masses(scene);
  const auto& g = scene.rollout.gravity;
  const double gravity = norm(Point3{g[0], g[1], g[2]});
  for (int view = 0; view < data.view.num_pair_views; ++view) {
    const PairView& pair = data.view.pairs[view];
    if (!has_foundations(pair)) continue;
    const Body &a = scene.bodies[static_cast<std::size_t>(pair.a)], &b = scene.bodies[static_cast<std::size_t>(pair.b)];
    const double volume_a = volume_of(scene, a, masses), volume_b = volume_of(scene, b, masses);
    const Body& smaller = volume_a < volume_b ? a : b;
    const double stiffness = largest_stiffness(data, view), smaller_volume = std::min(volume_a, volume_b);
    for (const Body* body : {&a, &b}) {
      if (body->fixed || body->motion.type != MotionType::kFree) continue;
      const double volume = body_mass(scene, *body, masses).mass * gravity / stiffness;
      if (!(volume > kShare * smaller_volume)) continue;
      warnings.push_back(fmt::format(
          "bodies {} and {}: the overlap that carries {} has {:.2g} m^3, and {} has {:.2g} m^3, so that the contact is "
          "no plate between surfaces; take a larger stiffness than {:.2g} N/m^3",
          in_quotes(a.name), in_quotes(b.name), in_quotes(body->name), volume, in_quotes(smaller.name), smaller_volume,
          stiffness));
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
