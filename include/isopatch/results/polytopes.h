// SPDX-License-Identifier: Apache-2.0
//
// What pairs of rigid polytopes have: no wrench, which takes a step, but how far they are apart, and which of their
// contacts must keep a gap.
#pragma once

#include <cstdint>

#include "isopatch/results/array_info.h"
#include "isopatch/results/array_types.h"
#include "isopatch/results/potential_contacts.h"

namespace isopatch {

/// The rigid polytopes of N environments with P pairs; 0 of pairs that have none, that are masked, or in an environment
/// with a fault.
template <class Kind>
struct PolytopeOutputs {
  ArrayOf<Kind, AnyReal> separation;  ///< N x P   m, how far the nearest two parts are apart: the largest gap over all
                                      ///< directions that separate them, at most their distance; negative: the depth of
                                      ///< the overlap, the shortest way that brings the deepest two parts apart
  ArrayOf<Kind, AnyReal> overlap;     ///< N x P   m^3, of polygons m^2, that bodies have in common, summed over parts

  // Contacts and relations, each in a buffer for every environment. Relations index members, members index contacts,
  // both from 0 in their environment; where a buffer is full, those behind it are counted and not written.
  BufferOf<Kind, PotentialContact> potential_contacts;  ///< N x capacity   each once; by pair, parts,
                                                        ///< kind and features
  BufferOf<Kind, Relation> relations;                   ///< N x capacity   by pair and parts
  BufferOf<Kind, std::int32_t> relation_members;        ///< N x capacity   indices of contacts
  ArrayOf<Kind, std::int32_t> relations_needed;  ///< N x 3   contacts, relations and members that would have been
                                                 ///< enough; required with these, and may be asked for alone
};

/// Calls visit(info, array) for every array of PolytopeOutputs, or of several objects at once as for_each_output().
template <class Visit, class... Outputs>
constexpr void for_each_polytope_output(const Visit& visit, Outputs&... o) {
  visit(ArrayInfo{"separation", "real", Per::kPair, 1, "m", OutputGroup::kDistances}, o.separation...);
  visit(ArrayInfo{"overlap", "real", Per::kPair, 1, "m^3", OutputGroup::kDistances}, o.overlap...);
  visit(ArrayInfo{"potential_contacts", "PotentialContact", Per::kPotentialContactCapacity, 1, "",
                  OutputGroup::kRelations},
        o.potential_contacts...);
  visit(ArrayInfo{"relations", "Relation", Per::kRelationCapacity, 1, "", OutputGroup::kRelations}, o.relations...);
  visit(ArrayInfo{"relation_members", "int32", Per::kMemberCapacity, 1, "index", OutputGroup::kRelations},
        o.relation_members...);
  visit(ArrayInfo{"relations_needed", "int32", Per::kEnvironment, 3, "1", OutputGroup::kRelations},
        o.relations_needed...);
}

}  // namespace isopatch
