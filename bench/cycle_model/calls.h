// SPDX-License-Identifier: Apache-2.0
//
// The calls of the library that are executed: on the CPU and on the model, whose results are compared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/batches/variety.h"
#include "bench/cycle_model/differences.h"
#include "bench/cycle_model/model.h"
#include "host/evaluation/backend_options.h"

namespace isopatch::cycle_model {

/// What is called, for how many environments.
struct Call {
  std::string name = "wrench", scene;
  bench::Variety variety = bench::Variety::kNear;
  Precision precision = Precision::kFloat;
  std::int64_t environments = 248;
  int processors = 4;

  // of evaluations
  double margin = 0;  // m, of candidates that a call before has left; 0: none are kept
  detail::PairStages stages = detail::PairStages::kBySize;

  // of time steps
  int steps = 1, steps_before = 0;
};

/// What came out.
struct Found {
  Differences values;
  std::int64_t pairs = 0, polygons = 0, iterations = 0;  // in all environments; polygons and iterations of a step
  std::int64_t touching = 0;                             // values that are not 0 where nothing touches
};

/// The names of the calls.
std::vector<std::string> evaluation_names();
std::vector<std::string> rollout_names();

// Both leave in `model` the launches of the call, without those of what came before. They throw Error.
Found evaluate(Model& model, const SceneDescription& scene, const Call& call);
Found step(Model& model, const SceneDescription& scene, const Call& call);

}  // namespace isopatch::cycle_model
