// SPDX-License-Identifier: Apache-2.0
//
// The records of contacts between rigid convex parts, and of the relations between them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isopatch/results/records.h"

namespace isopatch {

/// Two features of a part pair that may touch, world frame ("A geometrically exact contact model for polytopes in
/// multirigid-body simulation", PEG, eqs. 28 to 31, with the normal reversed). The gap of a vertex is that to the whole
/// plane of the face, the gap of two edges that of their lines.
struct PotentialContact {
  std::int32_t pair;       ///< index into SceneDescription::pairs
  std::int32_t part_a;     ///< the part of body a, numbered through the scene
  std::int32_t part_b;     ///< the part of body b
  std::int32_t kind;       ///< 0: vertex of a on face of b; 1: face of a under vertex of b; 2: edge on edge
  std::int32_t feature_a;  ///< index of the vertex, face or edge of part a
  std::int32_t feature_b;  ///< index of the face, vertex or edge of part b
  float point[3];          ///< m; the vertex, or halfway between the lines of the edges
  float normal[3];         ///< unit, from body b into body a
  float gap;               ///< m, positive apart
  float applicability;     ///< smallest sine by which the features face each other; negative: they do not, now
};

/// Contacts of which at least one must keep a gap >= 0 (PEG eqs. 17 to 25).
struct Relation {
  std::int32_t pair;   ///< index into SceneDescription::pairs
  std::int32_t kind;   ///< 0, U: one contact; 1, I: a vertex against several faces; 2, X: any other
  std::int32_t first;  ///< of its members among those of the environment
  std::int32_t count;  ///< of its members, at least 1
};

inline constexpr std::int32_t kVertexOnFace = 0;          ///< PotentialContact::kind
inline constexpr std::int32_t kFaceUnderVertex = 1;       ///< PotentialContact::kind
inline constexpr std::int32_t kEdgeOnEdge = 2;            ///< PotentialContact::kind
inline constexpr std::int32_t kUnilateralRelation = 0;    ///< Relation::kind
inline constexpr std::int32_t kIntercontactRelation = 1;  ///< Relation::kind
inline constexpr std::int32_t kCrossRelation = 2;         ///< Relation::kind

/// The members of PotentialContact in their order.
template <>
inline constexpr std::array<RecordField, 10> kRecordFields<PotentialContact> = {{
    {"pair", "int32", 1, 1, offsetof(PotentialContact, pair), "index"},
    {"part_a", "int32", 1, 1, offsetof(PotentialContact, part_a), "index"},
    {"part_b", "int32", 1, 1, offsetof(PotentialContact, part_b), "index"},
    {"kind", "int32", 1, 1, offsetof(PotentialContact, kind), "1"},
    {"feature_a", "int32", 1, 1, offsetof(PotentialContact, feature_a), "index"},
    {"feature_b", "int32", 1, 1, offsetof(PotentialContact, feature_b), "index"},
    {"point", "float32", 1, 3, offsetof(PotentialContact, point), "m"},
    {"normal", "float32", 1, 3, offsetof(PotentialContact, normal), "1"},
    {"gap", "float32", 1, 1, offsetof(PotentialContact, gap), "m"},
    {"applicability", "float32", 1, 1, offsetof(PotentialContact, applicability), "1"},
}};

/// The members of Relation in their order.
template <>
inline constexpr std::array<RecordField, 4> kRecordFields<Relation> = {{
    {"pair", "int32", 1, 1, offsetof(Relation, pair), "index"},
    {"kind", "int32", 1, 1, offsetof(Relation, kind), "1"},
    {"first", "int32", 1, 1, offsetof(Relation, first), "index"},
    {"count", "int32", 1, 1, offsetof(Relation, count), "1"},
}};

}  // namespace isopatch
