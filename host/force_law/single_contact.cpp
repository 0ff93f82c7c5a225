// SPDX-License-Identifier: Apache-2.0
#include "isopatch/single_contact.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "host/force_law/law_numbers.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/detail/force_law/damping_matrix.h"
#include "isopatch/detail/force_law/evaluate_law.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

const std::string kCall = "single_contact: ";

constexpr double kMaxMoment = 1e60;  // of an overlap, m^2 to m^5: one as large as the positions that are accepted

Vec3d vector_of(const Point3& x) { return {x[0], x[1], x[2]}; }
Point3 point_of(Vec3d x) { return {x.x, x.y, x.z}; }

/// Numbers as in a State: `most` is the limit there.
void check_number(const std::string& name, double value, double most) {
  if (std::abs(value) <= most) return;
  throw wrong_value(kCall + name, fmt::to_string(value),
                    std::isfinite(value) ? fmt::format("it must be from {} to {}", -most, most) : "it must be finite");
}

template <std::size_t count>
void check_numbers(const char* name, const std::array<double, count>& values, double most) {
  for (std::size_t i = 0; i < count; ++i) check_number(fmt::format("{}[{}]", name, i), values[i], most);
}

void check_amount(const char* name, double value, double most) {
  if (value >= 0 && value <= most) return;
  throw wrong_value(kCall + name, fmt::to_string(value),
                    value >= 0 && std::isfinite(value) ? fmt::format("it must be from 0 to {}", most)
                                                       : "it must be finite and not negative");
}

void check_motion(const ContactMotion& motion) {
  check_numbers("motion.origin_a", motion.origin_a, limits::kMaxPosition);
  check_numbers("motion.origin_b", motion.origin_b, limits::kMaxPosition);
  check_numbers("motion.velocity_a", motion.velocity_a, limits::kMaxVelocity);
  check_numbers("motion.velocity_b", motion.velocity_b, limits::kMaxVelocity);
  check_numbers("motion.angular_velocity_a", motion.angular_velocity_a, limits::kMaxAngularVelocity);
  check_numbers("motion.angular_velocity_b", motion.angular_velocity_b, limits::kMaxAngularVelocity);
}

/// Of numbers that are within their limits one by one, but not together.
template <std::size_t count>
void check_result(const char* name, const std::array<double, count>& values) {
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isfinite(values[i])) continue;
    throw wrong_value(fmt::format("{}the result's {}[{}]", kCall, name, i), fmt::to_string(values[i]),
                      "law, contact and motion are out of range together: give a smaller stiffness, damping, depth or "
                      "velocity");
  }
}

SingleContact evaluated(const LawNumbers& law, const ContactPatch& patch, const ContactMotion& motion,
                        const ContactStateRow& state, double time_step) {
  SingleContact contact;
  if (!(patch.metric > 0)) return contact;
  const Vec3d origin_a = vector_of(motion.origin_a);
  const RelativeMotion relative =
      relative_motion(patch.point, origin_a, vector_of(motion.velocity_a), vector_of(motion.angular_velocity_a),
                      vector_of(motion.origin_b), vector_of(motion.velocity_b), vector_of(motion.angular_velocity_b));
  const ContactState before = {state[0], state[1], {state[2], state[3], state[4]}, state[5], state[6], state[7]};
  const LawResult result = evaluate_law(law, patch, relative, before, time_step);
  const LawForces& forces = result.forces;
  const Vec3d torque = cross(patch.point - origin_a, forces.force) + forces.torque;
  contact.wrench = {forces.force.x, forces.force.y, forces.force.z, torque.x, torque.y, torque.z};
  contact.friction_force = point_of(forces.tangential);
  const ContactState& next = result.next;
  contact.state = {next.impact_speed, next.offset, next.bend.x, next.bend.y,
                   next.bend.z,       next.twist,  next.dwell,  next.age};
  contact.point = point_of(patch.point);
  contact.normal = point_of(patch.normal);
  contact.radius = patch.radius;
  const DampingMatrix damping = damping_matrix(result.step, forces, relative);
  std::copy_n(damping.entry, 36, contact.damping_matrix.begin());
  check_result("wrench", contact.wrench);
  check_result("friction_force", contact.friction_force);
  check_result("state", contact.state);
  check_result("point", contact.point);
  check_result("normal", contact.normal);
  check_result("radius", std::array{contact.radius});
  check_result("damping_matrix", contact.damping_matrix);
  return contact;
}

}  // namespace

SingleContact single_contact(const ContactForceLaw& law, const Overlap& overlap, const ContactMotion& motion,
                             const ContactStateRow& state, double time_step) {
  const StandardArithmetic standard;
  check_law(kCall + "law.", law, false);
  check_amount("overlap.volume", overlap.volume, kMaxMoment);
  check_numbers("overlap.centroid", overlap.centroid, limits::kMaxPosition);
  check_numbers("overlap.second_moments", overlap.second_moments, kMaxMoment);
  check_numbers("overlap.area", overlap.area, kMaxMoment);
  check_motion(motion);
  check_state(kCall + "state", law, state);
  check_amount("time_step", time_step, limits::kMaxTime);
  const auto& c = overlap.second_moments;
  const OverlapMoments moments = {
      overlap.volume, vector_of(overlap.centroid), {c[0], c[1], c[2], c[3], c[4], c[5]}, vector_of(overlap.area)};
  return evaluated(law_numbers(law, false), contact_patch(moments, law.normal == OverlapNormal::kArea), motion, state,
                   time_step);
}

SingleContact single_contact(const ContactForceLaw& law, const Depth& depth, const ContactMotion& motion,
                             const ContactStateRow& state, double time_step) {
  const StandardArithmetic standard;
  check_law(kCall + "law.", law, true);
  check_number("depth.depth", depth.depth, limits::kMaxPosition);
  check_numbers("depth.point", depth.point, limits::kMaxPosition);
  check_numbers("depth.normal", depth.normal, limits::kMaxPosition);
  check_motion(motion);
  check_state(kCall + "state", law, state);
  check_amount("time_step", time_step, limits::kMaxTime);
  const Vec3d normal = vector_of(depth.normal);
  if (const double length = norm(normal); depth.depth > 0 && !(abs(length - 1) <= 1e-6)) {
    throw wrong_value(kCall + "the length of depth.normal", fmt::to_string(length), "it must be 1");
  }
  return evaluated(law_numbers(law, true), point_patch(depth.depth, vector_of(depth.point), normal), motion, state,
                   time_step);
}

}  // namespace isopatch
