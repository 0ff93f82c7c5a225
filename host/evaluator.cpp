// SPDX-License-Identifier: Apache-2.0
#include "isopatch/evaluator.h"

#include <fmt/format.h>

#include "arrays.h"
#include "evaluator_backend.h"
#include "isopatch/error.h"
#include "threads/standard_arithmetic.h"

namespace isopatch {

namespace {

template <class Array>
void fill_stride(const char* name, Array& array, std::int64_t row) {
  if (array.data == nullptr) return;
  if (array.stride == 0) array.stride = row;
  if (array.stride < row) {
    throw Error(fmt::format("evaluate: {}: stride is {} elements; a row has {}", name, array.stride, row));
  }
}

template <class T>
void fill_stride(const char* /*name*/, T* /*packed*/, std::int64_t /*row*/) {}

void check(const Scene& scene, State& state, Results& results) {
  if (state.num_environments < 0) {
    throw Error(fmt::format("evaluate: state.num_environments is {}; it must not be negative", state.num_environments));
  }
  if (state.poses.data == nullptr && state.num_environments > 0) {
    throw Error("evaluate: state.poses is null; poses are required");
  }
  const auto fill = [](const char* name, auto& array, std::int64_t row) { fill_stride(name, array, row); };
  for_each_input(state, scene, fill);
  for_each_output(results, scene, fill);
  if (results.body_wrench.data != nullptr && results.pair_wrench.data == nullptr) {
    throw Error("evaluate: results.body_wrench is summed from results.pair_wrench, which is null; give both");
  }
  if (results.polygons != nullptr && (results.polygons_needed == nullptr || results.polygon_capacity < 0)) {
    throw Error("evaluate: results.polygons needs results.polygons_needed and a polygon_capacity that is not negative");
  }
  if (results.contacts != nullptr && (results.contacts_needed == nullptr || results.contact_capacity < 0)) {
    throw Error("evaluate: results.contacts needs results.contacts_needed and a contact_capacity that is not negative");
  }
}

std::unique_ptr<Evaluator::Implementation> make_backend(Scene scene, EvaluatorOptions options) {
  const StandardArithmetic standard;
  if (options.num_threads < 0) {
    throw Error(
        fmt::format("evaluator: num_threads is {}; give 0 for all cores, or a positive number", options.num_threads));
  }
  if (options.device < -1) {
    throw Error(
        fmt::format("evaluator: device is {}; give -1 for the current one, or a device's number", options.device));
  }
  switch (options.backend) {
    case Backend::kCpu:
      return make_cpu_backend(std::move(scene), options);
    case Backend::kCuda:
      return make_cuda_backend(std::move(scene), options);
    case Backend::kReference:
      return make_reference_backend(std::move(scene), options);
  }
  throw Error("evaluator: unknown backend");
}

}  // namespace

Evaluator::Evaluator(Scene scene, EvaluatorOptions options)
    : implementation_(make_backend(std::move(scene), options)) {}
Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;

void Evaluator::evaluate(const State& state, const Results& results, void* stream) const {
  const StandardArithmetic standard;
  State checked_state = state;
  Results checked_results = results;
  check(scene(), checked_state, checked_results);
  implementation_->evaluate(checked_state, checked_results, stream);
}

void Evaluator::reserve(std::int64_t num_environments) const {
  if (num_environments < 0) {
    throw Error(fmt::format("reserve: num_environments is {}; it must not be negative", num_environments));
  }
  implementation_->reserve(num_environments);
}

bool cuda_available() { return num_cuda_devices() > 0; }

const Scene& Evaluator::scene() const { return implementation_->scene(); }
const EvaluatorOptions& Evaluator::options() const { return implementation_->options(); }

}  // namespace isopatch
