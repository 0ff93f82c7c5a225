// SPDX-License-Identifier: Apache-2.0
//
// The faces of a tet mesh, sorted so that tets sharing a face stand next to each other, and its surface: the faces that
// exactly one tet has.
#pragma once

#include <vector>

#include "isopatch/geometry/mesh.h"

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

}  // namespace isopatch::detail
