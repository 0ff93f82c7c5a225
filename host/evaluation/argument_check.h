// SPDX-License-Identifier: Apache-2.0
//
// Checks of a call, before anything is read or written through its pointers.
#pragma once

#include "isopatch/error.h"
#include "isopatch/evaluator.h"
#include "isopatch/results.h"
#include "isopatch/scene/scene.h"
#include "isopatch/state.h"

namespace isopatch::detail {

/// The Error of a call whose state has poses, but no number of environments.
Error no_environments(const char* call);

/// Fills in strides that are kContiguous. Throws Error, naming the array, for a negative number of environments or
/// capacity, poses of 0 environments, missing arrays, a stride shorter than a row (an input may repeat one row by a
/// stride of 0), an unknown type, an address that is not a multiple of the element's size, rows beyond the address
/// space, and outputs that share bytes with an input or with each other. Takes time for a few dozen arrays, however
/// many environments there are.
void check_arguments(const Scene& scene, State& state, Results& results);

/// Throws unless the candidates are of the backend `owner` and have room for the environments.
void check_candidates(const CandidateCache& candidates, const Evaluator::Implementation& owner,
                      std::int64_t num_environments);

/// Throws unless every option has one of its possible values.
void check_options(const EvaluatorOptions& options);

}  // namespace isopatch::detail
