// SPDX-License-Identifier: Apache-2.0
#include "host/reference/pressure_field/evaluate_pair.h"

#include <algorithm>
#include <map>
#include <utility>

#include "host/evaluation/packed_output.h"
#include "host/reference/contact/contact_law.h"
#include "host/reference/pressure_field/body_pair.h"
#include "host/reference/pressure_field/bristles.h"
#include "host/reference/pressure_field/traction.h"
#include "host/scene/contact_models.h"
#include "isopatch/status.h"

namespace isopatch::reference {
namespace {

constexpr std::size_t kMaxPolygonVertices = 8;
constexpr Real kFarSideFraction = 0.01L;  // of a pair's load, from which on it has the status bit

/// A polygon in the frame of body a, and the parts and cells it comes from.
struct PatchPolygon {
  ContactPolygon polygon;
  ContactLaw law;
  PartIndices parts;
};

/// Whether, between parts without polygons, a compliant component of `inner`, posed by X, lies in `outer`.
bool encloses(const PosedBody& outer, const PosedBody& inner, const Geometry& geometry, const Transform& X) {
  if (inner.rigid) return false;
  const std::vector<Vector3> points = component_centroids(geometry);
  return std::any_of(points.begin(), points.end(), [&](const Vector3& x) { return is_inside(outer, X * x); });
}

/// The parts of a body in the frame of the pair, by their indices into Environment::parts; X is the body's pose there.
std::map<std::size_t, PosedBody> posed_parts(const Environment& environment, const BodyState& body,
                                             const Transform& X) {
  std::map<std::size_t, PosedBody> parts;
  for (const std::size_t i : body.parts) {
    const PartState& part = environment.parts[i];
    parts.emplace(i, PosedBody(*part.geometry, part.rigid, part.modulus, X * part.X_BG));
  }
  return parts;
}

Polygon to_output(const PatchPolygon& from, const Transform& X_WA, std::size_t pair) {
  const ContactPolygon& polygon = from.polygon;
  Polygon out = {};
  const std::size_t count = std::min(polygon.vertices.size(), kMaxPolygonVertices);
  const Vector3 normal = X_WA.rotation * polygon.normal;
  out.pair = static_cast<std::int32_t>(pair);
  out.num_vertices = static_cast<std::int32_t>(count);
  out.area = static_cast<float>(moments(polygon.vertices, polygon.normal).area);
  for (std::size_t k = 0; k < count; ++k) {
    const Vector3 x = X_WA * polygon.vertices[k];
    out.pressures[k] = static_cast<float>(polygon.pressure.at(polygon.vertices[k]));
    for (Eigen::Index i = 0; i < 3; ++i) out.vertices[k][i] = static_cast<float>(x[i]);
  }
  for (Eigen::Index i = 0; i < 3; ++i) out.normal[i] = static_cast<float>(normal[i]);
  out.part_a = static_cast<std::int32_t>(from.parts.a);
  out.part_b = static_cast<std::int32_t>(from.parts.b);
  return out;
}

DiscreteContact to_contact(const PatchPolygon& from, const Transform& X_WA, std::size_t pair) {
  const ContactPolygon& polygon = from.polygon;
  const ContactLaw& law = from.law;
  const PolygonMoments m = moments(polygon.vertices, polygon.normal);
  const Real pressure = polygon.pressure.at(m.centroid);
  const Vector3 point = X_WA * m.centroid, normal = X_WA.rotation * polygon.normal;
  DiscreteContact out = {};
  out.pair = static_cast<std::int32_t>(pair);
  for (Eigen::Index i = 0; i < 3; ++i) {
    out.point[i] = static_cast<float>(point[i]);
    out.normal[i] = static_cast<float>(normal[i]);
  }
  out.area = static_cast<float>(m.area);
  out.pressure = static_cast<float>(pressure);
  out.stiffness = static_cast<float>(m.area * polygon.gradient);
  out.distance = static_cast<float>(-pressure / polygon.gradient);
  out.dissipation = static_cast<float>(damping_rate(polygon, law));
  out.friction = static_cast<float>(law.friction);
  out.part_a = static_cast<std::int32_t>(from.parts.a);
  out.part_b = static_cast<std::int32_t>(from.parts.b);
  return out;
}

/// Adds friction by bristles to part pair number `i`. Returns what its contact keeps.
Memory bristles_of(const PairInput& input, std::size_t i, const std::vector<ContactPolygon>& polygons,
                   const ContactLaw& law, PatchSum& sum) {
  const PressureMoments pressure = pressure_moments(polygons);
  if (!(pressure.force > 0)) return {};
  const Pair& pair = (*input.scene.pairs)[input.pair];
  const BodyState& a = input.environment.bodies[static_cast<std::size_t>(pair.a)];
  const BodyState& b = input.environment.bodies[static_cast<std::size_t>(pair.b)];
  const Matrix3 R_AW = a.X_WB.rotation.transpose();
  Memory before = Memory::of(input.environment.memories[input.first_row + i]);
  before.bend = R_AW * before.bend;
  const ContactForceLaw memory =
      memory_law(input.scene, input.state, input.environment, input.pair, input.part_pairs[i], kUsualSlipTolerance);
  BristleForce bristles = bristle_force(memory, pressure, sum.force, sum.normal,
                                        {law.velocity, R_AW * a.angular_velocity, R_AW * b.angular_velocity}, before,
                                        input.state.time_step);
  sum.force += bristles.force;
  sum.torque += pressure.center.cross(bristles.force) + bristles.torque;
  sum.friction_force += bristles.force;
  bristles.next.bend = a.X_WB.rotation * bristles.next.bend;
  return bristles.next;
}

/// What the part pairs of a pair add up to, in a's frame.
struct PatchTotals {
  PatchSum whole = {};
  std::vector<PatchPolygon> found;
  bool has_surface = false, encloses_part = false;
  Real load = 0, far_load = 0;  // of the pressure before it is weighed, N
};

/// Two bodies, and whether they are one-sided.
struct BodyPair {
  std::map<std::size_t, PosedBody> of_a, of_b;
  Transform X_AB;
  bool one_sided_a, one_sided_b;
};

void add_part_pair(const PairInput& input, const BodyPair& bodies, const PartIndices& parts, PatchTotals& totals,
                   PairResult& result) {
  const auto& [scene, state, results, environment, index, pair_index, part_pairs, first_row] = input;
  const PosedBody &a = bodies.of_a.at(parts.a), &b = bodies.of_b.at(parts.b);
  const PartState &part_a = environment.parts[parts.a], &part_b = environment.parts[parts.b];
  const ContactLaw law = contact_law(scene, state, environment, pair_index, parts);
  PatchSum sum = {};
  std::vector<ContactPolygon> polygons = contact_polygons(a, b);
  totals.has_surface = totals.has_surface || !polygons.empty();
  totals.encloses_part =
      totals.encloses_part || (polygons.empty() && (encloses(b, a, *part_a.geometry, part_a.X_BG) ||
                                                    encloses(a, b, *part_b.geometry, bodies.X_AB * part_b.X_BG)));
  const bool has_bristles = has_state(scene, pair_index, ContactModel::kPressureField);
  ContactLaw law_of_points = law;
  if (has_bristles) law_of_points.friction = 0;
  std::vector<ContactPolygon> kept;
  for (ContactPolygon& polygon : polygons) {
    if (scene.contact.gradient_filter && !polygon.passes_gradient_filter()) continue;
    const Real unweighed = polygon.load();
    const auto of_bodies = [&](auto member) {
      return (polygon.*member)(bodies.one_sided_a, bodies.one_sided_b, a.largest_gradient, b.largest_gradient);
    };
    of_bodies(&ContactPolygon::weigh_one_sided);
    totals.load += unweighed;
    totals.far_load += unweighed * (1 - of_bodies(&ContactPolygon::near_side));
    add_polygon(polygon, law_of_points, sum);
    if (has_bristles) kept.push_back(polygon);
    totals.found.push_back({std::move(polygon), law, parts});
  }
  if (has_bristles) {
    const Memory next = bristles_of(input, result.of_part_pairs.size(), kept, law, sum);
    for (const Real number : next.numbers()) result.contact_state.push_back(number);
    const auto state_size = static_cast<std::size_t>(detail::contact_state_size_of(scene));
    result.contact_state.resize((result.of_part_pairs.size() + 1) * state_size);
  }
  if (results.energy.data != nullptr) result.energy += elastic_energy(a, b);
  const Matrix3& R_WA = result.X_WA.rotation;
  result.of_part_pairs.push_back({R_WA * sum.force, R_WA * sum.torque});
  totals.whole.add(sum);
}

/// The sums in the world.
void take_sums(const PatchSum& whole, const Transform& X_AB, PairResult& result) {
  const Matrix3& R_WA = result.X_WA.rotation;
  result.on_a = {R_WA * whole.force, R_WA * whole.torque};
  result.on_b = {-result.on_a.force, R_WA * (X_AB.translation.cross(whole.force) - whole.torque)};
  if (whole.pressure > 0) result.center_of_pressure = result.X_WA * Vector3(whole.pressure_moment / whole.pressure);
  if (whole.area > 0) result.mean_normal = R_WA * (whole.normal / whole.area);
  result.friction_force = R_WA * whole.friction_force;
  result.area = whole.area;
  result.max_pressure = whole.max_pressure;
  result.polygon_count = whole.polygons;
}

}  // namespace

PairResult evaluate_pressure_field(const PairInput& input) {
  const auto& [scene, state, results, environment, index, pair_index, part_pairs, first_row] = input;
  const Pair& pair = (*scene.pairs)[pair_index];
  const BodyState& state_a = environment.bodies[static_cast<std::size_t>(pair.a)];
  const BodyState& state_b = environment.bodies[static_cast<std::size_t>(pair.b)];

  // the pair is evaluated in a's frame, so that its position in the world costs no digits
  const Transform X_AB = state_a.X_WB.inverse() * state_b.X_WB;
  const BodyPair bodies = {posed_parts(environment, state_a, Transform{}), posed_parts(environment, state_b, X_AB),
                           X_AB, scene.bodies[static_cast<std::size_t>(pair.a)].one_sided,
                           scene.bodies[static_cast<std::size_t>(pair.b)].one_sided};
  PairResult result;
  result.X_WA = state_a.X_WB;
  PatchTotals totals;
  for (const PartIndices& parts : part_pairs) add_part_pair(input, bodies, parts, totals, result);
  if (totals.encloses_part && !totals.has_surface) result.status |= kNoContactSurface;
  if (totals.far_load > kFarSideFraction * totals.load) result.status |= kFarSide;
  take_sums(totals.whole, X_AB, result);

  std::vector<const ContactPolygon*> polygons;
  for (const PatchPolygon& polygon : totals.found) {
    polygons.push_back(&polygon.polygon);
    result.polygons.push_back(to_output(polygon, result.X_WA, pair_index));
    if (polygon.polygon.resists()) result.contacts.push_back(to_contact(polygon, result.X_WA, pair_index));
  }
  if (detail::wants_patch_contacts(results)) result.patch = patch_contacts(polygons, results.max_clusters);
  return result;
}

}  // namespace isopatch::reference
