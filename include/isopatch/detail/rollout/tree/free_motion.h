// SPDX-License-Identifier: Apache-2.0
//
// How a tree of bodies moves where no force acts on it: as a free body does, with momenta that stay. With the positions
// q of its joints, their momenta p, and the kinetic energy T of both,
//
//   q' = M^-1 p,   p' = dT/dq at given rates
//
// by the implicit midpoint rule, which iteration solves; a root's momenta do not change. What moves too fast for the
// iteration to come to rest is moved in 2, 4 or 8 parts. Where there is a root, the rule only has the rest of its turn
// beside the one that FreeTurning has for the inertia of all bodies as it is at the beginning: that one is exact, half
// of it before and half after, so that a spinning body with a light link on it turns as the body alone.
#pragma once

#include "isopatch/detail/rollout/tree/tree_mass.h"

namespace isopatch::detail {

inline constexpr int kTreeEvaluations = 6, kMostTreeParts = 8;
inline constexpr double kTreeAtRest = 1e-8;  // of the rates: the last change

/// The twist of what carries a tree's first bodies, of the stage or as it was before.
ISOPATCH_HD Twist base_twist(const TreeInput& in, const MovingBody& body, bool before) {
  const std::int32_t base = body.joint.parent;
  if (!body.is_joint() || base < 0 || in.view.bodies[base].is_in_tree()) return {{0, 0, 0}, {0, 0, 0}};
  return before ? in.bodies[base].twist() : prescribed_twist(in.view.bodies[base], in.state.twist(base), in.stage);
}

/// Reads a tree from the bodies of a stage. Called by all lanes.
template <class Warp>
ISOPATCH_HD void load_tree(Warp& warp, const TreeInput& in, const TreeView& tree, bool before, const TreeMemory& m) {
  double* const rates = m.rates + tree.first_dof;
  for_each_body(warp, in.view, tree, [&](int i, const MovingBody& body) {
    const int index = in.view.tree_bodies[i];
    const StageBody& at = in.bodies[index];
    TreeBody& t = m.bodies[i];
    t.position = at.position;
    t.base = base_twist(in, body, before);
    for (int k = 0; k < body.own_dofs(); ++k) rates[body.tree_dof + k] = at.velocity[k];
    if (body.is_joint()) return;
    t.pose = at.base;
    t.center = at.base.position + rotate(transform_of(at.base), in.mass(index).center);
  });
}

ISOPATCH_HD FreeTurning turning_of(const BodyMass& mass, const TreeRoot& root) {
  return {root.of_all, mass.turning.symmetry, mass.turning.second, root.of_symmetry, root.of_second};
}

/// The angular velocity of the turn that is taken exactly, at this orientation.
ISOPATCH_HD Vec3d exact_turn(const BodyMass& mass, const TreeRoot& root, const Pose& pose) {
  const Transform<double> X = transform_of(pose);
  const Vec3d k = rotate(X, mass.turning.symmetry), e = rotate(X, mass.turning.second), L = root.angular;
  return fma(root.of_second * dot(L, e), e, fma(root.of_symmetry * dot(L, k), k, root.of_all * L));
}

/// Begins the motion of a tree's roots: in a frame that moves along with the center of mass. After find_momenta().
/// Called by all lanes.
template <class Warp>
ISOPATCH_HD void begin_roots(Warp& warp, const TreeInput& in, const TreeView& tree, const TreeMemory& m) {
  double* const rates = m.rates + tree.first_dof;
  for_each_body(warp, in.view, tree, [&](int i, const MovingBody& body) {
    if (body.is_joint()) return;
    const TreeBody& t = m.bodies[i];
    TreeRoot& root = m.roots[body.root];
    root.drift = (1 / t.all_mass) * t.momentum.linear;
    root.center = t.all_center;
    root.angular = shifted(t.momentum, t.all_center - t.center).angular;
    const BodyMass& mass = in.mass(in.view.tree_bodies[i]);
    const Transform<double> X = transform_of(t.pose);
    const Vec3d k = rotate(X, mass.turning.symmetry), e = rotate(X, mass.turning.second), c = cross(k, e);
    const Symmetric3 J = inverse(t.all_inertia);
    root.of_all = dot(c, J * c);
    root.of_symmetry = dot(k, J * k) - root.of_all;
    root.of_second = dot(e, J * e) - root.of_all;
    double* const own = rates + body.tree_dof;
    own[0] -= root.drift.x, own[1] -= root.drift.y, own[2] -= root.drift.z;
    root.rest = Vec3d{own[3], own[4], own[5]} - exact_turn(mass, root, t.pose);
  });
}

/// Writes rates, momenta and the forces by which they change where the motion begins. Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE void begin_motion(Warp& warp, const TreeInput& in, const TreeView& tree, bool before,
                                    const TreeMemory& m) {
  double *const rates = m.rates + tree.first_dof, *const momenta = m.momenta + tree.first_dof;
  load_tree(warp, in, tree, before, m);
  place_tree(warp, in, tree, 0, m);
  find_twists(warp, in.view, tree, rates, m);
  find_momenta(warp, in.view, tree, rates, m, momenta);
  if (tree.has_roots) {
    begin_roots(warp, in, tree, m);
    find_twists(warp, in.view, tree, rates, m);
    find_momenta(warp, in.view, tree, rates, m, momenta);
  }
  if (before && tree.on_moving_base) {  // momenta stay as what carries the tree goes on with another velocity
    for_each_body(warp, in.view, tree,
                  [&](int i, const MovingBody& body) { m.bodies[i].base = base_twist(in, body, false); });
    find_twists(warp, in.view, tree, rates, m);
    find_momenta(warp, in.view, tree, rates, m, m.solution + tree.first_dof);
  }
  find_inertial_forces(warp, in.view, tree, m, m.first_forces + tree.first_dof);
}

/// Writes the momenta `of` less what the tree has of them with all rates 0 into the solution; a root has what stays.
/// Called by all lanes.
template <class Warp>
ISOPATCH_HD void begin_solution(Warp& warp, const TreeInput& in, const TreeView& tree, double time, bool with_forces,
                                const TreeMemory& m) {
  double *const solution = m.solution + tree.first_dof, *const forces = m.forces + tree.first_dof;
  const double* const begun = m.begun + tree.first_dof;
  for_each_body(warp, in.view, tree, [&](int, const MovingBody& body) {
    if (body.is_follower()) return;
    double* const to = solution + body.tree_dof;
    if (body.is_joint()) {
      to[0] = with_forces ? fma(time, forces[body.tree_dof], begun[body.tree_dof]) : begun[body.tree_dof];
      return;
    }
    const Vec3d L = m.roots[body.root].angular;
    to[0] = to[1] = to[2] = 0;
    to[3] = L.x, to[4] = L.y, to[5] = L.z;
  });
  if (!tree.on_moving_base) return;
  find_twists(warp, in.view, tree, nullptr, m);
  find_momenta(warp, in.view, tree, nullptr, m, forces);
  ISOPATCH_NO_UNROLL
  for (int k = warp.lane(); k < tree.num_dofs; k += Warp::kSize) solution[k] -= forces[k];
  warp.sync();
}

/// The position of a joint, so long after a part of the motion begins, with the rates at hand.
ISOPATCH_HD double position_after(const TreeInput& in, const MovingBody& body, const double* rates, double time,
                                  const TreeMemory& m) {
  const MovingBody& moves = body.is_follower() ? in.view.bodies[body.joint.leader] : body;
  const double position = fma(time, rates[body.tree_dof], m.bodies[moves.in_tree].begun_position);
  return body.is_follower() ? body.joint.following(position) : position;
}

/// By how much the rates of the solution differ from those before, and how large they are.
struct RateChange {
  double change, size;
};

/// Called by all lanes, each of which finds both.
ISOPATCH_HD RateChange rate_change(const TreeInput& in, const TreeView& tree, const TreeMemory& m) {
  const double *const rates = m.rates + tree.first_dof, *const solution = m.solution + tree.first_dof;
  RateChange found = {0, 0};
  ISOPATCH_NO_UNROLL
  for (int i = tree.bodies_begin; i < tree.bodies_end; ++i) {
    const MovingBody& body = in.view.bodies[in.view.tree_bodies[i]];
    if (body.is_follower()) continue;
    const double* const now = solution + body.tree_dof;
    if (body.is_joint()) {
      found.change += abs(now[0] - rates[body.tree_dof]);
      found.size += abs(now[0]);
      continue;
    }
    const TreeRoot& root = m.roots[body.root];
    const Vec3d omega = {now[3], now[4], now[5]};
    const Vec3d rest = omega - exact_turn(in.mass(in.view.tree_bodies[i]), root, m.bodies[i].pose);
    found.change += sum_of_sizes(rest - root.rest);
    found.size += sum_of_sizes(omega);
  }
  return found;
}

/// Finds the rates in the middle of a part, with the guess at hand. Returns whether they came to rest. Called by all
/// lanes.
template <class Warp>
ISOPATCH_HD_LARGE bool find_middle(Warp& warp, const TreeInput& in, const TreeView& tree, double begin, double duration,
                                   const TreeMemory& m) {
  double *const rates = m.rates + tree.first_dof, *const solution = m.solution + tree.first_dof;
  const LowerMatrix factor = m.factor_of(tree);
  const double half = 0.5 * duration;
  for (int i = 0; i < kTreeEvaluations; ++i) {
    for_each_body(warp, in.view, tree, [&](int k, const MovingBody& body) {
      TreeBody& t = m.bodies[k];
      if (body.is_joint()) {
        t.position = position_after(in, body, rates, half, m);
      } else {
        const TreeRoot& root = m.roots[body.root];
        t.pose.orientation = normalized(product(exp(half * root.rest), root.begun));
      }
    });
    place_tree(warp, in, tree, begin + half, m);
    write_mass_matrix(warp, in.view, tree, m, factor);
    begin_solution(warp, in, tree, half, true, m);
    factorize(warp, factor);
    solve_factorized(warp, factor, solution);
    const RateChange found = rate_change(in, tree, m);
    warp.sync();  // before they change
    for_each_body(warp, in.view, tree, [&](int k, const MovingBody& body) {
      for (int d = 0; d < body.own_dofs(); ++d) rates[body.tree_dof + d] = solution[body.tree_dof + d];
      if (body.is_joint()) return;
      TreeRoot& root = m.roots[body.root];
      const double* const omega = rates + body.tree_dof + 3;
      root.rest =
          Vec3d{omega[0], omega[1], omega[2]} - exact_turn(in.mass(in.view.tree_bodies[k]), root, m.bodies[k].pose);
    });
    find_twists(warp, in.view, tree, rates, m);
    find_momenta(warp, in.view, tree, rates, m, solution);
    find_inertial_forces(warp, in.view, tree, m, m.forces + tree.first_dof);
    if (found.change <= kTreeAtRest * found.size) return true;
  }
  return false;
}

/// Turns the roots of a tree for so long, exactly. Called by all lanes.
template <class Warp>
ISOPATCH_HD void turn_roots(Warp& warp, const TreeInput& in, const TreeView& tree, double duration,
                            const TreeMemory& m) {
  if (!tree.has_roots) return;
  for_each_body(warp, in.view, tree, [&](int i, const MovingBody& body) {
    if (body.is_joint()) return;
    TreeRoot& root = m.roots[body.root];
    root.begun = turned(turning_of(in.mass(in.view.tree_bodies[i]), root), root.begun, root.angular, duration);
  });
}

/// Moves a tree in so many parts from where the motion begins. Returns whether the rates came to rest in each; if there
/// may be more parts, it ends where they did not. Called by all lanes.
template <class Warp>
ISOPATCH_HD bool move_in_parts(Warp& warp, const TreeInput& in, const TreeView& tree, double duration, int parts,
                               const TreeMemory& m) {
  double *const rates = m.rates + tree.first_dof, *const begun = m.begun + tree.first_dof;
  double* const forces = m.forces + tree.first_dof;
  for_each_body(warp, in.view, tree, [&](int i, const MovingBody& body) {
    const StageBody& at = in.bodies[in.view.tree_bodies[i]];
    TreeBody& t = m.bodies[i];
    t.begun_position = at.position;
    for (int k = 0; k < body.own_dofs(); ++k) {
      rates[body.tree_dof + k] = at.velocity[k];
      begun[body.tree_dof + k] = m.momenta[tree.first_dof + body.tree_dof + k];
      forces[body.tree_dof + k] = m.first_forces[tree.first_dof + body.tree_dof + k];
    }
    if (body.is_joint()) return;
    TreeRoot& root = m.roots[body.root];
    root.begun = at.base.orientation;
    root.rest = Vec3d{at.velocity[3], at.velocity[4], at.velocity[5]} -
                exact_turn(in.mass(in.view.tree_bodies[i]), root, at.base);
  });
  const double part = duration / max(parts, 1);
  bool at_rest = true;
  for (int i = 0; i < parts; ++i) {
    turn_roots(warp, in, tree, 0.5 * part, m);
    at_rest = find_middle(warp, in, tree, i * part, part, m) && at_rest;
    if (!at_rest && parts < kMostTreeParts) return false;
    for_each_body(warp, in.view, tree, [&](int k, const MovingBody& body) {
      if (body.is_follower()) return;
      if (body.is_joint()) {
        TreeBody& t = m.bodies[k];
        t.begun_position = fma(part, rates[body.tree_dof], t.begun_position);
        begun[body.tree_dof] = fma(part, forces[body.tree_dof], begun[body.tree_dof]);
        return;
      }
      TreeRoot& root = m.roots[body.root];
      root.begun = normalized(product(exp(part * root.rest), root.begun));
    });
    turn_roots(warp, in, tree, 0.5 * part, m);
  }
  return at_rest;
}

/// Moves the roots of a placed tree to where their centers of mass have come. Called by all lanes.
template <class Warp>
ISOPATCH_HD void shift_to_centers(Warp& warp, const TreeInput& in, const TreeView& tree, double duration,
                                  const TreeMemory& m) {
  for_each_body(warp, in.view, tree, [&](int i, const MovingBody& body) {
    if (body.is_joint()) return;
    TreeRoot& root = m.roots[body.root];
    root.center = fma(duration, root.drift, root.center) - m.bodies[i].all_center;  // by how much
  });
  for_each_body(warp, in.view, tree, [&](int i, const MovingBody& body) {
    if (body.root < 0) return;
    const Vec3d shift = m.roots[body.root].center;
    TreeBody& t = m.bodies[i];
    t.pose.position = t.pose.position + shift;
    t.center = t.center + shift;
    t.all_center = t.all_center + shift;
  });
}

/// Ends a motion: places the tree, and finds the mass matrix, its factor and the rates there. Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE void end_motion(Warp& warp, const TreeInput& in, const TreeView& tree, double duration,
                                  const TreeMemory& m) {
  double *const rates = m.rates + tree.first_dof, *const solution = m.solution + tree.first_dof;
  for_each_body(warp, in.view, tree, [&](int i, const MovingBody& body) {
    TreeBody& t = m.bodies[i];
    if (!body.is_joint()) {
      t.pose.orientation = m.roots[body.root].begun;
      return;
    }
    const MovingBody& moves = body.is_follower() ? in.view.bodies[body.joint.leader] : body;
    const double position = moves.joint.within_stops(m.bodies[moves.in_tree].begun_position);
    t.position = body.is_follower() ? body.joint.following(position) : position;
  });
  place_tree(warp, in, tree, duration, m);
  if (tree.has_roots) shift_to_centers(warp, in, tree, duration, m);
  const LowerMatrix mass = m.mass_of(tree), factor = m.factor_of(tree);
  write_mass_matrix(warp, in.view, tree, m, mass);
  begin_solution(warp, in, tree, 0, false, m);
  const int entries = mass.size * mass.size;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < entries; i += Warp::kSize) factor.entries[i] = mass.entries[i];
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < mass.size; i += Warp::kSize) rates[i] = solution[i];
  warp.sync();
  factorize(warp, factor);
  solve_factorized(warp, factor, rates);
  // once more for what is left, so that momenta stay to a rounding
  ISOPATCH_NO_UNROLL
  for (int row = warp.lane(); row < mass.size; row += Warp::kSize) {
    double left = solution[row];
    for (int k = 0; k < mass.size; ++k) left = fma(-mass.symmetric(row, k), rates[k], left);
    solution[row] = left;
  }
  warp.sync();
  solve_factorized(warp, factor, solution);
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < mass.size; i += Warp::kSize) rates[i] += solution[i];
  warp.sync();
  for_each_body(warp, in.view, tree, [&](int i, const MovingBody& body) {
    StageBody& at = in.bodies[in.view.tree_bodies[i]];
    at.position = m.bodies[i].position;
    double* const own = rates + body.tree_dof;
    if (body.is_joint()) {
      at.velocity[0] = body.is_follower() ? body.joint.ratio * own[0] : own[0];
      return;
    }
    const Vec3d drift = m.roots[body.root].drift;
    own[0] += drift.x, own[1] += drift.y, own[2] += drift.z;
    at.base = m.bodies[i].pose;
    for (int k = 0; k < 6; ++k) at.velocity[k] = own[k];
  });
}

/// Moves a tree for `duration` seconds, in which no force acts on it, from where the bodies of a stage have it to where
/// they have it then. With `before`, its momenta are those with the velocity that what carries it had before the
/// sub-step. Returns whether that is as good as the rule: the rates came to rest. Called by all lanes.
template <class Warp>
ISOPATCH_HD bool move_freely(Warp& warp, const TreeInput& in, const TreeView& tree, double duration, bool before,
                             const TreeMemory& m) {
  begin_motion(warp, in, tree, before, m);
  bool at_rest = false;
  for (int parts = 1; parts <= kMostTreeParts && !at_rest; parts *= 2) {
    at_rest = move_in_parts(warp, in, tree, duration, duration > 0 ? parts : 0, m) || !(duration > 0);
  }
  end_motion(warp, in, tree, duration, m);
  return at_rest;
}

}  // namespace isopatch::detail
