// SPDX-License-Identifier: Apache-2.0
//
// Geometries as kernels read them: a scene's own, and those that parts have at a pose in their body, placed there.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "host/hierarchy/hierarchy.h"
#include "host/polytope/convex_shape.h"
#include "isopatch/detail/cells/field_geometry.h"
#include "isopatch/scene/scene.h"

namespace isopatch::detail {

/// Hierarchies and other arrays of geometries, owned; index i is the same in all of them.
struct FlatGeometries {
  std::vector<Hierarchy> solids;    // over the tets, or the cones of a surface mesh
  std::vector<Hierarchy> surfaces;  // over the boundary
  std::vector<CellFluxes> fluxes;   // of the tets
  std::vector<std::vector<Vec3d>> component_points;
  std::deque<FieldGeometry> fields;  // the views point at them
  std::vector<GeometryView> views;
  bool smooth = false;     // whether solids have smoothed gradients
  bool has_faces = false;  // whether convex geometries have their shapes too

  std::deque<ConvexShape> shapes;  // of convex geometries and half spaces
  std::deque<PolytopeView> shape_views;
  std::map<std::int32_t, std::string> refused;  // why a convex geometry has none

  void add(const Geometry& geometry);

  /// Adds the layers of the half spaces among the first geometries, which are these.
  void add_layers(const std::vector<Geometry>& geometries);

 private:
  void add_view(const GeometryView& view, const FieldGeometry& field);
  void add_shape(const Geometry& geometry);  // of the last view
};

/// A unit quaternion and a position as a transform.
Transform<double> transform_of(const std::array<double, 7>& pose);

bool is_identity(const std::array<double, 7>& pose);

/// Adds placed geometries to a scene's own. The same geometry at the same pose is placed once.
class GeometryPlacer {
 public:
  GeometryPlacer(const SceneDescription& scene, FlatGeometries& to) : scene_(scene), to_(to) {}

  /// The index of a geometry as it is at a pose in a body. A half space is not moved: its pose is the part's. Throws
  /// Error if the moved mesh goes beyond limits.h.
  std::int32_t index_of(int geometry, const std::array<double, 7>& pose, const std::string& location);

 private:
  const SceneDescription& scene_;
  FlatGeometries& to_;
  std::map<std::pair<int, std::array<double, 7>>, std::int32_t> placed_;
  std::int64_t elements_ = 0;  // of all that are placed
};

}  // namespace isopatch::detail
