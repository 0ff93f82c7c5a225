// SPDX-License-Identifier: Apache-2.0
//
// What the tables of arrays say of each: its name, type, shape and unit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace isopatch {

/// What an array has a row for in each environment: the environment itself, every body, every part, every pair, every
/// part pair, every joint, every loop, every cluster of a pair, or every record that a buffer has room for: each buffer
/// has its own. The last ones are of packed arrays, which have rows for the whole batch: for every environment and one
/// more, or for every record of a packed buffer.
enum class Per : std::uint8_t {
  kEnvironment,
  kBody,
  kPart,
  kPair,
  kPartPair,
  kJoint,
  kLoop,
  kCluster,
  kOffset,
  kPolygonCapacity,
  kContactCapacity,
  kPotentialContactCapacity,
  kRelationCapacity,
  kMemberCapacity,
  kPackedPolygonCapacity,
  kPackedContactCapacity
};

inline constexpr Per kFirstCapacity = Per::kPolygonCapacity;  ///< this and those behind it are capacities
inline constexpr std::size_t kNumPers = static_cast<std::size_t>(Per::kPackedContactCapacity) + 1;  ///< of Per

/// Outputs that are computed together. Their order means nothing.
enum class OutputGroup : std::uint8_t {
  kWrench,          ///< always
  kPartPair,        ///< the wrenches of part pairs
  kPatch,           ///< sums over the patch beyond the wrench
  kEnergy,          ///< an evaluation of its own
  kPolygons,        ///< the polygons themselves
  kContacts,        ///< the polygons as point contacts
  kPackedPolygons,  ///< the polygons of all environments in one array
  kPackedContacts,  ///< the same as point contacts
  kPatchContacts,   ///< each patch as a few point contacts
  kContactState,    ///< what contact models carry from step to step
  kSingleContact,   ///< of single contacts besides their wrench
  kDistances,       ///< how far rigid convex parts are apart, or how deep they overlap
  kRelations,       ///< the contacts between them, and which of these must keep a gap
  kDerivatives      ///< of the wrench
};

/// Facts about a group of outputs.
struct OutputGroupInfo {
  const char* name;     ///< in tables
  bool needs_polygons;  ///< its outputs are made of the polygons themselves, not of sums over them
};

/// In the order of OutputGroup.
inline constexpr std::array kOutputGroups = {
    OutputGroupInfo{"wrench", false},          OutputGroupInfo{"part pair", false},
    OutputGroupInfo{"patch", false},           OutputGroupInfo{"energy", false},
    OutputGroupInfo{"polygons", true},         OutputGroupInfo{"contacts", true},
    OutputGroupInfo{"packed polygons", true},  OutputGroupInfo{"packed contacts", true},
    OutputGroupInfo{"patch contacts", true},   OutputGroupInfo{"contact state", false},
    OutputGroupInfo{"single contacts", false}, OutputGroupInfo{"distances", false},
    OutputGroupInfo{"relations", false},       OutputGroupInfo{"derivatives", true}};
static_assert(kOutputGroups.size() == static_cast<std::size_t>(OutputGroup::kDerivatives) + 1);

/// The group's facts.
constexpr const OutputGroupInfo& info_of(OutputGroup group) { return kOutputGroups[static_cast<std::size_t>(group)]; }

/// One array. In each environment, or in the whole batch if it is packed, it has rows of `width` elements, as many as
/// `per` says.
struct ArrayInfo {
  const char* name;                          ///< of the member of State or Results
  const char* type;                          ///< of an element; "real" stands for float or double
  Per per;                                   ///< what has one row
  int width;                                 ///< elements of a row; 0: Scene::contact_state_size()
  const char* unit;                          ///< as in "m/s; rad/s" where the elements of a row differ; "" for records
  OutputGroup group = OutputGroup::kWrench;  ///< outputs only

  /// Whether a capacity says how many rows it has. What is not needed of them stays as it was.
  constexpr bool has_capacity() const { return per >= kFirstCapacity; }

  /// Whether it is a BatchArray.
  constexpr bool is_packed() const { return per == Per::kOffset || per >= Per::kPackedPolygonCapacity; }

  /// Whether it is a buffer with a capacity in each environment.
  constexpr bool is_buffer() const { return has_capacity() && !is_packed(); }
};

}  // namespace isopatch
