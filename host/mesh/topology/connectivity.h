// SPDX-License-Identifier: Apache-2.0
//
// Which elements of a mesh have vertices, edges or faces in common. Edges and faces are sorted so that the elements
// sharing one stand next to each other; so come the edges that keep a triangle surface from being closed, and the
// surface of a tet mesh: the faces that exactly one tet has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "isopatch/geometry/mesh.h"
#include "isopatch/geometry/triangle_mesh.h"

namespace isopatch::detail {

/// Face `face` of a positively oriented tet, the one opposite its vertex `face`, outward oriented.
Triangle tet_face(const Tet& tet, int face);

/// Whether three different vertices are an even permutation of their ascending order.
bool is_even(const Triangle& triangle);

/// One tet's use of a face.
struct FaceUse {
  Triangle sorted;   // the face's vertices in ascending order: its identity
  std::int32_t tet;  // the tet that has it
  std::int8_t face;  // which of the tet's faces
  bool even;         // whether the outward order is an even permutation of `sorted`
};

/// Every face of every tet (4 per tet), sorted by vertices, then by tet.
std::vector<FaceUse> sorted_faces(const std::vector<Tet>& tets);

/// boundary_triangles(mesh), for callers that have the sorted faces already.
std::vector<Triangle> boundary_triangles(const TetMesh& mesh, const std::vector<FaceUse>& faces);

/// One triangle's use of an edge.
struct EdgeUse {
  std::int32_t low, high;  // its vertices
  bool ascending;          // whether the triangle runs from low to high
  std::int32_t triangle;
};

/// Every edge of every triangle (3 per triangle), sorted by vertices, then descending uses first, then by triangle.
std::vector<EdgeUse> sorted_edges(const TriangleMesh& mesh);

/// Edges that one triangle has alone.
struct OpenEdges {
  std::int64_t edges = 0;
  std::int64_t holes = 0;  // how many connected groups they form
};

OpenEdges open_edges(const TriangleMesh& mesh);

/// Merges points with the same coordinates, and removes triangles that then have two equal corners.
void weld(TriangleMesh& mesh);

/// Disjoint sets of the indices below `count`. At first each is alone in a set.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t i, std::size_t j) { parent_[find(i)] = find(j); }

 private:
  std::vector<std::size_t> parent_;
};

/// A point inside each component: the centroid of its first tet. Tets that share a vertex belong to one component.
std::vector<Point3> component_points(const TetMesh& mesh);

}  // namespace isopatch::detail
