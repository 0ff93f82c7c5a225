// SPDX-License-Identifier: Apache-2.0
//
// Friction by bristles on the pressure fields of a part pair: the traction has no friction, and what it adds up to, a
// force f_n n at the center of the static pressure, has that of a plate there (lumped/README.md). Its radius r, with
// r^2 the mean square distance from the center in the plane, weighed by pressure, is in closed form:
//
//   r^2 = tr(T P2 T) / P0,  P0 = integral of p,  P2 = integral of p (x - c)(x - c)^T,  T = 1 - n n^T
#pragma once

#include "isopatch/detail/contact/part_law.h"
#include "isopatch/detail/lumped/lumped_contact.h"
#include "isopatch/detail/pressure_field/outputs/found_polygon.h"
#include "isopatch/detail/pressure_field/outputs/pair_result.h"

namespace isopatch::detail {

/// Integrals of the pressure, of its first and its second moments about the point of reference, in M's axes; in fixed
/// point of double, so that lanes add them up in any order.
struct BristleMoments {
  static constexpr int kSums = 10, kWords = kSums * ReproducibleSum<double>::kLimbs;
  std::int64_t word[kWords];
};

template <class D>
ISOPATCH_HD Vec3<D> for_all(Vec3d v) {
  return {D(v.x), D(v.y), D(v.z)};
}

/// The scale of each of the sums.
ISOPATCH_HD FixedPointScale<double> bristle_scale(const PairBounds& bounds, int sum) {
  const double reach = bounds.torque / bounds.force;
  return FixedPointScale<double>::from_bound(sum == 0 ? bounds.force : sum < 4 ? bounds.torque : bounds.torque * reach);
}

/// Integrals of a polygon about a point in it: of the pressure times 1, x, y, xx, xy and yy. D is the number of the
/// polygon.
template <class D>
struct PressureMoments {
  D one = D(0), x = D(0), y = D(0), xx = D(0), xy = D(0), yy = D(0);

  /// Adds those of the triangle of the point, a and b, with the pressure p + g . x.
  ISOPATCH_HD void add(D p, D gx, D gy, D ax, D ay, D bx, D by) {
    const D twice = fma(ax, by, -(ay * bx));  // the area
    const D of_x = (ax + bx) * D(1.0 / 6), of_y = (ay + by) * D(1.0 / 6);
    // integrals of products of two and three coordinates over twice the area, by vertices
    const D cross_xy = fma(ax, by, bx * ay);
    const D xx2 = fma(ax, ax + bx, bx * bx) * D(1.0 / 12), yy2 = fma(ay, ay + by, by * by) * D(1.0 / 12);
    const D xy2 = fma(D(2), fma(ax, ay, bx * by), cross_xy) * D(1.0 / 24);
    const D xxx = fma(ax * ax, ax + bx, (bx * bx) * (ax + bx)) * D(1.0 / 20);
    const D yyy = fma(ay * ay, ay + by, (by * by) * (ay + by)) * D(1.0 / 20);
    const D xxy =
        fma(ay, fma(ax, fma(D(3), ax, bx + bx), bx * bx), by * fma(bx, fma(D(3), bx, ax + ax), ax * ax)) * D(1.0 / 60);
    const D xyy =
        fma(ax, fma(ay, fma(D(3), ay, by + by), by * by), bx * fma(by, fma(D(3), by, ay + ay), ay * ay)) * D(1.0 / 60);
    one = fma(twice, fma(p, D(0.5), fma(gx, of_x, gy * of_y)), one);
    x = fma(twice, fma(p, of_x, fma(gx, xx2, gy * xy2)), x);
    y = fma(twice, fma(p, of_y, fma(gx, xy2, gy * yy2)), y);
    xx = fma(twice, fma(p, xx2, fma(gx, xxx, gy * xxy)), xx);
    xy = fma(twice, fma(p, xy2, fma(gx, xxy, gy * xyy)), xy);
    yy = fma(twice, fma(p, yy2, fma(gx, xyy, gy * yyy)), yy);
  }
};

/// Calls visit(sum, quanta) for what a polygon adds to each of the sums. T is the number of the polygon.
template <class T, class Visit>
ISOPATCH_HD void for_each_bristle_sum(const PairContext& f, const ContactPlane<T>& plane, const Segments<T>& s,
                                      int count, const Visit& visit) {
  using D = DoubleOf<T>;
  const D radius = cast<D>(plane.radius), square = radius * radius, cube = square * radius, fourth = square * square;
  const D X = radius * cast<D>(s.middle_x), Y = radius * cast<D>(s.middle_y);
  const D middle = fma(plane.pressure_u, X, fma(plane.pressure_v, Y, plane.pressure));
  const T p = cast<T>(middle), gx = cast<T>(radius * plane.pressure_u), gy = cast<T>(radius * plane.pressure_v);
  PressureMoments<T> in_radii;
  ISOPATCH_UNROLL
  for (int i = 0; i < count; ++i) {
    const auto is_side = s.has_side(i);
    const auto at = [&](T x) { return select(is_side, x, T(0)); };
    in_radii.add(p, gx, gy, at(s.x0[i]), at(s.y0[i]), at(s.x1[i]), at(s.y1[i]));
  }
  const PressureMoments<D> m = {square * cast<D>(in_radii.one), cube * cast<D>(in_radii.x),
                                cube * cast<D>(in_radii.y),     fourth * cast<D>(in_radii.xx),
                                fourth * cast<D>(in_radii.xy),  fourth * cast<D>(in_radii.yy)};
  const Vec3<D> u = plane.axes.u, v = plane.axes.v;
  const Vec3<D> q = fma(X, u, fma(Y, v, plane.origin)) - for_all<D>(f.frame.reference_M);  // the middle
  const Vec3<D> first = fma(m.x, u, m.y * v);                                              // about it
  const auto put = [&](int sum, D value) { visit(sum, D(bristle_scale(f.bounds, sum).to_quanta) * value); };
  const auto put_second = [&](int sum, D ui, D vi, D uj, D vj, D qi, D qj, D fi, D fj) {
    const D own = fma(m.xx * ui, uj, fma(m.xy, fma(ui, vj, vi * uj), m.yy * vi * vj));
    put(sum, fma(m.one * qi, qj, fma(qi, fj, fma(fi, qj, own))));
  };
  put(0, m.one);
  put(1, fma(m.one, q.x, first.x)), put(2, fma(m.one, q.y, first.y)), put(3, fma(m.one, q.z, first.z));
  put_second(4, u.x, v.x, u.x, v.x, q.x, q.x, first.x, first.x);
  put_second(5, u.y, v.y, u.y, v.y, q.y, q.y, first.y, first.y);
  put_second(6, u.z, v.z, u.z, v.z, q.z, q.z, first.z, first.z);
  put_second(7, u.x, v.x, u.y, v.y, q.x, q.y, first.x, first.y);
  put_second(8, u.x, v.x, u.z, v.z, q.x, q.z, first.x, first.z);
  put_second(9, u.y, v.y, u.z, v.z, q.y, q.z, first.y, first.z);
}

/// Adds a polygon. Called by any lane.
template <class T, class Warp>
ISOPATCH_HD_LARGE void add_bristle_moments(Warp& warp, const FoundPolygon<T>& polygon, BristleMoments& to) {
  const auto add = [&](int sum, double quanta) {
    if (!(abs(quanta) < static_cast<double>(kMaxQuanta))) return;  // then the pair's sums overflow too
    ReproducibleSum<double> term;
    term.add(quanta);
    for (int i = 0; i < ReproducibleSum<double>::kLimbs; ++i) warp.add(to.word + 2 * sum + i, term.limb[i]);
  };
  for_each_bristle_sum(polygon.context, polygon.plane, polygon.segments, polygon.count, add);
}

/// A sink of polygons with bristles.
template <class T>
struct BristleSink {
  BristleMoments* to;  // null: the pair has none

  template <class Warp>
  ISOPATCH_HD void add(Warp& warp, const FoundPolygon<T>& polygon) const {
    if (to != nullptr) add_bristle_moments(warp, polygon, *to);
  }
};

/// What bristles add to a wrench on body a, about its origin.
struct AddedFriction {
  Vec3d force, torque;
};

ISOPATCH_HD void add_friction(const AddedFriction& friction, PairResult& to) {
  to.force = to.force + friction.force;
  to.torque = to.torque + friction.torque;
  to.friction = to.friction + friction.force;
}

/// The friction of a part pair with these sums, which it writes the next memory of and clears the moments of; `result`
/// is that of the traction. Called by one lane.
ISOPATCH_HD_LARGE AddedFriction end_bristles(const SceneView& scene, const State& state, const Results& results,
                                             std::int64_t environment, int view, std::int32_t part_pair,
                                             const SumFrame& frame, const PairBounds& bounds, const PairResult& result,
                                             BristleMoments& moments) {
  double m[BristleMoments::kSums];
  for (int k = 0; k < BristleMoments::kSums; ++k) {
    const ReproducibleSum<double> sum = {{moments.word[2 * k], moments.word[2 * k + 1]}};
    moments.word[2 * k] = moments.word[2 * k + 1] = 0;
    m[k] = sum.value(bristle_scale(bounds, k));
  }
  const PairView& pair = scene.pairs[view];
  const PartPairView& parts = scene.part_pairs[part_pair];
  const double normal_force = norm(result.force);
  const double direction = normal_force > 0 ? normal_force : norm(result.normal);
  if (result.polygons == 0 || !(m[0] > 0) || !(direction > 0)) {
    write_memory(scene, results, environment, parts.row, {});
    return {{0, 0, 0}, {0, 0, 0}};
  }
  const Vec3d n = (1 / direction) * (normal_force > 0 ? result.force : result.normal);
  const Vec3d c = (1 / m[0]) * Vec3d{m[1], m[2], m[3]}, n_M = rotate_back(frame.X_WM, n);
  const Symmetric3 about_center = {fma(-m[0] * c.x, c.x, m[4]), fma(-m[0] * c.y, c.y, m[5]),
                                   fma(-m[0] * c.z, c.z, m[6]), fma(-m[0] * c.x, c.y, m[7]),
                                   fma(-m[0] * c.x, c.z, m[8]), fma(-m[0] * c.y, c.z, m[9])};
  const double trace = about_center.xx + about_center.yy + about_center.zz;
  const double radius = sqrt(max(trace - dot(n_M, about_center * n_M), 0.0) / m[0]);
  const Vec3d point = rotate(frame.X_WM, frame.reference_M + c) + (frame.X_WM.translation - frame.p_WoA);

  Softness softness = {};
  const LumpedNumbers law = law_of(scene, state, environment, view, parts, softness);
  const Twist a = read_twist(state, environment, pair.a), b = read_twist(state, environment, pair.b);
  const Vec3d from_a_to_b = read_vec3(state.poses, environment, pair.b * kPoseSize) - frame.p_WoA;
  const RelativeMotion motion =
      relative_motion(point, {0, 0, 0}, a.linear, a.angular, from_a_to_b, b.linear, b.angular);
  const double spin_radius = law.spin_radius * radius, dt = state.time_step;
  const ContactMemory begun =
      touched(law, read_memory(scene, state, environment, parts.row), 0, dot(n, motion.velocity));
  const Slip slip = {tangential(motion.velocity, n), spin_radius * dot(n, motion.angular)};
  const FrictionStep step = begin_friction(law, n, spin_radius, slip, dot(n, motion.mean_angular), begun, dt);
  const Friction friction = friction_at(step.term, slip);
  write_memory(scene, results, environment, parts.row,
               end_friction(law, step, friction.bristles, spin_radius, begun, dt, dt));
  const Vec3d force = -normal_force * friction.total.along;
  return {force, fma(-normal_force * spin_radius * friction.total.spin, n, cross(point, force))};
}

/// Writes zeros for the memories of the part pairs of a near pair that are not. Called by one lane.
ISOPATCH_HD_LARGE void forget_far_part_pairs(const SceneView& scene, const State& state, const Results& results,
                                             std::int64_t environment, const PairView& pair) {
  if (results.contact_state.data == nullptr || num_part_pairs(pair) == 1) return;
  const Transform<double> X_AB = relative(read_pose(state, environment, pair.a), read_pose(state, environment, pair.b));
  std::int32_t last = -1;  // row that has a near part pair
  for (std::int32_t i = pair.part_pairs_begin; i < pair.part_pairs_end; ++i) {
    const PartPairView& parts = scene.part_pairs[i];
    if (parts_may_touch(scene, state, environment, parts, X_AB)) last = parts.row;
    const bool ends_row = i + 1 == pair.part_pairs_end || scene.part_pairs[i + 1].row != parts.row;
    if (ends_row && last != parts.row) write_memory(scene, results, environment, parts.row, {});
  }
}

}  // namespace isopatch::detail
