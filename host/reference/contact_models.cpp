// SPDX-License-Identifier: Apache-2.0
//
// The contact models of the reference.
#include "host/reference/contact/pair_result.h"
#include "host/reference/polytope_model.h"
#include "host/reference/pressure_field/evaluate_pair.h"
#include "host/reference/single_contact/single_contact_models.h"

namespace isopatch::reference {

std::span<const EvaluatePair> contact_models() {
  static constexpr EvaluatePair kModels[] = {evaluate_pressure_field, evaluate_volumetric, evaluate_point,
                                             evaluate_polytopes};
  return kModels;
}

}  // namespace isopatch::reference
