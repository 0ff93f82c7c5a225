// SPDX-License-Identifier: Apache-2.0
#include "isopatch/evaluator.h"

#include <utility>

#include "host/evaluation/argument_check.h"
#include "host/evaluation/candidate_memory.h"
#include "host/evaluation/evaluator_backend.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

std::unique_ptr<Evaluator::Implementation> make_backend(Scene scene, EvaluatorOptions options) {
  const StandardArithmetic standard;
  check_options(options);
  scene.data();  // throws where it has been moved from
  switch (options.backend) {
    case Backend::kCpu:
      return make_cpu_backend(std::move(scene), {options});
    case Backend::kCuda:
      return make_cuda_backend(std::move(scene), {options});
    case Backend::kReference:
      return make_reference_backend(std::move(scene), options);
  }
  throw Error("evaluator: unknown backend");
}

}  // namespace

void detail::evaluate_checked(const Evaluator::Implementation& backend, State state, Results results,
                              CandidateCache* candidates, void* stream, bool from_host) {
  const StandardArithmetic standard;
  check_arguments(backend.scene(), state, results);
  const KeptGeometries kept(backend.options().backend, state.geometry_index, state.num_environments,
                            backend.scene().num_parts());
  if (candidates != nullptr) check_candidates(*candidates, backend, state.num_environments);
  CandidateCache::Implementation* const cache = candidates != nullptr ? &candidates->implementation() : nullptr;
  if (from_host) return backend.evaluate_from_host(state, results, cache);
  backend.evaluate(state, results, cache, stream);
}

Evaluator::Evaluator(Scene scene, EvaluatorOptions options)
    : implementation_(make_backend(std::move(scene), options)) {}
Evaluator::Evaluator(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;

const Evaluator::Implementation& Evaluator::implementation() const {
  if (implementation_ == nullptr) throw Error("evaluator: it was moved from; use the evaluator that it was moved to");
  return *implementation_;
}

void Evaluator::evaluate(const State& state, const Results& results, void* stream) const {
  evaluate_checked(implementation(), state, results, nullptr, stream);
}

void Evaluator::evaluate(const State& state, const Results& results, CandidateCache& candidates, void* stream) const {
  evaluate_checked(implementation(), state, results, &candidates, stream);
}

CandidateCache Evaluator::make_candidate_cache(std::int64_t num_environments, double margin) const {
  if (num_environments < 0) throw negative_value("make_candidate_cache: num_environments", num_environments);
  if (!(margin > 0 && margin <= limits::kMaxPosition)) {
    throw wrong_value("make_candidate_cache: margin", fmt::to_string(margin),
                      fmt::format("give a margin in m, above 0 and at most {}", limits::kMaxPosition));
  }
  return CandidateCache(implementation().make_candidates(num_environments, margin));
}

void Evaluator::reserve(std::int64_t num_environments, std::int64_t packed_polygons, std::int64_t packed_contacts,
                        bool patch_contacts) const {
  const auto require = [](const char* name, std::int64_t count) {
    if (count < 0) throw negative_value(std::string("reserve: ") + name, count);
  };
  require("num_environments", num_environments);
  require("packed_polygons", packed_polygons);
  require("packed_contacts", packed_contacts);
  implementation().reserve(num_environments, packed_polygons, packed_contacts, patch_contacts);
}

bool cuda_available() { return num_cuda_devices() > 0; }

const Scene& Evaluator::scene() const { return implementation().scene(); }
const EvaluatorOptions& Evaluator::options() const { return implementation().options(); }

CandidateCache::CandidateCache(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
CandidateCache::~CandidateCache() = default;
CandidateCache::CandidateCache(CandidateCache&&) noexcept = default;
CandidateCache& CandidateCache::operator=(CandidateCache&&) noexcept = default;

CandidateCache::Implementation& CandidateCache::implementation() const {
  if (implementation_ == nullptr) throw Error("candidate cache: it was moved from; use the one that it was moved to");
  return *implementation_;
}

std::int64_t CandidateCache::num_environments() const { return implementation().num_environments(); }
double CandidateCache::margin() const { return implementation().margin(); }
std::size_t CandidateCache::bytes() const { return implementation().bytes(); }
void CandidateCache::reset(const std::uint8_t* mask, void* stream) { implementation().reset(mask, stream); }

std::atomic<std::int64_t>& detail::pairs_in_stages() {
  static std::atomic<std::int64_t> pairs = 0;
  return pairs;
}

}  // namespace isopatch
