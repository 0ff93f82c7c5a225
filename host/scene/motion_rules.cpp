// SPDX-License-Identifier: Apache-2.0
#include "host/scene/motion_rules.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

#include "host/text/quote.h"
#include "host/text/throw_error.h"

namespace isopatch::detail {
namespace {

constexpr Range symmetric(double largest, const char* unit) { return {-largest, largest, unit}; }
constexpr Range from_zero(double largest, const char* unit) { return {0, largest, unit}; }
constexpr Range positive(const char* unit) { return {limits::kMinForce, limits::kMaxForce, unit}; }

constexpr JointRanges kPrismaticRanges = {symmetric(limits::kMaxPosition, " m"), kVelocityRange,
                                          symmetric(limits::kMaxForce, " N"),    positive(" N"),
                                          from_zero(limits::kMaxForce, " N/m"),  from_zero(limits::kMaxForce, " N s/m"),
                                          from_zero(limits::kMaxForce, " N"),    from_zero(limits::kMaxMass, " kg")};
constexpr JointRanges kRevoluteRanges = {
    symmetric(limits::kMaxAngle, " rad"),     kAngularVelocityRange,
    symmetric(limits::kMaxForce, " N m"),     positive(" N m"),
    from_zero(limits::kMaxForce, " N m/rad"), from_zero(limits::kMaxForce, " N m s/rad"),
    from_zero(limits::kMaxForce, " N m"),     from_zero(limits::kMaxInertia, " kg m^2")};

/// Puts the index of an element before the message that a rule throws.
template <class Rule, class... Arguments>
void check_element(std::size_t i, const char* what, const Rule& rule, const Arguments&... arguments) {
  try {
    rule(arguments...);
  } catch (const Error& error) {
    throw with_location(fmt::format("row {}: {}", i, what), error);
  }
}

void check_times_ascend(std::size_t i, double before, double time) {
  if (time > before) return;
  throw_error("row {}: time is {} s after {} s; times must increase", i, time, before);
}

}  // namespace

const JointRanges& ranges_of_joint(MotionType type) {
  return type == MotionType::kRevolute ? kRevoluteRanges : kPrismaticRanges;
}

bool is_joint(const Motion& motion) {
  return motion.type == MotionType::kPrismatic || motion.type == MotionType::kRevolute;
}

int degrees_of_freedom(const Body& body) {
  if (body.fixed || body.motion.type == MotionType::kPrescribed) return 0;
  return is_joint(body.motion) ? 1 : body.motion.type == MotionType::kPlanar ? 3 : 6;
}

void check_inertia(const std::array<double, 6>& inertia) {
  for (const double entry : inertia) check_range(entry, kInertiaRange);
  const auto& [xx, yy, zz, xy, xz, yz] = inertia;
  Eigen::Matrix3d tensor;
  tensor << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  const Eigen::Vector3d moments =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(tensor, Eigen::EigenvaluesOnly).eigenvalues();

  constexpr double kRounding = 1e-14;        // of the eigenvalues
  constexpr double kWrittenRounding = 1e-5;  // of entries that were written with six digits
  const double a = moments[0], b = moments[1], c = moments[2];
  if (!(a > kRounding * c)) {
    throw_error("has the principal moments {:g}, {:g} and {:g} kg m^2; all three must be positive", a, b, c);
  }
  if (a + b < c * (1 - kWrittenRounding)) {
    throw_error("has the principal moments {:g}, {:g} and {:g} kg m^2; none can be above the sum of the others", a, b,
                c);
  }
}

void check_axis(const std::array<double, 3>& axis) {
  const auto& [x, y, z] = axis;
  const double length = std::sqrt(x * x + y * y + z * z);
  if (length >= limits::kMinAxis && length <= limits::kMaxAxis) return;
  throw_error("is [{}, {}, {}], of length {}; it must be a direction, of a length in [{}, {}]", x, y, z, length,
              limits::kMinAxis, limits::kMaxAxis);
}

void check_rows(const std::vector<TimedValue>& rows, const Range& range) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    check_element(i, "time ", check_range, rows[i].time, kTimeRange);
    check_element(i, "value ", check_range, rows[i].value, range);
    if (i > 0) check_times_ascend(i, rows[i - 1].time, rows[i].time);
  }
}

void check_path_times(const std::vector<double>& times) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    check_element(i, "time ", check_range, times[i], kTimeRange);
    if (i > 0) check_times_ascend(i, times[i - 1], times[i]);
  }
  if (!times.empty() && times[0] > 0) throw_error("row 0: time is {} s; a path begins at time 0 or before", times[0]);
}

void check_path_poses(const Path& path) {
  const std::size_t times = path.times.size(), poses = path.poses.size();
  if (times != poses) throw_error("{} poses at {} times; each time needs one pose", poses, times);
  for (std::size_t i = 0; i < poses; ++i) {
    for (std::size_t k = 0; k < 3; ++k) check_element(i, "position ", check_range, path.poses[i][k], kPositionRange);
    check_element(i, "orientation: ", check_orientation, path.poses[i]);
  }
}

void check_path_start(const Path& path, const std::array<double, 7>& pose) {
  if (path.times.empty()) return;
  constexpr double kTolerance = 1e-9;  // m, relative to coordinates above 1 m; rad
  const std::vector<PathRow> rows = path_rows(path);
  const Pose start = pose_at({rows.data(), static_cast<std::int32_t>(rows.size())}, 0), own = pose_from(pose);
  const Twist difference = twist_between(own, start, 1);
  const double distance = norm(difference.linear), angle = norm(difference.angular);
  if (distance <= kTolerance * std::max(1.0, norm(own.position)) && angle <= kTolerance) return;
  throw_error("is at time 0 {:.3g} m and {:.3g} rad away from the body's pose; both must be the same pose", distance,
              angle);
}

void check_parent(const SceneDescription& scene, int index, int parent) {
  const int count = static_cast<int>(scene.bodies.size());
  if (parent < 0 || parent >= count) throw_error("is {}; it must be in [0, {})", parent, count);
  const Body& body = scene.bodies[parent];
  if (parent == index) throw Error("is the body itself; a joint needs another body, or none for the world");
  if (!body.fixed && body.motion.type == MotionType::kPlanar) {
    throw_error("{} is a planar body; the parent of a joint must be another one", in_quotes(body.name));
  }
  int at = parent;
  for (int steps = 0; steps < count; ++steps) {  // of a circle that is not through this body, it sees no end
    const Body& carries = scene.bodies[at];
    if (carries.fixed || !is_joint(carries.motion) || !carries.motion.parent) return;
    at = *carries.motion.parent;
    if (at < 0 || at >= count) return;  // its own error
    if (at == index) {
      throw_error("{} is carried by this body itself; the parent of a joint must be one that it does not carry",
                  in_quotes(body.name));
    }
  }
}

bool is_link(const SceneDescription& scene, const Body& body) {
  return !body.fixed && is_joint(body.motion) && body.motion.parent &&
         degrees_of_freedom(scene.bodies[static_cast<std::size_t>(*body.motion.parent)]) > 0;
}

void check_stops(double lower, double upper) {
  if (lower < upper) return;
  throw_error("is {}, not above the lower one, {}", upper, lower);
}

void check_between_stops(double position, const std::optional<double>& lower, const std::optional<double>& upper) {
  if (lower && position < *lower - limits::kMaxBeyondStop) {
    throw_error("position is {}, beyond the lower stop, {}; a joint begins between its stops", position, *lower);
  }
  if (upper && position > *upper + limits::kMaxBeyondStop) {
    throw_error("position is {}, beyond the upper stop, {}; a joint begins between its stops", position, *upper);
  }
}

void check_ratio(double ratio) {
  if (std::abs(ratio) >= limits::kMinJointRatio) return;
  throw_error("ratio is {}; a joint that mimics another has one of at least {:g}, of either sign", ratio,
              limits::kMinJointRatio);
}

void check_mimicked(const SceneDescription& scene, int index, int mimicked) {
  const int count = static_cast<int>(scene.bodies.size());
  if (mimicked < 0 || mimicked >= count) throw_error("is {}; it must be in [0, {})", mimicked, count);
  if (mimicked == index) throw Error("is the body itself; a joint mimics that of another body");
  const Body& body = scene.bodies[mimicked];
  if (body.fixed || !is_joint(body.motion)) {
    throw_error("{} is {}; it must be on a joint", in_quotes(body.name),
                body.fixed ? "fixed" : text_of(body.motion.type));
  }
  if (body.motion.mimic) {
    throw_error("{} mimics another joint itself; name the joint that moves them all", in_quotes(body.name));
  }
}

void check_no_half_space(const SceneDescription& scene, const Body& body, const char* motion) {
  const auto is_half_space = [&](int geometry) { return scene.geometries[geometry].kind == GeometryKind::kHalfSpace; };
  for (const Part& part : parts_of(body)) {
    const std::vector<int>& others = part.alternatives;
    if (is_half_space(part.geometry) || std::any_of(others.begin(), others.end(), is_half_space)) {
      throw_error("a half space cannot be {}; make it fixed or prescribed", motion);
    }
  }
}

const char* text_of(MotionType type) {
  return type == MotionType::kFree         ? "a free body"
         : type == MotionType::kPrescribed ? "a prescribed body"
         : type == MotionType::kPrismatic  ? "a prismatic joint"
         : type == MotionType::kRevolute   ? "a revolute joint"
                                           : "a planar body";
}

bool are_joined(const Body& a, const Body& b, const Pair& pair) {
  return (is_joint(a.motion) && a.motion.parent == pair.b) || (is_joint(b.motion) && b.motion.parent == pair.a);
}

Pose pose_from(const std::array<double, 7>& numbers) {
  const auto& [x, y, z, qw, qx, qy, qz] = numbers;
  return {{x, y, z}, normalized(Quaternion{qw, {qx, qy, qz}})};
}

std::vector<PathRow> path_rows(const Path& path) {
  std::vector<PathRow> rows;
  for (std::size_t i = 0; i < path.times.size(); ++i)
    rows.push_back({path.times[i], pose_from(path.poses[i]), {0, 0, 0}});
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    rows[i].rotation = log(product(rows[i + 1].pose.orientation, conjugate(rows[i].pose.orientation)));
  }
  return rows;
}

}  // namespace isopatch::detail
