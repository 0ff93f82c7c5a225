// SPDX-License-Identifier: Apache-2.0
//
// Friction that remembers, on the pressure fields of a part pair: the traction has none, and what it adds up to, a
// force f_n n at the center of the static pressure, has the friction of a plate there, by bristles
// (force_law/README.md). The plate's radius r, with r^2 the mean square distance from the center in the plane, weighed
// by pressure, is in closed form:
//
//   r^2 = tr(T P2 T) / P0,  P0 = integral of p,  P2 = integral of p (x - c)(x - c)^T,  T = 1 - n n^T
#pragma once

#include "isopatch/detail/contact/part_law.h"
#include "isopatch/detail/force_law/evaluate_law.h"
#include "isopatch/detail/pair/pair_call.h"
#include "isopatch/detail/pressure_field/outputs/found_polygon.h"
#include "isopatch/detail/pressure_field/outputs/pair_result.h"

namespace isopatch::detail {

/// Integrals of the pressure, of its first and its second moments about the point of reference, in M's axes; in fixed
/// point of double, so that lanes add them up in any order.
struct PlateMoments {
  static constexpr int kSums = 10, kWords = kSums * ReproducibleSum<double>::kLimbs;
  std::int64_t word[kWords];
};

/// The scale of each of the sums.
ISOPATCH_HD FixedPointScale<double> plate_scale(const PairBounds& bounds, int sum) {
  const double reach = bounds.torque / bounds.force;
  return FixedPointScale<double>::from_bound(sum == 0 ? bounds.force : sum < 4 ? bounds.torque : bounds.torque * reach);
}

/// Integrals of a polygon about its middle: of the pressure times 1, x, y, xx, xy and yy, lengths in units of the
/// plane's radius.
template <class T>
struct PressureMoments {
  T one, x, y, xx, xy, yy;
};

template <class T>
ISOPATCH_HD PressureMoments<T> pressure_moments(const ContactPlane<T>& plane, const Segments<T>& s, int count) {
  const AreaMoments<T> m = area_moments(s, count);
  ThirdMoments<T> third;
  ISOPATCH_UNROLL
  for (int i = 0; i < count; ++i) {
    const BoundarySide<T> side = {s.x0[i], s.y0[i], s.x1[i], s.y1[i]};
    third.add(side, fma(side.x0, side.y1, -(side.x1 * side.y0)));
  }
  PlaneFields<T> f;
  const T one = integrate_pressure(plane, s, m, f);
  const auto times = [&](T by_one, T by_x, T by_y) {
    return fma(f.pressure, by_one, fma(f.pressure_x, by_x, f.pressure_y * by_y));
  };
  return {one,
          times(m.x, m.xx, m.xy),
          times(m.y, m.xy, m.yy),
          times(m.xx, third.xxx, third.xxy),
          times(m.xy, third.xxy, third.xyy),
          times(m.yy, third.xyy, third.yyy)};
}

/// Calls visit(sum, quanta) for what a polygon adds to each of the sums. T is the number of the polygon.
template <class T, class Visit>
ISOPATCH_HD void for_each_plate_sum(const PairContext& f, const ContactPlane<T>& plane, const Segments<T>& s, int count,
                                    const Visit& visit) {
  using D = DoubleOf<T>;
  const PressureMoments<T> in_radii = pressure_moments(plane, s, count);
  const D radius = cast<D>(plane.radius), square = radius * radius;
  const D one = square * cast<D>(in_radii.one);
  const Vec3<D> u = radius * plane.axes.u, v = radius * plane.axes.v;
  const Vec3<D> q =
      fma(cast<D>(s.middle_x), u, fma(cast<D>(s.middle_y), v, plane.origin - cast<D>(f.frame.reference_M)));
  // about the middle q: the first moment, and the second as a u^T + b v^T
  const Vec3<D> first = square * fma(cast<D>(in_radii.x), u, cast<D>(in_radii.y) * v);
  const D xy = square * cast<D>(in_radii.xy);
  const Vec3<D> a = fma(square * cast<D>(in_radii.xx), u, xy * v), b = fma(xy, u, square * cast<D>(in_radii.yy) * v);
  const Vec3<D> moment = fma(one, q, first);
  const auto second = [&](D a_i, D b_i, D q_i, D first_i, D u_j, D v_j, D q_j, D moment_j) {
    return fma(q_i, moment_j, fma(first_i, q_j, fma(a_i, u_j, b_i * v_j)));
  };
  const D to_force = D(plate_scale(f.bounds, 0).to_quanta), to_torque = D(plate_scale(f.bounds, 1).to_quanta),
          to_second = D(plate_scale(f.bounds, 4).to_quanta);
  visit(0, to_force * one);
  visit(1, to_torque * moment.x), visit(2, to_torque * moment.y), visit(3, to_torque * moment.z);
  visit(4, to_second * second(a.x, b.x, q.x, first.x, u.x, v.x, q.x, moment.x));
  visit(5, to_second * second(a.y, b.y, q.y, first.y, u.y, v.y, q.y, moment.y));
  visit(6, to_second * second(a.z, b.z, q.z, first.z, u.z, v.z, q.z, moment.z));
  visit(7, to_second * second(a.x, b.x, q.x, first.x, u.y, v.y, q.y, moment.y));
  visit(8, to_second * second(a.x, b.x, q.x, first.x, u.z, v.z, q.z, moment.z));
  visit(9, to_second * second(a.y, b.y, q.y, first.y, u.z, v.z, q.z, moment.z));
}

/// Adds a polygon. Called by any lane.
template <class T, class Warp>
ISOPATCH_HD_LARGE void add_plate_moments(Warp& warp, const FoundPolygon<T>& polygon, PlateMoments& to) {
  const auto add = [&](int sum, double quanta) {
    if (!(abs(quanta) < static_cast<double>(kMaxQuanta))) return;  // then the pair's sums overflow too
    ReproducibleSum<double> term;
    term.add(quanta);
    for (int i = 0; i < ReproducibleSum<double>::kLimbs; ++i) warp.add(to.word + 2 * sum + i, term.limb[i]);
  };
  for_each_plate_sum(polygon.context, polygon.plane, polygon.sides.segments, polygon.sides.num_lines, add);
}

/// A sink of polygons that make a plate.
template <class T>
struct PlateSink {
  PlateMoments* to;  // null: the pair has no plates

  template <class Warp>
  ISOPATCH_HD void add(Warp& warp, const FoundPolygon<T>& polygon) const {
    if (to != nullptr) add_plate_moments(warp, polygon, *to);
  }
};

/// What plates add to a wrench on body a, about its origin.
struct AddedFriction {
  Vec3d force, torque;
};

ISOPATCH_HD void add_friction(const AddedFriction& friction, PairResult& to) {
  to.force = to.force + friction.force;
  to.torque = to.torque + friction.torque;
  to.friction = to.friction + friction.force;
}

/// The friction of a part pair with these sums, which it writes the next memory of and clears the moments of; `result`
/// is what the traction adds up to. Called by one lane.
ISOPATCH_HD_LARGE AddedFriction end_plate(const PairCall& call, std::int32_t part_pair, const SumFrame& frame,
                                          const PairBounds& bounds, const PairResult& result, PlateMoments& moments) {
  const SceneView& scene = call.scene;
  const State& state = call.state;
  const std::int64_t environment = call.environment;
  double m[PlateMoments::kSums];
  for (int k = 0; k < PlateMoments::kSums; ++k) {
    const ReproducibleSum<double> sum = {{moments.word[2 * k], moments.word[2 * k + 1]}};
    moments.word[2 * k] = moments.word[2 * k + 1] = 0;
    m[k] = sum.value(plate_scale(bounds, k));
  }
  const PairView& pair = call.view();
  const PartPairView& parts = scene.part_pairs[part_pair];
  const double normal_force = norm(result.force);
  const double direction = normal_force > 0 ? normal_force : norm(result.normal);
  if (result.polygons == 0 || !(m[0] > 0) || !(direction > 0)) {
    write_contact_state(scene, call.results, environment, parts.row, {});
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
  const LawNumbers law = law_of(scene, state, environment, call.pair, parts, softness);
  const Twist a = read_twist(state, environment, pair.a), b = read_twist(state, environment, pair.b);
  const Vec3d from_a_to_b = read_vec3(state.poses, environment, pair.b * kPoseSize) - frame.p_WoA;
  const RelativeMotion motion =
      relative_motion(point, {0, 0, 0}, a.linear, a.angular, from_a_to_b, b.linear, b.angular);
  const double spin_radius = law.spin_radius * radius, dt = state.time_step;
  const ContactState begun =
      touched(law, read_contact_state(scene, state, environment, parts.row), 0, dot(n, motion.velocity));
  const Slip slip = {tangential(motion.velocity, n), spin_radius * dot(n, motion.angular)};
  const FrictionStep step = begin_friction(law, n, spin_radius, slip, dot(n, motion.mean_angular), begun, dt);
  const Friction friction = friction_at(step.term, slip);
  write_contact_state(scene, call.results, environment, parts.row,
                      end_friction(law, step, friction.bristles, spin_radius, begun, dt, dt));
  const Vec3d force = -normal_force * friction.total.along;
  return {force, fma(-normal_force * spin_radius * friction.total.spin, n, cross(point, force))};
}

/// Ends a pair whose sums overflow, without a result. Called by one lane.
template <class Warp>
ISOPATCH_HD Remaining end_without_wider_pass(Warp& warp, const PairCall& call) {
  const PairView& pair = call.view();
  for (std::int32_t row = pair.rows_begin; row < pair.rows_end; ++row) {
    write_contact_state(call.scene, call.results, call.environment, row, {});
  }
  set_status(warp, call.results, call.environment, kSumOverflow);
  return Remaining::nothing();
}

/// Writes zeros for the memories of the part pairs of a near pair that are not. Called by one lane.
ISOPATCH_HD_LARGE void forget_far_part_pairs(const PairCall& call) {
  const auto& [scene, state, results, environment, index] = call;
  const PairView& pair = call.view();
  if (results.contact_state.data == nullptr || num_part_pairs(pair) == 1) return;
  const Transform<double> X_AB = relative(read_pose(state, environment, pair.a), read_pose(state, environment, pair.b));
  std::int32_t last = -1;  // row that has a near part pair
  for (std::int32_t i = pair.part_pairs_begin; i < pair.part_pairs_end; ++i) {
    const PartPairView& parts = scene.part_pairs[i];
    if (parts_may_touch(scene, state, environment, parts, X_AB)) last = parts.row;
    const bool ends_row = i + 1 == pair.part_pairs_end || scene.part_pairs[i + 1].row != parts.row;
    if (ends_row && last != parts.row) write_contact_state(scene, results, environment, parts.row, {});
  }
}

/// What evaluate_pair() adds to the sums of traction: the friction of plates, where a pair has a law; or nothing. A
/// PlateSink fills `moments`, of the part pair at hand, and a warp evaluates the whole pair.
class PlateFriction {
 public:
  ISOPATCH_HD explicit PlateFriction(PlateMoments* moments) : moments_(moments) {}

  /// Whether the pair has plates.
  ISOPATCH_HD bool exists() const { return moments_ != nullptr; }

  /// Called by all lanes.
  template <class Warp>
  ISOPATCH_HD void begin(Warp& warp, const PairCall& call) const {
    if (!exists()) return;
    if (warp.lane() == 0) {
      for (std::int64_t& word : moments_->word) word = 0;
      forget_far_part_pairs(call);
    }
    warp.sync();
  }

  /// All lanes have added their polygons, or one has read what they added. Called by all lanes.
  template <class Warp>
  ISOPATCH_HD void sync(Warp& warp) const {
    if (exists()) warp.sync();
  }

  /// Adds the friction of one of several part pairs to its result. Called by one lane.
  ISOPATCH_HD void end_part_pair(const PairCall& call, std::int32_t part_pair, const SumFrame& frame,
                                 const PairBounds& bounds, PairResult& result) {
    if (!exists()) return;
    const AddedFriction own = end_plate(call, part_pair, frame, bounds, result, *moments_);
    add_friction(own, result);
    of_part_pairs_ = {of_part_pairs_.force + own.force, of_part_pairs_.torque + own.torque};
  }

  /// Adds all friction to a pair's result: of its only part pair, with sums in frame(), or of what end_part_pair() had.
  /// Called by one lane.
  template <class Frame>
  ISOPATCH_HD void end_pair(const PairCall& call, bool has_one_part_pair, const Frame& frame, const PairBounds& bounds,
                            PairResult& result) const {
    if (!exists()) return;
    add_friction(has_one_part_pair ? end_plate(call, call.view().part_pairs_begin, frame(), bounds, result, *moments_)
                                   : of_part_pairs_,
                 result);
  }

  /// What is left where plates have no wider pass. Called by one lane.
  template <class Warp>
  ISOPATCH_HD Remaining end_pass(Warp& warp, const PairCall& call, Remaining remaining) const {
    if (!exists() || remaining.kind != Remaining::kWiderPass) return remaining;
    return end_without_wider_pass(warp, call);
  }

 private:
  PlateMoments* moments_;
  AddedFriction of_part_pairs_ = {{0, 0, 0}, {0, 0, 0}};  // in lane 0
};

}  // namespace isopatch::detail
