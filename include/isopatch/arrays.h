// SPDX-License-Identifier: Apache-2.0
//
// The sizes of the arrays of a State and of Results, and owners of them in host memory.
#pragma once

#include <cstdint>
#include <vector>

#include "isopatch/results.h"
#include "isopatch/scene/scene.h"
#include "isopatch/state.h"

namespace isopatch {

/// The counts of an environment, from which the sizes of its arrays follow.
struct ArrayCounts {
  std::int64_t bodies = 0;            ///< B in the shapes of State and Results
  std::int64_t pairs = 0;             ///< P
  std::int64_t parts = 0;             ///< C
  std::int64_t part_pairs = 0;        ///< Q
  std::int64_t polygon_capacity = 0;  ///< as in Results
  std::int64_t contact_capacity = 0;  ///< as in Results

  std::int64_t packed_polygon_capacity = 0;  ///< as in Results
  std::int64_t packed_contact_capacity = 0;  ///< as in Results

  std::int64_t joints = 0;    ///< J in the shapes of RolloutState
  std::int64_t clusters = 1;  ///< Results::max_clusters

  std::int64_t contact_state = 0;  ///< S: Scene::contact_state_size()

  std::int64_t potential_contact_capacity = 0;  ///< as in Results
  std::int64_t relation_capacity = 0;           ///< as in Results
  std::int64_t member_capacity = 0;             ///< as in Results

  /// Elements of one environment in a contiguous array, which is not packed.
  constexpr std::int64_t row(const ArrayInfo& info) const {
    const std::int64_t count = info.per == Per::kBody                       ? bodies
                               : info.per == Per::kPart                     ? parts
                               : info.per == Per::kPair                     ? pairs
                               : info.per == Per::kPartPair                 ? part_pairs
                               : info.per == Per::kJoint                    ? joints
                               : info.per == Per::kCluster                  ? pairs * clusters
                               : info.per == Per::kPolygonCapacity          ? polygon_capacity
                               : info.per == Per::kContactCapacity          ? contact_capacity
                               : info.per == Per::kPotentialContactCapacity ? potential_contact_capacity
                               : info.per == Per::kRelationCapacity         ? relation_capacity
                               : info.per == Per::kMemberCapacity           ? member_capacity
                                                                            : 1;
    return count * (info.width == 0 ? contact_state : info.width);
  }

  /// Elements of a contiguous or packed array for this many environments.
  constexpr std::int64_t size(const ArrayInfo& info, std::int64_t environments) const {
    return info.per == Per::kOffset                  ? environments + 1
           : info.per == Per::kPackedPolygonCapacity ? packed_polygon_capacity
           : info.per == Per::kPackedContactCapacity ? packed_contact_capacity
                                                     : environments * row(info);
  }
};

/// The counts of a scene with capacities of 0, which is enough for the arrays of a State.
ArrayCounts counts_of(const Scene& scene);

/// The counts of a scene with the capacities of `results`.
ArrayCounts counts_of(const Scene& scene, const Results& results);

/// The State of N environments, owned and contiguous, in arrays of the same names. Where an optional array is empty,
/// the scene's values hold.
struct StateArrays : ParameterInputArrays {
  std::int64_t num_environments = 0;  ///< N
  std::int64_t num_bodies = 0;        ///< B
  std::int64_t num_parts = 0;         ///< C
  std::int64_t num_pairs = 0;         ///< P

  // for contact_state alone: both are 0 where contact models have no state
  std::int64_t num_part_pairs = 0;      ///< Q
  std::int64_t contact_state_size = 0;  ///< S: Scene::contact_state_size()

  std::vector<double> poses;          ///< N x B x 7   x y z [m], quaternion w x y z   (required)
  std::vector<double> velocities;     ///< N x B x 6   m/s, rad/s; empty: at rest
  std::vector<double> contact_state;  ///< N x Q x S; empty: zeros

  StateArrays() = default;

  /// Every body at the scene's pose and velocity in every environment; the other arrays are empty. Throws Error for a
  /// negative number of environments.
  StateArrays(const SceneDescription& scene, std::int64_t environments);

  /// For ArrayCounts::row() of these arrays.
  ArrayCounts counts() const {
    ArrayCounts counts = {num_bodies, num_pairs, num_parts, num_part_pairs};
    counts.contact_state = contact_state_size;
    return counts;
  }

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

  std::int32_t polygon_capacity = 0;  ///< polygons that there is room for in each environment; 0: none
  std::int32_t contact_capacity = 0;  ///< the same for contacts

  std::int64_t packed_polygon_capacity = 0;  ///< polygons that there is room for in one array of all environments, with
                                             ///< their offsets and environments; 0: none of these
  std::int64_t packed_contact_capacity = 0;  ///< the same for contacts

  std::int32_t max_clusters = 0;  ///< of a pair's patch as point contacts, at most 16; 0: none of these

  bool single_contact = false;  ///< what single contacts have besides their wrench

  bool polytopes = false;  ///< how far rigid polytopes are apart, or how deep they overlap

  std::int32_t potential_contact_capacity = 0;  ///< contacts between rigid polytopes that there is room for in each
                                                ///< environment
  std::int32_t relation_capacity = 0;           ///< the same for relations
  std::int32_t member_capacity = 0;             ///< the same for their members; all three 0: none of these
};

/// The Results of N environments, owned and contiguous, in arrays of the same names; zero until evaluated. An array
/// that is empty is not computed.
struct ResultArrays : WrenchArrays,
                      PatchArrays,
                      EnergyArrays,
                      PolygonArrays,
                      PackedRowArrays,
                      PatchContactArrays,
                      ContactStateArrays,
                      SingleContactArrays,
                      PolytopeArrays {
  std::int64_t num_environments = 0;  ///< N
  std::int64_t num_bodies = 0;        ///< B
  std::int64_t num_parts = 0;         ///< C
  std::int64_t num_pairs = 0;         ///< P
  std::int64_t num_part_pairs = 0;    ///< Q

  std::int64_t contact_state_size = 0;  ///< S: Scene::contact_state_size()

  ResultArrays() = default;

  /// Room for the wrenches, the areas, the counts of polygons, the status and the outputs of `selection`. Throws Error
  /// for a negative number of environments or capacity.
  ResultArrays(const Scene& scene, std::int64_t environments, const ResultSelection& selection = {});

  /// For ArrayCounts::row() of these arrays.
  ArrayCounts counts() const {
    ArrayCounts counts = {num_bodies, num_pairs, num_parts, num_part_pairs, polygon_capacity, contact_capacity};
    counts.packed_polygon_capacity = packed_polygon_capacity;
    counts.packed_contact_capacity = packed_contact_capacity;
    counts.clusters = max_clusters;
    counts.contact_state = contact_state_size;
    counts.potential_contact_capacity = potential_contact_capacity;
    counts.relation_capacity = relation_capacity;
    counts.member_capacity = member_capacity;
    return counts;
  }

  /// Valid until an array changes its size.
  Results view() { return view(0); }

  /// For the environments from `begin` on. Throws Error for packed arrays unless that is all of them.
  Results view(std::int64_t begin);
};

}  // namespace isopatch
