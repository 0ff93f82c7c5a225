// SPDX-License-Identifier: Apache-2.0
#include "host/rollout/rollout_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "host/scene/motion_rules.h"
#include "host/scene/planar_rules.h"
#include "host/scene/scene_check.h"
#include "host/scene/scene_data.h"
#include "host/text/quote.h"
#include "isopatch/detail/contact/contact_key.h"
#include "isopatch/detail/rollout/motion/loop_gap.h"
#include "isopatch/detail/simt/warp.h"
#include "isopatch/evaluator.h"
#include "isopatch/limits.h"
#include "isopatch/rollout_state.h"

namespace isopatch::detail {
namespace {

Vec3d vec_of(const std::array<double, 3>& x) { return {x[0], x[1], x[2]}; }

MotionKind kind_of(const SceneDescription& scene, const Body& body) {
  if (body.fixed) return MotionKind::kFixed;
  switch (body.motion.type) {
    case MotionType::kFree:
      return has_polygon(scene, body) ? MotionKind::kPlanar : MotionKind::kFree;
    case MotionType::kPlanar:
      return MotionKind::kPlanar;
    case MotionType::kPrescribed:
      return body.motion.path.times.empty() ? MotionKind::kVelocity : MotionKind::kPath;
    case MotionType::kPrismatic:
      return MotionKind::kPrismatic;
    case MotionType::kRevolute:
      break;
  }
  return MotionKind::kRevolute;
}

/// `pose` and `parent` are poses of the scene, where the joint's position is 0.
JointView joint_of(const Motion& motion, const Pose& pose, const Pose& parent) {
  JointView joint = {};
  joint.parent = motion.parent.value_or(-1);
  const Transform<double> X = transform_of(parent);
  const Vec3d axis = vec_of(motion.axis);
  joint.axis = rotate_back(X, (1 / norm(axis)) * axis);
  joint.anchor = apply_back(X, motion.anchor ? vec_of(*motion.anchor) : pose.position);
  joint.at_zero = {apply_back(X, pose.position), normalized(product(conjugate(parent.orientation), pose.orientation))};
  joint.position = motion.position;
  joint.velocity = motion.velocity;
  joint.drive.stiffness = motion.drive.stiffness;
  joint.drive.damping = motion.drive.damping;
  joint.drive.limit = motion.drive.force_limit.value_or(kInfinity);
  joint.lower = motion.lower.value_or(-kInfinity);
  joint.upper = motion.upper.value_or(kInfinity);
  joint.bounce = motion.bounce;
  joint.friction = motion.friction;
  joint.damping = motion.damping;
  joint.armature = motion.armature;
  joint.has_more = motion.lower || motion.upper || motion.friction > 0 || motion.damping > 0;
  joint.slot = joint.first_follower = joint.next_follower = joint.next_sibling = -1;
  joint.leader = motion.mimic ? motion.mimic->body : -1;
  joint.ratio = motion.mimic ? motion.mimic->ratio : 1.0;
  joint.offset = motion.mimic ? motion.mimic->offset : 0.0;
  return joint;
}

/// The velocity of a body on a path at time 0, from the rows around it.
Twist initial_twist(const std::vector<PathRow>& rows) {
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    if (rows[i + 1].time <= kSameTime) continue;
    return rows[i].time > kSameTime ? Twist{{0, 0, 0}, {0, 0, 0}}
                                    : twist_between(rows[i].pose, rows[i + 1].pose, rows[i + 1].time - rows[i].time);
  }
  return {{0, 0, 0}, {0, 0, 0}};
}

/// Keys have so many bits for a cell, and 16 for a part pair, of which no scene has too many.
void check_keys(const Scene& scene, ContactPoints points) {
  const std::int32_t most_cells =
      1 << (points == ContactPoints::kFan6 ? ContactKey::kPointCellBits : ContactKey::kCellBits);
  const SceneData& data = scene.data();
  for (std::size_t i = 0; i < data.parts.size(); ++i) {
    const GeometryView& geometry = data.geometries.views[data.parts[i].geometry];
    const HierarchyView& cells = data.parts[i].rigid ? geometry.field->surface : geometry.field->solid;
    if (geometry.half_space || cells.num_cells <= most_cells) continue;
    const auto body = static_cast<std::size_t>(
        std::upper_bound(data.bodies.begin(), data.bodies.end(), static_cast<std::int32_t>(i),
                         [](std::int32_t part, const BodyView& view) { return part < view.parts_end; }) -
        data.bodies.begin());
    fail_scene("body {}: its mesh has {} cells; a rollout takes at most {}",
               in_quotes(data.description.bodies[body].name), cells.num_cells, most_cells);
  }
}

/// At the poses of the scene.
LoopView loop_of(const SceneDescription& scene, const Loop& loop) {
  const Pose a = pose_from(scene.bodies[static_cast<std::size_t>(loop.a)].pose),
             b = pose_from(scene.bodies[static_cast<std::size_t>(loop.b)].pose);
  const Transform<double> X_A = transform_of(a), X_B = transform_of(b);
  const Vec3d anchor = vec_of(loop.anchor), given = vec_of(loop.axis);
  const bool turns = loop.type == LoopType::kHinge;
  const Vec3d axis = turns ? (1 / norm(given)) * given : given;
  return {loop.a,
          loop.b,
          turns,
          apply_back(X_A, anchor),
          apply_back(X_B, anchor),
          rotate_back(X_A, axis),
          rotate_back(X_B, axis),
          normalized(product(conjugate(a.orientation), b.orientation))};
}

/// The positions of joints can part bodies that loops hold together.
void check_loops(const SceneDescription& scene, const RolloutView& view) {
  constexpr double kMostGap = 1e-6;  // m and rad
  const std::size_t bodies = scene.bodies.size(), joints = static_cast<std::size_t>(view.num_joints);
  std::vector<double> poses(bodies * kPoseSize), velocities(bodies * kVelocitySize), positions(2 * joints),
      rates(joints);
  std::int64_t steps = 0;
  std::uint32_t status = 0;
  RolloutState state;
  state.num_environments = 1;
  state.poses = poses.data();
  state.velocities = velocities.data();
  state.joints = positions.data();
  state.joint_rates = rates.data();
  state.step_count = &steps;
  state.status = &status;
  SerialWarp warp;
  write_initial_state(warp, view, static_cast<int>(bodies), 0, state, 0);
  for (int i = 0; i < view.num_loops; ++i) {
    const LoopView& loop = view.loops[i];
    const LoopGap gap = gap_of(loop, load_pose(poses.data(), loop.a), load_pose(poses.data(), loop.b));
    if (norm(gap.linear) <= kMostGap && norm(gap.angular) <= kMostGap) continue;
    fail_scene(
        "loop {}: {} and {} are {:.3g} m and {:.3g} rad apart as the rollout begins; give the joints positions "
        "at which they are less than {:g} m and rad apart",
        i, in_quotes(scene.bodies[static_cast<std::size_t>(loop.a)].name),
        in_quotes(scene.bodies[static_cast<std::size_t>(loop.b)].name), norm(gap.linear), norm(gap.angular), kMostGap);
  }
}

void check_integrator(const SceneDescription& scene, const RolloutOptions& options) {
  if (options.integrator != Integrator::kSdirk2) return;
  if (!scene.loops.empty()) {
    fail_scene("rollout: integrator is sdirk2, which takes no loops; use midpoint");
  }
  for (const Body& body : scene.bodies) {
    if (!is_link(scene, body)) continue;
    fail_scene("rollout: integrator is sdirk2, but {} is on a joint of {}, which moves by forces itself; use midpoint",
               in_quotes(body.name), in_quotes(scene.bodies[static_cast<std::size_t>(*body.motion.parent)].name));
  }
}

/// What the options say of steps.
void set_options(const RolloutOptions& options, RolloutView& view) {
  view.integrator = options.integrator;
  view.points = options.points;
  view.time_step = options.time_step;
  view.gravity = vec_of(options.gravity);
  view.tolerance = options.tolerance;
  view.max_iterations = options.max_iterations;
  view.friction_passes = options.friction_passes.value_or(usual_friction_passes(options.integrator));
  view.midpoint_passes = options.friction_passes.value_or(usual_friction_passes(Integrator::kMidpoint));
  view.max_substeps = options.max_substeps;
  view.geometry_iterations = options.geometry_iterations;
  view.speed_limit = options.speed_limit;
}

}  // namespace

double thickness_of(const GeometryView& geometry) {
  return geometry.half_space || geometry.surface_only ? kInfinity : 1 / geometry.field->max_gradient;
}

double surface_thickness_of(const GeometryView& geometry) {
  if (geometry.half_space) return kInfinity;
  double volume = 0, area = 0;
  const HierarchyView& surface = geometry.field->surface;
  for (std::int32_t i = 0; i < surface.num_cells; ++i) {
    const auto vertex = [&](int k) { return surface.cells[i].corner[k].vertex - geometry.center; };
    const Vec3d normal = 0.5 * cross(vertex(1) - vertex(0), vertex(2) - vertex(0));
    volume += dot(vertex(0), normal) / 3;
    area += norm(normal);
  }
  return 3 * std::fabs(volume) / area;
}

RolloutData::RolloutData(const Scene& scene, const RolloutOptions& options) {
  const SceneDescription& description = scene.description();
  check_movable(description);
  check_rollout_options(options);
  check_keys(scene, options.points);
  check_integrator(description, options);

  const std::size_t count = description.bodies.size();
  paths.resize(count);
  drive_forces.resize(count);
  targets.resize(count);
  view = {};
  for (std::size_t i = 0; i < count; ++i) {
    const Body& body = description.bodies[i];
    const Motion& motion = body.motion;
    MovingBody moving = {};
    moving.kind = kind_of(description, body);
    moving.pose = pose_from(body.pose);
    const auto& v = body.velocity;
    moving.velocity = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
    if (moving.kind == MotionKind::kPath) {
      paths[i] = path_rows(motion.path);
      moving.path = {paths[i].data(), static_cast<std::int32_t>(paths[i].size())};
      moving.velocity = initial_twist(paths[i]);
    }
    if (moving.is_joint()) {
      const Pose parent = motion.parent ? pose_from(description.bodies[*motion.parent].pose) : kWorld;
      moving.joint = joint_of(motion, moving.pose, parent);
      moving.joint.index = view.num_joints++;
      if (!moving.is_follower()) moving.joint.slot = view.num_own_joints++;
      drive_forces[i] = motion.drive.force;
      targets[i] = motion.drive.target;
      moving.joint.drive.force = {drive_forces[i].data(), static_cast<std::int32_t>(drive_forces[i].size())};
      moving.joint.drive.target = {targets[i].data(), static_cast<std::int32_t>(targets[i].size())};
    }
    view.num_dofs += moving.own_dofs();
    moving.first_child = -1;
    bodies.push_back(moving);
  }
  for (std::size_t i = count; i-- > 0;) {
    JointView& joint = bodies[i].joint;
    if (bodies[i].is_joint() && joint.parent >= 0) {
      std::int32_t& first = bodies[static_cast<std::size_t>(joint.parent)].first_child;
      joint.next_sibling = first;
      first = static_cast<std::int32_t>(i);
    }
    if (!bodies[i].is_follower()) continue;
    JointView& leader = bodies[static_cast<std::size_t>(joint.leader)].joint;
    joint.position = joint.following(leader.position);
    joint.velocity = joint.ratio * leader.velocity;
    joint.next_follower = leader.first_follower;
    leader.first_follower = static_cast<std::int32_t>(i);
  }
  for (const GeometryView& geometry : scene.data().geometries.views) {
    thickness.push_back(thickness_of(geometry));
    surface_thickness.push_back(surface_thickness_of(geometry));
  }
  masses = add_masses(scene, bodies);
  trees = add_trees(bodies, view);
  for (const Loop& loop : description.loops) loops.push_back(loop_of(description, loop));
  view.loops = loops.data();
  view.num_loops = static_cast<std::int32_t>(loops.size());
  view.bodies = bodies.data();
  view.masses = masses.masses.data();
  view.mass_steps = masses.mass_steps.data();
  view.num_geometries = static_cast<std::int32_t>(description.geometries.size());
  set_options(options, view);
  view.thickness = thickness.data();
  view.surface_thickness = surface_thickness.data();
  view.contact_states = scene.data().view.contact_states;
  view.slip_tolerance = step_slip_tolerance(description);
  check_loops(description, view);
}

double step_slip_tolerance(const SceneDescription& scene) {
  return scene.contact.slip_tolerance.value_or(kUsualStepSlipTolerance);
}

namespace {

/// The room for what a scene has as it begins: four times as much.
int room_for(std::int64_t found, std::int64_t least, std::int64_t most) {
  constexpr std::int64_t kRound = 32;
  const std::int64_t wanted = std::max(least, (4 * found + kRound - 1) / kRound * kRound);
  return static_cast<int>(std::min(wanted, most));
}

void evaluate_beginning(const Scene& scene, double time_step, const Results& results) {
  RolloutStateArrays begin(scene, 1);
  State state;
  state.num_environments = 1;
  state.poses = begin.poses.data();
  state.velocities = begin.velocities.data();
  state.time_step = time_step;
  Evaluator(scene, {.num_threads = 1}).evaluate(state, results);
}

}  // namespace

int polygon_capacity(const Scene& scene, const RolloutOptions& options) {
  if (options.polygon_capacity > 0) return options.polygon_capacity;
  std::vector<std::int32_t> counts(static_cast<std::size_t>(scene.num_pairs()));
  Results results;
  results.polygon_count = counts.data();
  evaluate_beginning(scene, 0, results);
  return room_for(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), 256, limits::kMaxPolygonCapacity);
}

int relation_capacity(const Scene& scene, const RolloutOptions& options) {
  if (!scene.data().view.contact.any_faces) return 0;
  if (options.relation_capacity > 0) return options.relation_capacity;
  std::array<std::int32_t, 3> counts = {};  // contacts, relations, and members with four times the room
  Results results;
  results.relations_needed = counts.data();
  evaluate_beginning(scene, options.time_step, results);
  return room_for(std::max({counts[0], counts[1], (counts[2] + 3) / 4}), 64, limits::kMaxRelationCapacity);
}

}  // namespace isopatch::detail
