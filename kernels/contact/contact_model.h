// SPDX-License-Identifier: Apache-2.0
//
// A contact model of the cuda backend: how it evaluates the near pairs of a batch, and finds their contacts for the
// solver of time steps. library_models.cu lists them.
#pragma once

#include <memory>
#include <vector>

#include "host/evaluation/backend_options.h"
#include "host/evaluation/candidate_memory.h"
#include "host/scene/scene_data.h"
#include "isopatch/detail/contact/contact_record.h"
#include "isopatch/detail/contact/part_law.h"
#include "isopatch/scene/rollout_options.h"
#include "kernels/scene/call.h"

namespace isopatch::detail {

/// Where a contact is that was found, and what orders it.
struct ContactEntry {
  std::uint64_t key;
  std::int64_t at;  // among the contacts of its environment
};

/// Where contacts go, with a row of `capacity` for each environment; views of device memory.
struct ContactLists {
  std::uint32_t* status;  // of the search, one for each environment
  std::int32_t* found;    // contacts of each environment, also those without room
  ContactEntry* entries;
  SolverContact<float>* float_contacts;    // null in double
  SolverContact<double>* double_contacts;  // null in float
  std::int32_t capacity;
  PlateContact* plates;  // of each environment, by row of the contact state

  /// Of an environment.
  ISOPATCH_HD PlateContact* plates_of(const SceneView& scene, std::int64_t environment) const {
    return plates == nullptr ? nullptr : plates + environment * num_state_rows(scene);
  }

  template <class T>
  ISOPATCH_HD SolverContact<T>* contacts() const {
    if constexpr (kIsFloat<T>) {
      return float_contacts;
    } else {
      return double_contacts;
    }
  }

  /// Appends a contact of an environment; what does not fit is counted and not written. Called by any lane.
  template <class T, class Warp>
  ISOPATCH_HD void append(Warp& warp, std::int64_t environment, const SolverContact<T>& contact) const {
    const int index = warp.reserve(found + environment, 1);
    if (index >= capacity) return;
    const std::int64_t to = environment * capacity + index;
    contacts<T>()[to] = contact;
    entries[to] = {contact.key, index};
  }

  /// The same in the precision that the lists have.
  template <class Warp>
  ISOPATCH_HD void append_any(Warp& warp, std::int64_t environment, const SolverContact<double>& contact) const {
    if (double_contacts != nullptr) {
      append(warp, environment, contact);
    } else {
      append(warp, environment, cast_contact<float>(contact));
    }
  }

  /// The plate of the part pair with a row; the solver finds it there by the key.
  template <class Warp>
  ISOPATCH_HD void append(Warp& warp, const SceneView& scene, std::int64_t environment, std::int32_t row,
                          const PlateContact& plate) const {
    plates_of(scene, environment)[row] = plate;
    SolverContact<double> place = {};
    place.key = plate.points.key;
    append_any(warp, environment, place);
  }
};

/// What an instance of a model is made for. `steps`: it finds contacts for steps too.
struct ContactModelOptions {
  CudaOptions cuda;
  int device = 0;
  bool steps = false;
};

/// Made, called and destroyed with the device of the backend current.
class CudaContactModel {
 public:
  virtual ~CudaContactModel() = default;

  /// Working memory for calls of this many environments, with patch contacts.
  virtual void reserve(std::int64_t /*num_environments*/, bool /*patch_contacts*/) {}

  /// Enqueues the evaluation of this model's near pairs, for all outputs of the results. It adds to those of models
  /// before it that have part pairs of the same pair: see write_no_contact(). With `begins`, it is the only
  /// model and begins the environments (begin_environments()) itself.
  /// Of `candidates`, which may be null, the environments from `first` on are those of the call.
  virtual void evaluate(const BatchCall& call, bool begins, const CandidateCache::Implementation* candidates,
                        std::int64_t first, cudaStream_t stream) = 0;

  /// Enqueues another evaluation that is only asked for rows of packed arrays, as `call.pass` says.
  virtual void list_again(const BatchCall& /*call*/, cudaStream_t /*stream*/) {}

  /// Memory for candidates that this model keeps from call to call; null if it keeps none.
  virtual std::unique_ptr<CandidateCache::Implementation> make_candidates(const Evaluator::Implementation& /*owner*/,
                                                                          std::int64_t /*num_environments*/,
                                                                          double /*margin*/) {
    return nullptr;
  }

  /// Enqueues the search for the contacts of its near pairs. `begins` as in evaluate().
  virtual void find_contacts(const BatchCall& call, bool begins, ContactPoints points, const ContactLists& to,
                             cudaStream_t stream) = 0;
};

/// In the order of ContactModel.
using CudaContactModels = std::vector<std::unique_ptr<CudaContactModel>>;

/// The models that this build has, with their kernels loaded on the current device.
CudaContactModels make_cuda_contact_models(const Scene& scene, const ContactModelOptions& options);

}  // namespace isopatch::detail
