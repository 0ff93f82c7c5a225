// SPDX-License-Identifier: Apache-2.0
//
// A convex polytope as plain arrays, in the frame of its body: a polyhedron, a polygon in the plane z = 0, or a half
// space. The faces of a polygon are its edges, and what bounds a face is a corner instead of an edge, so that the same
// code serves both. host/polytope/convex_shape.h makes them.
#pragma once

#include <cstdint>

#include "isopatch/detail/math/vec.h"
#include "isopatch/detail/simt/warp.h"

namespace isopatch::detail {

/// Faces of a shape, which has at most 64.
using FaceBits = std::uint64_t;

/// The bits of so many features, in words.
ISOPATCH_HD constexpr int bit_words(int count) { return (count + 31) / 32; }

/// The index of the lowest bit of a word that is not 0: as many bits are below it. nvcc 13 compiles std::countr_zero()
/// to a constant, so it is not used here.
ISOPATCH_HD int lowest_bit(std::uint32_t word) { return count_bits((word & (0u - word)) - 1u); }

ISOPATCH_HD int lowest_face(FaceBits faces) {
  const auto low = static_cast<std::uint32_t>(faces), high = static_cast<std::uint32_t>(faces >> 32);
  return low != 0u ? lowest_bit(low) : 32 + lowest_bit(high);
}

ISOPATCH_HD bool has_face(FaceBits faces, std::int32_t face) {
  return (static_cast<std::uint32_t>(faces >> face) & 1u) != 0u;
}

inline constexpr int kPolytopeModel = 3;  // ContactModel::kPolytope

inline constexpr int kMaxFaces = 64;  // so that the faces of a shape are the bits of a word

// By Euler's formula V - E + F = 2, since at least three edges meet in a vertex: 2 E >= 3 V.
inline constexpr int kMaxEdges = 3 * kMaxFaces - 6;
inline constexpr int kMaxVertices = 2 * kMaxFaces - 4;

struct ShapeFace {
  Vec3d normal;             // unit, outward
  double offset;            // normal . x on the face, m: the largest of its vertices
  std::int32_t begin, end;  // of its sides, counter-clockwise seen from outside
};

/// What bounds a face: an edge of a polyhedron, a corner of a polygon.
struct FaceSide {
  Vec3d inward;           // unit, in the plane of the face, from the side into it
  std::int32_t p, q;      // vertices: the ends of the edge as it lists them, or both the corner
  std::int32_t neighbor;  // the face beyond it
  std::int32_t edge;      // index; -1 of a polygon
};

/// An edge of a polyhedron, with i < j. Seen from outside, f is on the left of i -> j and g on the right.
struct ShapeEdge {
  Vec3d direction;  // unit, from i to j
  double length;    // m
  Vec3d t_f, t_g;   // unit, from the edge into its faces (PEG eq. 26)
  std::int32_t i, j, f, g;
};

/// A vertex as seen from a neighbour: of a polygon, first the vertex before it, then the one after it.
struct Spoke {
  Vec3d direction;              // unit, to the neighbour
  std::int32_t neighbor, edge;  // the edge is -1 of a polygon
};

/// The indices of a vertex's spokes and faces are vertex_begin[v] ... vertex_begin[v + 1]: as many faces as edges meet
/// in it. Of a polyhedron both ascend by edge and face; of a polygon the first face enters the vertex, the second
/// leaves it.
struct PolytopeView {
  const Vec3d* vertices;  // m
  const ShapeFace* faces;
  const FaceSide* sides;
  const ShapeEdge* edges;            // sorted by i, then j; none of a polygon or half space
  const std::int32_t* vertex_begin;  // num_vertices + 1
  const Spoke* spokes;
  const std::int32_t* vertex_faces;
  std::int32_t num_vertices, num_faces, num_edges;
  std::int32_t planar;      // 1 of a polygon in z = 0
  std::int32_t half_space;  // 1 of one face without vertices
  Vec3d center, half;       // bounding box, m; of a half space it says nothing
  Vec3d middle;             // mean of the vertices, a point inside
  double ball;              // largest distance of a vertex from the center, m; infinite of a half space
};

/// The largest distance of a vertex from a point, m; infinite of a half space.
ISOPATCH_HD double radius_about(const PolytopeView& shape, Vec3d center) {
  if (shape.half_space != 0) return HUGE_VAL;
  double largest = 0;
  for (std::int32_t v = 0; v < shape.num_vertices; ++v) {
    const Vec3d arm = shape.vertices[v] - center;
    largest = max(largest, dot(arm, arm));
  }
  return sqrt(largest);
}

}  // namespace isopatch::detail
