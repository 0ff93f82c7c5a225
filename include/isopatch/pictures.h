// SPDX-License-Identifier: Apache-2.0
//
// The bodies and contact patches of an environment as polygons, for renderers, and as files for ParaView.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isopatch/arrays.h"
#include "isopatch/host_evaluator.h"

namespace isopatch {

/// Polygons in the world frame.
struct PolygonSurface {
  std::vector<Point3> points;       ///< V x 3   m
  std::vector<std::int32_t> faces;  ///< of one polygon after another: the number of its points, then their indices
  std::int64_t num_faces = 0;       ///< the number of polygons
};

/// The surface of a part of a body.
struct PartSurface {
  int body;                 ///< index into SceneDescription::bodies
  PolygonSurface surface;   ///< triangles of a mesh, with all of its points; one face of a polygon or a half space
  bool half_space = false;  ///< a square that stands for it
};

/// The surfaces of all parts as the bodies lie in one environment: meshes in the order of the bodies, then squares for
/// the half spaces, with edges three times as long as the largest coordinate of the meshes, or 3 m without meshes. A
/// body with an invalid pose lies at the origin; a part with an invalid geometry index is left out. Throws Error for an
/// environment that the states do not have, for states without poses, and for states of another number of bodies or
/// parts.
std::vector<PartSurface> scene_surfaces(const SceneDescription& scene, const StateArrays& states,
                                        std::int64_t environment);

/// All contact polygons of one environment, however many there are, and behind them an octagon for each volumetric
/// contact, with its area, its centre, the axes of its second moments and one pressure. Throws Error as
/// HostEvaluator::evaluate(), and for an environment that the states do not have.
std::vector<Polygon> contact_polygons(const HostEvaluator& evaluator, const StateArrays& states,
                                      std::int64_t environment);

/// Contact polygons as a surface, in their order; no two share a point. Throws Error for a number of vertices
/// outside [0, 8].
PolygonSurface patch_surface(const std::vector<Polygon>& polygons);

/// The contacts of rigid convex parts of one environment, however many there are, with State::time_step [s]; none in a
/// scene without such pairs. Throws Error as contact_polygons().
std::vector<PotentialContact> potential_contacts(const HostEvaluator& evaluator, const StateArrays& states,
                                                 std::int64_t environment, double time_step = 0);

/// Writes one environment as legacy VTK POLYDATA for ParaView: patches_NAME.vtk, with the pressure at the points of the
/// polygons, their area, pair and normal, and the field pair_wrench of all pairs; bodies_NAME.vtk, with the index of
/// the body of each polygon; and of a scene with rigid convex parts contacts_NAME.vtk, potential_contacts() as points
/// with their normal, gap, applicability, kind and pair. Throws Error as the functions above, and if a file cannot be
/// written; `directory` must exist.
void write_vtk(const HostEvaluator& evaluator, const StateArrays& states, std::int64_t environment,
               const std::string& name, const std::string& directory, double time_step = 0);

}  // namespace isopatch
