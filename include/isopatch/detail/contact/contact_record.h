// SPDX-License-Identifier: Apache-2.0
//
// A contact as the solver of a time step takes it, whatever contact model it is of: three points with an elastic force,
// a stiffness, a damping and a friction each, which are frozen over the step.
#pragma once

#include <cstdint>

#include "isopatch/detail/contact/contact_key.h"
#include "isopatch/detail/math/vec.h"

namespace isopatch::detail {

/// Numbers of the evaluation's precision, in world axes. Point k is at centroid + e_k.x arm[0] + e_k.y arm[1] and has
/// the force + e_k.x change[0] + e_k.y change[1]. Where the force would go along with a point that moves with body a or
/// b, `slope` and `share_b` say by how much it changes, for Integrator::kMidpoint.
template <class T>
struct SolverContact {
  Vec3<T> centroid;   // from the pair's point, m
  Vec3<T> arm[2];     // m
  Vec3<T> normal;     // unit, from body b into body a
  T force;            // of a third of the area under the pressure at the centroid, N
  T change[2];        // of the force along each arm, N
  T stiffness;        // of a third of the area, N/m
  T dissipation;      // d, s/m
  Vec3<T> slope;      // of the force along the contact plane, N/m
  T share_b;          // of body b in the velocity with which the pressure field moves; 1 if body a is rigid
  double friction;    // coefficient
  std::uint64_t key;  // ContactKey::word(): orders the contacts of an environment

  /// Calls visit(number) for each number of the precision.
  template <class Visit>
  ISOPATCH_HD void for_each_number(const Visit& visit) {
    for (Vec3<T>* v : {&centroid, &arm[0], &arm[1], &normal, &slope}) visit(v->x), visit(v->y), visit(v->z);
    for (T* number : {&force, &change[0], &change[1], &stiffness, &dissipation, &share_b}) visit(*number);
  }
  static constexpr int kNumbers = 21;
};

/// The contact in another precision.
template <class T, class From>
ISOPATCH_HD SolverContact<T> cast_contact(const SolverContact<From>& from) {
  return {cast<T>(from.centroid),
          {cast<T>(from.arm[0]), cast<T>(from.arm[1])},
          cast<T>(from.normal),
          cast<T>(from.force),
          {cast<T>(from.change[0]), cast<T>(from.change[1])},
          cast<T>(from.stiffness),
          cast<T>(from.dissipation),
          cast<T>(from.slope),
          cast<T>(from.share_b),
          from.friction,
          from.key};
}

/// How the plate of an overlap moves, at known velocities.
struct PlateMotion {
  Vec3d velocity;    // of its centre as seen from body b, world axes, m/s
  double thickness;  // V / |a|, m; 0 of other plates
  double growth;     // of V, over |a|, m/s
};

/// The contact of two parts as a whole: a plate, whose friction remembers. In double, whatever the precision of the
/// evaluation.
struct PlateContact {
  SolverContact<double> points;  // the plate's, with its key
  double metric;                 // m^3 or m: what the law's force depends on
  bool rolls;                    // the plate does not turn with its bodies, as on an exact ball
  PlateMotion motion;
};

}  // namespace isopatch::detail
