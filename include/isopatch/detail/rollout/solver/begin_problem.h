// SPDX-License-Identifier: Apache-2.0
//
// From the contact polygons of one environment to the problem of a stage.
#pragma once

#include "isopatch/detail/pair/pair_frame.h"
#include "isopatch/detail/rollout/solver/begin_joint.h"
#include "isopatch/detail/rollout/solver/loops.h"
#include "isopatch/detail/rollout/solver/number_dofs.h"
#include "isopatch/detail/rollout/tree/tree_mass.h"
#include "isopatch/scene/contact.h"

namespace isopatch::detail {

/// The contact polygons of a stage, which key(i) orders; write(i, columns, k) writes polygon i in order to place k.
template <class Key, class Write>
struct OrderedContacts {
  int count;
  Key key;
  Write write;

  ISOPATCH_HD bool is_before(int index, std::int32_t part_pair) const {
    return key(index) < ContactKey::of_part_pair(part_pair).word();
  }
  /// The first, from `low` on, that is of this part pair or of one behind it.
  ISOPATCH_HD int first_at(std::int32_t part_pair, int low = 0) const {
    int high = count;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (is_before(middle, part_pair)) {
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

ISOPATCH_HD_CALLED BodyBounds bounds_of(const SceneView& scene, const State& contact, std::int64_t environment,
                                        int body) {
  return make_body_bounds(scene, contact, environment, body);
}

/// Lists the pairs that have contacts. Returns how many. Called by all lanes.
template <class Warp, class Contacts>
ISOPATCH_HD int list_pairs(Warp& warp, const StageInput& in, const Contacts& contacts, SolvedPair* pairs) {
  int listed = 0, begin = 0, end = 0;
  ISOPATCH_NO_UNROLL
  for (int base = 0; base < in.scene.num_pairs && contacts.count > 0; base += Warp::kSize) {
    const int pair = base + warp.lane();
    if constexpr (Warp::kSize == 1) {  // goes on from the pair before
      begin = end;
      const std::int32_t behind = in.scene.part_pairs_end(pair);
      if (begin < contacts.count && contacts.is_before(begin, behind)) end = contacts.first_at(behind, begin + 1);
    } else if (begin = end = 0; pair < in.scene.num_pairs) {
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
    ISOPATCH_NO_UNROLL
    for (int j = 0; j < i; ++j) pair.first_block += PolygonColumns::blocks_of(pairs[j].polygons);
    pair.point = pair_origin(bounds_of(in.scene, in.contact, in.environment, pair.a),
                             bounds_of(in.scene, in.contact, in.environment, pair.b));
  }
  warp.sync();
  return listed;
}

/// Writes the contacts of all pairs as columns, after begin_problem(). Called by all lanes.
template <class Columns, class Warp, class Contacts>
ISOPATCH_HD void write_columns(Warp& warp, int num_pairs, const Contacts& contacts, const SolverMemory& m) {
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < num_pairs; ++i) {
    const SolvedPair& pair = m.pairs[i];
    const auto columns = columns_of<Columns>(m, pair);
    constexpr int kVector = PolygonColumns::kMaxVector;
    const int room = (pair.polygons + kVector - 1) / kVector * kVector;
    if constexpr (Warp::kSize == 1) {  // the numbers of a vector are side by side
      ISOPATCH_NO_UNROLL
      for (int c = 0; c < PolygonColumns::kColumns && room > pair.polygons; ++c) {
        ISOPATCH_UNROLL
        for (int k = 0; k < kVector; ++k) columns.column(room - kVector)[c * kSumLanes + k] = 0;
      }
      ISOPATCH_NO_UNROLL
      for (int k = 0; k < pair.polygons; ++k) contacts.write(pair.first_polygon + k, columns, k);
      continue;
    }
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
  const Twist known = bodies[index].twist();
  const SolverVectors& v = m.vectors;
  const int first = solved.first_dof;
  const auto write = [&](const Momentum& numbers, double* to) {
    solved.project(numbers, [&](int k, double value) { to[first + k] = value; });
  };
  write({known.linear, known.angular}, v.previous);
  write({twist.linear, twist.angular}, v.free_velocity);
  write({{inverse_mass, inverse_mass, inverse_mass}, diagonal}, v.inverse_mass);
  write(free, v.free_momentum);
  write({h * force.linear, h * force.angular}, v.force_impulse);
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
      ISOPATCH_NO_UNROLL
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
  p.num_pairs = 0;
  if constexpr (requires { contacts.list_first(warp, in, m.pairs); }) {
    p.num_pairs = contacts.list_first(warp, in, m.pairs);
  }
  p.num_pairs += list_pairs(warp, in, contacts, m.pairs + p.num_pairs);
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
    points.patch(columns_of<typename PointSums::Columns>(m, pair), pair.polygons, mobility_of(m, pair, 0),
                 mobility_of(m, pair, 1), sums);
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
    const auto columns = columns_of<typename PointSums::Columns>(m, pair);
    PointsStart<double> start = start_of(m, pair, stage.is_predicted() ? PointsBegin::kAtEnd : PointsBegin::kAtStart);
    if (any_team(warp, has_damper)) {
      const PatchMotion motion = patch_motion(m, pair, known, pair.sums);
      double carried[CarrySums::kSize];
      points.carried(columns, has_damper ? pair.polygons : 0, motion, carried);
      for_each_term<PointSums>(m, pair, [&](const PlateTerm& term) {
        if (has_damper) add_carried(motion, term, columns.read(term.first), carried);
      });
      if constexpr (PointSums::kHasPlates) warp.sync();  // before points change
      const bool both_are_free = m.bodies[pair.a].moves_freely() && m.bodies[pair.b].moves_freely();
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
