// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isopatch/detail/scene/scene_view.h"

namespace isopatch::detail {

/// What the pressure field has of a geometry: its extent, and the hierarchies over its cells.
struct FieldGeometry {
  // of a half space; as a whole, one with layers has the steepest slope of them
  double thickness;                 // m
  double smoothed, smoothed_slope;  // smoothed slope of the extent along the outward normal at the surface, 1/m; the
                                    // derivative of this with respect to the height, 1/m^2

  HierarchyView solid;    // tets
  HierarchyView surface;  // boundary triangles, for rigid bodies and for what is inside
  double max_extent;      // at any vertex
  double max_gradient;    // of the extent in any tet, 1/m

  // of the tets, for the energy; null where the extent is not 0 on all of the surface
  const CellFlux* fluxes;
  const FluxSink* sinks;
  std::int32_t num_sinks;

  // a point inside each connected component of the tets, m
  const Vec3d* component_points;
  std::int32_t num_components;
};

}  // namespace isopatch::detail
