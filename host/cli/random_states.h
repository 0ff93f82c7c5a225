// SPDX-License-Identifier: Apache-2.0
//
// States for a batch: the scene as written, and variations of it that are the same on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isopatch/arrays.h"

namespace isopatch::cli {

/// A counter-based generator on splitmix64: computes any element of its sequence directly, by integer arithmetic.
class CounterRandom {
 public:
  explicit CounterRandom(std::uint64_t seed) : seed_(seed) {}

  /// Uniform in [-1, 1), a multiple of 2^-52.
  double symmetric(std::uint64_t environment, std::uint64_t stream) const;

 private:
  std::uint64_t seed_;
};

/// The smallest diagonal of a body's bounding box [m]; half spaces have none, and without any other body it is 1.
double body_size(const SceneDescription& scene);

/// How far a random state lies from the scene at most.
struct Spread {
  double position;              // m, along each axis
  std::optional<double> angle;  // rad; without it, up to 0.2 rad
  double speed;                 // m/s, along each axis
  double angular_speed;         // rad/s, along each axis
};

/// That of `isopatch evaluate`: 2 % of body_size(), 0.2 rad, half a body_size() per second, 0.5 rad/s.
Spread default_spread(const SceneDescription& scene);

/// Moves those bodies of the environments first, first + 1, ... for which `moves` is true, but none of environment 0.
/// Bodies of polygons and planar ones are shifted along x and y and turned about z alone.
void vary(const SceneDescription& scene, std::uint64_t seed, std::int64_t first, const Spread& spread,
          bool (*moves)(const Body&), std::vector<double>& poses, std::vector<double>& velocities);

/// Environments first, first + 1, ... of an endless row. Environment 0 is the scene. In the others every body that is
/// not fixed is varied by the default spread.
StateArrays random_states(const SceneDescription& scene, std::int64_t num_environments, std::uint64_t seed,
                          std::int64_t first = 0);

}  // namespace isopatch::cli
