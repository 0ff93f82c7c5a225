// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include "host/python/bindings/evaluation.h"
#include "isopatch/candidate_cache.h"

namespace isopatch::python {

/// A cache of candidates with the evaluator that it is for, which lives as long.
struct PythonCandidates {
  nb::object evaluator;  // isopatch.Evaluator
  CandidateCache cache;
};

/// The cache that Python gave for an evaluation of N environments; null for None.
CandidateCache* parse_candidates(const char* call, nb::handle given, const PythonEvaluator& evaluator,
                                 std::int64_t environments);

/// Defines the class; before those that have it in their signatures.
void bind_candidates(nb::module_& module);

}  // namespace isopatch::python
