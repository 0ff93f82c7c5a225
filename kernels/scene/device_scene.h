// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/scene/scene_data.h"
#include "kernels/memory/device_buffer.h"
#include "kernels/scene/polytope_shapes.h"

namespace isopatch::detail {

/// All of a scene in device memory, with a view that kernels take by value.
class DeviceScene {
 public:
  /// Copies on `stream`, and returns when all is there.
  DeviceScene(const SceneData& host, cudaStream_t stream) : view_(host.view) {
    const auto upload = [&](const auto& array) { return arrays_.upload(array, stream); };
    const auto upload_hierarchy = [&](const Hierarchy& of) -> HierarchyView {
      return {upload(of.cells),
              upload(of.coarse_cells),
              upload(of.nodes),
              nullptr,
              upload(of.smoothed_gradients),
              static_cast<std::int32_t>(of.cells.size()),
              static_cast<std::int32_t>(of.nodes.size())};
    };
    const FlatGeometries& from = host.geometries;
    std::vector<FieldGeometry> fields(from.fields.begin(), from.fields.end());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      fields[i].solid = upload_hierarchy(from.solids[i]);
      fields[i].surface = upload_hierarchy(from.surfaces[i]);
      fields[i].component_points = upload(from.component_points[i]);
      if (fields[i].fluxes != nullptr) fields[i].fluxes = upload(from.fluxes[i].fluxes);
      fields[i].sinks = upload(from.fluxes[i].sinks);
    }
    const FieldGeometry* field = upload(fields);
    const PolytopeView* polytope = upload_polytopes(from.shape_views, arrays_, stream);
    std::vector<GeometryView> geometries = from.views;
    for (GeometryView& geometry : geometries) {  // the others are in the same order
      geometry.field = field++;
      if (geometry.shape != nullptr) geometry.shape = polytope++;
    }
    view_.geometries = upload(geometries);
    view_.bodies = upload(host.bodies);
    view_.parts = upload(host.parts);
    view_.pairs = upload(host.pairs);
    view_.part_pairs = upload(host.part_pairs);
    view_.placed_geometries = upload(host.placed_geometries);
    view_.body_pairs = upload(host.body_pairs);
    view_.body_pairs_begin = upload(host.body_pairs_begin);
    view_.laws = upload(host.laws);
    view_.contact_states = upload(host.contact_states);
    view_.planar_bodies = upload(host.planar_bodies);
    view_.polytopes.centers_of_mass = upload(host.centers_of_mass);
    view_.polytopes.radii = upload(host.part_radii);
  }

  const SceneView& view() const { return view_; }

 private:
  UploadedArrays arrays_;
  SceneView view_;
};

}  // namespace isopatch::detail
