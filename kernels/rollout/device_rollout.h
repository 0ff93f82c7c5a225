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
    const auto upload = [&](const auto& array) { return arrays_.upload(array, stream); };
    std::vector<MovingBody> bodies = host.bodies;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      bodies[i].path.rows = upload(host.paths[i]);
      bodies[i].joint.drive.force.rows = upload(host.drive_forces[i]);
      bodies[i].joint.drive.target.rows = upload(host.targets[i]);
    }
    view_.contact_states = contact_states;
    view_.bodies = upload(bodies);
    view_.trees = upload(host.trees.trees);
    view_.tree_bodies = upload(host.trees.tree_bodies);
    view_.tree_levels = upload(host.trees.tree_levels);
    view_.masses = upload(host.masses.masses);
    view_.mass_steps = upload(host.masses.mass_steps);
    view_.thickness = upload(host.thickness);
    view_.surface_thickness = upload(host.surface_thickness);
  }

  const RolloutView& view() const { return view_; }

 private:
  UploadedArrays arrays_;
  RolloutView view_;
};

}  // namespace isopatch::detail
