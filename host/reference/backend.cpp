// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "host/evaluation/evaluator_backend.h"
#include "host/evaluation/row_collection.h"
#include "host/reference/contact/contact_law.h"
#include "host/reference/pressure_field/body_pair.h"
#include "host/reference/pressure_field/enclosure.h"
#include "host/reference/pressure_field/patch_points.h"
#include "host/reference/pressure_field/traction.h"
#include "host/reference/scene/environment.h"
#include "host/scene/contact_models.h"
#include "host/threads/cancellation.h"
#include "host/threads/parallel_for.h"

namespace isopatch {
namespace reference {
namespace {

constexpr std::size_t kMaxPolygonVertices = 8;
constexpr Real kFarSideFraction = 0.01L;  // of a pair's load, from which on it has the status bit

struct Wrench {
  Vector3 force = Vector3::Zero();
  Vector3 torque = Vector3::Zero();
};

/// A polygon in the frame of body a, and the parts and cells it comes from.
struct PatchPolygon {
  ContactPolygon polygon;
  ContactLaw law;
  PartIndices parts;
};

/// What a pair contributes to the results, world frame.
struct PairResult {
  PatchSum sum;
  Wrench on_a, on_b;  // each about its body's origin
  Vector3 center_of_pressure = Vector3::Zero();
  Vector3 mean_normal = Vector3::Zero();
  Real energy = 0;
  std::vector<PatchPolygon> polygons;
  std::vector<Wrench> of_part_pairs;  // on a
  Transform X_WA;
  bool enclosed = false;  // the bodies overlap without a contact surface
  bool far_side = false;  // too much of the pressure is on the far side of a wall
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

PairResult evaluate_pair(const SceneDescription& scene, const State& state, const Environment& environment,
                         std::size_t pair_index, bool with_energy) {
  const Pair& pair = scene.pairs[pair_index];
  const BodyState& state_a = environment.bodies[static_cast<std::size_t>(pair.a)];
  const BodyState& state_b = environment.bodies[static_cast<std::size_t>(pair.b)];
  const Matrix3& R_WA = state_a.X_WB.rotation;

  // the pair is evaluated in a's frame, so that its position in the world costs no digits
  const Transform X_AB = state_a.X_WB.inverse() * state_b.X_WB;
  const std::map<std::size_t, PosedBody> of_a = posed_parts(environment, state_a, Transform{});
  const std::map<std::size_t, PosedBody> of_b = posed_parts(environment, state_b, X_AB);

  PairResult result;
  result.X_WA = state_a.X_WB;
  const bool one_sided_a = scene.bodies[static_cast<std::size_t>(pair.a)].one_sided;
  const bool one_sided_b = scene.bodies[static_cast<std::size_t>(pair.b)].one_sided;
  bool has_surface = false, encloses_part = false;
  Real load = 0, far_load = 0;  // of the pressure before it is weighed, N
  for (const PartIndices& parts : part_pairs(scene, environment, pair_index)) {
    const PosedBody &a = of_a.at(parts.a), &b = of_b.at(parts.b);
    const PartState &part_a = environment.parts[parts.a], &part_b = environment.parts[parts.b];
    const ContactLaw law = contact_law(scene, state, environment, pair_index, parts);
    PatchSum sum = {};
    std::vector<ContactPolygon> polygons = contact_polygons(a, b);
    has_surface = has_surface || !polygons.empty();
    encloses_part = encloses_part || (polygons.empty() && (encloses(b, a, *part_a.geometry, part_a.X_BG) ||
                                                           encloses(a, b, *part_b.geometry, X_AB * part_b.X_BG)));
    for (ContactPolygon& polygon : polygons) {
      if (scene.contact.gradient_filter && !polygon.passes_gradient_filter()) continue;
      const Real whole = polygon.load();
      polygon.weigh_one_sided(one_sided_a, one_sided_b, a.largest_gradient, b.largest_gradient);
      load += whole;
      far_load += whole * (1 - polygon.near_side(one_sided_a, one_sided_b, a.largest_gradient, b.largest_gradient));
      add_polygon(polygon, law, sum);
      result.polygons.push_back({std::move(polygon), law, parts});
    }
    if (with_energy) result.energy += elastic_energy(a, b);
    result.of_part_pairs.push_back({R_WA * sum.force, R_WA * sum.torque});
    result.sum.add(sum);
  }
  result.enclosed = encloses_part && !has_surface;
  result.far_side = far_load > kFarSideFraction * load;

  // to the world
  const PatchSum& sum = result.sum;
  result.on_a = {R_WA * sum.force, R_WA * sum.torque};
  result.on_b = {-result.on_a.force, R_WA * (X_AB.translation.cross(sum.force) - sum.torque)};
  if (sum.pressure > 0) result.center_of_pressure = state_a.X_WB * Vector3(sum.pressure_moment / sum.pressure);
  if (sum.area > 0) result.mean_normal = R_WA * (sum.normal / sum.area);
  return result;
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
  const bool pfc = law.model == DissipationModel::kPfc;
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
  out.dissipation =
      static_cast<float>(pfc ? law.dissipation * polygon.smoothed_gradient / law.modulus : law.dissipation);
  out.friction = static_cast<float>(law.friction);
  out.part_a = static_cast<std::int32_t>(from.parts.a);
  out.part_b = static_cast<std::int32_t>(from.parts.b);
  return out;
}

/// Writes one environment's rows. A null array is skipped.
class RowWriter {
 public:
  RowWriter(const Results& results, std::int64_t environment) : results_(results), environment_(environment) {}

  void put(const OutputArray& array, std::size_t index, Real value) const {
    if (!array.data) return;
    const std::int64_t offset = environment_ * array.stride + static_cast<std::int64_t>(index);
    if (array.type == ScalarType::kFloat32) {
      static_cast<float*>(array.data)[offset] = static_cast<float>(value);
    } else {
      static_cast<double*>(array.data)[offset] = static_cast<double>(value);
    }
  }

  template <class T>
  void put(const TypedArray<T>& array, std::size_t index, const T& value) const {
    if (array.data) array.data[environment_ * array.stride + static_cast<std::int64_t>(index)] = value;
  }

  void put(const OutputArray& array, std::size_t index, const Vector3& value) const {
    for (std::size_t i = 0; i < 3; ++i) put(array, index + i, value[static_cast<Eigen::Index>(i)]);
  }

  void put_pair(std::size_t pair, const PairResult& result) const {
    put(results_.pair_wrench, 6 * pair, result.on_a.force);
    put(results_.pair_wrench, 6 * pair + 3, result.on_a.torque);
    put(results_.area, pair, result.sum.area);
    put(results_.center_of_pressure, 3 * pair, result.center_of_pressure);
    put(results_.mean_normal, 3 * pair, result.mean_normal);
    put(results_.max_pressure, pair, result.sum.max_pressure);
    put(results_.friction_force, 3 * pair, Vector3(result.X_WA.rotation * result.sum.friction_force));
    put(results_.energy, pair, result.energy);
    put(results_.polygon_count, pair, result.sum.polygons);
  }

  void put_patch_contacts(std::size_t pair, const PairResult& result) const {
    std::vector<const ContactPolygon*> polygons;
    for (const PatchPolygon& polygon : result.polygons) polygons.push_back(&polygon.polygon);
    PatchContacts contacts = patch_contacts(polygons, results_.max_clusters);
    const Matrix3& R_WA = result.X_WA.rotation;
    put(results_.patch_count, pair, static_cast<std::int32_t>(contacts.clusters.size()));
    put(results_.patch_residual, 6 * pair, Vector3(R_WA * contacts.residual.force));
    put(results_.patch_residual, 6 * pair + 3, Vector3(R_WA * contacts.residual.moment));
    const auto most = static_cast<std::size_t>(results_.max_clusters);
    for (std::size_t i = 0; i < most; ++i) {
      const std::size_t row = pair * most + i;
      const bool is_used = i < contacts.clusters.size();
      const PatchPoints points = is_used ? contacts.clusters[i] : PatchPoints{};
      put(results_.patch_normal, 3 * row, is_used ? Vector3(R_WA * points.normal) : Vector3(Vector3::Zero()));
      for (std::size_t j = 0; j < points.points.size(); ++j) {
        const Vector3 x = is_used ? result.X_WA * points.points[j] : Vector3(Vector3::Zero());
        put(results_.patch_point, 3 * (4 * row + j), x);
        put(results_.patch_stiffness, 4 * row + j, is_used ? points.stiffness : 0);
        put(results_.patch_distance, 4 * row + j, is_used ? points.distances[j] : 0);
      }
    }
  }

  void put_part_pair(std::size_t part_pair, const Wrench& wrench) const {
    put(results_.part_pair_wrench, 6 * part_pair, wrench.force);
    put(results_.part_pair_wrench, 6 * part_pair + 3, wrench.torque);
  }

  /// Zeros: no contact model of this backend has a state.
  void put_contact_state(std::size_t part_pair, std::size_t size) const {
    for (std::size_t i = 0; i < size; ++i) put(results_.contact_state, part_pair * size + i, Real{0});
  }

  void put_body(std::size_t body, const Wrench& wrench) const {
    put(results_.body_wrench, 6 * body, wrench.force);
    put(results_.body_wrench, 6 * body + 3, wrench.torque);
  }

  void put_status(std::uint32_t status) const { put(results_.status, 0, status); }

  /// Writes the records that there is room for. Returns whether some are missing.
  template <class Record>
  bool put_records(const TypedArray<Record>& rows, const TypedArray<std::int32_t>& needed, std::int32_t capacity,
                   const std::vector<Record>& records) const {
    put(needed, 0, static_cast<std::int32_t>(records.size()));
    if (!rows.data) return false;
    const auto room = static_cast<std::size_t>(capacity);
    for (std::size_t i = 0; i < std::min(records.size(), room); ++i) put(rows, i, records[i]);
    return records.size() > room;
  }

 private:
  const Results& results_;
  std::int64_t environment_;
};

/// The polygons of an environment by pair, part pair, and elements of both parts, which is the order of packed arrays.
std::vector<Polygon> polygons_of(const std::vector<PairResult>& pairs) {
  std::vector<Polygon> polygons;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    for (const PatchPolygon& polygon : pairs[p].polygons) polygons.push_back(to_output(polygon, pairs[p].X_WA, p));
  }
  return polygons;
}

std::vector<DiscreteContact> contacts_of(const std::vector<PairResult>& pairs) {
  std::vector<DiscreteContact> contacts;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    for (const PatchPolygon& polygon : pairs[p].polygons) {
      if (polygon.polygon.resists()) contacts.push_back(to_contact(polygon, pairs[p].X_WA, p));
    }
  }
  return contacts;
}

template <class Record>
void collect(detail::RowCollection<Record>& rows, std::int64_t environment, const std::vector<Record>& records) {
  if (!rows.is_wanted()) return;
  rows.add(environment, records.size(), [&](std::size_t i) -> const Record& { return records[i]; });
}

void evaluate_environment(const SceneDescription& scene, const State& state, const Results& results, std::int64_t index,
                          detail::RowCollections& rows) {
  Environment environment = read_environment(scene, state, index);
  const bool usable = environment.status == kOk;

  std::vector<PairResult> pairs(scene.pairs.size());
  std::vector<Wrench> bodies(scene.bodies.size());
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    if (!usable || !environment.enabled[p]) continue;
    pairs[p] = evaluate_pair(scene, state, environment, p, results.energy.data != nullptr);
    Wrench& on_a = bodies[static_cast<std::size_t>(scene.pairs[p].a)];
    Wrench& on_b = bodies[static_cast<std::size_t>(scene.pairs[p].b)];
    on_a = {on_a.force + pairs[p].on_a.force, on_a.torque + pairs[p].on_a.torque};
    on_b = {on_b.force + pairs[p].on_b.force, on_b.torque + pairs[p].on_b.torque};
  }

  const RowWriter writer(results, index);
  const auto contact_state_size = static_cast<std::size_t>(detail::contact_state_size_of(scene));
  std::size_t part_pair = 0;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    writer.put_pair(p, pairs[p]);
    if (detail::wants_patch_contacts(results)) writer.put_patch_contacts(p, pairs[p]);
    pairs[p].of_part_pairs.resize(part_pairs(scene, environment, p).size());  // zeros if it was not evaluated
    for (const Wrench& wrench : pairs[p].of_part_pairs) {
      writer.put_contact_state(part_pair, contact_state_size);
      writer.put_part_pair(part_pair++, wrench);
    }
  }
  for (std::size_t b = 0; b < bodies.size(); ++b) writer.put_body(b, bodies[b]);
  std::vector<Polygon> polygons;
  std::vector<DiscreteContact> contacts;
  if (results.polygons_needed.data || rows.polygons.is_wanted()) polygons = polygons_of(pairs);
  if (results.contacts_needed.data || rows.contacts.is_wanted()) contacts = contacts_of(pairs);
  collect(rows.polygons, index, polygons);
  collect(rows.contacts, index, contacts);
  if (writer.put_records(results.polygons, results.polygons_needed, results.polygon_capacity, polygons)) {
    environment.status |= kPolygonCapacity;
  }
  if (writer.put_records(results.contacts, results.contacts_needed, results.contact_capacity, contacts)) {
    environment.status |= kContactCapacity;
  }
  if (std::any_of(pairs.begin(), pairs.end(), [](const PairResult& pair) { return pair.enclosed; })) {
    environment.status |= kNoContactSurface;
  }
  if (std::any_of(pairs.begin(), pairs.end(), [](const PairResult& pair) { return pair.far_side; })) {
    environment.status |= kFarSide;
  }
  writer.put_status(environment.status);
}

class ReferenceBackend final : public Evaluator::Implementation {
 public:
  using Implementation::Implementation;

  void evaluate(const State& state, const Results& results, CandidateCache::Implementation* /*candidates*/,
                void* /*stream*/) const override {
    const SceneDescription& description = scene_.description();
    const std::int64_t count = state.num_environments;
    const std::int64_t threads =
        count > 1 ? std::min<std::int64_t>(detail::usable_threads(options_.num_threads), count) : 1;
    detail::RowCollections rows(results, count, 1);
    detail::LoopChunks chunks(count, 1);
    detail::Cancellation cancellation(options_.is_cancelled);
    detail::run_on_threads(static_cast<int>(threads), [&](int thread) {
      chunks.take(thread, [&](std::int64_t e, std::int64_t) {
        cancellation.check(thread);
        evaluate_environment(description, state, results, e, rows);
      });
    });
    rows.write_offsets();
    for (std::int64_t e = 0; e < count; ++e) rows.write_rows(e, e + 1, results.status);
  }
};

}  // namespace
}  // namespace reference

std::unique_ptr<Evaluator::Implementation> detail::make_reference_backend(Scene scene, EvaluatorOptions options) {
  return std::make_unique<reference::ReferenceBackend>(std::move(scene), options);
}

}  // namespace isopatch
