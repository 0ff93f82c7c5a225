// SPDX-License-Identifier: Apache-2.0
//
// Extent fields of tet meshes: 0 on the surface, 1 deep inside (PFC section VI-A).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isopatch/geometry/mesh.h"

namespace isopatch {

/// Where a Laplace field is 1; nowhere on the surface.
struct FieldCore {
  /// Which vertices of the mesh the core is made of.
  enum class Kind : std::uint8_t {
    kHalfDepth,  ///< those at least half as deep as the deepest vertex of their component; in a primitive's mesh
                 ///< these are the vertices of its medial set
    kDepth,      ///< those at least `depth` deep
    kBall,       ///< those in a ball
    kVertices    ///< those listed in `vertices`
  };
  Kind kind = Kind::kHalfDepth;        ///< which of the members below count
  double depth = 0;                    ///< kDepth: m
  Point3 center{};                     ///< kBall: its centre in the frame of the mesh, m
  double radius = 0;                   ///< kBall: m
  std::vector<std::int32_t> vertices;  ///< kVertices: indices into TetMesh::points
};

/// The pressure as a function of the extent e, p = E f(e), with f(0) = 0 and f(1) = 1 (PFC section VI-A: a pressure
/// that grows faster than the depth bounds the penetration).
struct StrainMap {
  /// The forms of f.
  enum class Kind : std::uint8_t {
    kLinear,  ///< f = e
    kTrue,  ///< f = ln(1 - s e) / ln(1 - s): the true strain of a layer compressed by the fraction s where e = 1, s > 0
            ///< and at most 0.999999
    kPower,  ///< f = e^n, n in [0.01, 100]
    kTable,  ///< linear between the rows (e, f): both ascending, from (0, 0) to (1, 1)
  };
  Kind kind = Kind::kLinear;                 ///< the form of f
  double parameter = 0;                      ///< s of kTrue or n of kPower
  std::vector<std::array<double, 2>> table;  ///< rows (e, f) of kTable, at least two

  /// What strain_table() may differ from f, relative to f: in [1e-4, 0.1]. Its rows, and with them the tets that they
  /// cut, grow as 1/sqrt(tolerance), those of a power a little faster.
  double tolerance = 0.005;
};

/// How the extent of a tet mesh is found.
struct FieldOptions {
  /// Where the extent comes from.
  enum class Kind : std::uint8_t {
    kDistance,   ///< distance to the surface over the largest distance of a vertex
    kPointData,  ///< values from the file
    kLaplace     ///< solution of Laplace's equation, 0 on the surface and 1 on `core`
  };
  Kind kind = Kind::kDistance;        ///< where the extent comes from
  std::string point_data = "extent";  ///< kPointData: the name of the field in the file, taken exactly as it is
  AllBoundaryTets all_boundary_tets = AllBoundaryTets::kSplit;  ///< not for kPointData
  FieldCore core;                                               ///< kLaplace only
  StrainMap strain;                                             ///< applied by with_strain()
};

/// Distance [m] from every point of `mesh` to its surface (exact point-triangle distance; 0 on the surface). Throws
/// Error for an index out of range.
std::vector<double> distance_to_surface(const TetMesh& mesh, const std::vector<Triangle>& surface);

/// The solution of Laplace's equation by linear finite elements, 0 on the surface and 1 on the core, at every point of
/// a checked mesh (PFC section VI-A2). All values lie in [0, 1], those of inner points above 0. If the problem had to
/// be changed for that, `warnings` says how. Throws Error, naming `source`, where the core is empty, touches the
/// surface or leaves out a component of the mesh, and for a mesh without tets or an index out of range.
std::vector<double> laplace_extent(const TetMesh& mesh, const std::vector<Triangle>& surface, const FieldCore& core,
                                   const std::string& source, std::vector<std::string>& warnings);

/// Throws Error unless the map is as StrainMap says.
void check_strain_map(const StrainMap& map);

/// f(extent), 0 below 0 and 1 above 1. Throws Error for NaN, and for a map that gives no result.
double mapped_extent(const StrainMap& map, double extent);

/// The piecewise linear function that stands for f: rows (e, f) from (0, 0) to (1, 1), those of kTable itself. Of the
/// other maps it is within the tolerance of f, but for powers at small extents, where it is one line from 0: below
/// 2^-13, and for n > 1 also below 0.2 of the tolerance, or where f is below 1e-7. Throws Error as check_strain_map().
std::vector<std::array<double, 2>> strain_table(const StrainMap& map);

/// The value at `extent` of a function that is linear between rows, and beyond the last two as between them.
double interpolated(const std::vector<std::array<double, 2>>& rows, double extent);

/// How good a field is as a pressure.
struct FieldQuality {
  /// Fraction of the surface triangles at whose corners the mean gradient of the tets around points inward, within 30
  /// degrees of the triangle's normal. (The gradient in the tet behind the triangle is normal to it wherever the extent
  /// is 0 on the surface.)
  double aligned_faces = 0;
  std::int64_t all_boundary_tets = 0;      ///< tets with all four vertices on the surface
  std::int64_t tets_without_gradient = 0;  ///< the extent is the same at all four vertices
  std::int64_t inner_faces = 0;            ///< triangles between two tets
  std::int64_t kinks = 0;  ///< inner faces across which the gradient turns by more than 60 degrees, or begins or ends
  std::int64_t free_points = 0;  ///< inner points with an extent between 0 and 1
};

/// Measures the field `extent`, which has a value for every point of the checked mesh. Throws Error for another count
/// of values, and an index out of range.
FieldQuality measure_field(const TetMesh& mesh, const std::vector<Triangle>& surface,
                           const std::vector<double>& extent);

}  // namespace isopatch
