// SPDX-License-Identifier: Apache-2.0
//
// The flattened scene as kernels see it: plain arrays in one address space, passed by value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "isopatch/detail/math/transform.h"

namespace isopatch::detail {

/// A copy of what a kernel reads of the scene; on a GPU by loads of 16 bytes, and not of a member each. Scalar is what
/// it is made of.
template <class Scalar, class T>
ISOPATCH_HD T load(const T* from) {
#if defined(__CUDA_ARCH__)
  using Quad = std::conditional_t<sizeof(Scalar) == 8, double2, float4>;
  static_assert(alignof(T) % sizeof(Quad) == 0 && sizeof(T) % sizeof(Quad) == 0);
  T to;
#pragma unroll
  for (std::size_t i = 0; i < sizeof(T) / sizeof(Quad); ++i) {
    reinterpret_cast<Quad*>(&to)[i] = reinterpret_cast<const Quad*>(from)[i];
  }
  return to;
#else
  return *from;
#endif
}

/// One convex piece of a body in its geometry's frame: a tet with an affine extent, or a surface triangle of a rigid
/// body. Face i is opposite vertex i and contains vertex (i+1)&3. A triangle repeats its first vertex as vertex 3, its
/// faces 0..2 are the planes through its edges normal to it, face 3 is unused, and `gradient` is its outward normal.
///
/// What a contact plane and its lines are made from comes first: three cache lines of 64 bytes.
struct alignas(64) Cell {
  struct alignas(16) Face {
    Vec3d inward;   // unit normal, into the cell
    double height;  // of vertex 0 over the face, m: 0 for those that contain it
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
};

/// Where a tet has an extent at one vertex only, that is the vertex opposite this face: on the face the extent is 0,
/// and inside it is positive.
inline constexpr int kZeroFace = 3;

/// A cell for arithmetic on plain numbers. Packs of cells have the same members (host/cpu/pressure_field/pack_cells.h).
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
};

/// What the tests in float know of a cell.
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

/// A node of a binary hierarchy. The children of an inner node are `child` and `child + 1`; a leaf has `child = ~cell`.
///
/// Its box moves with the extent: where the cells below have the extent e, in [low, high], their points lie within
/// half + e expansion of center + e velocity. Of a long tet from the surface to the centre that is a thin slice.
struct alignas(16) Node {
  float center[3], half[3];         // m
  float velocity[3], expansion[3];  // m per unit of extent
  float low, high;
  float size;  // sum of the half edges at the middle extent, m
  std::int32_t child;

  ISOPATCH_HD bool is_leaf() const { return child < 0; }
  ISOPATCH_HD std::int32_t cell() const { return ~child; }
};

/// Up to kWide nodes side by side, the descendants of one node, for a CPU's vectors; what Node says of each. `child` is
/// the number of the wide node that holds its own children, or ~cell; 0 marks an unused entry, which nothing touches.
inline constexpr int kWide = 8;
struct alignas(64) WideNode {
  float center[3][kWide], half[3][kWide];
  float velocity[3][kWide], expansion[3][kWide];
  float low[kWide], high[kWide];
  float size[kWide];
  std::int32_t child[kWide];
};

/// A bounding volume hierarchy over cells; node 0 is the root. Built to at most kMaxDepth levels. The wide nodes are
/// the same hierarchy with levels left out; their node 0 holds the root alone.
struct HierarchyView {
  const Cell* cells;
  const CoarseCell* coarse_cells;
  const Node* nodes;
  const WideNode* wide_nodes;  // null on a GPU
  std::int32_t num_cells;
  std::int32_t num_nodes;
};

inline constexpr int kMaxDepth = 32;

inline constexpr int kMaxBodies = 64;
inline constexpr int kMaxPairs = kMaxBodies * (kMaxBodies - 1) / 2;

struct GeometryView {
  bool half_space;
  double thickness;       // half space only, m
  HierarchyView solid;    // tets
  HierarchyView surface;  // boundary triangles, for rigid bodies and to tell inside from outside
  Vec3d center;           // of the bounding box, m
  double radius;          // of the vertices about `center`, m
  double max_extent;      // at any vertex
  double max_gradient;    // of the extent in any tet, 1/m
  Vec3d half;             // half edges of the bounding box, m

  // a point inside each connected component of the tets, m
  const Vec3d* component_points;
  std::int32_t num_components;
};

struct BodyView {
  std::int32_t geometry;
  bool rigid;
  double modulus;      // Pa
  double dissipation;  // s/m or s
  double friction;
};

struct PairView {
  std::int32_t a, b;
  double dissipation;  // negative: combine the bodies' values
  double friction;     // negative: combine the bodies' values
};

struct ContactView {
  bool pfc_dissipation;
  bool gradient_filter;
  std::int32_t quadrature;  // points per fan triangle: 0 for the centroid rule, 3, 6
  double slip_tolerance;    // m/s
};

struct SceneView {
  const GeometryView* geometries;
  const BodyView* bodies;
  const PairView* pairs;
  const std::int32_t* body_pairs;        // the pairs of body 0, of body 1 and so on, each in ascending order
  const std::int32_t* body_pairs_begin;  // where each body's begin in body_pairs; num_bodies + 1
  std::int32_t num_geometries;
  std::int32_t num_bodies;
  std::int32_t num_pairs;
  ContactView contact;
};

}  // namespace isopatch::detail
