// SPDX-License-Identifier: Apache-2.0
#include "isopatch/status.h"

namespace isopatch {

std::string status_text(std::uint32_t status) {
  static constexpr struct {
    std::uint32_t bit;
    const char* name;
  } kNames[] = {{kBadPose, "bad_pose"},
                {kBadVelocity, "bad_velocity"},
                {kBadMaterial, "bad_material"},
                {kBadGeometry, "bad_geometry"},
                {kSumOverflow, "sum_overflow"},
                {kPolygonCapacity, "polygon_capacity"},
                {kContactCapacity, "contact_capacity"},
                {kNoContactSurface, "no_contact_surface"},
                {kNotConverged, "not_converged"},
                {kFrictionLag, "friction_lag"},
                {kStepCapacity, "step_capacity"},
                {kDiverged, "diverged"},
                {kFrozen, "frozen"},
                {kFarSide, "far_side"},
                {kBadContactState, "bad_contact_state"},
                {kThickContact, "thick_contact"},
                {kOverlap, "overlap"},
                {kHeld, "held"},
                {kNoStep, "no_step"},
                {kRelationCapacity, "relation_capacity"},
                {kNoDerivative, "no_derivative"},
                {kFellThrough, "fell_through"},
                {kFastBody, "fast_body"}};

  std::string text;
  const auto append = [&text](const std::string& name) { text += (text.empty() ? "" : "|") + name; };
  for (const auto& [bit, name] : kNames) {
    if (status & bit) append(name);
    status &= ~bit;
  }
  if (status != 0) append("unknown(" + std::to_string(status) + ")");
  return text.empty() ? "ok" : text;
}

}  // namespace isopatch
