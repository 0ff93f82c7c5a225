// SPDX-License-Identifier: Apache-2.0
//
// What the tables of arrays say of each: its name, type, shape and unit.
#pragma once

#include <cstdint>

namespace isopatch {

/// What an array has a row for in each environment: the environment itself, every body, every part, every pair, every
/// part pair, every joint, every cluster of a pair, or every slot of the buffer for polygons, for contacts, or for
/// those of rigid polytopes, their relations and the members of these. The last three are of packed arrays, which have
/// rows for the whole batch: for every environment and one more, or for every slot of a packed buffer.
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
  kPotentialContactCapacity,
  kRelationCapacity,
  kMemberCapacity,
  kOffset,
  kPackedPolygonCapacity,
  kPackedContactCapacity
};

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
  kPolytopes,       ///< how far rigid polytopes are apart, or how deep they overlap
  kRelations        ///< the contacts between them, and which of these must keep a gap
};

/// Whether the outputs of a group are made of the polygons themselves, not of sums over them.
constexpr bool needs_polygons(OutputGroup group) {
  switch (group) {  // without a default, so that a new group has to say it
    case OutputGroup::kWrench:
    case OutputGroup::kPartPair:
    case OutputGroup::kPatch:
    case OutputGroup::kEnergy:
    case OutputGroup::kContactState:
    case OutputGroup::kSingleContact:
    case OutputGroup::kPolytopes:
    case OutputGroup::kRelations:
      return false;
    case OutputGroup::kPolygons:
    case OutputGroup::kContacts:
    case OutputGroup::kPackedPolygons:
    case OutputGroup::kPackedContacts:
    case OutputGroup::kPatchContacts:
      return true;
  }
  return true;
}

/// One array. In each environment, or in the whole batch if it is packed, it has rows of `width` elements, as many as
/// `per` says.
struct ArrayInfo {
  const char* name;                          ///< of the member of State or Results
  const char* type;                          ///< of an element; "real" stands for float or double
  Per per;                                   ///< what has one row
  int width;                                 ///< elements of a row; 0: Scene::contact_state_size()
  const char* unit;                          ///< as in "m/s; rad/s" where the elements of a row differ; "" for records
  OutputGroup group = OutputGroup::kWrench;  ///< outputs only

  /// Whether it is a buffer with a capacity in each environment, of which what is not needed stays as it was.
  constexpr bool is_buffer() const { return per >= Per::kPolygonCapacity && per <= Per::kMemberCapacity; }

  /// Whether it is a BatchArray.
  constexpr bool is_packed() const { return per >= Per::kOffset; }
};

}  // namespace isopatch
