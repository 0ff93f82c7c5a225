// SPDX-License-Identifier: Apache-2.0
//
// Edges of a shape side by side, so that the loops over them become vectors of a CPU. A warp has a lane for each
// instead.
#pragma once

#include "isopatch/detail/polytope/feature_memory.h"

namespace isopatch::detail {

/// The box about an edge.
struct EdgeBox {
  Vec3d low, high;
};

ISOPATCH_HD EdgeBox edge_box(const Vec3d* vertices, const ShapeEdge& edge) {
  const Vec3d p = vertices[edge.i], q = vertices[edge.j];
  return {min(p, q), max(p, q)};
}

/// The largest gap along an axis: positive just where two boxes are apart.
ISOPATCH_HD double box_gap(const EdgeBox& a, const EdgeBox& b) {
  const Vec3d gap = max(b.low - a.high, a.low - b.high);
  return max(max(gap.x, gap.y), gap.z);
}

/// Both faces of one of two edges are on the same side of the other edge's direction, in front or behind, by at least
/// this sine. So much the edges miss each other's arcs, times the sine of the angle between them (PEG eq. 31).
ISOPATCH_HD double miss_of(const EdgeInSpace& a, const EdgeInSpace& b) {
  const double a_f = dot(b.segment.direction, a.normal_f), a_g = dot(b.segment.direction, a.normal_g);
  const double b_f = dot(a.segment.direction, b.normal_f), b_g = dot(a.segment.direction, b.normal_g);
  return max(max(min(a_f, a_g), -max(a_f, a_g)), max(min(b_f, b_g), -max(b_f, b_g)));
}

/// The vectors of a CPU have two, four or eight; of boxes, few edges are near, so four are the fastest.
inline constexpr int kColumns = 4;

/// Vectors side by side.
struct VectorColumns {
  double x[kColumns], y[kColumns], z[kColumns];

  ISOPATCH_HD void set(int k, Vec3d v) { x[k] = v.x, y[k] = v.y, z[k] = v.z; }
  ISOPATCH_HD Vec3d at(int k) const { return {x[k], y[k], z[k]}; }
};

struct BoxColumns {
  VectorColumns low, high;

  ISOPATCH_HD void set(int k, const EdgeBox& box) {
    low.set(k, box.low);
    high.set(k, box.high);
  }
};

/// Edges without their lengths and second ends, which their gaps do not need.
struct EdgeColumns {
  VectorColumns p, direction, normal_f, normal_g;

  ISOPATCH_HD void set(int k, const EdgeInSpace& edge) {
    p.set(k, edge.segment.p);
    direction.set(k, edge.segment.direction);
    normal_f.set(k, edge.normal_f);
    normal_g.set(k, edge.normal_g);
  }
  ISOPATCH_HD EdgeInSpace at(int k) const {
    return {{p.at(k), p.at(k), direction.at(k), 0}, normal_f.at(k), normal_g.at(k)};
  }
};

/// Room for all edges of a shape in columns.
template <class Columns>
struct ColumnTable {
  Columns columns[(kMaxEdges + kColumns - 1) / kColumns];

  /// Edge k is what make(k) returns; the last one is there again until its columns are full.
  template <class Make>
  ISOPATCH_HD ColumnTable(int count, const Make& make) {
    for (int k = 0; k < count || k % kColumns != 0; ++k)
      columns[k / kColumns].set(k % kColumns, make(min(k, count - 1)));
  }
};

// Copies of arguments and results tell the compiler that nothing else changes them; else it makes no vectors.

ISOPATCH_HD_LARGE bool any_box_meets(const EdgeBox& box, const BoxColumns& columns) {
  const EdgeBox a = box;
  std::int64_t any = 0;
  for (int k = 0; k < kColumns; ++k) any |= box_gap(a, {columns.low.at(k), columns.high.at(k)}) > 0 ? 0 : 1;
  return any != 0;
}

/// Whether any edge misses another by no more than `least`.
ISOPATCH_HD_LARGE bool any_edge_meets(const EdgeInSpace& edge, const EdgeColumns& columns, double least) {
  const EdgeInSpace a = edge;
  std::int64_t any = 0;
  for (int k = 0; k < kColumns; ++k) any |= miss_of(a, columns.at(k)) > least ? 0 : 1;
  return any != 0;
}

/// The gaps of edges with at least this applicability to another; of others -HUGE_VAL.
ISOPATCH_HD_LARGE void edge_gaps(const EdgeInSpace& edge, const EdgeColumns& columns, double least_applicability,
                                 double* __restrict gaps) {
  const EdgeInSpace a = edge;
  double applicability[kColumns], squared_sine[kColumns];
  for (int k = 0; k < kColumns; ++k) {
    const EdgeInSpace b = columns.at(k);
    const EdgePair edges = edge_pair(a, b);
    gaps[k] = edge_gap(a.segment, b.segment, edges.normal());
    applicability[k] = edges.applicability;
    squared_sine[k] = edges.squared_sine;
  }
  for (int k = 0; k < kColumns; ++k) {
    const bool separates = squared_sine[k] >= kMinSine * kMinSine && applicability[k] >= least_applicability;
    gaps[k] = separates ? gaps[k] : -HUGE_VAL;
  }
}

}  // namespace isopatch::detail
