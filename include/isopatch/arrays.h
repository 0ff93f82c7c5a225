// SPDX-License-Identifier: Apache-2.0
//
// The sizes of the arrays of a State and of Results, and owners of them in host memory.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "isopatch/results.h"
#include "isopatch/scene/scene.h"
#include "isopatch/state.h"

namespace isopatch {

/// The counts of an environment, from which the sizes of its arrays follow.
struct ArrayCounts {
  std::array<std::int64_t, kNumPers> counts = {1};  ///< by Per; not of kCluster and kOffset
  std::int64_t clusters = 1;                        ///< Results::max_clusters
  std::int64_t contact_state = 0;                   ///< S: Scene::contact_state_size()

  /// How many there are.
  constexpr std::int64_t& operator[](Per per) { return counts[static_cast<std::size_t>(per)]; }
  /// The same.
  constexpr std::int64_t operator[](Per per) const { return counts[static_cast<std::size_t>(per)]; }

  /// Elements of one environment in a contiguous array, which is not packed.
  constexpr std::int64_t row(const ArrayInfo& info) const {
    const std::int64_t count = info.per == Per::kCluster ? (*this)[Per::kPair] * clusters : (*this)[info.per];
    return count * (info.width == 0 ? contact_state : info.width);
  }

  /// Elements of a contiguous or packed array for this many environments.
  constexpr std::int64_t size(const ArrayInfo& info, std::int64_t environments) const {
    return info.per == Per::kOffset ? environments + 1 : info.is_packed() ? row(info) : environments * row(info);
  }
};

/// The counts of a scene with capacities of 0, which is enough for the arrays of a State.
ArrayCounts counts_of(const Scene& scene);

/// The counts of a scene with the capacities of `results`.
ArrayCounts counts_of(const Scene& scene, const Results& results);

/// How many there are of what the arrays of StateArrays and ResultArrays have rows for.
struct ArraySizes {
  std::int64_t num_environments = 0;    ///< N
  std::int64_t num_bodies = 0;          ///< B
  std::int64_t num_parts = 0;           ///< C
  std::int64_t num_pairs = 0;           ///< P
  std::int64_t num_part_pairs = 0;      ///< Q
  std::int64_t contact_state_size = 0;  ///< S: Scene::contact_state_size()

  /// For ArrayCounts::row() of these arrays; without capacities.
  ArrayCounts counts() const;
};

/// The State of N environments, owned and contiguous, in arrays of the same names. Where an optional array is empty,
/// the scene's values hold.
struct StateArrays : ArraySizes, ParameterInputs<Owners> {
  std::vector<double> poses;          ///< N x B x 7   x y z [m], quaternion w x y z   (required)
  std::vector<double> velocities;     ///< N x B x 6   m/s, rad/s; empty: at rest
  std::vector<double> contact_state;  ///< N x Q x S; empty: zeros

  StateArrays() = default;

  /// Every body at the scene's pose and velocity in every environment; the other arrays are empty. Throws Error for a
  /// negative number of environments.
  StateArrays(const SceneDescription& scene, std::int64_t environments);

  /// Valid until an array changes its size. Throws Error where an array that is not empty has not the size above.
  State view() const { return view(0, num_environments); }

  /// The `count` environments from `begin` on, of those that there are.
  State view(std::int64_t begin, std::int64_t count) const;
};

/// Which outputs ResultArrays has besides the wrenches.
struct ResultSelection {
  bool patch = true;    ///< sums over the patch: centre of pressure, mean normal, largest pressure, friction force
  bool energy = false;  ///< the elastic energy, an evaluation of its own

  bool part_pairs = false;  ///< the wrenches of part pairs

  std::int32_t max_clusters = 0;  ///< of a pair's patch as point contacts, at most 16; 0: none of these

  bool single_contact = false;  ///< what single contacts have besides their wrench

  bool distances = false;  ///< how far rigid convex parts are apart, or how deep they overlap

  bool derivatives = false;  ///< of the wrench

  /// Records that buffers have room for, as {{"polygons", 100}}: in each environment, in packed ones in all together.
  /// With a buffer come the counts, or offsets and environments, of its group.
  std::map<std::string, std::int64_t> capacity = {};
};

/// The Results of N environments, owned and contiguous, in arrays of the same names; zero until evaluated. An array
/// that is empty is not computed.
struct ResultArrays : ArraySizes, OutputGroups<Owners> {
  ResultArrays() = default;

  /// Room for the wrenches, the areas, the counts of polygons, the status and the outputs of `selection`. Throws Error
  /// for a negative number of environments or capacity, and for a capacity of what is no buffer.
  ResultArrays(const Scene& scene, std::int64_t environments, const ResultSelection& selection = {});

  /// For ArrayCounts::row() of these arrays. Capacities follow from the sizes of the buffers.
  ArrayCounts counts() const;

  /// Valid until an array changes its size.
  Results view() { return view(0); }

  /// For the environments from `begin` on. Throws Error for packed arrays unless that is all of them.
  Results view(std::int64_t begin);
};

}  // namespace isopatch
