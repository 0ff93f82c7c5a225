// SPDX-License-Identifier: Apache-2.0
//
// A convex polytope as plain arrays, in the frame of its body: a polyhedron, a polygon in the plane z = 0, or a half
// space. The faces of a polygon are its edges, and what bounds a face is a corner instead of an edge, so that the same
// code serves both. host/polytope/convex_shape.h makes them.
#pragma once

#include <cstdint>

#include "isopatch/detail/math/vec.h"
#include "isopatch/detail/polytope/bits.h"

namespace isopatch::detail {

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

}  // namespace isopatch::detail
