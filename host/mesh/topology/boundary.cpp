// SPDX-License-Identifier: Apache-2.0
//
// The surface of a tet mesh: the faces that exactly one tet has.
#include "host/mesh/topology/element_check.h"
#include "host/mesh/topology/face_table.h"
#include "isopatch/geometry/mesh.h"

namespace isopatch {

using namespace detail;

std::vector<Triangle> boundary_triangles(const TetMesh& mesh) {
  check_indices(mesh.tets, mesh.points.size(), "boundary_triangles");
  return boundary_triangles(mesh, sorted_faces(mesh.tets));
}

std::vector<Triangle> detail::boundary_triangles(const TetMesh& mesh, const std::vector<FaceUse>& faces) {
  std::vector<std::array<bool, 4>> inner(mesh.tets.size(), {false, false, false, false});
  const auto mark = [&](const FaceUse& use) {
    inner[static_cast<std::size_t>(use.tet)][static_cast<std::size_t>(use.face)] = true;
  };
  for (std::size_t i = 1; i < faces.size(); ++i) {
    if (faces[i - 1].sorted == faces[i].sorted) mark(faces[i - 1]), mark(faces[i]);
  }

  std::vector<Triangle> boundary;
  for (std::size_t t = 0; t < inner.size(); ++t) {
    for (int f = 0; f < 4; ++f) {
      if (!inner[t][static_cast<std::size_t>(f)]) boundary.push_back(tet_face(mesh.tets[t], f));
    }
  }
  return boundary;
}

std::vector<std::uint8_t> boundary_points(const TetMesh& mesh, const std::vector<Triangle>& boundary) {
  check_indices(boundary, mesh.points.size(), "boundary_points");
  std::vector<std::uint8_t> on_surface(mesh.points.size(), 0);
  for (const Triangle& triangle : boundary) {
    for (const std::int32_t v : triangle) on_surface[static_cast<std::size_t>(v)] = 1;
  }
  return on_surface;
}

}  // namespace isopatch
