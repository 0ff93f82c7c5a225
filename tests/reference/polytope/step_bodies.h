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

/// A polyhedron of density 1, by tetrahedra from the origin to triangles of its faces.
inline StepBody thrown_polyhedron(const ConvexShape& shape, const Transform& pose, const Vector3& velocity) {
  StepBody body = fixed(shape, pose);
  Vector3 moment = Vector3::Zero();
  Matrix3 second = Matrix3::Zero();  // moments, about the origin
  for (const ConvexFace& face : shape.faces) {
    const auto corner = [&](std::size_t i) { return shape.vertices[static_cast<std::size_t>(face.loop[i])]; };
    for (std::size_t i = 2; i < face.loop.size(); ++i) {
      Matrix3 corners;
      corners << corner(0), corner(i - 1), corner(i);
      const Real volume = corners.determinant() / 6;
      const Vector3 sum = corners.rowwise().sum();
      body.mass += volume;
      moment += volume / 4 * sum;
      second += volume / 20 * (corners * corners.transpose() + sum * sum.transpose());
    }
  }
  body.body.center = moment / body.mass;
  second -= body.mass * body.body.center * body.body.center.transpose();
  body.inertia = pose.rotation * (second.trace() * Matrix3::Identity() - second) * pose.rotation.transpose();
  body.body.velocity = velocity;
  return body;
}

inline StepBody thrown_box(const Vector3& size, const Transform& pose, const Vector3& velocity) {
  return thrown_polyhedron(box(size), pose, velocity);
}

}  // namespace isopatch::reference::polytope
