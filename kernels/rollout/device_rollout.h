// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/rollout/rollout_data.h"
#include "kernels/memory/device_buffer.h"

namespace isopatch::detail {

/// Masses and motions in device memory, with a view that kernels take by value.
class DeviceRollout {
 public:
  /// Copies on `stream`, and returns when all is there. `contact_states` are SceneView::contact_states of the same
  /// device.
  DeviceRollout(const RolloutData& host, const double* contact_states, cudaStream_t stream) : view_(host.view) {
    view_.contact_states = contact_states;
    std::vector<MovingBody> bodies = host.bodies;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      paths_.emplace_back(host.paths[i], stream);
      forces_.emplace_back(host.drive_forces[i], stream);
      targets_.emplace_back(host.targets[i], stream);
      bodies[i].path.rows = paths_.back().data();
      bodies[i].joint.drive.force.rows = forces_.back().data();
      bodies[i].joint.drive.target.rows = targets_.back().data();
    }
    bodies_ = DeviceBuffer<MovingBody>(bodies, stream);
    masses_ = DeviceBuffer<BodyMass>(host.masses.masses, stream);
    mass_steps_ = DeviceBuffer<std::int32_t>(host.masses.mass_steps, stream);
    view_.bodies = bodies_.data();
    view_.masses = masses_.data();
    view_.mass_steps = mass_steps_.data();
    thickness_ = DeviceBuffer<double>(host.thickness, stream);
    surface_thickness_ = DeviceBuffer<double>(host.surface_thickness, stream);
    view_.thickness = thickness_.data();
    view_.surface_thickness = surface_thickness_.data();
  }

  const RolloutView& view() const { return view_; }

 private:
  std::vector<DeviceBuffer<PathRow>> paths_;
  std::vector<DeviceBuffer<TimedValue>> forces_, targets_;
  DeviceBuffer<MovingBody> bodies_;
  DeviceBuffer<BodyMass> masses_;
  DeviceBuffer<std::int32_t> mass_steps_;
  DeviceBuffer<double> thickness_, surface_thickness_;
  RolloutView view_;
};

}  // namespace isopatch::detail
