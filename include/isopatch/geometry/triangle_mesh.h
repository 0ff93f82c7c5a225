// SPDX-License-Identifier: Apache-2.0
//
// Closed triangle surfaces, for rigid bodies: the data, the checks, and the files they are read from.
#pragma once

#include <string>
#include <vector>

#include "isopatch/geometry/mesh.h"

namespace isopatch {

/// A closed surface in its own frame, in metres. Triangles are outward oriented by the right-hand rule.
struct TriangleMesh {
  std::vector<Point3> points;           ///< corners, and perhaps others that no triangle uses
  std::vector<Triangle> triangles;      ///< indices into `points`
  std::vector<std::string> notes = {};  ///< what a reader left out or repaired
};

/// Checks that `mesh` encloses a volume, and repairs what has one clear remedy, with a note or a count in the report:
/// where edges are open, points in the same place, or at most 1e-7 of the size apart, are merged if that closes the
/// surface and no triangle with an area vanishes by it. Triangles without area, with three corners on a line or two at
/// one point, and pairs of triangles that lie back to back are removed. Edges of four, six or more triangles are
/// counted, and accepted where as many triangles run along them one way as the other. Triangles that cut through each
/// other are counted and kept: the inside is what the surface winds around, so a mesh that was assembled from
/// overlapping parts still has one. Parts of the surface without a common point are turned outward, but for cavities,
/// which point inward inside another part; a part inside the matter of another is removed, so that its matter counts
/// once. Throws Error, naming `source`, the element and the value, for: no triangles, an index out of range, a
/// coordinate, edge or size beyond limits.h, a duplicated triangle, an open edge, an edge of three triangles,
/// neighbours of opposite orientation, and a volume of zero.
MeshReport check_and_repair(TriangleMesh& mesh, const std::string& source);

/// Multiplies all coordinates by `factors`, one along each axis. Where their product is negative, the mesh is mirrored
/// and every triangle is turned, so that those that pointed outward still do. Throws Error as for a TetMesh.
void scale(TriangleMesh& mesh, const Point3& factors);

/// Reads a Wavefront OBJ file (.obj), an STL file, ASCII or binary (.stl), a PLY file, ASCII or binary (.ply), an OFF
/// file in ASCII (.off) or glTF 2.0 (.glb, .gltf), by its extension in any case. Polygons become triangles by a fan
/// about one corner, quads along their shorter diagonal. Points of an STL file with the same coordinates become one,
/// those of glTF where that closes edges. Throws Error naming the file, and the line or byte, of the first thing wrong.
TriangleMesh read_triangle_mesh(const std::string& path);

/// An OBJ file from memory, as read_triangle_mesh(); `source` names it in errors.
TriangleMesh parse_obj(const std::string& bytes, const std::string& source);

/// The same for an STL file.
TriangleMesh parse_stl(const std::string& bytes, const std::string& source);

/// The same for a PLY file.
TriangleMesh parse_ply(const std::string& bytes, const std::string& source);

/// The same for an OFF file.
TriangleMesh parse_off(const std::string& bytes, const std::string& source);

/// The same for glTF, in JSON or binary. Buffers in other files are read from the folder of `source`.
TriangleMesh parse_gltf(const std::string& bytes, const std::string& source);

}  // namespace isopatch
