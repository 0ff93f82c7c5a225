// SPDX-License-Identifier: Apache-2.0
//
// Relations between potential contacts of two convex shapes: of the contacts of each relation, one at least must keep a
// gap of zero or more. After A geometrically exact contact model for polytopes in multirigid-body simulation (eqs. 17
// to 25 and 32 to 38), with what makes the relations exact for every translation nearby:
//
// - a vertex's faces are those that are reached across edges nearby, not through the body;
// - contacts are crossed only if both can be touching now;
// - what a vertex has with a vertex in space is one relation, of all contacts that separate there now;
// - a relation that lacks contacts which meet its own within reach gives way to one of all contacts that meet there;
// - a relation that does not hold now gives way to one of everything that separates the shapes or may soon, and so do
//   relations of which none has only contacts that are applicable.
#pragma once

#include <vector>

#include "host/reference/polytope/contacts.h"

namespace isopatch::reference::polytope {

/// Which relations: the exact ones; those of vertices and lone edges (locally non-convex); every near contact for
/// itself; or what separates most now.
enum class RelationMode { kExact, kLnc, kUnilateral, kSeparating };

enum class RelationKind { kUnilateral = 0, kIntercontact = 1, kCross = 2 };

struct Relation {
  RelationKind kind = RelationKind::kUnilateral;
  std::vector<int> members;  // indices of contacts
};

struct RelationSet {
  std::vector<Contact> contacts;  // the members, each once, in their order
  std::vector<Relation> relations;
};

/// How far to look, and what counts as touching.
struct RelationRange {
  Real reach = 0;      // m: farther features cannot meet
  Real turning = 0;    // largest sine by which features may face away from each other and still meet
  Real tolerance = 0;  // m: a gap above -tolerance touches
};

/// Of shapes in the world. At most one is a half space.
RelationSet find_relations(const ConvexShape& a, const ConvexShape& b, const RelationRange& range, RelationMode mode);

/// The largest gap of a relation after a is shifted, which is exact since gaps are linear in shifts.
Real gap_after_shift(const RelationSet& set, const Relation& relation, const Vector3& shift);

}  // namespace isopatch::reference::polytope
