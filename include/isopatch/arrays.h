// SPDX-License-Identifier: Apache-2.0
//
// The arrays of a State and of Results, listed once, and owners of them in host memory.
#pragma once

#include <cstdint>
#include <vector>

#include "isopatch/results.h"
#include "isopatch/scene.h"
#include "isopatch/state.h"

namespace isopatch {

/// What an array has a row for in each environment.
enum class Per : std::uint8_t { kEnvironment, kBody, kPair, kPolygonCapacity, kContactCapacity };

/// What an output is computed with.
enum class OutputGroup : std::uint8_t {
  kWrench,    ///< always
  kPatch,     ///< sums over the patch beyond the wrench
  kEnergy,    ///< an evaluation of its own
  kPolygons,  ///< the polygons themselves
  kContacts
};

/// One array: in each environment it has `width` elements for each of what `per` says.
struct ArrayInfo {
  const char* name;
  const char* type;  ///< of an element; "real" is float or double
  Per per;
  int width;
  const char* unit;
  OutputGroup group = OutputGroup::kWrench;  ///< outputs only
};

/// Calls visit(info, array) for every input of a State; given several objects with members of these names, calls
/// visit(info, array of the first, array of the second, ...).
template <class Visit, class... States>
constexpr void for_each_input(const Visit& visit, States&... s) {
  visit(ArrayInfo{"poses", "real", Per::kBody, 7, "m; unit quaternion w x y z"}, s.poses...);
  visit(ArrayInfo{"velocities", "real", Per::kBody, 6, "m/s; rad/s"}, s.velocities...);
  visit(ArrayInfo{"modulus", "real", Per::kBody, 1, "Pa"}, s.modulus...);
  visit(ArrayInfo{"dissipation", "real", Per::kBody, 1, "s/m or s"}, s.dissipation...);
  visit(ArrayInfo{"friction", "real", Per::kBody, 1, "1"}, s.friction...);
  visit(ArrayInfo{"geometry_index", "int32", Per::kBody, 1, "index"}, s.geometry_index...);
  visit(ArrayInfo{"pair_mask", "uint8", Per::kPair, 1, "0 or 1"}, s.pair_mask...);
}

/// The same for the outputs of Results.
template <class Visit, class... AnyResults>
constexpr void for_each_output(const Visit& visit, AnyResults&... r) {
  visit(ArrayInfo{"pair_wrench", "real", Per::kPair, 6, "N; N m"}, r.pair_wrench...);
  visit(ArrayInfo{"body_wrench", "real", Per::kBody, 6, "N; N m"}, r.body_wrench...);
  visit(ArrayInfo{"status", "uint32", Per::kEnvironment, 1, "bits of Status"}, r.status...);
  visit(ArrayInfo{"area", "real", Per::kPair, 1, "m^2"}, r.area...);
  visit(ArrayInfo{"center_of_pressure", "real", Per::kPair, 3, "m", OutputGroup::kPatch}, r.center_of_pressure...);
  visit(ArrayInfo{"mean_normal", "real", Per::kPair, 3, "1", OutputGroup::kPatch}, r.mean_normal...);
  visit(ArrayInfo{"max_pressure", "real", Per::kPair, 1, "Pa", OutputGroup::kPatch}, r.max_pressure...);
  visit(ArrayInfo{"friction_force", "real", Per::kPair, 3, "N", OutputGroup::kPatch}, r.friction_force...);
  visit(ArrayInfo{"polygon_count", "int32", Per::kPair, 1, "1"}, r.polygon_count...);
  visit(ArrayInfo{"energy", "real", Per::kPair, 1, "J", OutputGroup::kEnergy}, r.energy...);
  visit(ArrayInfo{"polygons", "Polygon", Per::kPolygonCapacity, 1, "", OutputGroup::kPolygons}, r.polygons...);
  visit(ArrayInfo{"polygons_needed", "int32", Per::kEnvironment, 1, "1", OutputGroup::kPolygons}, r.polygons_needed...);
  visit(ArrayInfo{"contacts", "DiscreteContact", Per::kContactCapacity, 1, "", OutputGroup::kContacts}, r.contacts...);
  visit(ArrayInfo{"contacts_needed", "int32", Per::kEnvironment, 1, "1", OutputGroup::kContacts}, r.contacts_needed...);
}

/// How many of each thing an environment has.
struct ArrayCounts {
  std::int64_t bodies = 0, pairs = 0, polygon_capacity = 0, contact_capacity = 0;

  /// Elements of one environment in a contiguous array.
  constexpr std::int64_t row(const ArrayInfo& info) const {
    const std::int64_t count = info.per == Per::kBody              ? bodies
                               : info.per == Per::kPair            ? pairs
                               : info.per == Per::kPolygonCapacity ? polygon_capacity
                               : info.per == Per::kContactCapacity ? contact_capacity
                                                                   : 1;
    return count * info.width;
  }
};

ArrayCounts counts_of(const Scene& scene);
ArrayCounts counts_of(const Scene& scene, const Results& results);

/// The State of N environments, owned and contiguous. An optional array that is empty is left out, so that the scene's
/// values hold.
struct StateArrays {
  std::int64_t num_environments = 0, num_bodies = 0, num_pairs = 0;

  std::vector<double> poses, velocities, modulus, dissipation, friction;
  std::vector<std::int32_t> geometry_index;
  std::vector<std::uint8_t> pair_mask;

  StateArrays() = default;

  /// Every body at the scene's pose and velocity in every environment; the optional arrays are empty.
  StateArrays(const SceneDescription& scene, std::int64_t environments);

  /// Valid until an array changes its size.
  State view() const { return view(0, num_environments); }

  /// The `count` environments from `begin` on.
  State view(std::int64_t begin, std::int64_t count) const;
};

/// Which groups of outputs ResultArrays has beside the wrenches.
struct ResultSelection {
  bool patch = true;
  bool energy = false;
  std::int32_t polygon_capacity = 0, contact_capacity = 0;  ///< 0: no polygons, no contacts
};

/// The Results of N environments, owned and contiguous; zero until evaluated. An array that is empty is not computed.
struct ResultArrays {
  std::int64_t num_environments = 0, num_bodies = 0, num_pairs = 0;

  std::vector<double> pair_wrench, body_wrench, area, center_of_pressure, mean_normal, max_pressure, friction_force;
  std::vector<double> energy;
  std::vector<std::uint32_t> status;
  std::vector<std::int32_t> polygon_count, polygons_needed, contacts_needed;
  std::vector<Polygon> polygons;
  std::vector<DiscreteContact> contacts;
  std::int32_t polygon_capacity = 0, contact_capacity = 0;

  ResultArrays() = default;
  ResultArrays(const Scene& scene, std::int64_t environments, const ResultSelection& selection = {});

  ArrayCounts counts() const { return {num_bodies, num_pairs, polygon_capacity, contact_capacity}; }

  /// Valid until an array changes its size.
  Results view() { return view(0); }

  /// For the environments from `begin` on.
  Results view(std::int64_t begin);
};

}  // namespace isopatch
