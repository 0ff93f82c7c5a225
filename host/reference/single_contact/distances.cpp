// SPDX-License-Identifier: Apache-2.0
#include "host/reference/single_contact/distances.h"

#include <cmath>
#include <vector>

namespace isopatch::reference {
namespace {

/// A point of the surface, and the outward normal there.
struct Foot {
  Vector3 point, normal;
};

/// From the nearest of some feet; the first among equals.
Distance nearest(const Vector3& x, const std::vector<Foot>& feet, bool is_inside) {
  const Foot* best = &feet.front();
  for (const Foot& foot : feet) {
    if ((x - foot.point).norm() < (x - best->point).norm()) best = &foot;
  }
  const Vector3 way = x - best->point;
  if (is_inside || way.isZero(0)) return {is_inside ? -way.norm() : Real(0), best->normal};
  return {way.norm(), way.normalized()};
}

/// The direction of a vector that may be zero.
Vector3 outward(const Vector3& x) { return x.isZero(0) ? Vector3(Vector3::UnitX()) : Vector3(x.normalized()); }

}  // namespace

Distance half_space_distance(const Vector3& x) { return {x.z(), Vector3::UnitZ()}; }

Distance sphere_distance(const Vector3& x, Real radius) {
  const Vector3 normal = outward(x);
  return nearest(x, {{radius * normal, normal}}, x.norm() < radius);
}

Distance box_distance(const Vector3& x, const Vector3& half) {
  std::vector<Foot> feet;  // on each of six rectangles
  for (Eigen::Index axis = 0; axis < 3; ++axis) {
    for (const Real side : {Real(1), Real(-1)}) {
      Foot foot = {x.cwiseMax(-half).cwiseMin(half), side * Vector3::Unit(axis)};
      foot.point[axis] = side * half[axis];
      feet.push_back(foot);
    }
  }
  return nearest(x, feet, (x.array().abs() < half.array()).all());
}

Distance cylinder_distance(const Vector3& x, Real radius, Real half_height) {
  const Vector3 flat(x.x(), x.y(), 0), normal = outward(flat);
  const Real height = std::fmin(std::fmax(x.z(), -half_height), half_height);
  std::vector<Foot> feet = {{radius * normal + height * Vector3::UnitZ(), normal}};
  for (const Real side : {Real(1), Real(-1)}) {  // on the two disks
    const Vector3 on_disk = std::fmin(flat.norm(), radius) * normal;
    feet.push_back({on_disk + side * half_height * Vector3::UnitZ(), side * Vector3::UnitZ()});
  }
  return nearest(x, feet, flat.norm() < radius && std::fabs(x.z()) < half_height);
}

Distance capsule_distance(const Vector3& x, Real radius, Real half_length) {
  const Vector3 on_axis(0, 0, std::fmin(std::fmax(x.z(), -half_length), half_length));
  const Vector3 normal = outward(x - on_axis);
  return nearest(x, {{on_axis + radius * normal, normal}}, (x - on_axis).norm() < radius);
}

}  // namespace isopatch::reference
