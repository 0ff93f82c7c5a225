// SPDX-License-Identifier: Apache-2.0
//
// The arrays of a State and of Results, listed once, and owners of them in host memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "isopatch/results.h"
#include "isopatch/scene/scene.h"
#include "isopatch/state.h"

namespace isopatch {

/// What an array has a row for in each environment: the environment itself, every body, every part, every pair, every
/// part pair, every joint, every cluster of a pair, or every slot of the buffer for polygons or for contacts. The last
/// three are of packed arrays, which have rows for the whole batch: for every environment and one more, or for every
/// slot of a packed buffer.
enum class Per : std::uint8_t {
  kEnvironment,
  kBody,
  kPart,
  kPair,
  kPartPair,
  kJoint,
  kCluster,
  kPolygonCapacity,
  kContactCapacity,
  kOffset,
  kPackedPolygonCapacity,
  kPackedContactCapacity
};

/// Outputs that are computed together.
enum class OutputGroup : std::uint8_t {
  kWrench,          ///< always
  kPartPair,        ///< the wrenches of part pairs
  kPatch,           ///< sums over the patch beyond the wrench
  kEnergy,          ///< an evaluation of its own
  kPolygons,        ///< the polygons themselves
  kContacts,        ///< the polygons as point contacts
  kPackedPolygons,  ///< the polygons of all environments in one array
  kPackedContacts,  ///< the same as point contacts
  kPatchContacts    ///< each patch as a few point contacts
};

/// One array. In each environment, or in the whole batch if it is packed, it has rows of `width` elements, as many as
/// `per` says.
struct ArrayInfo {
  const char* name;                          ///< of the member of State or Results
  const char* type;                          ///< of an element; "real" stands for float or double
  Per per;                                   ///< what has one row
  int width;                                 ///< elements of a row
  const char* unit;                          ///< as in "m/s; rad/s" where the elements of a row differ; "" for records
  OutputGroup group = OutputGroup::kWrench;  ///< outputs only

  /// Whether it is a BatchArray.
  constexpr bool is_packed() const { return per >= Per::kOffset; }
};

/// Calls visit(info, array) for every input of a State; given several objects with members of these names, calls
/// visit(info, array of the first, array of the second, ...).
template <class Visit, class... States>
constexpr void for_each_input(const Visit& visit, States&... s) {
  visit(ArrayInfo{"poses", "real", Per::kBody, 7, "m; unit quaternion w x y z"}, s.poses...);
  visit(ArrayInfo{"velocities", "real", Per::kBody, 6, "m/s; rad/s"}, s.velocities...);
  visit(ArrayInfo{"modulus", "real", Per::kPart, 1, "Pa"}, s.modulus...);
  visit(ArrayInfo{"dissipation", "real", Per::kPart, 1, "s/m or s"}, s.dissipation...);
  visit(ArrayInfo{"friction", "real", Per::kPart, 1, "1"}, s.friction...);
  visit(ArrayInfo{"geometry_index", "int32", Per::kPart, 1, "index"}, s.geometry_index...);
  visit(ArrayInfo{"pair_mask", "uint8", Per::kPair, 1, "0 or 1"}, s.pair_mask...);
}

/// The same for the outputs of Results.
template <class Visit, class... AnyResults>
constexpr void for_each_output(const Visit& visit, AnyResults&... r) {
  visit(ArrayInfo{"pair_wrench", "real", Per::kPair, 6, "N; N m"}, r.pair_wrench...);
  visit(ArrayInfo{"part_pair_wrench", "real", Per::kPartPair, 6, "N; N m", OutputGroup::kPartPair},
        r.part_pair_wrench...);
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
  visit(ArrayInfo{"packed_polygons", "Polygon", Per::kPackedPolygonCapacity, 1, "", OutputGroup::kPackedPolygons},
        r.packed_polygons...);
  visit(ArrayInfo{"polygon_offsets", "int64", Per::kOffset, 1, "1", OutputGroup::kPackedPolygons},
        r.polygon_offsets...);
  visit(
      ArrayInfo{"polygon_environments", "int32", Per::kPackedPolygonCapacity, 1, "index", OutputGroup::kPackedPolygons},
      r.polygon_environments...);
  visit(
      ArrayInfo{"packed_contacts", "DiscreteContact", Per::kPackedContactCapacity, 1, "", OutputGroup::kPackedContacts},
      r.packed_contacts...);
  visit(ArrayInfo{"contact_offsets", "int64", Per::kOffset, 1, "1", OutputGroup::kPackedContacts},
        r.contact_offsets...);
  visit(
      ArrayInfo{"contact_environments", "int32", Per::kPackedContactCapacity, 1, "index", OutputGroup::kPackedContacts},
      r.contact_environments...);
  visit(ArrayInfo{"patch_point", "real", Per::kCluster, 12, "m", OutputGroup::kPatchContacts}, r.patch_point...);
  visit(ArrayInfo{"patch_normal", "real", Per::kCluster, 3, "1", OutputGroup::kPatchContacts}, r.patch_normal...);
  visit(ArrayInfo{"patch_stiffness", "real", Per::kCluster, 4, "N/m", OutputGroup::kPatchContacts},
        r.patch_stiffness...);
  visit(ArrayInfo{"patch_distance", "real", Per::kCluster, 4, "m", OutputGroup::kPatchContacts}, r.patch_distance...);
  visit(ArrayInfo{"patch_residual", "real", Per::kPair, 6, "N; N m", OutputGroup::kPatchContacts}, r.patch_residual...);
  visit(ArrayInfo{"patch_count", "int32", Per::kPair, 1, "1", OutputGroup::kPatchContacts}, r.patch_count...);
}

/// A member of a record. An array of K records is an array of K rows of `sizeof(Record) / 4` words of 4 bytes, and a
/// member is the elements from word `offset / 4` on of every row: a view with a stride, without a copy.
struct RecordField {
  const char* name;    ///< of the member
  const char* type;    ///< of an element, which has 4 bytes: "float32" or "int32"
  int rows;            ///< 8 of what has one for each vertex, else 1
  int width;           ///< elements of a row
  std::size_t offset;  ///< bytes from the beginning of the record
  const char* unit;    ///< of the elements
};

/// The members of Polygon in their order. Of `vertices` and `pressures` the first `num_vertices` rows count.
inline constexpr std::array<RecordField, 8> kPolygonFields = {{
    {"pair", "int32", 1, 1, offsetof(Polygon, pair), "index"},
    {"num_vertices", "int32", 1, 1, offsetof(Polygon, num_vertices), "1"},
    {"vertices", "float32", 8, 3, offsetof(Polygon, vertices), "m"},
    {"pressures", "float32", 8, 1, offsetof(Polygon, pressures), "Pa"},
    {"normal", "float32", 1, 3, offsetof(Polygon, normal), "1"},
    {"area", "float32", 1, 1, offsetof(Polygon, area), "m^2"},
    {"part_a", "int32", 1, 1, offsetof(Polygon, part_a), "index"},
    {"part_b", "int32", 1, 1, offsetof(Polygon, part_b), "index"},
}};

/// The members of DiscreteContact in their order.
inline constexpr std::array<RecordField, 11> kDiscreteContactFields = {{
    {"pair", "int32", 1, 1, offsetof(DiscreteContact, pair), "index"},
    {"point", "float32", 1, 3, offsetof(DiscreteContact, point), "m"},
    {"normal", "float32", 1, 3, offsetof(DiscreteContact, normal), "1"},
    {"area", "float32", 1, 1, offsetof(DiscreteContact, area), "m^2"},
    {"pressure", "float32", 1, 1, offsetof(DiscreteContact, pressure), "Pa"},
    {"stiffness", "float32", 1, 1, offsetof(DiscreteContact, stiffness), "N/m"},
    {"distance", "float32", 1, 1, offsetof(DiscreteContact, distance), "m"},
    {"dissipation", "float32", 1, 1, offsetof(DiscreteContact, dissipation), "s/m"},
    {"friction", "float32", 1, 1, offsetof(DiscreteContact, friction), "1"},
    {"part_a", "int32", 1, 1, offsetof(DiscreteContact, part_a), "index"},
    {"part_b", "int32", 1, 1, offsetof(DiscreteContact, part_b), "index"},
}};

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

  /// Elements of one environment in a contiguous array, which is not packed.
  constexpr std::int64_t row(const ArrayInfo& info) const {
    const std::int64_t count = info.per == Per::kBody              ? bodies
                               : info.per == Per::kPart            ? parts
                               : info.per == Per::kPair            ? pairs
                               : info.per == Per::kPartPair        ? part_pairs
                               : info.per == Per::kJoint           ? joints
                               : info.per == Per::kCluster         ? pairs * clusters
                               : info.per == Per::kPolygonCapacity ? polygon_capacity
                               : info.per == Per::kContactCapacity ? contact_capacity
                                                                   : 1;
    return count * info.width;
  }

  /// Elements of a contiguous or packed array for this many environments.
  constexpr std::int64_t size(const ArrayInfo& info, std::int64_t environments) const {
    switch (info.per) {
      case Per::kOffset:
        return environments + 1;
      case Per::kPackedPolygonCapacity:
        return packed_polygon_capacity;
      case Per::kPackedContactCapacity:
        return packed_contact_capacity;
      default:
        return environments * row(info);
    }
  }
};

/// The counts of a scene with capacities of 0, which is enough for the arrays of a State.
ArrayCounts counts_of(const Scene& scene);

/// The counts of a scene with the capacities of `results`.
ArrayCounts counts_of(const Scene& scene, const Results& results);

/// The State of N environments, owned and contiguous, in arrays of the same names. Where an optional array is empty,
/// the scene's values hold.
struct StateArrays {
  std::int64_t num_environments = 0;  ///< N
  std::int64_t num_bodies = 0;        ///< B
  std::int64_t num_parts = 0;         ///< C
  std::int64_t num_pairs = 0;         ///< P

  std::vector<double> poses;                 ///< N x B x 7   x y z [m], quaternion w x y z   (required)
  std::vector<double> velocities;            ///< N x B x 6   m/s, rad/s; empty: at rest
  std::vector<double> modulus;               ///< N x C   Pa
  std::vector<double> dissipation;           ///< N x C   s/m or s
  std::vector<double> friction;              ///< N x C
  std::vector<std::int32_t> geometry_index;  ///< N x C
  std::vector<std::uint8_t> pair_mask;       ///< N x P

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

  std::int32_t polygon_capacity = 0;  ///< polygons that there is room for in each environment; 0: none
  std::int32_t contact_capacity = 0;  ///< the same for contacts

  std::int64_t packed_polygon_capacity = 0;  ///< polygons that there is room for in one array of all environments, with
                                             ///< their offsets and environments; 0: none of these
  std::int64_t packed_contact_capacity = 0;  ///< the same for contacts

  std::int32_t max_clusters = 0;  ///< of a pair's patch as point contacts, at most 16; 0: none of these
};

/// The Results of N environments, owned and contiguous, in arrays of the same names; zero until evaluated. An array
/// that is empty is not computed.
struct ResultArrays {
  std::int64_t num_environments = 0;  ///< N
  std::int64_t num_bodies = 0;        ///< B
  std::int64_t num_parts = 0;         ///< C
  std::int64_t num_pairs = 0;         ///< P
  std::int64_t num_part_pairs = 0;    ///< Q

  std::vector<double> pair_wrench;            ///< N x P x 6   N, N m
  std::vector<double> part_pair_wrench;       ///< N x Q x 6   N, N m
  std::vector<double> body_wrench;            ///< N x B x 6   N, N m
  std::vector<std::uint32_t> status;          ///< N   bits of Status
  std::vector<double> area;                   ///< N x P   m^2
  std::vector<double> center_of_pressure;     ///< N x P x 3   m
  std::vector<double> mean_normal;            ///< N x P x 3
  std::vector<double> max_pressure;           ///< N x P   Pa
  std::vector<double> friction_force;         ///< N x P x 3   N
  std::vector<std::int32_t> polygon_count;    ///< N x P
  std::vector<double> energy;                 ///< N x P   J
  std::vector<Polygon> polygons;              ///< N x polygon_capacity
  std::vector<std::int32_t> polygons_needed;  ///< N
  std::vector<DiscreteContact> contacts;      ///< N x contact_capacity
  std::vector<std::int32_t> contacts_needed;  ///< N
  std::int32_t polygon_capacity = 0;          ///< room for this many polygons in each environment
  std::int32_t contact_capacity = 0;          ///< the same for contacts

  std::vector<Polygon> packed_polygons;            ///< packed_polygon_capacity
  std::vector<std::int64_t> polygon_offsets;       ///< N + 1
  std::vector<std::int32_t> polygon_environments;  ///< packed_polygon_capacity
  std::vector<DiscreteContact> packed_contacts;    ///< packed_contact_capacity
  std::vector<std::int64_t> contact_offsets;       ///< N + 1
  std::vector<std::int32_t> contact_environments;  ///< packed_contact_capacity
  std::int64_t packed_polygon_capacity = 0;        ///< room for this many polygons of all environments together
  std::int64_t packed_contact_capacity = 0;        ///< the same for contacts

  std::vector<double> patch_point;        ///< N x P x K x 4 x 3   m
  std::vector<double> patch_normal;       ///< N x P x K x 3
  std::vector<double> patch_stiffness;    ///< N x P x K x 4   N/m
  std::vector<double> patch_distance;     ///< N x P x K x 4   m
  std::vector<double> patch_residual;     ///< N x P x 6   N, N m
  std::vector<std::int32_t> patch_count;  ///< N x P
  std::int32_t max_clusters = 0;          ///< K

  ResultArrays() = default;

  /// Room for the wrenches, the areas, the counts of polygons, the status and the outputs of `selection`. Throws Error
  /// for a negative number of environments or capacity.
  ResultArrays(const Scene& scene, std::int64_t environments, const ResultSelection& selection = {});

  /// For ArrayCounts::row() of these arrays.
  ArrayCounts counts() const {
    return {num_bodies,
            num_pairs,
            num_parts,
            num_part_pairs,
            polygon_capacity,
            contact_capacity,
            packed_polygon_capacity,
            packed_contact_capacity,
            0,
            max_clusters};
  }

  /// Valid until an array changes its size.
  Results view() { return view(0); }

  /// For the environments from `begin` on. Throws Error for packed arrays unless that is all of them.
  Results view(std::int64_t begin);
};

}  // namespace isopatch
