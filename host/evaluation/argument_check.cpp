// SPDX-License-Identifier: Apache-2.0
#include "host/evaluation/argument_check.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "host/evaluation/array_check.h"
#include "host/evaluation/candidate_memory.h"
#include "host/evaluation/packed_output.h"
#include "host/scene/contact_models.h"
#include "host/scene/scene_data.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"
#include "isopatch/arrays.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

Error missing_array(const std::string& array, const std::string& needed) {
  return Error(fmt::format("evaluate: results.{} needs results.{}, which is null; give both", array, needed),
               ErrorKind::kInput, {"evaluate: results." + needed, "null", "give both"});
}

using ArrayPointers = std::array<const void*, kOutputs.size()>;  // of outputs, in their order

template <std::size_t i>
void check_needed(const ArrayPointers& arrays) {
  if constexpr (kNeeded[i] < kOutputs.size()) {
    if (arrays[i] == nullptr || arrays[kNeeded[i]] != nullptr) return;
    throw missing_array(kOutputs[i].name, kOutputs[kNeeded[i]].name);
  }
}
/// Most outputs need none, which a compiler knows: a call of one environment takes microseconds.
template <std::size_t... i>
void check_needed(const ArrayPointers& arrays, std::index_sequence<i...> /*all*/) {
  (check_needed<i>(arrays), ...);
}

/// Checks the capacities of buffers, and that what an output needs is there.
void check_buffers(const Results& results, std::int64_t environments) {
  ArrayPointers arrays;
  std::size_t count = 0;
  for_each_output(
      [&](const ArrayInfo& info, const auto& array) {
        arrays[count++] = array.data;
        if constexpr (HasCapacity<decltype(array)>) {
          if (array.capacity < 0) {
            throw negative_value(fmt::format("evaluate: results.{}.capacity", info.name), array.capacity);
          }
        } else if (array.data != nullptr && info.has_capacity() &&
                   environments > std::numeric_limits<std::int32_t>::max()) {
          throw_error("evaluate: results.{} cannot have the indices of {} environments; split the batch", info.name,
                      environments);
        }
      },
      results);
  check_needed(arrays, std::make_index_sequence<kOutputs.size()>());
}

/// What is an average, or made of one model's polygons alone, cannot be added.
void check_averages(const Scene& scene, const Results& results) {
  const bool wants_patches = results.center_of_pressure.data != nullptr || results.mean_normal.data != nullptr ||
                             wants_patch_contacts(results);
  for (auto i = static_cast<std::size_t>(scene.num_pairs()); wants_patches && i < scene.data().pairs.size(); ++i) {
    const PairView& view = scene.data().pairs[i];
    const auto& bodies = scene.description().bodies;
    const auto name = [&](std::int32_t body) { return in_quotes(bodies[body].name); };
    if (!contact_models()[view.model].has_patches) continue;
    throw_error(
        "evaluate: {} and {} have patches of two contact models; results.center_of_pressure, mean_normal and patch "
        "contacts must be null",
        name(view.a), name(view.b));
  }
}

}  // namespace

Error detail::no_environments(const char* call) {
  return wrong_value(fmt::format("{}: state.num_environments", call), "0",
                     "give the number of environments that state.poses has, or no poses for none");
}

void detail::check_arguments(const Scene& scene, State& state, Results& results) {
  if (state.num_environments < 0) throw negative_value("evaluate: state.num_environments", state.num_environments);
  if (state.num_environments == 0 && state.poses.data != nullptr) throw no_environments("evaluate");
  const ArrayCounts counts = counts_of(scene, results);
  if (std::int64_t ignored = 0; __builtin_mul_overflow(state.num_environments, counts[Per::kPair] + 1, &ignored)) {
    throw wrong_value("evaluate: state.num_environments", fmt::to_string(state.num_environments),
                      "so many pairs cannot be indexed");
  }
  if (state.poses.data == nullptr && state.num_environments > 0) {
    throw wrong_value("evaluate: state.poses", "null", "poses are required");
  }
  if (counts[Per::kPair] > 0 && results.body_wrench.data != nullptr && results.pair_wrench.data == nullptr) {
    throw Error("evaluate: results.body_wrench is summed from results.pair_wrench, which is null; give both");
  }
  check_buffers(results, state.num_environments);

  if (results.max_clusters < 1 || results.max_clusters > limits::kMaxClusters) {
    throw wrong_value("evaluate: results.max_clusters", fmt::to_string(results.max_clusters),
                      fmt::format("it must be from 1 to {}", limits::kMaxClusters));
  }

  if (!(state.time_step >= 0) || std::isinf(state.time_step)) {
    throw wrong_value("evaluate: state.time_step", fmt::to_string(state.time_step),
                      "it must be finite and not negative, in seconds");
  }

  check_averages(scene, results);

  ArrayCheck check("evaluate", state.num_environments);
  for_each_input([&](const ArrayInfo& info, auto& array) { check.add("state.", info, array, counts, false); }, state);
  for_each_output([&](const ArrayInfo& info, auto& array) { check.add("results.", info, array, counts, true); },
                  results);
  check.check_overlaps();
}

void detail::check_candidates(const CandidateCache& candidates, const Evaluator::Implementation& owner,
                              std::int64_t num_environments) {
  if (candidates.implementation().owner() != &owner) {
    throw Error(
        "evaluate: the candidate cache is of another evaluator; make one with make_candidate_cache() of this one");
  }
  if (candidates.num_environments() < num_environments) {
    throw_error("evaluate: the candidate cache has room for {} environments; the state has {}",
                candidates.num_environments(), num_environments);
  }
}

void detail::check_options(const EvaluatorOptions& options) {
  if (options.num_threads < 0) {
    throw wrong_value("evaluator: num_threads", fmt::to_string(options.num_threads),
                      "give 0 for all cores, or a positive number");
  }
  if (options.device < -1) {
    throw wrong_value("evaluator: device", fmt::to_string(options.device),
                      "give -1 for the current one, or a device's index");
  }
  const auto require = [](const char* name, auto value, auto last, const char* type) {
    if (value <= last) return;
    throw wrong_value(fmt::format("evaluator: {}", name), fmt::to_string(static_cast<int>(value)),
                      fmt::format("it must be one of {}", type));
  };
  require("backend", options.backend, Backend::kReference, "Backend");
  require("precision", options.precision, Precision::kDouble, "Precision");
}

}  // namespace isopatch
