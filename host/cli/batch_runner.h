// SPDX-License-Identifier: Apache-2.0
//
// A batch in host memory, evaluated a part at a time with any backend.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "isopatch/host_evaluator.h"

namespace isopatch::cli {

/// State of N environments; an empty optional array means the scene's values.
struct HostStates {
  std::int64_t num_environments = 0;
  int num_bodies = 0;
  int num_pairs = 0;

  std::vector<double> poses;                 // N x B x 7
  std::vector<double> velocities;            // N x B x 6 or empty
  std::vector<double> modulus;               // N x B or empty
  std::vector<double> dissipation;           // N x B or empty
  std::vector<double> friction;              // N x B or empty
  std::vector<std::int32_t> geometry_index;  // N x B or empty
  std::vector<std::uint8_t> pair_mask;       // N x P or empty

  State view(std::int64_t begin, std::int64_t count) const;
};

/// Results of N environments, zero until evaluated.
struct HostResults {
  HostResults(std::int64_t num_environments, int num_bodies, int num_pairs, bool with_energy);

  std::int64_t num_environments;
  int num_bodies;
  int num_pairs;

  std::vector<double> pair_wrench;         // N x P x 6
  std::vector<double> body_wrench;         // N x B x 6
  std::vector<std::uint32_t> status;       // N
  std::vector<double> area;                // N x P
  std::vector<double> center_of_pressure;  // N x P x 3
  std::vector<double> mean_normal;         // N x P x 3
  std::vector<double> max_pressure;        // N x P
  std::vector<double> friction_force;      // N x P x 3
  std::vector<std::int32_t> polygons;      // N x P
  std::vector<double> energy;              // N x P or empty

  Results view(std::int64_t begin);
};

/// Evaluates all of `states`, first `chunk` environments, then parts that take a fraction of a second each. Calls
/// `progress(done)` after each part; an exception from it ends the run.
void run_batch(const HostEvaluator& evaluator, const HostStates& states, HostResults& results, std::int64_t chunk,
               const std::function<void(std::int64_t)>& progress);

}  // namespace isopatch::cli
