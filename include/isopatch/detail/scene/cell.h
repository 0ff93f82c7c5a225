// SPDX-License-Identifier: Apache-2.0
//
// Cells: the convex pieces that bodies are made of.
#pragma once

#include <cstdint>

#include "isopatch/detail/math/vec.h"
#include "isopatch/detail/simt/load.h"

namespace isopatch::detail {

/// One convex piece of a body in its geometry's frame: a tet with an affine extent, or a surface triangle of a rigid
/// body. Face i is opposite vertex i and contains vertex (i+1)&3. A triangle repeats its first vertex as vertex 3; its
/// faces 0..2 are the planes through its edges and normal to it, face 3 is unused, and `gradient` is its outward
/// normal.
///
/// The members for a contact plane and its lines come first: three cache lines of 64 bytes.
struct alignas(16) Cell {
  struct alignas(16) Face {
    Vec3d inward;   // unit normal, into the cell
    double height;  // of vertex 0 over the face, m; 0 if the face contains it
  };
  struct alignas(16) Corner {
    Vec3d vertex;   // m
    double extent;  // there
  };

  Face face[4];
  Vec3d gradient;    // of the extent, 1/m
  double zero_face;  // 1 where the extent is 0 on kZeroFace and positive inside, else 0
  Corner corner[4];
  float box_low[3];  // bounding box, rounded outward
  float box_high[3];
  float unused[6];  // an odd number of 16 bytes in all, as in a Node
};

/// Where a tet has a positive extent at one vertex only, that vertex is opposite this face, on which the extent is 0.
inline constexpr int kZeroFace = 3;

/// The gradient of the extent as an affine function within a tet, which does not jump from one tet to the next: at a
/// vertex, it is the mean over the tets that meet there, weighted by their volumes (PFC eq. 16).
template <class D>
struct SmoothedGradientOf {
  Vec3<D> at_vertex0;                 // 1/m
  Vec3<D> along_x, along_y, along_z;  // its derivatives, 1/m^2

  /// At `arm` from vertex 0.
  ISOPATCH_HD Vec3<D> at(Vec3<D> arm) const {
    return fma(arm.x, along_x, fma(arm.y, along_y, fma(arm.z, along_z, at_vertex0)));
  }
};
struct alignas(16) SmoothedGradient : SmoothedGradientOf<double> {};

/// Two vector fields in a tet, by their fluxes out of its faces (pressure_field/energy/flux.h): through face i, the one
/// opposite vertex i, over the sum of the extents at its three vertices; 0 where that is 0.
struct alignas(16) CellFlux {
  double outward[4];  // of a field whose divergence is the extent, m^3
  double check[4];    // of a field without divergence, m^3
};

/// A tet in which the divergences of the two fields are less by these rates times the extent.
struct FluxSink {
  std::int32_t cell, node;  // the node is the leaf
  double rate, check;
};

/// A cell for arithmetic on plain numbers. SimdVectors of cells have the same members (host/cpu/simd/simd_cells.h).
struct CellRef {
  using Double = double;

  const Cell* cell = nullptr;  // null for a half space

  ISOPATCH_HD Vec3d vertex(int i) const { return load<double>(cell->corner + i).vertex; }
  ISOPATCH_HD double extent(int i) const { return load<double>(cell->corner + i).extent; }
  ISOPATCH_HD Vec3d gradient() const { return cell->gradient; }
  ISOPATCH_HD Vec3d inward(int i) const { return load<double>(cell->face + i).inward; }
  ISOPATCH_HD Vec3d vertex0() const { return vertex(0); }
  ISOPATCH_HD double extent0() const { return extent(0); }
  ISOPATCH_HD double height0() const { return load<double>(cell->face).height; }
  ISOPATCH_HD bool has_zero_face() const { return cell->zero_face != 0; }

  /// The smoothed gradient at `arm` from vertex 0.
  template <class Hierarchy>
  ISOPATCH_HD Vec3d smoothed_gradient(const Hierarchy& hierarchy, Vec3d arm) const {
    return hierarchy.smoothed_gradients[cell - hierarchy.cells].at(arm);
  }
};

/// The members of a cell that the tests in float need.
struct alignas(16) CoarseCell {
  float vertex[4][3];
  float extent[4];
  float gradient[3];
  float longest_edge;  // m
};

/// A coarse cell for arithmetic on plain numbers, as CellRef.
struct CoarseRef {
  using Float = float;

  const CoarseCell* cell;

  ISOPATCH_HD Vec3f vertex(int i) const {
    const CoarseCell c = load<float>(cell);
    return {c.vertex[i][0], c.vertex[i][1], c.vertex[i][2]};
  }
  ISOPATCH_HD float extent(int i) const { return load<float>(cell).extent[i]; }
  ISOPATCH_HD Vec3f gradient() const {
    const CoarseCell c = load<float>(cell);
    return {c.gradient[0], c.gradient[1], c.gradient[2]};
  }
  ISOPATCH_HD float longest_edge() const { return load<float>(cell).longest_edge; }
};

}  // namespace isopatch::detail
