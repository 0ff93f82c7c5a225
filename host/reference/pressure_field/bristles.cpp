// SPDX-License-Identifier: Apache-2.0
#include "host/reference/pressure_field/bristles.h"

#include <cmath>

namespace isopatch::reference {
namespace {

/// The integral of the product of three numbers that are affine over a triangle, for an area of 1: of one kind of
/// corners 1/10, of two 1/30, of three 1/60.
Real weight_of_corners(std::size_t i, std::size_t j, std::size_t k) {
  if (i == j && j == k) return Real(1) / 10;
  return i == j || j == k || i == k ? Real(1) / 30 : Real(1) / 60;
}

/// The integral of p (x - about)(x - about)^T over a triangle.
Matrix3 second_moment(const SurfaceTriangle& triangle, Real area, const Affine& pressure, const Vector3& about) {
  Matrix3 sum = Matrix3::Zero();
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) {
        sum += area * weight_of_corners(i, j, k) * pressure.at(triangle[i]) * (triangle[j] - about) *
               (triangle[k] - about).transpose();
      }
    }
  }
  return sum;
}

}  // namespace

PressureMoments pressure_moments(const std::vector<ContactPolygon>& polygons) {
  PressureMoments sum;
  Vector3 first = Vector3::Zero();
  for (const ContactPolygon& polygon : polygons) {
    const PolygonMoments m = moments(polygon.vertices, polygon.normal);
    const Real force = m.area * polygon.pressure.at(m.centroid);
    sum.force += force;
    first += force * m.centroid + m.second * polygon.pressure.gradient;
  }
  if (!(sum.force > 0)) return sum;
  sum.center = first / sum.force;
  for (const ContactPolygon& polygon : polygons) {
    const VertexList& x = polygon.vertices;
    for (std::size_t k = 1; k + 1 < x.size(); ++k) {
      const Real area = (x[k] - x[0]).cross(x[k + 1] - x[0]).dot(polygon.normal) / 2;
      sum.second += second_moment({x[0], x[k], x[k + 1]}, area, polygon.pressure, sum.center);
    }
  }
  return sum;
}

BristleForce bristle_force(const ContactForceLaw& law, const PressureMoments& pressure, const Vector3& traction,
                           const Vector3& area, const PatchMotion& motion, const Memory& before, Real time_step) {
  BristleForce out;
  const Real load = traction.norm();
  if (traction.isZero(0) && area.isZero(0)) return out;
  const Vector3 n = (load > 0 ? traction : area).normalized();
  const Matrix3 plane = Matrix3::Identity() - n * n.transpose();
  const Real radius = law.spin_radius * std::sqrt((plane * pressure.second * plane).trace() / pressure.force);
  const Vector3 turning = motion.angular_a - motion.angular_b;
  const Vector3 velocity = motion.velocity + turning.cross(pressure.center);

  const Memory begun = touched(law, before, 0, -n.dot(velocity));
  HeldFriction friction;
  friction.law = law;
  friction.time_step = time_step;
  friction.bent << carried(begun.bend, n, time_step * n.dot(motion.angular_a + motion.angular_b) / 2),
      radius * begun.twist;
  Vector4 slip;
  slip << plane * velocity, radius * n.dot(turning);
  friction.hold(slip, begun.dwell);
  const Vector4 b = friction.friction(slip), bend = friction.next_bend(slip);
  out.force = -load * b.head<3>();
  out.torque = -load * radius * b[3] * n;
  out.next = {begun.impact,   offset_after(law, begun.offset, time_step),
              bend.head<3>(), radius > 0 ? bend[3] / radius : 0,
              friction.dwell, begun.age + time_step};
  return out;
}

}  // namespace isopatch::reference
