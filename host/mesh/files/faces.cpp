// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/files/faces.h"

#include "host/mesh/primitives/polygon_fan.h"

namespace isopatch::detail {

void append_face(TriangleMesh& mesh, std::vector<std::int32_t>& corners, std::int64_t face, const FileCursor& in,
                 std::size_t position) {
  if (corners.size() < 3) {
    in.fail_at(position, "face {} has {} corners; at least 3 are needed", face, corners.size());
  }
  drop_repeated_corners(corners);
  if (append_fan(mesh.points, corners, mesh.triangles)) return;
  in.fail_at(position, "face {} of {} corners cannot be cut into triangles about one of them; cut it in the file", face,
             corners.size());
}

}  // namespace isopatch::detail
