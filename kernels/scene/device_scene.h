// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/scene/scene_data.h"
#include "kernels/memory/device_buffer.h"
#include "kernels/scene/polytope_shapes.h"

namespace isopatch::detail {

/// A hierarchy in device memory.
struct DeviceHierarchy {
  DeviceBuffer<Cell> cells;
  DeviceBuffer<CoarseCell> coarse_cells;
  DeviceBuffer<Node> nodes;
  DeviceBuffer<SmoothedGradient> smoothed_gradients;

  DeviceHierarchy(const Hierarchy& host, cudaStream_t stream)
      : cells(host.cells, stream),
        coarse_cells(host.coarse_cells, stream),
        nodes(host.nodes, stream),
        smoothed_gradients(host.smoothed_gradients, stream) {}

  HierarchyView view() const {
    return {cells.data(),
            coarse_cells.data(),
            nodes.data(),
            nullptr,
            smoothed_gradients.data(),
            static_cast<std::int32_t>(cells.size()),
            static_cast<std::int32_t>(nodes.size())};
  }
};

/// All of a scene in device memory, with a view that kernels take by value.
class DeviceScene {
 public:
  /// Copies on `stream`, and returns when all is there.
  DeviceScene(const SceneData& host, cudaStream_t stream)
      : bodies_(host.bodies, stream),
        parts_(host.parts, stream),
        pairs_(host.pairs, stream),
        part_pairs_(host.part_pairs, stream),
        placed_geometries_(host.placed_geometries, stream),
        body_pairs_(host.body_pairs, stream),
        body_pairs_begin_(host.body_pairs_begin, stream),
        laws_(host.laws, stream),
        contact_states_(host.contact_states, stream),
        planar_bodies_(host.planar_bodies, stream),
        centers_of_mass_(host.centers_of_mass, stream),
        part_radii_(host.part_radii, stream),
        polytopes_(host.geometries.shape_views, stream),
        fields_(host.geometries.views.size()),
        geometries_(host.geometries.views.size()),
        view_(host.view) {
    std::vector<GeometryView> geometries = host.geometries.views;
    const PolytopeView* shape = polytopes_.views();
    std::vector<FieldGeometry> fields(host.geometries.fields.begin(), host.geometries.fields.end());
    for (std::size_t i = 0; i < geometries.size(); ++i) {
      solids_.emplace_back(host.geometries.solids[i], stream);
      surfaces_.emplace_back(host.geometries.surfaces[i], stream);
      component_points_.emplace_back(host.geometries.component_points[i], stream);
      fields[i].solid = solids_.back().view();
      fields[i].surface = surfaces_.back().view();
      fields[i].component_points = component_points_.back().data();
      fluxes_.emplace_back(host.geometries.fluxes[i].fluxes, stream);
      sinks_.emplace_back(host.geometries.fluxes[i].sinks, stream);
      if (fields[i].fluxes != nullptr) fields[i].fluxes = fluxes_.back().data();
      fields[i].sinks = sinks_.back().data();
      geometries[i].field = fields_.data() + i;
      if (geometries[i].shape != nullptr) geometries[i].shape = shape++;  // they are in the same order
    }
    fields_.upload(fields.data(), fields.size(), stream);
    geometries_.upload(geometries.data(), geometries.size(), stream);
    view_.geometries = geometries_.data();
    view_.bodies = bodies_.data();
    view_.parts = parts_.data();
    view_.pairs = pairs_.data();
    view_.part_pairs = part_pairs_.data();
    view_.placed_geometries = placed_geometries_.data();
    view_.body_pairs = body_pairs_.data();
    view_.body_pairs_begin = body_pairs_begin_.data();
    view_.laws = laws_.data();
    view_.contact_states = contact_states_.data();
    view_.planar_bodies = planar_bodies_.data();
    view_.polytopes.centers_of_mass = centers_of_mass_.data();
    view_.polytopes.radii = part_radii_.data();
  }

  const SceneView& view() const { return view_; }

 private:
  std::vector<DeviceHierarchy> solids_, surfaces_;
  std::vector<DeviceBuffer<Vec3d>> component_points_;
  std::vector<DeviceBuffer<CellFlux>> fluxes_;
  std::vector<DeviceBuffer<FluxSink>> sinks_;
  DeviceBuffer<BodyView> bodies_;
  DeviceBuffer<PartView> parts_;
  DeviceBuffer<PairView> pairs_;
  DeviceBuffer<PartPairView> part_pairs_;
  DeviceBuffer<std::int32_t> placed_geometries_, body_pairs_, body_pairs_begin_;
  DeviceBuffer<PairForceLaw> laws_;
  DeviceBuffer<double> contact_states_;
  DeviceBuffer<std::uint8_t> planar_bodies_;
  DeviceBuffer<Vec3d> centers_of_mass_;
  DeviceBuffer<double> part_radii_;
  DevicePolytopes polytopes_;
  DeviceBuffer<FieldGeometry> fields_;
  DeviceBuffer<GeometryView> geometries_;
  SceneView view_;
};

}  // namespace isopatch::detail
