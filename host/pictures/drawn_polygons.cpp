// SPDX-License-Identifier: Apache-2.0
#include "host/pictures/drawn_polygons.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "host/pictures/all_records.h"
#include "host/scene/contact_models.h"
#include "host/scene/scene_data.h"
#include "isopatch/detail/single_contact/evaluate_single_contacts.h"

namespace isopatch::detail {

namespace {

/// The rows of a contact: two on each axis of its plate, or one if that is too small for digits.
constexpr std::size_t kRowsOfContact = 4;
using ContactRows = std::vector<DiscreteContact>;

/// By pair, part of a and part of b, of the volumetric part pairs.
using PartPairRows = std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, ContactRows>;

PartPairRows volumetric_part_pairs(const SceneData& scene) {
  PartPairRows rows;
  for (const PairView& view : scene.pairs) {
    if (!contact_models()[static_cast<std::size_t>(view.model)].is_drawn_as_octagon) continue;
    for (std::int32_t i = view.part_pairs_begin; i < view.part_pairs_end; ++i) {
      rows[{view.pair, scene.part_pairs[i].a, scene.part_pairs[i].b}];
    }
  }
  return rows;
}

Vec3d vector(const float (&x)[3]) { return {x[0], x[1], x[2]}; }

Polygon octagon(const ContactRows& rows) {
  const bool has_axes = rows.size() == kRowsOfContact;
  const Vec3d first = vector(rows[0].point), n = vector(rows[0].normal);
  const auto [across_n, other] = basis_of_plane(n);
  Vec3d center = first, u = across_n, v = other;
  if (has_axes) {
    center = 0.5 * (first + vector(rows[1].point));
    const Vec3d x = 0.5 * (first - vector(rows[1].point)), y = 0.5 * (vector(rows[2].point) - vector(rows[3].point));
    if (norm(x) > 0 && norm(y) > 0) u = x, v = y;
  }
  if (dot(cross(u, v), n) < 0) v = -v;
  // a regular octagon about the unit circle has the area 2 sqrt(2)
  const double area = static_cast<double>(rows.size()) * rows[0].area;
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

std::vector<Polygon> drawn_polygons(const HostEvaluator& evaluator, const State& state, const Results& results) {
  std::vector<Polygon> polygons =
      all_records<Polygon>(evaluator, state, results, &Results::polygons, &Results::polygons_needed, 1024);
  PartPairRows part_pairs = volumetric_part_pairs(evaluator.scene().data());
  if (part_pairs.empty()) return polygons;
  std::uint32_t status = 0;
  Results of_contacts;
  of_contacts.status = &status;
  // the rows of a part pair are in their order, but on a device others may be between them
  for (const DiscreteContact& row : all_records<DiscreteContact>(evaluator, state, of_contacts, &Results::contacts,
                                                                 &Results::contacts_needed, 256)) {
    const auto of = part_pairs.find({row.pair, row.part_a, row.part_b});
    if (of != part_pairs.end()) of->second.push_back(row);
  }
  for (const auto& [name, rows] : part_pairs) {
    if (!rows.empty() && rows[0].area > 0) polygons.push_back(octagon(rows));
  }
  return polygons;
}

}  // namespace isopatch::detail
