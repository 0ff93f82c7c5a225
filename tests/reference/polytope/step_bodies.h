// SPDX-License-Identifier: Apache-2.0
//
// Bodies of density 1 for steps of rigid polytopes.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "host/reference/polytope/convex_hull.h"
#include "host/reference/polytope/step_problem.h"

namespace isopatch::reference::polytope {

inline Vector3 direction(Real degrees) {
  return {std::cos(degrees * std::numbers::pi_v<Real> / 180), std::sin(degrees * std::numbers::pi_v<Real> / 180), 0};
}

inline Transform placed(const Vector3& axis, Real angle, const Vector3& at) {
  return {Eigen::AngleAxis<Real>(angle, axis.normalized()).toRotationMatrix(), at};
}

inline StepBody fixed(const ConvexShape& shape, const Transform& pose = {}) {
  StepBody body;
  body.body.parts = {shape};
  body.body.pose = pose;
  return body;
}

/// A polygon of density 1; its area, centroid and moment by triangles from its first corner.
inline StepBody thrown_polygon(const ConvexShape& shape, const Transform& pose, const Vector3& velocity) {
  StepBody body = fixed(shape, pose);
  Vector3 moment = Vector3::Zero();
  const auto& v = shape.vertices;
  Real polar = 0;  // about the origin
  for (std::size_t i = 0; i < v.size(); ++i) {
    const Vector3 &p = v[i], &q = v[(i + 1) % v.size()];
    const Real area = p.cross(q).z() / 2;
    body.mass += area;
    moment += area / 3 * (p + q);
    polar += area / 6 * (p.dot(p) + p.dot(q) + q.dot(q));
  }
  body.is_planar = true;
  body.body.center = moment / body.mass;
  body.inertia(2, 2) = polar - body.mass * body.body.center.squaredNorm();
  body.body.velocity = {velocity[0], velocity[1], 0};
  body.body.angular_velocity = {0, 0, velocity[2]};
  return body;
}

inline StepBody thrown_box(const Vector3& size, const Transform& pose, const Vector3& velocity) {
  StepBody body = fixed(box(size), pose);
  body.mass = size.prod();
  const Vector3 square = size.cwiseProduct(size);
  const Vector3 moments = body.mass / 12 * (Vector3::Constant(square.sum()) - square);
  body.inertia = pose.rotation * moments.asDiagonal() * pose.rotation.transpose();
  body.body.velocity = velocity;
  return body;
}

}  // namespace isopatch::reference::polytope
