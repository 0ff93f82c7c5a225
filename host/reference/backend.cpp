// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "host/evaluation/evaluator_backend.h"
#include "host/evaluation/row_collection.h"
#include "host/reference/contact/pair_result.h"
#include "host/reference/pair_derivatives.h"
#include "host/reference/scene/environment.h"
#include "host/scene/contact_models.h"
#include "host/scene/scene_data.h"
#include "host/threads/cancellation.h"
#include "host/threads/parallel_for.h"

namespace isopatch {
namespace reference {
namespace {

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

  void put(const OutputArray& array, std::size_t index, const Wrench& value) const {
    put(array, index, value.force);
    put(array, index + 3, value.torque);
  }

  void put_pair(std::size_t pair, const PairResult& result) const {
    put(results_.pair_wrench, 6 * pair, result.on_a);
    put(results_.area, pair, result.area);
    put(results_.center_of_pressure, 3 * pair, result.center_of_pressure);
    put(results_.mean_normal, 3 * pair, result.mean_normal);
    put(results_.max_pressure, pair, result.max_pressure);
    put(results_.friction_force, 3 * pair, result.friction_force);
    put(results_.energy, pair, result.energy);
    put(results_.polygon_count, pair, result.polygon_count);
    put(results_.separation, pair, result.separation.value_or(0));
    put(results_.overlap, pair, result.overlap);
  }

  void put_patch_contacts(std::size_t pair, const PairResult& result) const {
    const PatchContacts& contacts = result.patch;
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

  void put_derivatives(std::size_t pair, const PairDerivatives& d) const {
    const auto put_matrix = [&](const OutputArray& array, const PairDerivatives::Matrix6& matrix) {
      for (std::size_t i = 0; i < 36; ++i) {
        const auto at = static_cast<Eigen::Index>(i);
        put(array, 36 * pair + i, matrix(at / 6, at % 6));
      }
    };
    put_matrix(results_.pair_stiffness, d.stiffness_a);
    put_matrix(results_.pair_stiffness_b, d.stiffness_b);
    put_matrix(results_.pair_damping, d.damping_a);
    put_matrix(results_.pair_damping_b, d.damping_b);
    put_matrix(results_.pair_damping_secant, PairDerivatives::Matrix6::Zero());
  }

  /// The state of one part pair, `size` numbers.
  void put_contact_state(std::size_t part_pair, std::size_t size, const Real* state) const {
    for (std::size_t i = 0; i < size; ++i) {
      put(results_.contact_state, part_pair * size + i, state[i]);
    }
  }

  void put_single_contact(std::size_t part_pair, const SingleContactRow& row) const {
    put(results_.volume, part_pair, row.volume);
    for (std::size_t i = 0; i < 6; ++i) put(results_.second_moments, 6 * part_pair + i, row.second_moments[i]);
    for (std::size_t i = 0; i < 36; ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      put(results_.damping_matrix, 36 * part_pair + i, row.damping_matrix(at / 6, at % 6));
    }
  }

  /// Writes the records that there is room for, and how many there are as number `count`. Returns whether some are
  /// missing.
  template <class Record>
  bool put_records(const RowBuffer<Record>& rows, const TypedArray<std::int32_t>& needed,
                   const std::vector<Record>& records, std::size_t count = 0) const {
    put(needed, count, static_cast<std::int32_t>(records.size()));
    if (!rows.data) return false;
    const auto room = static_cast<std::size_t>(rows.capacity);
    for (std::size_t i = 0; i < std::min(records.size(), room); ++i) put(rows, i, records[i]);
    return records.size() > room;
  }

 private:
  const Results& results_;
  std::int64_t environment_;
};

/// The rows of all pairs.
template <class Record>
std::vector<Record> joined(const std::vector<PairResult>& pairs, std::vector<Record> PairResult::*rows) {
  std::vector<Record> all;
  for (const PairResult& pair : pairs) all.insert(all.end(), (pair.*rows).begin(), (pair.*rows).end());
  return all;
}

PairRelations joined_relations(const std::vector<PairResult>& pairs) {
  PairRelations all;
  for (const PairResult& pair : pairs) all.add(pair.relations);
  return all;
}

/// Returns whether a buffer is full.
bool put_relations(const RowWriter& writer, const Results& results, const PairRelations& all) {
  const auto& needed = results.relations_needed;
  bool is_full = writer.put_records(results.potential_contacts, needed, all.contacts, 0);
  is_full |= writer.put_records(results.relations, needed, all.relations, 1);
  is_full |= writer.put_records(results.relation_members, needed, all.members, 2);
  return is_full;
}

template <class Record>
void collect(detail::RowCollection<Record>& rows, std::int64_t environment, const std::vector<Record>& records) {
  if (!rows.is_wanted()) return;
  rows.add(environment, records.size(), [&](std::size_t i) -> const Record& { return records[i]; });
}

/// A pair in one model, with the derivatives that the model has, if they are wanted; zeros if it is not `enabled`.
/// There is no secant.
PairResult evaluate_pair(const PairInput& input, std::size_t model, bool enabled, PairDerivatives& derivatives) {
  PairResult result;
  if (enabled) result = contact_models()[model](input);
  if (wants_derivatives(input.results) && !(result.on_a.force.isZero(0) && result.on_a.torque.isZero(0))) {
    const bool is_known = static_cast<ContactModel>(model) == ContactModel::kPressureField;
    if (is_known) derivatives = derivatives_of(input, contact_models()[model]);
    if (!is_known || input.results.pair_damping_secant.data != nullptr) result.status |= kNoDerivative;
  }
  result.of_part_pairs.resize(input.part_pairs.size());
  result.contact_state.resize(input.part_pairs.size() *
                              static_cast<std::size_t>(detail::contact_state_size_of(input.scene)));
  result.single_contact.resize(input.part_pairs.size());
  return result;
}

void evaluate_environment(const SceneDescription& scene, const State& state, const Results& results, std::int64_t index,
                          detail::RowCollections& rows) {
  Environment environment = read_environment(scene, state, index);
  const bool usable = environment.status == kOk;

  std::vector<PairResult> pairs(scene.pairs->size());
  std::vector<PairDerivatives> derivatives(pairs.size(), PairDerivatives::zero());
  std::vector<Wrench> bodies(scene.bodies.size());
  const auto contact_state_size = static_cast<std::size_t>(detail::contact_state_size_of(scene));
  std::size_t row = 0;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    for (std::size_t model = 0; model < contact_models().size(); ++model) {
      std::vector<PartIndices> parts = part_pairs(scene, environment, p, static_cast<ContactModel>(model));
      if (parts.empty()) continue;
      const PairInput input = {scene, state, results, environment, index, p, std::move(parts), row};
      const PairResult result = evaluate_pair(input, model, usable && environment.enabled[p], derivatives[p]);
      row += input.part_pairs.size();
      if (pairs[p].of_part_pairs.empty()) {
        pairs[p] = result;
      } else {
        pairs[p].add(result);
      }
    }
    Wrench& on_a = bodies[static_cast<std::size_t>((*scene.pairs)[p].a)];
    Wrench& on_b = bodies[static_cast<std::size_t>((*scene.pairs)[p].b)];
    on_a = {on_a.force + pairs[p].on_a.force, on_a.torque + pairs[p].on_a.torque};
    on_b = {on_b.force + pairs[p].on_b.force, on_b.torque + pairs[p].on_b.torque};
  }

  const RowWriter writer(results, index);
  std::size_t part_pair = 0;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    writer.put_pair(p, pairs[p]);
    if (detail::wants_patch_contacts(results)) writer.put_patch_contacts(p, pairs[p]);
    writer.put_derivatives(p, derivatives[p]);
    for (std::size_t i = 0; i < pairs[p].of_part_pairs.size(); ++i) {
      writer.put_contact_state(part_pair, contact_state_size, pairs[p].contact_state.data() + i * contact_state_size);
      writer.put_single_contact(part_pair, pairs[p].single_contact[i]);
      writer.put(results.part_pair_wrench, 6 * part_pair++, pairs[p].of_part_pairs[i]);
    }
  }
  for (std::size_t b = 0; b < bodies.size(); ++b) writer.put(results.body_wrench, 6 * b, bodies[b]);
  std::vector<Polygon> polygons;
  std::vector<DiscreteContact> contacts;
  if (results.polygons_needed.data || rows.polygons.is_wanted()) polygons = joined(pairs, &PairResult::polygons);
  if (results.contacts_needed.data || rows.contacts.is_wanted()) contacts = joined(pairs, &PairResult::contacts);
  collect(rows.polygons, index, polygons);
  collect(rows.contacts, index, contacts);
  if (writer.put_records(results.polygons, results.polygons_needed, polygons)) environment.status |= kPolygonCapacity;
  if (writer.put_records(results.contacts, results.contacts_needed, contacts)) environment.status |= kContactCapacity;
  if (put_relations(writer, results, joined_relations(pairs))) environment.status |= kRelationCapacity;
  for (const PairResult& pair : pairs) environment.status |= pair.status;
  writer.put(results.status, 0, environment.status);
}

class ReferenceBackend final : public Evaluator::Implementation {
 public:
  ReferenceBackend(Scene scene, EvaluatorOptions options) : Implementation(std::move(scene), std::move(options)) {
    detail::require_models(scene_.data().view, contact_models().size(), "reference");
  }

  void evaluate(const State& state, const Results& results, CandidateCache::Implementation* /*candidates*/,
                void* /*stream*/) const override {
    const SceneDescription& description = scene_.description();
    const std::int64_t count = state.num_environments;
    const std::int64_t threads =
        count > 1 ? std::min<std::int64_t>(detail::usable_threads(options_.num_threads), count) : 1;
    detail::RowCollections rows(results, count, 1);
    detail::LoopChunks chunks(count, 1);
    const detail::CancellationScope cancellation(options_.is_cancelled);
    detail::run_on_threads(static_cast<int>(threads), [&](int thread) {
      chunks.take(thread, [&](std::int64_t e, std::int64_t) {
        detail::check_cancelled();
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
