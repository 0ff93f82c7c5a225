// SPDX-License-Identifier: Apache-2.0
//
// From the contact polygons of one environment to the problem of a stage.
#pragma once

#include "isopatch/detail/pair/pair_frame.h"
#include "isopatch/detail/rollout/solver/loops.h"
#include "isopatch/detail/rollout/tree/tree_mass.h"
#include "isopatch/scene/contact.h"

namespace isopatch::detail {

/// The contact polygons of a stage, which key(i) orders; write(i, columns, k) writes polygon i in order to place k.
template <class Key, class Write>
struct OrderedContacts {
  int count;
  Key key;
  Write write;

  /// The first that is of this part pair or of one behind it.
  ISOPATCH_HD int first_at(std::int32_t part_pair) const {
    int low = 0, high = count;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (key(middle) < ContactKey::of_part_pair(part_pair).word()) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

template <class Key, class Write>
ISOPATCH_HD OrderedContacts<Key, Write> ordered_contacts(int count, const Key& key, const Write& write) {
  return {count, key, write};
}

/// Lists the pairs that have contacts. Returns how many. Called by all lanes.
template <class Warp, class Contacts>
ISOPATCH_HD int list_pairs(Warp& warp, const StageInput& in, const Contacts& contacts, SolvedPair* pairs) {
  int listed = 0;
  for (int base = 0; base < in.scene.num_pairs && contacts.count > 0; base += Warp::kSize) {
    const int pair = base + warp.lane();
    int begin = 0, end = 0;
    if (pair < in.scene.num_pairs) {
      begin = contacts.first_at(in.scene.pairs[pair].part_pairs_begin);
      end = contacts.first_at(in.scene.part_pairs_end(pair));
    }
    const std::uint32_t found = warp.ballot(end > begin);
    if (end > begin) {
      SolvedPair& to = pairs[listed + rank_in(found, warp.lane())];
      to.pair = pair;
      to.a = in.scene.pairs[pair].a;
      to.b = in.scene.pairs[pair].b;
      to.first_polygon = begin;
      to.polygons = end - begin;
      to.first_term = to.terms = 0;
    }
    listed += count_bits(found);
  }
  warp.sync();
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < listed; i += Warp::kSize) {
    SolvedPair& pair = pairs[i];
    pair.first_block = 0;
    for (int j = 0; j < i; ++j) pair.first_block += PolygonColumns::blocks_of(pairs[j].polygons);
    pair.point = pair_origin(make_body_bounds(in.scene, in.contact, in.environment, pair.a),
                             make_body_bounds(in.scene, in.contact, in.environment, pair.b));
  }
  warp.sync();
  return listed;
}

/// Writes the contacts of all pairs as columns, after begin_problem(). Called by all lanes.
template <class Warp, class Contacts>
ISOPATCH_HD void write_columns(Warp& warp, int num_pairs, const Contacts& contacts, const SolverMemory& m) {
  for (int i = 0; i < num_pairs; ++i) {
    const SolvedPair& pair = m.pairs[i];
    const PolygonColumns columns = columns_of(m, pair);
    constexpr int kVector = PolygonColumns::kMaxVector;
    const int room = (pair.polygons + kVector - 1) / kVector * kVector;
    ISOPATCH_NO_UNROLL
    for (int k = warp.lane(); k < room; k += Warp::kSize) {
      if (k < pair.polygons) {
        contacts.write(pair.first_polygon + k, columns, k);
      } else {
        columns.write_nothing(k);
      }
    }
  }
  warp.sync();
}

/// The body with whose degrees of freedom a body's are eliminated.
ISOPATCH_HD int owner_of(const RolloutView& view, int body) {
  const MovingBody& moving = view.bodies[body];
  return moving.is_in_tree() ? view.trees[moving.tree].body : moving.is_follower() ? moving.joint.leader : body;
}

/// The bodies that one touches and with which it is eliminated; writes whether it touches any.
ISOPATCH_HD BodySet touched_by(const RolloutView& view, const SolvedPair* pairs, int num_pairs, int body,
                               bool& is_touched) {
  BodySet touching = 0;
  for (int k = 0; k < num_pairs && view.bodies[body].own_dofs() > 0; ++k) {
    const SolvedPair& pair = pairs[k];
    is_touched = is_touched || pair.a == body || pair.b == body;
    const int a = owner_of(view, pair.a), b = owner_of(view, pair.b), other = a == body ? b : b == body ? a : body;
    if (other != body && view.bodies[other].num_dofs() > 0) touching |= set_of(other);
  }
  return touching;
}

/// Orders the bodies that move, and numbers their degrees of freedom. Called by all lanes.
template <class Warp>
ISOPATCH_HD void number_dofs(Warp& warp, const StageInput& in, int num_pairs, const SolverMemory& m) {
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < in.scene.num_bodies; i += Warp::kSize) {
    const MovingBody& moving = in.view.bodies[i];
    const bool on_tree =
        moving.is_joint() && moving.joint.parent >= 0 && in.view.bodies[moving.joint.parent].is_in_tree();
    m.bodies[i].num_dofs = moving.num_dofs();
    m.bodies[i].first_dof = 0;
    m.bodies[i].tree = moving.tree;
    m.bodies[i].parent = on_tree ? moving.joint.parent : -1;
    m.bodies[i].block_dofs = moving.is_in_tree() ? in.view.trees[moving.tree].num_dofs : moving.num_dofs();
    bool is_touched = false;
    const BodySet touching = touched_by(in.view, m.pairs, num_pairs, i, is_touched);
    m.bodies[i].is_touched = is_touched;
    m.order->touching[i] = touching;
  }
  warp.sync();
  if (warp.lane() == 0) {
    BodySet moving = 0;
    for (int i = 0; i < in.scene.num_bodies; ++i) {
      if (in.view.bodies[i].own_dofs() > 0 && owner_of(in.view, i) == i) moving |= set_of(i);
    }
    order_bodies(moving, *m.order);
    std::int32_t next = 0;
    for (int i = 0; i < m.order->count; ++i) {
      SolvedBody& body = m.bodies[m.order->body[i]];
      body.first_dof = next;
      next += body.block_dofs;
    }
    for (int i = 0; i < in.scene.num_bodies; ++i) {
      const int in_tree = in.view.bodies[i].is_in_tree() ? in.view.bodies[i].tree_dof : 0;
      m.bodies[i].first_dof = m.bodies[owner_of(in.view, i)].first_dof + in_tree;
    }
  }
  warp.sync();
}

/// A damper over a step with midpoint acts between its ends, the more at the new one the stronger it is (the theta
/// method): of second order, and stable for any of them. This is the part at the new end.
ISOPATCH_HD double damped_at_end(double h, double damping, double mass) {
  const double relative = h * damping / mass;
  return 0.5 + 0.5 * relative / (1 + relative);
}

/// What acts on a joint at a position, with the rate before the step, that moves `mass`. With midpoint it stands where
/// it is in the middle of the step.
ISOPATCH_HD StepJoint step_joint(const StageInput& in, const JointView& joint, const SolverStage& stage,
                                 double position, double rate_before, double mass) {
  constexpr double kStop = 1e6;   // of the mass: by how much a stop is stiffer than the step
  constexpr double kSlow = 1e-2;  // m/s or rad/s, below which nothing bounces
  const DriveView& drive = joint.drive;
  const RolloutInput& input = in.input.input;
  const double h = stage.step;
  const bool middle = stage.integrator == Integrator::kMidpoint, own_target = input.joint_target.data != nullptr;
  const double force = input.joint_force.data != nullptr ? read(input.joint_force, in.environment, joint.index)
                                                         : held_value(drive.force, stage.drive_time);
  const double target = own_target ? read(input.joint_target, in.environment, 2 * joint.index)
                                   : linear_value(drive.target, stage.drive_time);
  double rate = own_target ? read(input.joint_target, in.environment, 2 * joint.index + 1) : 0.0;
  double spring = h * drive.stiffness, damper = drive.damping;
  if (middle) {
    const double stiff = h * spring / mass, at_end = damped_at_end(h, drive.damping, mass);
    spring = 2 * stiff / (1 + stiff) * spring;
    damper = at_end * damper;
    rate -= (1 - at_end) * rate_before;
  }
  StepJoint s = {};
  s.step = h;
  s.force = fma(drive.stiffness, target - position, fma(drive.damping, rate, force));
  s.slope = middle ? spring + damper : fma(h, drive.stiffness, drive.damping);
  s.limit = drive.limit;
  s.has_more = joint.has_more;
  if (!joint.has_more) return s;

  const double at_end = middle ? damped_at_end(h, joint.damping, mass) : 1.0;
  s.damping = at_end * joint.damping;
  s.drag = -(1 - at_end) * joint.damping * rate_before;
  s.friction = joint.friction;
  s.slip = in.view.slip_tolerance;

  s.stop = kStop * mass;
  s.lowest = (joint.lower - position) / h;
  s.highest = (joint.upper - position) / h;
  if (!(joint.bounce > 0)) return s;
  const double begin = position - stage.ahead * rate_before, end = fma(h, rate_before, position);
  if (begin >= joint.lower && end < joint.lower && rate_before < -kSlow) s.lowest = -joint.bounce * rate_before;
  if (begin <= joint.upper && end > joint.upper && rate_before > kSlow) s.highest = -joint.bounce * rate_before;
  return s;
}

/// A body on a joint in the problem, and what it has along the joint.
struct AlongJoint {
  double momentum;  // without contact and what acts on the joint itself, less that of the known twist, N s or N m s
  double force;     // of gravity and external wrenches
  double mass;
};

ISOPATCH_HD Momentum force_on(const StageInput& in, int index, double mass) {
  Momentum force = in.input.wrench(in.environment, index);
  force.linear = fma(mass, in.input.gravity(in.view, in.environment), force.linear);
  return force;
}

ISOPATCH_HD AlongJoint begin_on_joint(const StageInput& in, const SolverStage& stage, int index, const StageBody& at,
                                      SolvedBody& solved) {
  const MovingBody& body = in.view.bodies[index];
  const JointView& joint = body.joint;
  const Momentum force = force_on(in, index, solved.mass);
  const double h = stage.step;
  Momentum free = {fma(h, force.linear, at.momentum.linear), fma(h, force.angular, at.momentum.angular)};
  const Pose parent = parent_pose(joint, in.poses());
  solved.freedom = joint_twist(body, axis_of(joint, parent), solved.center);
  if (body.is_follower()) solved.freedom = {joint.ratio * solved.freedom.linear, joint.ratio * solved.freedom.angular};
  if (joint.parent >= 0) {
    const Twist of_parent = prescribed_twist(in.view.bodies[joint.parent], in.state.twist(joint.parent), stage);
    solved.known = carried(joint, of_parent, parent, solved.center);
    const Momentum carried_along = solved.momentum(solved.known);
    free = {free.linear - carried_along.linear, free.angular - carried_along.angular};
    if (!stage.is_predicted()) {  // turning with the parent takes a force; a predicted pose has turned already
      const Vec3d w = of_parent.angular, arm = solved.center - parent.position;
      free.linear = fma(-h * solved.mass, cross(w, cross(w, arm)), free.linear);
      free.angular = fma(-h, cross(w, solved.inertia * w), free.angular);
    }
  }
  solved.is_follower = body.is_follower();
  solved.armature = joint.armature;
  solved.first_follower = joint.first_follower;
  solved.next_follower = joint.next_follower;
  return {solved.along_freedom(free), solved.along_freedom(force),
          solved.along_freedom(solved.momentum(solved.freedom))};
}

/// Center, mass and inertia of a body with degrees of freedom.
ISOPATCH_HD void begin_mass(const StageInput& in, int index, SolvedBody& solved) {
  const Pose pose = load_pose(in.poses(), index);
  const BodyMass& own = in.input.mass(in.view, in.environment, index);
  const double scale = in.input.mass_scale(in.environment, index);
  const Transform<double> X = transform_of(pose);
  solved.center = pose.position + rotate(X, own.center);
  solved.known = {{0, 0, 0}, {0, 0, 0}};
  solved.mass = scale * own.mass;
  solved.inertia = rotated(X, scale * own.inertia);
  solved.is_follower = false;
  solved.armature = 0;
  solved.first_follower = solved.next_follower = -1;
}

/// A joint in the problem, with the bodies that move with it. Called by one lane, whichever it is.
ISOPATCH_HD void begin_joint(const StageInput& in, const SolverStage& stage, int index, const StageBody* bodies,
                             const SolverMemory& m) {
  const JointView& joint = in.view.bodies[index].joint;
  SolvedBody& solved = m.bodies[index];
  const StageBody& at = bodies[index];
  AlongJoint all = {0, 0, 0};
  ISOPATCH_NO_UNROLL
  for (std::int32_t k = index; k >= 0;) {  // the body itself, then its followers
    begin_mass(in, k, m.bodies[k]);
    const AlongJoint own = begin_on_joint(in, stage, k, bodies[k], m.bodies[k]);
    const bool leads = k == index;
    all = leads ? own : AlongJoint{all.momentum + own.momentum, all.force + own.force, all.mass + own.mass};
    k = leads ? joint.first_follower : in.view.bodies[k].joint.next_follower;
  }
  if (joint.armature > 0) {
    all.mass += joint.armature;
    all.momentum = fma(joint.armature, at.velocity[1], all.momentum);
  }
  solved.joint_mass = all.mass;
  for (std::int32_t k = joint.first_follower; k >= 0; k = m.bodies[k].next_follower) m.bodies[k].joint_mass = all.mass;
  const SolverVectors& v = m.vectors;
  const int dof = solved.first_dof;
  v.previous[dof] = at.velocity[0];
  v.free_momentum[dof] = all.momentum;
  v.free_velocity[dof] = all.momentum / all.mass;
  v.force_impulse[dof] = stage.step * all.force;
  v.inverse_mass[dof] = 1 / all.mass;
  m.joint_dofs[joint.slot] = dof;
  m.joints[joint.slot] = step_joint(in, joint, stage, at.position, at.velocity[0], all.mass);
}

/// A body in the problem, with v* and the velocity that is known. Called by one lane, whichever it is.
ISOPATCH_HD void begin_body(const StageInput& in, const SolverStage& stage, int index, const StageBody* bodies,
                            const SolverMemory& m) {
  const MovingBody& body = in.view.bodies[index];
  SolvedBody& solved = m.bodies[index];
  if (body.num_dofs() == 0) {
    solved.center = load_pose(in.poses(), index).position;
    solved.known = prescribed_twist(body, in.state.twist(index), stage);
    solved.is_follower = false;
    return;
  }
  if (body.is_follower() || body.is_in_tree()) return;  // its leader's lane begins it, or begin_trees()
  if (body.is_joint()) {
    begin_joint(in, stage, index, bodies, m);
    return;
  }
  begin_mass(in, index, solved);
  const double h = stage.step;
  const Momentum force = force_on(in, index, solved.mass), &momentum = bodies[index].momentum;
  const Momentum free = {fma(h, force.linear, momentum.linear), fma(h, force.angular, momentum.angular)};
  const Twist twist =
      twist_of(in.input.mass(in.view, in.environment, index), in.input.mass_scale(in.environment, index),
               transform_of(load_pose(in.poses(), index)), free);
  const Vec3d diagonal = {1 / solved.inertia.xx, 1 / solved.inertia.yy, 1 / solved.inertia.zz};
  const double inverse_mass = 1 / solved.mass;
  const double weights[6] = {inverse_mass, inverse_mass, inverse_mass, diagonal.x, diagonal.y, diagonal.z};
  const double velocity[6] = {twist.linear.x,  twist.linear.y,  twist.linear.z,
                              twist.angular.x, twist.angular.y, twist.angular.z};
  const SolverVectors& v = m.vectors;
  const int first = solved.first_dof;
  ISOPATCH_UNROLL
  for (int k = 0; k < 6; ++k) {
    v.previous[first + k] = bodies[index].velocity[k];
    v.free_velocity[first + k] = velocity[k];
    v.inverse_mass[first + k] = weights[k];
  }
  solved.project(free, [&](int k, double value) { v.free_momentum[first + k] = value; });
  solved.project(force, [&](int k, double value) { v.force_impulse[first + k] = h * value; });
}

/// Writes what trees have in the problem, from where place_trees() has them. Called by all lanes.
template <class Warp>
ISOPATCH_HD_APART void begin_trees(Warp& warp, StageInput in, SolverStage stage, const StageBody* bodies,
                                   SolverMemory m) {
  const SolverVectors& v = m.vectors;
  ISOPATCH_NO_UNROLL
  for (int tree = 0; tree < in.view.num_trees; ++tree) {
    const TreeView& of = in.view.trees[tree];
    const std::int32_t first = first_dof_of_tree(m, tree);
    if (of.on_moving_base) find_twists(warp, in.view, of, nullptr, m.trees);
    for_each_body(warp, in.view, of, [&](int i, const MovingBody& body) {
      const int index = in.view.tree_bodies[i];
      SolvedBody& solved = m.bodies[index];
      const TreeBody& t = m.trees.bodies[i];
      solved.center = t.center;
      solved.mass = t.mass;
      solved.inertia = t.inertia;
      solved.known = of.on_moving_base ? t.twist : Twist{{0, 0, 0}, {0, 0, 0}};
      if (body.is_joint()) solved.freedom = t.freedom;
      solved.is_follower = body.is_follower();
      solved.first_follower = solved.next_follower = -1;
      solved.armature = solved.joint_mass = 0;
    });
    sum_along_dofs(
        warp, in.view, of, m.trees,
        [&](int i, const MovingBody&) {
          const Momentum force = force_on(in, in.view.tree_bodies[i], m.trees.bodies[i].mass);
          return Momentum{stage.step * force.linear, stage.step * force.angular};
        },
        v.force_impulse + first);
    const LowerMatrix mass = m.trees.mass_of(of);
    const double* const rates = m.trees.rates + of.first_dof;
    ISOPATCH_NO_UNROLL
    for (int row = warp.lane(); row < of.num_dofs; row += Warp::kSize) {
      double momentum = v.force_impulse[first + row];
      for (int k = 0; k < of.num_dofs; ++k) momentum = fma(mass.symmetric(row, k), rates[k], momentum);
      v.previous[first + row] = rates[row];
      v.free_momentum[first + row] = momentum;
      v.free_velocity[first + row] = v.force_impulse[first + row];
      v.inverse_mass[first + row] = 1 / mass.at(row, row);
    }
    warp.sync();
    solve_factorized(warp, m.trees.factor_of(of), v.free_velocity + first);
    ISOPATCH_NO_UNROLL
    for (int row = warp.lane(); row < of.num_dofs; row += Warp::kSize) v.free_velocity[first + row] += rates[row];
    for_each_body(warp, in.view, of, [&](int i, const MovingBody& body) {
      if (!body.is_joint() || body.is_follower()) return;
      const StageBody& at = bodies[in.view.tree_bodies[i]];
      m.joint_dofs[body.joint.slot] = first + body.tree_dof;
      m.joints[body.joint.slot] =
          step_joint(in, body.joint, stage, at.position, at.velocity[0], mass.at(body.tree_dof, body.tree_dof));
    });
  }
}

/// Writes the problem of a stage from its contacts, but for their columns. The known velocities are in
/// m.vectors.previous. `loop_changes` are for list_loops(). Called by all lanes.
template <class Warp, class Contacts>
ISOPATCH_HD VelocityProblem begin_problem(Warp& warp, const StageInput& in, const SolverStage& stage,
                                          const StageBody* bodies, const Contacts& contacts, const SolverMemory& m,
                                          const double* loop_changes = nullptr) {
  VelocityProblem p;
  p.num_bodies = in.scene.num_bodies;
  p.num_joints = in.view.num_own_joints;
  p.num_dofs = in.view.num_dofs;
  p.num_terms = 0;
  p.num_trees = in.view.num_trees;
  p.parameters = {stage.step, in.view.slip_tolerance};
  p.num_pairs = list_pairs(warp, in, contacts, m.pairs);
  p.num_loops = 0;
  if constexpr (kTakesTrees<Warp>) {
    p.num_loops = in.view.num_loops;
    if (p.num_loops > 0) list_loops(warp, in, p.num_pairs, loop_changes, m);
  }
  number_dofs(warp, in, p.num_pairs + p.num_loops, m);
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < p.num_bodies; i += Warp::kSize) begin_body(in, stage, i, bodies, m);
  warp.sync();
  if constexpr (kTakesTrees<Warp>) {
    if (p.num_trees > 0) begin_trees(warp, in, stage, bodies, m);
  }
  return p;
}

/// What the points of each pair add up to for the damper, of its polygons before points are made of them. Returns the
/// largest relative stiffness for a step of h seconds. Called by all lanes.
template <class Warp, class PointSums>
ISOPATCH_HD double stiffest_patch(Warp& warp, const PointSums& points, const VelocityProblem& p, double h,
                                  const SolverMemory& m) {
  double stiffest = 0;
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < p.num_pairs; ++i) {
    SolvedPair& pair = m.pairs[i];
    double sums[DamperSums::kSize];
    points.patch(columns_of(m, pair), pair.polygons, mobility_of(m, pair, 0), mobility_of(m, pair, 1), sums);
    if (!pair.is_empty()) stiffest = max(stiffest, relative_stiffness(h, sums));
    if (warp.lane() != 0) continue;
    ISOPATCH_UNROLL
    for (int k = 0; k < DamperSums::kSize; ++k) pair.sums[k] = sums[k];
  }
  warp.sync();
  return stiffest;
}

/// Makes points of the polygons, with their impulses over the step; with midpoint after stiffest_patch(). Called by all
/// lanes.
template <class Warp, class PointSums>
ISOPATCH_HD void begin_points(Warp& warp, const PointSums& points, const VelocityProblem& p, const SolverStage& stage,
                              const SolverMemory& m) {
  const double* const known = m.vectors.previous;
  const bool has_damper = stage.integrator == Integrator::kMidpoint;
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < p.num_pairs; ++i) {
    SolvedPair& pair = m.pairs[i];
    const PolygonColumns columns = columns_of(m, pair);
    PointsStart<double> start = start_of(m, pair, stage.is_predicted() ? PointsBegin::kAtEnd : PointsBegin::kAtStart);
    if (any_team(warp, has_damper)) {
      const PatchMotion motion = patch_motion(m, pair, known, pair.sums);
      double carried[CarrySums::kSize];
      points.carried(columns, has_damper ? pair.polygons : 0, motion, carried);
      for_each_term<PointSums>(m, pair, [&](const PlateTerm& term) {
        if (has_damper) add_carried(motion, term, columns.read(term.first), carried);
      });
      if constexpr (PointSums::kHasPlates) warp.sync();  // before points change
      const bool both_are_free = m.bodies[pair.a].num_dofs == 6 && m.bodies[pair.b].num_dofs == 6;
      const double beta = damping_factor(relative_stiffness(stage.step, pair.sums), 1 / stage.weight, both_are_free);
      const bool rolls =
          PointSums::kHasPlates && pair.polygons == 1 && pair.terms == 1 && m.terms[pair.first_term].rolls;
      if (has_damper) {
        start.by = PointsBegin::kDamped;
        start.damper = damper_of(stage.step, beta, motion, carried, rolls);
      }
    }
    double potentials[2];
    points.begin(p.parameters, columns, pair.polygons, start, potentials);
    if (warp.lane() == 0) pair.potentials[0] = potentials[0], pair.potentials[1] = potentials[1];
  }
  warp.sync();
}

}  // namespace isopatch::detail
