// SPDX-License-Identifier: Apache-2.0
//
// The surface of a tet mesh: the faces that exactly one tet has.
#include <algorithm>
#include <tuple>

#include "isopatch/mesh.h"
#include "mesh/face_table.h"

namespace isopatch {

std::vector<Triangle> boundary_triangles(const TetMesh& mesh) {
  const std::vector<FaceUse> faces = sorted_faces(mesh.tets);
  std::vector<FaceUse> single;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const bool as_before = i > 0 && faces[i - 1].sorted == faces[i].sorted;
    const bool as_after = i + 1 < faces.size() && faces[i + 1].sorted == faces[i].sorted;
    if (!as_before && !as_after) single.push_back(faces[i]);
  }
  std::sort(single.begin(), single.end(),
            [](const FaceUse& a, const FaceUse& b) { return std::tie(a.tet, a.face) < std::tie(b.tet, b.face); });

  std::vector<Triangle> boundary;
  boundary.reserve(single.size());
  for (const FaceUse& use : single)
    boundary.push_back(tet_face(mesh.tets[static_cast<std::size_t>(use.tet)], use.face));
  return boundary;
}

std::vector<std::uint8_t> boundary_points(const TetMesh& mesh, const std::vector<Triangle>& boundary) {
  std::vector<std::uint8_t> on_surface(mesh.points.size(), 0);
  for (const Triangle& triangle : boundary) {
    for (const std::int32_t v : triangle) on_surface[static_cast<std::size_t>(v)] = 1;
  }
  return on_surface;
}

}  // namespace isopatch
