// SPDX-License-Identifier: Apache-2.0
//
// The options of time stepping in a scene file.
#include "host/scene/motion_rules.h"
#include "host/scene_file/scene_motion.h"
#include "host/scene_file/scene_values.h"

namespace isopatch::detail {
namespace {

Integrator parse_integrator(const JsonValue& value) {
  const std::string name = value.one_of({"euler", "sdirk2", "cvode"});
  return name == "euler" ? Integrator::kEuler : name == "sdirk2" ? Integrator::kSdirk2 : Integrator::kCvode;
}

ContactPoints parse_points(const JsonValue& value) {
  const std::string name = value.one_of({"matched", "centroid", "fan6"});
  return name == "matched"    ? ContactPoints::kMatched
         : name == "centroid" ? ContactPoints::kCentroid
                              : ContactPoints::kFan6;
}

Variation parse_variation(const JsonValue& value) {
  value.allow({"position", "angle", "speed"});
  Variation variation;
  if (const auto field = value.optional("position")) variation.position = in_range(*field, kVariationOfPositionRange);
  if (const auto field = value.optional("angle")) variation.angle = in_range(*field, kVariationOfAngleRange);
  if (const auto field = value.optional("speed")) variation.speed = in_range(*field, kVariationOfSpeedRange);
  return variation;
}

}  // namespace

RolloutOptions parse_rollout(const JsonValue& value, RolloutOptions options) {
  value.allow({"time_step", "duration", "integrator", "points", "gravity", "tolerance", "max_iterations",
               "friction_passes", "polygon_capacity", "speed_limit", "variation"});
  if (const auto field = value.optional("time_step")) options.time_step = in_range(*field, kTimeStepRange);
  if (const auto field = value.optional("duration")) options.duration = in_range(*field, kTimeStepRange);
  if (const auto field = value.optional("integrator")) options.integrator = parse_integrator(*field);
  if (const auto field = value.optional("points")) options.points = parse_points(*field);
  if (const auto field = value.optional("gravity")) read_vector(*field, kGravityRange, options.gravity.data());
  if (const auto field = value.optional("tolerance")) options.tolerance = in_range(*field, kToleranceRange);
  if (const auto field = value.optional("max_iterations")) {
    options.max_iterations = field->integer(1, limits::kMaxIterations);
  }
  if (const auto field = value.optional("friction_passes")) {
    options.friction_passes = field->integer(1, limits::kMaxFrictionPasses);
  }
  if (const auto field = value.optional("polygon_capacity")) {
    options.polygon_capacity = field->integer(0, limits::kMaxPolygonCapacity);
  }
  if (const auto field = value.optional("speed_limit")) options.speed_limit = in_range(*field, kSpeedLimitRange);
  if (const auto field = value.optional("variation")) options.variation = parse_variation(*field);
  return options;
}

}  // namespace isopatch::detail
