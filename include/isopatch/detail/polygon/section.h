// SPDX-License-Identifier: Apache-2.0
//
// Conservative tests in float of where the polygon of two tets can be: boxes, the ball about their overlap, and the
// sections of the tets with the plane that the polygon lies in.
#pragma once

#include <limits>

#include "isopatch/detail/math/vec.h"

namespace isopatch::detail {

/// A bounding box in M, in float.
template <class F>
struct Bounds {
  Vec3<F> low, high;
};

template <class F>
ISOPATCH_HD Bounds<F> bounds_of(const Vec3<F> (&vertex)[4]) {
  return {fast_min(fast_min(vertex[0], vertex[1]), fast_min(vertex[2], vertex[3])),
          fast_max(fast_max(vertex[0], vertex[1]), fast_max(vertex[2], vertex[3]))};
}

/// The polygon of two cells lies in this ball, whose centre is the origin of the arithmetic that follows. The polygon
/// on the plane d = 0 is bounded by the faces with vertices on both sides: bit i of `positive` is set where d at vertex
/// i of M is positive, bit i + 4 for S.
template <class F>
struct PolygonBounds {
  IntOf<F> positive;
  Vec3<F> center;  // in M, m
  F radius;        // m
};

/// The ball about the overlap of two boxes, of any radius where they do not overlap within the slack: then it is false.
template <class F>
ISOPATCH_HD MaskOf<F> bound_overlap(const Bounds<F>& a, const Bounds<F>& b, float slack, PolygonBounds<F>& bounds) {
  const Vec3<F> low = fast_max(a.low, b.low), high = fast_min(a.high, b.high);
  const Vec3<F> size = high - low;
  const F least = F(-slack);
  const MaskOf<F> meet = size.x >= least && size.y >= least && size.z >= least;
  const Vec3<F> inside = fast_max(size, Vec3<F>{F(0), F(0), F(0)});
  const F square = select(meet, dot(inside, inside), F(1));  // a GPU's root of 0 takes as long as 20 instructions
  bounds.center = F(0.5f) * (low + high);
  bounds.radius = fma(F(0.5f), sqrt(square), F(2 * slack));
  return meet;
}

/// Where the plane d = 0 cuts a tet: the points where edges cross it, and their bounds.
template <class F>
struct Section {
  static constexpr int kEdges = 6;
  Vec3<F> point[kEdges];  // NaN where the edge is not crossed, which fast_min() and fast_max() then leave out
  Bounds<F> box;
  F least;  // change of d along a crossed edge
};

/// d is positive at the vertices `above` and nowhere else.
template <class F>
ISOPATCH_HD void find_section(const Vec3<F> (&vertex)[4], const F (&d)[4], const MaskOf<F> (&above)[4],
                              Section<F>& out) {
  const F far = F(1e30f), no_number = F(std::numeric_limits<float>::quiet_NaN());
  const Vec3<F> none = {far, far, far};
  out.box = {none, -none};
  out.least = far;
  int edge = 0;
  ISOPATCH_UNROLL
  for (int i = 0; i < 3; ++i) {
    ISOPATCH_UNROLL
    for (int k = i + 1; k < 4; ++k) {
      const F change = select(above[i] != above[k], d[i] - d[k], no_number);
      const Vec3<F> crossing = fma(d[i] * reciprocal(change), vertex[k] - vertex[i], vertex[i]);
      out.box.low = fast_min(crossing, out.box.low);
      out.box.high = fast_max(crossing, out.box.high);
      out.least = fast_min(abs(change), out.least);
      out.point[edge++] = crossing;
    }
  }
}

template <class F>
ISOPATCH_HD Bounds<F> section_bounds(const Vec3<F> (&vertex)[4], const F (&d)[4], const MaskOf<F> (&above)[4]) {
  Section<F> section;
  find_section(vertex, d, above, section);
  return section.box;
}

/// True if all of a section lies outside one face of a tet. `margin` is a distance times the square of the tet's
/// longest edge, which is more than the length of the normals used here.
template <class F>
ISOPATCH_HD MaskOf<F> is_outside(const Vec3<F> (&vertex)[4], const Section<F>& section, F margin) {
  const Vec3<F> a = vertex[1] - vertex[0], b = vertex[2] - vertex[0], c = vertex[3] - vertex[0];
  const Vec3<F> inward[3] = {cross(b, c), cross(c, a), cross(a, b)};    // of the faces that meet in vertex 0
  F most[3] = {F(-1e30f), F(-1e30f), F(-1e30f)}, least_sum = F(1e30f);  // the fourth is the volume less the sum
  ISOPATCH_UNROLL
  for (int i = 0; i < Section<F>::kEdges; ++i) {
    const Vec3<F> arm = section.point[i] - vertex[0];
    const F height[3] = {dot(inward[0], arm), dot(inward[1], arm), dot(inward[2], arm)};
    ISOPATCH_UNROLL
    for (int k = 0; k < 3; ++k) most[k] = fast_max(height[k], most[k]);
    least_sum = fast_min(height[0] + height[1] + height[2], least_sum);
  }
  const F volume = dot(a, inward[0]);
  return most[0] < -margin || most[1] < -margin || most[2] < -margin || volume - least_sum < -margin;
}

/// True if all of a section in the plane of a triangle lies outside one of its sides. `normal` is of unit length, and
/// `margin` a distance times the triangle's longest edge.
template <class F>
ISOPATCH_HD MaskOf<F> is_outside_triangle(const Vec3<F> (&vertex)[4], const Vec3<F>& normal, const Section<F>& section,
                                          F margin) {
  MaskOf<F> outside(false);
  ISOPATCH_UNROLL
  for (int side = 0; side < 3; ++side) {
    const Vec3<F> inward = cross(normal, vertex[(side + 1) % 3] - vertex[side]);
    F most = F(-1e30f);
    ISOPATCH_UNROLL
    for (int i = 0; i < Section<F>::kEdges; ++i) {
      const F height = dot(inward, section.point[i] - vertex[side]);
      most = fast_max(height, most);
    }
    outside = outside || most < -margin;
  }
  return outside;
}

}  // namespace isopatch::detail
