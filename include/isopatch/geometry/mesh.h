// SPDX-License-Identifier: Apache-2.0
//
// Tetrahedral meshes: the data, the checks a mesh must pass before it can carry a pressure field, and
// meshes for primitive shapes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace isopatch {

using Point3 = std::array<double, 3>;          ///< x y z, m; also a direction or three sizes
using Triangle = std::array<std::int32_t, 3>;  ///< indices of points, outward oriented by the right-hand rule
using Tet = std::array<std::int32_t, 4>;       ///< indices of points; TetMesh says in which order

/// A tetrahedral mesh in its own frame, in metres. Tet (a,b,c,d) is positively oriented when
/// (b-a)x(c-a).(d-a) > 0.
struct TetMesh {
  std::vector<Point3> points;                             ///< vertices, and perhaps others that no tet uses
  std::vector<Tet> tets;                                  ///< indices into `points`
  std::map<std::string, std::vector<double>> point_data;  ///< scalar fields by name, one value per point
  std::vector<std::string> notes = {};                    ///< what a reader left out
};

/// What the load-time checks found and repaired.
struct MeshReport {
  std::int64_t points = 0;              ///< all of the mesh, after repair
  std::int64_t tets = 0;                ///< after repair; 0 for a surface
  std::int64_t boundary_triangles = 0;  ///< of the surface, after repair
  std::int64_t inverted_tets = 0;       ///< repaired by swapping two vertices
  std::int64_t all_boundary_tets = 0;   ///< tets whose four vertices lie on the surface, as found
  std::int64_t crossing_edges = 0;      ///< edges through the inside from surface to surface, as found
  std::int64_t split_tets = 0;          ///< tets that the layer split cut
  std::int64_t interior_points = 0;     ///< vertices not on the surface, after repair
  std::int64_t unused_points = 0;       ///< points no tet refers to (kept, harmless)
  double volume = 0;                    ///< m^3
  double min_quality = 0;               ///< smallest 3 x inradius / circumradius over the tets (1 = regular)
  double mean_quality = 0;              ///< mean of 3 x inradius / circumradius over the tets
  std::int64_t flat_tets = 0;           ///< of a height below limits::kFlatTet of their longest edge
  std::int64_t first_flat_tet = -1;     ///< index of the first one in the repaired mesh

  // of a surface without tets only
  std::int64_t flipped_triangles = 0;                ///< all of them where they pointed inward, else 0
  std::int64_t flat_triangles = 0;                   ///< without area; removed
  std::int64_t duplicate_triangles = 0;              ///< in pairs that lie back to back; removed
  std::int64_t nonmanifold_edges = 0;                ///< edges of four, six or more triangles
  std::int64_t cut_triangles = 0;                    ///< triangles that another one of the surface cuts through
  std::array<std::int64_t, 2> first_cut = {-1, -1};  ///< two that cut each other; indices in the repaired mesh
};

/// What to do with tets whose four vertices lie on the surface, and with crossing edges, those through the inside from
/// surface to surface: a computed field would be zero throughout them, so contact there would vanish silently.
enum class AllBoundaryTets : std::uint8_t {
  kSplit,   ///< the layer split, after which there are none
  kRefuse,  ///< throw Error for such a tet; only count crossing edges
  kKeep     ///< only count both
};

/// Checks `mesh` and repairs what can be repaired: inverted tets are swapped, and under `kSplit` there follows the
/// layer split. In this order, it gives a vertex in the middle to
///   - every crossing edge, the longest first, and cuts all tets around it in two,
///   - every face between two tets whose corners lie on the surface, and cuts both in three,
///   - every tet that still has all vertices on the surface, all faces too, and cuts it in four.
/// Point data is interpolated. The surface stays as it is. The result does not depend on the order of the tets; a mesh
/// in which nothing is to be split stays as it is.
/// Throws Error, naming `source`, the element and the value, for: no tets, an index out of range, a coordinate, an edge
/// or a size beyond limits.h, a repeated vertex in a tet, zero volume, a duplicated tet, a face shared by more than two
/// tets, two tets on the same side of a shared face, under `kRefuse` a tet with all vertices on the surface, and under
/// `kSplit` one to be split that is too flat for it. (A mesh without interior vertex has such tets only: it is split,
/// refused or kept.)
MeshReport check_and_repair(TetMesh& mesh, const std::string& source, AllBoundaryTets policy);

/// Multiplies all coordinates by `factors`, one along each axis. Where their product is negative, the mesh is mirrored
/// and every tet is turned, so that positively oriented ones stay so. Point data keep their values. Throws Error for a
/// factor that is 0 or not finite.
void scale(TetMesh& mesh, const Point3& factors);

/// The boundary triangles of a mesh of positively oriented tets, outward oriented (right-hand rule), in order of tet
/// and face. Throws Error for an index out of range.
std::vector<Triangle> boundary_triangles(const TetMesh& mesh);

/// True for each point that lies on a boundary triangle. Throws Error for an index out of range.
std::vector<std::uint8_t> boundary_points(const TetMesh& mesh, const std::vector<Triangle>& boundary);

/// Where the flat faces of a round shape's mesh lie.
enum class Facets : std::uint8_t {
  kInscribed,   ///< their corners lie on the shape, so that it is touched too late, and pressed too little
  kEqualVolume  ///< further out, so that the mesh has the shape's volume: with a few facets in a patch, errors of
                ///< forces are a tenth
};

/// Sphere of `radius` about the origin: an icosahedron, every triangle split in four `subdivisions` times
/// and projected; one tet per triangle with the centre as last point, so 20*4^n tets.
TetMesh make_sphere_mesh(double radius, int subdivisions, Facets facets = Facets::kInscribed);

/// Box with edge lengths `size` about the origin. A cube has 12 tets about the centre (PFC section VI-A1).
/// Other boxes get a medial mesh: its inner vertices lie on the medial surface, so that the distance to the surface is
/// linear in every tet.
TetMesh make_box_mesh(const Point3& size);

/// Ellipsoid with semi-axes along x, y and z: the sphere's mesh, stretched.
TetMesh make_ellipsoid_mesh(const Point3& semi_axes, int subdivisions, Facets facets = Facets::kInscribed);

/// Cylinder about the z axis with the origin in its middle, as a prism over a regular polygon.
/// Its inner vertices lie on the medial set: a piece of the axis if the cylinder is taller than wide, else a disk.
/// `segments` is a multiple of 4 in [4, 1024].
TetMesh make_cylinder_mesh(double radius, double height, int segments, Facets facets = Facets::kInscribed);

/// Capsule about the z axis with the origin in its middle; `length` is that of its cylindrical part. The inner vertices
/// lie on the axis between the half balls' centres. `segments` as for the cylinder.
TetMesh make_capsule_mesh(double radius, double length, int segments, Facets facets = Facets::kInscribed);

/// The convex hull of points. Its inner vertices are those of its medial surface, so that the distance to the surface
/// is linear in every tet. Where rounding of the points leaves no such mesh, points and faces within 1e-6 of the size
/// (1e-5 where that is not enough) are merged, and the distance is linear to a thousandth of the largest. A hull of
/// more than 4096 faces is simplified, with a note that says its Hausdorff distance. Throws Error for fewer than four
/// points, points in a plane and coordinates that are not finite.
TetMesh make_convex_hull_mesh(const std::vector<Point3>& points);

/// The fewest segments of a circle for which no surface edge is longer than `edge_length` [m]. Throws Error where that
/// is more than limits.h allows, and for a length that is not finite and positive.
int circle_segments(double radius, double edge_length);

/// The same for the subdivisions of a sphere.
int sphere_subdivisions(double radius, double edge_length);

/// Reads a legacy VTK file (version 2.0 to 5.1, ASCII or BINARY, UNSTRUCTURED_GRID) with its scalar point data.
/// Vertices, lines and surface cells are left out, and tets of higher order read by their corners, with a note. Throws
/// Error naming the file, and the line for ASCII, of the first thing wrong, as volumes that are not tets.
TetMesh read_vtk(const std::string& path);

/// The same from memory; `source` names the text in errors.
TetMesh parse_vtk(const std::string& bytes, const std::string& source);

/// A Gmsh MSH file of version 2.2 or 4.1, ASCII or binary, with its scalar $NodeData. A tet that is listed in several
/// physical groups counts once. Cells other than tets, and errors, as of parse_vtk().
TetMesh parse_msh(const std::string& bytes, const std::string& source);

/// VTK's XML file of one unstructured grid (.vtu) with its scalar point data: ascii, or binary or appended data, base64
/// or raw, with compression by zlib, LZ4, LZMA or none. Points of several pieces at the same place become one. Cells
/// other than tets, and errors, as of parse_vtk().
TetMesh parse_vtu(const std::string& bytes, const std::string& source);

/// Reads a .vtk, .vtu or .msh file, by its extension.
TetMesh read_tet_mesh(const std::string& path);

/// Writes a legacy VTK file, ASCII with 17 significant digits, with all point data. Throws Error if it cannot, for an
/// index out of range and for point data of another length than the points.
void write_vtk(const TetMesh& mesh, const std::string& path);

}  // namespace isopatch
