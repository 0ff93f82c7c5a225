// SPDX-License-Identifier: Apache-2.0
//
// Matrices between twists and wrenches: rows of force and torque, columns of translation and rotation.
#pragma once

#include "isopatch/detail/math/vec.h"

namespace isopatch::detail {

struct Matrix3 {
  Vec3d row[3];
};

ISOPATCH_HD Matrix3 operator+(const Matrix3& a, const Matrix3& b) {
  return {{a.row[0] + b.row[0], a.row[1] + b.row[1], a.row[2] + b.row[2]}};
}
ISOPATCH_HD Matrix3 operator*(double s, const Matrix3& a) { return {{s * a.row[0], s * a.row[1], s * a.row[2]}}; }

ISOPATCH_HD Matrix3 transposed(const Matrix3& a) {
  const auto [x, y, z] = a.row;
  return {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

/// a b^T
ISOPATCH_HD Matrix3 outer(Vec3d a, Vec3d b) { return {{a.x * b, a.y * b, a.z * b}}; }

/// [a]x, the matrix of the cross product with a from the left.
ISOPATCH_HD Matrix3 cross_matrix(Vec3d a) { return {{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}}; }

/// m [a]x
ISOPATCH_HD Matrix3 times_cross(const Matrix3& m, Vec3d a) {
  return {{cross(m.row[0], a), cross(m.row[1], a), cross(m.row[2], a)}};
}

/// [a]x m
ISOPATCH_HD Matrix3 cross_times(Vec3d a, const Matrix3& m) {
  return {
      {fma(a.y, m.row[2], -a.z * m.row[1]), fma(a.z, m.row[0], -a.x * m.row[2]), fma(a.x, m.row[1], -a.y * m.row[0])}};
}

/// R m R^T, with the columns of R.
ISOPATCH_HD Matrix3 rotated(const Vec3d (&columns)[3], const Matrix3& m) {
  const Matrix3 R = transposed({{columns[0], columns[1], columns[2]}});
  const auto times = [](const Matrix3& a, const Matrix3& b) {  // a b^T
    Matrix3 out;
    for (int i = 0; i < 3; ++i)
      out.row[i] = {dot(a.row[i], b.row[0]), dot(a.row[i], b.row[1]), dot(a.row[i], b.row[2])};
    return out;
  };
  return times(R, times(R, m));
}

/// The wrench, about a point, that a twist of a body at a point brings: the force by translation and by rotation, and
/// the torque.
struct Matrix6 {
  Matrix3 force[2], torque[2];

  /// Calls visit(number) for all of them, row by row.
  template <class Visit>
  ISOPATCH_HD void for_each(const Visit& visit) const {
    const auto rows = [&](const Matrix3& left, const Matrix3& right) {
      for (int i = 0; i < 3; ++i) {
        visit(left.row[i].x), visit(left.row[i].y), visit(left.row[i].z);
        visit(right.row[i].x), visit(right.row[i].y), visit(right.row[i].z);
      }
    };
    rows(force[0], force[1]);
    rows(torque[0], torque[1]);
  }
};

/// The torque about another point, from which the old one is `arm` away.
ISOPATCH_HD Matrix6 with_torque_about(Vec3d arm, const Matrix6& m) {
  return {{m.force[0], m.force[1]},
          {m.torque[0] + cross_times(arm, m.force[0]), m.torque[1] + cross_times(arm, m.force[1])}};
}

/// The twist of another point of the body, from which the old one is `arm` away.
ISOPATCH_HD Matrix6 with_twist_at(Vec3d arm, const Matrix6& m) {
  return {{m.force[0], m.force[1] + -1.0 * times_cross(m.force[0], arm)},
          {m.torque[0], m.torque[1] + -1.0 * times_cross(m.torque[0], arm)}};
}

}  // namespace isopatch::detail
