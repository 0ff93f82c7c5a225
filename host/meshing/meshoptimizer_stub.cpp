// SPDX-License-Identifier: Apache-2.0
//
// Without meshoptimizer.
#include "host/meshing/coarsening.h"
#include "host/text/throw_error.h"

namespace isopatch::detail {

const bool kCanCoarsen = false;

double coarsen(TriangleMesh&, std::size_t triangles, const std::string& source) {
  throw_error(
      "{}: this build has no meshoptimizer (Debian: libmeshoptimizer-dev), which makes surfaces coarser; in Python, "
      "trimesh.load('in.obj').simplify_quadric_decimation(face_count={}).export('out.obj') does",
      source, triangles);
}

}  // namespace isopatch::detail
