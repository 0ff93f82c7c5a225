// SPDX-License-Identifier: Apache-2.0
//
// One call of an evaluator with Python's arrays.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>

#include "host/python/arrays/torch_tensor.h"
#include "host/python/bindings/array_lists.h"
#include "host/python/bindings/bindings.h"
#include "host/python/bindings/output_arrays.h"
#include "isopatch/candidate_cache.h"
#include "isopatch/evaluator.h"

namespace isopatch::python {

/// An evaluator with what a call needs to know of it.
struct PythonEvaluator {
  PythonEvaluator(nb::object scene_, const ComputeOptions& options);

  nb::object scene;  // isopatch.Scene
  ComputeOptions compute;
  Evaluator evaluator;
  ArrayCounts counts;

  /// The bits of `outputs`, names of results in a tuple or a list, and of what comes with them. Throws as evaluate().
  std::uint64_t wanted(const char* call, nb::handle outputs) const;
};

/// Sets the capacities that the argument `capacity` has, a dictionary by output; -1 for None.
void read_capacity(const char* call, nb::handle capacity, ArrayCounts& counts);

/// Python's arguments of a call; None if nothing was given.
struct EvaluationArguments {
  std::array<nb::handle, kNumInputs> inputs;  // in the order of for_each_input()
  nb::handle outputs, out, stream, capacity, max_clusters, time_step, candidates, check;
  std::array<nb::handle, std::size(kOldCapacities)> old_capacities;
};

/// A cache of candidates with the evaluator that it is for, which lives as long.
struct PythonCandidates {
  nb::object evaluator;  // isopatch.Evaluator
  CandidateCache cache;
};

/// The cache that Python gave for an evaluation of N environments; null for None.
CandidateCache* parse_candidates(const char* call, nb::handle given, const PythonEvaluator& evaluator,
                                 std::int64_t environments);

/// The arrays of a call, checked and ready: the memory of all of them is held.
class Evaluation {
 public:
  Evaluation(const char* call, const PythonEvaluator& evaluator, const EvaluationArguments& arguments);

  /// Evaluates without holding the interpreter's lock, and marks tensors as written.
  void run();

  /// Evaluates as it is called.
  void evaluate();

  /// The named tuple of the results, once.
  nb::object results();

  /// From now on every run writes the arrays of these results, which are its own.
  void reuse_outputs(nb::handle results);

  /// The stream of the next run.
  void set_stream(void* stream) { placement_.stream = stream; }
  const Placement& placement() const { return placement_; }

 private:
  void read_inputs(const EvaluationArguments& arguments);
  void make_outputs(const EvaluationArguments& arguments);
  void find_capacities(const EvaluationArguments& arguments, std::uint64_t wanted);
  std::int64_t rows_in_out(std::size_t output) const;
  void count_rows(std::uint64_t open);
  void require_dense(const ArrayView& view, const Argument& argument, const ArrayInfo& info) const;
  template <class Array>
  void make_output(std::size_t i, const ArrayInfo& info, Array& array);
  template <class Array>
  void make_records(std::size_t i, const ArrayInfo& info, Array& array);
  template <class Array>
  void use_words(std::size_t i, const ArrayInfo& info, Array& array);

  const char* call_;
  const PythonEvaluator& evaluator_;
  CandidateCache* candidates_ = nullptr;
  Placement placement_;
  ArrayCounts counts_;
  State state_;
  Results results_;
  std::array<ArrayView, kNumInputs> inputs_;
  OutputArrays<kNumOutputs> outputs_;
  WrittenTensors written_;
  std::uint64_t words_ = 0;  // bits of the outputs whose array is one of words, of which columns are to be made
};

}  // namespace isopatch::python
