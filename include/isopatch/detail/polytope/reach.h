// SPDX-License-Identifier: Apache-2.0
//
// How near features of two bodies must be that may meet within a time step, and by how much bodies turn in it.
#pragma once

#include "isopatch/detail/polytope/relations.h"
#include "isopatch/detail/polytope/shape.h"
#include "isopatch/detail/scene/environment.h"

namespace isopatch::detail {

/// The motion of a body's centre of mass.
struct BodySpeed {
  double linear, angular;  // m/s, rad/s

  /// Of the farthest point of a part with this radius, m/s.
  ISOPATCH_HD double of(double radius) const { return linear + (angular > 0 ? angular * radius : 0); }
};

ISOPATCH_HD BodySpeed speed_of(const SceneView& scene, const State& state, std::int64_t environment, int body,
                               const Transform<double>& X_WB) {
  if (state.velocities.data == nullptr) return {0, 0};
  const Twist twist = read_twist(state, environment, body);
  const Vec3d center = twist.linear + cross(twist.angular, rotate(X_WB, scene.polytopes.centers_of_mass[body]));
  return {norm(center), norm(twist.angular)};
}

/// The same or more, however the body is turned.
ISOPATCH_HD BodySpeed largest_speed_of(const SceneView& scene, const State& state, std::int64_t environment, int body) {
  if (state.velocities.data == nullptr) return {0, 0};
  const Twist twist = read_twist(state, environment, body);
  const double angular = norm(twist.angular);
  return {fma(angular, norm(scene.polytopes.centers_of_mass[body]), norm(twist.linear)), angular};
}

/// The radius of a part about its body's centre of mass, which is the scene's also where the part has another geometry.
ISOPATCH_HD double polytope_radius(const SceneView& scene, const PolytopeView& shape, int body, int part,
                                   int geometry) {
  return geometry == scene.parts[part].geometry ? scene.polytopes.radii[part]
                                                : radius_about(shape, scene.polytopes.centers_of_mass[body]);
}

/// Where features of two parts may meet within the state's time step. A half space that turns reaches everywhere.
ISOPATCH_HD RelationOptions relation_options(const DistanceView& options, double dt, const BodySpeed& a,
                                             double radius_a, const BodySpeed& b, double radius_b) {
  constexpr double kMargin = 0.02, kTolerance = 1e-6;  // of the smaller radius
  const double radius = min(radius_a, radius_b);
  const double margin = options.margin >= 0 ? options.margin : kMargin * radius;
  const double tolerance = options.tolerance > 0 ? options.tolerance : kTolerance * radius;
  const double reach = dt > 0 ? relation_reach(margin, dt, a.of(radius_a), b.of(radius_b)) : margin;
  return {reach, relation_angle(dt, a.angular, b.angular), tolerance, static_cast<RelationMode>(options.relations)};
}

}  // namespace isopatch::detail
