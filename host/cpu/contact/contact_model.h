// SPDX-License-Identifier: Apache-2.0
//
// A contact model of the cpu backend: how it evaluates the near pairs of an environment, and finds their contacts for
// the solver of a time step. library_models.cpp lists them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "host/cpu/contact/sorted_rows.h"
#include "host/evaluation/backend_options.h"
#include "host/evaluation/candidate_memory.h"
#include "host/scene/scene_data.h"
#include "isopatch/detail/contact/contact_record.h"
#include "isopatch/detail/pair/pair_call.h"
#include "isopatch/scene/rollout_options.h"

namespace isopatch::detail {

/// What a call evaluates: views that the caller keeps.
struct EvaluationBatch {
  const SceneView& scene;
  const State& state;
  const Results& results;
  CandidateCache::Implementation* candidates;  // null: none are kept

  PairCall of_pair(std::int64_t environment, int pair) const { return {scene, state, results, environment, pair}; }
};

/// The memory that a model has in each thread.
class ModelWorkspace {
 public:
  virtual ~ModelWorkspace() = default;
};

/// What a step searches contact in: `contact` has the poses of its stage. The status takes bits of each model.
struct StepBatch {
  const SceneView& scene;
  const State& contact;
  const Results& results;
  ContactPoints points;
};

/// Where a search puts the contacts of an environment, in no particular order: in the precision of the evaluation.
class ContactSink {
 public:
  /// `plates` are by row of the contact state.
  ContactSink(std::vector<SolverContact<float>>& to, PlateContact* plates) : in_float_(&to), plates_(plates) {}
  ContactSink(std::vector<SolverContact<double>>& to, PlateContact* plates) : in_double_(&to), plates_(plates) {}

  bool is_double() const { return in_double_ != nullptr; }

  /// For models that have the precision.
  template <class T>
  std::vector<SolverContact<T>>& contacts() const {
    if constexpr (kIsFloat<T>) {
      return *in_float_;
    } else {
      return *in_double_;
    }
  }

  void append(const SolverContact<double>& contact) const {
    if (is_double()) {
      in_double_->push_back(contact);
    } else {
      in_float_->push_back(cast_contact<float>(contact));
    }
  }

  /// Of the part pair with a row; the solver finds it there by the key.
  void append(std::int32_t row, const PlateContact& plate) const {
    plates_[row] = plate;
    SolverContact<double> place = {};
    place.key = plate.points.key;
    append(place);
  }

 private:
  std::vector<SolverContact<float>>* in_float_ = nullptr;
  std::vector<SolverContact<double>>* in_double_ = nullptr;
  PlateContact* plates_;
};

/// A pair that an entry of a list of near pairs stands for.
struct NearPair {
  std::int64_t environment;
  int pair;

  static NearPair of(const SceneView& scene, std::int64_t item) {
    const std::int64_t environment = item / scene.num_pairs;
    return {environment, static_cast<int>(item - environment * scene.num_pairs)};
  }
};

class CpuContactModel {
 public:
  virtual ~CpuContactModel() = default;

  /// Memory for one thread. A call may change its size.
  virtual std::unique_ptr<ModelWorkspace> make_workspace(const SceneData& scene) const = 0;

  /// Evaluates near pairs for all outputs of the results, of a few environments; of one if rows are collected. An entry
  /// is environment * num_pairs + pair. It adds to the results of models before it that have part pairs of the same
  /// pair.
  using EvaluatePairs = void (*)(const CpuContactModel&, const EvaluationBatch&,
                                 std::span<const std::int64_t> near_pairs, ModelWorkspace&, const PackedRows&);

  /// The function for these results, chosen once a call.
  virtual EvaluatePairs select(const Results& results) const = 0;

  /// Memory for candidates that this model keeps from call to call; null if it keeps none.
  virtual std::unique_ptr<CandidateCache::Implementation> make_candidates(const SceneData& /*scene*/,
                                                                          const Evaluator::Implementation& /*owner*/,
                                                                          std::int64_t /*num_environments*/,
                                                                          double /*margin*/) const {
    return nullptr;
  }

  /// Appends the contacts of near pairs; returns bits of the status. Entry i of `near_pairs` is environment * num_pairs
  /// + pair.
  virtual std::uint32_t find_contacts(const StepBatch& batch, std::int64_t environment,
                                      std::span<const std::int64_t> near_pairs, ModelWorkspace& work,
                                      const ContactSink& found) const = 0;
};

/// In the order of ContactModel.
using CpuContactModels = std::vector<std::unique_ptr<CpuContactModel>>;

/// The models that this build has. `kernels` is null for plain arithmetic.
struct IsaKernels;
CpuContactModels make_cpu_contact_models(const CpuOptions& options, const IsaKernels* kernels);

}  // namespace isopatch::detail
