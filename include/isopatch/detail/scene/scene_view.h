// SPDX-License-Identifier: Apache-2.0
//
// The flattened scene as kernels see it: plain arrays in one address space, passed by value.
#pragma once

#include <cstdint>

#include "isopatch/detail/math/transform.h"
#include "isopatch/detail/scene/cell.h"

namespace isopatch::detail {

struct Node;      // of bvh/node.h
struct WideNode;  // of bvh/node.h

/// A bounding volume hierarchy over cells; node 0 is the root. It has at most kMaxDepth levels. The wide nodes are the
/// same hierarchy without some of its levels; wide node 0 holds the root alone.
struct HierarchyView {
  const Cell* cells;
  const CoarseCell* coarse_cells;
  const Node* nodes;
  const WideNode* wide_nodes;  // null on a GPU
  std::int32_t num_cells;
  std::int32_t num_nodes;
};

inline constexpr int kMaxBodies = 64;
inline constexpr int kMaxPairs = kMaxBodies * (kMaxBodies - 1) / 2;

struct GeometryView {
  bool half_space;
  double thickness;       // half space only, m
  HierarchyView solid;    // tets
  HierarchyView surface;  // boundary triangles, for rigid bodies and for what is inside
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
  const std::int32_t* body_pairs;        // the pairs of body 0, then of body 1, ..., each in ascending order
  const std::int32_t* body_pairs_begin;  // where each body's begin in body_pairs; num_bodies + 1
  std::int32_t num_geometries;
  std::int32_t num_bodies;
  std::int32_t num_pairs;
  ContactView contact;
};

}  // namespace isopatch::detail
