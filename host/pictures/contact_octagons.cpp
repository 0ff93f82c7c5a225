// SPDX-License-Identifier: Apache-2.0
#include "host/pictures/contact_octagons.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "host/pictures/all_records.h"
#include "host/scene/contact_models.h"
#include "host/scene/scene_data.h"
#include "isopatch/detail/single_contact/evaluate_single_contacts.h"

namespace isopatch::detail {

namespace {

constexpr std::size_t kRowsOfContact = 4;  // two on each axis of the plate

/// Pair, part of a and part of b of the volumetric part pairs.
using PartPairNames = std::set<std::tuple<std::int32_t, std::int32_t, std::int32_t>>;

PartPairNames volumetric_part_pairs(const SceneData& scene) {
  PartPairNames names;
  for (const PairView& view : scene.pairs) {
    if (!contact_models()[static_cast<std::size_t>(view.model)].is_drawn_as_octagon) continue;
    for (std::int32_t i = view.part_pairs_begin; i < view.part_pairs_end; ++i) {
      names.emplace(view.pair, scene.part_pairs[i].a, scene.part_pairs[i].b);
    }
  }
  return names;
}

std::vector<DiscreteContact> contacts_of(const HostEvaluator& evaluator, const StateArrays& states,
                                         std::int64_t environment) {
  std::uint32_t status = 0;
  Results results;
  results.status = &status;
  return all_records<DiscreteContact>(evaluator, states.view(environment, 1), results, &Results::contacts,
                                      &Results::contacts_needed, 256);
}

Vec3d vector(const float (&x)[3]) { return {x[0], x[1], x[2]}; }

/// Of the rows of one contact, which lie on both sides of its centre, on one axis and then on the other.
Polygon octagon(const DiscreteContact* rows) {
  const Vec3d center = 0.5 * (vector(rows[0].point) + vector(rows[1].point)), n = vector(rows[0].normal);
  Vec3d u = 0.5 * (vector(rows[0].point) - vector(rows[1].point));
  Vec3d v = 0.5 * (vector(rows[2].point) - vector(rows[3].point));
  if (!(norm(u) > 0 && norm(v) > 0)) {  // too small for digits
    const PlaneBasis basis = basis_of_plane(n);
    u = basis.u, v = basis.v;
  }
  if (dot(cross(u, v), n) < 0) v = -v;
  // a regular octagon about the unit circle has the area 2 sqrt(2)
  const double area = kRowsOfContact * rows[0].area;
  const double scale = std::sqrt(area / (2 * std::sqrt(2.0) * norm(u) * norm(v)));

  Polygon polygon = {};
  polygon.pair = rows[0].pair;
  polygon.num_vertices = 8;
  const double half = std::sqrt(0.5), cosines[] = {1, half, 0, -half, -1, -half, 0, half};
  for (std::size_t k = 0; k < 8; ++k) {
    const Vec3d p = center + (scale * cosines[k]) * u + (scale * cosines[(k + 6) % 8]) * v;
    polygon.vertices[k][0] = static_cast<float>(p.x);
    polygon.vertices[k][1] = static_cast<float>(p.y);
    polygon.vertices[k][2] = static_cast<float>(p.z);
    polygon.pressures[k] = rows[0].pressure;
  }
  std::copy_n(rows[0].normal, 3, polygon.normal);
  polygon.area = static_cast<float>(area);
  polygon.part_a = rows[0].part_a;
  polygon.part_b = rows[0].part_b;
  return polygon;
}

}  // namespace

std::vector<Polygon> contact_octagons(const HostEvaluator& evaluator, const StateArrays& states,
                                      std::int64_t environment) {
  const PartPairNames names = volumetric_part_pairs(evaluator.scene().data());
  std::vector<Polygon> octagons;
  if (names.empty()) return octagons;
  const std::vector<DiscreteContact> contacts = contacts_of(evaluator, states, environment);
  for (std::size_t i = 0; i + kRowsOfContact <= contacts.size();) {
    const DiscreteContact& row = contacts[i];
    if (!names.contains({row.pair, row.part_a, row.part_b})) {
      ++i;
      continue;
    }
    if (row.area > 0) octagons.push_back(octagon(&row));
    i += kRowsOfContact;
  }
  return octagons;
}

}  // namespace isopatch::detail
