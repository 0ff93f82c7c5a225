// SPDX-License-Identifier: Apache-2.0
//
// The volume that two polyhedra have in common, or the area of two polygons: one is clipped by the faces of the other,
// one after another.
#pragma once

#include "isopatch/detail/polytope/contacts.h"

namespace isopatch::detail {

// What is left is bounded by faces of both, at most 128: by Euler's formula it has at most 2 * 128 - 4 vertices and 3 *
// 128 - 6 edges, each of them in two faces. Rounding may leave a face or two of no area more; a clip for which there is
// no room is left out.
inline constexpr int kMaxClippedFaces = 2 * kMaxFaces + 2;
inline constexpr int kMaxClippedVertices = 2 * kMaxClippedFaces - 4;
inline constexpr int kMaxClippedSides = 2 * (3 * kMaxClippedFaces - 6);

/// A closed surface of polygons; or, without faces, the corners of one polygon in their order. In shared memory, nvcc
/// 13 takes both pieces for aligned as the first one is, to 16 bytes.
struct alignas(16) ClippedPolytope {
  Vec3d points[kMaxClippedVertices];
  std::int32_t corners[kMaxClippedSides];  // vertices of all faces, counter-clockwise seen from outside
  std::int32_t begin[kMaxClippedFaces + 1];
  int num_points, num_faces;
};

struct OverlapMemory {
  ClippedPolytope pieces[2];
  double heights[kMaxClippedVertices];
  std::int32_t kept[kMaxClippedVertices];        // the new index of each vertex
  std::int32_t crossed[kMaxClippedVertices][2];  // of each new vertex: the edge on which it lies, lower end first
  std::int32_t next[kMaxClippedVertices];        // of each new vertex: the one after it around the new face
};

/// normal . x <= offset
struct ClipPlane {
  Vec3d normal;
  double offset;
};

namespace overlap {

ISOPATCH_HD Vec3d crossing(Vec3d p, Vec3d q, double height_p, double height_q) {
  return fma(height_p / (height_p - height_q), q - p, p);
}

/// Clips the corners of a polygon. False if there is no room.
ISOPATCH_HD bool clip_polygon(const ClippedPolytope& from, ClippedPolytope& to, const double* heights) {
  to.num_points = 0;
  for (int i = 0; i < from.num_points; ++i) {
    const int j = i + 1 < from.num_points ? i + 1 : 0;
    if (to.num_points + 2 > kMaxClippedVertices) return false;
    if (heights[i] <= 0) to.points[to.num_points++] = from.points[i];
    if ((heights[i] <= 0) != (heights[j] <= 0)) {
      to.points[to.num_points++] = crossing(from.points[i], from.points[j], heights[i], heights[j]);
    }
  }
  return true;
}

/// The index of the new vertex on an edge, which both faces of the edge ask for; -1 if there is no room.
ISOPATCH_HD int vertex_on(const ClippedPolytope& from, ClippedPolytope& to, OverlapMemory& memory, int first_new, int i,
                          int j) {
  const int p = min(i, j), q = max(i, j);
  for (int v = first_new; v < to.num_points; ++v) {
    if (memory.crossed[v][0] == p && memory.crossed[v][1] == q) return v;
  }
  if (to.num_points == kMaxClippedVertices) return -1;
  const int v = to.num_points++;
  memory.crossed[v][0] = p;
  memory.crossed[v][1] = q;
  memory.next[v] = -1;
  to.points[v] = crossing(from.points[p], from.points[q], memory.heights[p], memory.heights[q]);
  return v;
}

/// Appends faces to a surface as long as there is room.
struct FaceWriter {
  ClippedPolytope& to;
  int at = 0;
  bool fits = true;

  ISOPATCH_HD void add(int corner) {
    fits = fits && corner >= 0 && at < kMaxClippedSides;
    if (fits) to.corners[at++] = corner;
  }
  ISOPATCH_HD void end_face() {
    if (at - to.begin[to.num_faces] < 3) {  // rounding left a line
      at = to.begin[to.num_faces];
      return;
    }
    fits = fits && to.num_faces < kMaxClippedFaces;
    if (fits) to.begin[++to.num_faces] = at;
  }
};

/// Clips a closed surface and closes it again: what is cut off of each face leaves a line from one new vertex to
/// another, and the lines are those of the new face, seen from its other side. False if there is no room.
ISOPATCH_HD bool clip_surface(const ClippedPolytope& from, ClippedPolytope& to, OverlapMemory& memory) {
  const double* const heights = memory.heights;
  to.num_points = to.num_faces = 0;
  to.begin[0] = 0;
  for (int v = 0; v < from.num_points; ++v) {
    memory.kept[v] = to.num_points;
    if (heights[v] <= 0) to.points[to.num_points++] = from.points[v];
  }
  const int first_new = to.num_points;
  FaceWriter writer{to};
  for (int f = 0; f < from.num_faces; ++f) {
    const int begin = from.begin[f], count = from.begin[f + 1] - begin;
    int inside = -1;
    for (int k = 0; k < count && inside < 0; ++k) {
      if (heights[from.corners[begin + k]] <= 0) inside = k;
    }
    if (inside < 0) continue;
    int left_at = -1;
    for (int k = 0; k < count; ++k) {
      const int i = from.corners[begin + (inside + k) % count], j = from.corners[begin + (inside + k + 1) % count];
      if (heights[i] <= 0) writer.add(memory.kept[i]);
      if ((heights[i] <= 0) == (heights[j] <= 0)) continue;
      const int v = vertex_on(from, to, memory, first_new, i, j);
      if (v < 0) return false;
      writer.add(v);
      if (heights[i] <= 0) {
        left_at = v;
      } else {
        memory.next[v] = left_at;
      }
    }
    writer.end_face();
  }
  for (int v = first_new; v < to.num_points; ++v) {
    for (int at = v; memory.next[at] >= 0;) {
      writer.add(at);
      const int next = memory.next[at];
      memory.next[at] = -1;
      at = next;
    }
    writer.end_face();
  }
  return writer.fits;
}

/// Area or volume.
ISOPATCH_HD double size_of(const ClippedPolytope& piece, bool planar) {
  if (piece.num_points == 0) return 0;
  const Vec3d origin = piece.points[0];
  double sum = 0;
  if (planar) {
    for (int i = 2; i < piece.num_points; ++i) {
      sum += cross(piece.points[i - 1] - origin, piece.points[i] - origin).z;
    }
    return max(0.5 * sum, 0.0);
  }
  for (int f = 0; f < piece.num_faces; ++f) {
    const int begin = piece.begin[f], end = piece.begin[f + 1];
    const Vec3d a = piece.points[piece.corners[begin]] - origin;
    for (int k = begin + 2; k < end; ++k) {
      const Vec3d b = piece.points[piece.corners[k - 1]] - origin, c = piece.points[piece.corners[k]] - origin;
      sum += dot(a, cross(b, c));
    }
  }
  return max(sum / 6, 0.0);
}

/// The faces and vertices of a shape about `origin`, in a frame that X leads to.
ISOPATCH_HD void copy(const PolytopeView& shape, const Transform<double>& X, Vec3d origin, ClippedPolytope& to) {
  to.num_points = shape.num_vertices;
  for (int v = 0; v < shape.num_vertices; ++v) to.points[v] = apply(X, shape.vertices[v]) - origin;
  to.num_faces = 0;
  to.begin[0] = 0;
  if (shape.planar != 0) return;
  int at = 0;
  for (int f = 0; f < shape.num_faces; ++f) {
    for (std::int32_t s = shape.faces[f].begin; s < shape.faces[f].end; ++s) {
      const FaceSide& side = shape.sides[s];
      to.corners[at++] = static_cast<std::int32_t>(shape.edges[side.edge].f == f ? side.p : side.q);
    }
    to.begin[++to.num_faces] = at;
  }
}

}  // namespace overlap

/// The volume [m^3] of what two polytopes have in common, or the area [m^2] of polygons. Called by one lane.
ISOPATCH_HD_LARGE double overlap_size(const PolytopePair& pair, OverlapMemory& memory) {
  // all in the frame of A, about the middle of the shape that is clipped
  const bool clips_b = pair.a.half_space != 0, planar = pair.a.planar != 0;
  const PolytopeView clipped = view_of(pair, !clips_b), by = view_of(pair, clips_b);
  Transform<double> X{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
  if (clips_b) X = pair.X_AB;
  const Vec3d origin = clips_b ? apply(pair.X_AB, clipped.center) : clipped.center;
  const Vec3d to_b = clips_b ? origin : apply(pair.X_BA, origin);
  ClippedPolytope* piece = &memory.pieces[0];
  ClippedPolytope* other = &memory.pieces[1];
  overlap::copy(clipped, X, origin, *piece);
  for (int f = 0; f < by.num_faces; ++f) {
    const ShapeFace& face = by.faces[f];
    const ClipPlane plane{clips_b ? face.normal : rotate(pair.X_AB, face.normal), -face_gap(face, to_b)};
    bool cuts = false;
    for (int v = 0; v < piece->num_points; ++v) {
      memory.heights[v] = dot(plane.normal, piece->points[v]) - plane.offset;
      cuts = cuts || memory.heights[v] > 0;
    }
    if (!cuts) continue;
    const bool fits =
        planar ? overlap::clip_polygon(*piece, *other, memory.heights) : overlap::clip_surface(*piece, *other, memory);
    if (!fits) continue;
    ClippedPolytope* const before = piece;
    piece = other;
    other = before;
  }
  return overlap::size_of(*piece, planar);
}

}  // namespace isopatch::detail
