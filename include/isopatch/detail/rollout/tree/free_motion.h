// SPDX-License-Identifier: Apache-2.0
//
// How a tree of bodies moves where no force acts on it: as a free body does, with momenta that stay. With the positions
// q of its joints, their momenta p, and the kinetic energy T of both,
//
//   q' = M^-1 p,   p' = dT/dq at given rates
//
// by the classical method of Runge and Kutta, of fourth order; a root's momenta do not change, so that they stay
// exactly. A root turns in a frame that turns as a symmetric top with the inertia of all bodies as it is where the
// motion begins (u of turn_of_stage() is what is left of its turn), so that a spinning body with a light link on it
// turns as the body alone, which is exact, and a needle about its axis no worse than a ball (Lawson, "Generalized
// Runge-Kutta processes for stable systems with large Lipschitz constants", 1967; Munthe-Kaas, "High order Runge-Kutta
// methods on manifolds", 1999). What changes too much within a step of the method is moved in 2, 4, 8 or 16 parts.
#pragma once

#include "isopatch/detail/rollout/tree/tree_mass.h"

namespace isopatch::detail {

inline constexpr int kMostTreeParts = 16;
inline constexpr double kMostTreeChange = 1e-3;  // of the rates, between the two evaluations in the middle of a part

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
    ISOPATCH_NO_UNROLL
    for (int k = 0; k < body.own_dofs(); ++k) rates[body.tree_dof + k] = at.velocity[k];
    if (body.is_joint()) return;
    t.pose = at.base;
    t.center = at.base.position + rotate(transform_of(at.base), in.mass(index).center);
  });
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
    const FreeTurning& turning = in.mass(in.view.tree_bodies[i]).turning;
    const Transform<double> X = transform_of(t.pose);
    const Vec3d k = rotate(X, turning.symmetry), e = rotate(X, turning.second), c = cross(k, e);
    const Symmetric3 J = inverse(t.all_inertia);
    root.of_all = 0.5 * (dot(e, J * e) + dot(c, J * c));
    root.of_symmetry = dot(k, J * k) - root.of_all;
    double* const own = rates + body.tree_dof;
    own[0] -= root.drift.x, own[1] -= root.drift.y, own[2] -= root.drift.z;
  });
}

/// Makes the momenta along the joints, which are in the solution, the momenta of all rates: less what the tree has with
/// rates of 0, and with what a root has, which stays. Called by all lanes.
template <class Warp>
ISOPATCH_HD void complete_momenta(Warp& warp, const TreeInput& in, const TreeView& tree, const TreeMemory& m) {
  double *const solution = m.solution + tree.first_dof, *const of_base = m.forces + tree.first_dof;
  for_each_body(warp, in.view, tree, [&](int, const MovingBody& body) {
    if (body.is_joint()) return;
    double* const to = solution + body.tree_dof;
    const Vec3d L = m.roots[body.root].angular;
    to[0] = to[1] = to[2] = 0;
    to[3] = L.x, to[4] = L.y, to[5] = L.z;
  });
  if (!tree.on_moving_base) return;
  find_twists(warp, in.view, tree, nullptr, m);
  find_momenta(warp, in.view, tree, nullptr, m, of_base);
  ISOPATCH_NO_UNROLL
  for (int k = warp.lane(); k < tree.num_dofs; k += Warp::kSize) solution[k] -= of_base[k];
  warp.sync();
}

/// Finds the rates of a placed tree whose momenta along the joints are in the solution. Called by all lanes.
template <class Warp>
ISOPATCH_HD_APART void find_rates(Warp& warp, TreeInput in, const TreeView& tree, TreeMemory m) {
  complete_momenta(warp, in, tree, m);
  const LowerMatrix factor = m.factor_of(tree);
  write_mass_matrix(warp, in.view, tree, m, factor);
  factorize(warp, factor);
  solve_factorized(warp, factor, m.solution + tree.first_dof);
}

/// Finds the rates of a placed tree with the momenta with which its motion begins: as what carries the tree goes on
/// with another velocity, other ones than it had before. Called by all lanes.
template <class Warp>
ISOPATCH_HD void find_first_rates(Warp& warp, const TreeInput& in, const TreeView& tree, const TreeMemory& m) {
  double *const rates = m.rates + tree.first_dof, *const solution = m.solution + tree.first_dof;
  ISOPATCH_NO_UNROLL
  for (int k = warp.lane(); k < tree.num_dofs; k += Warp::kSize) solution[k] = m.first_momenta[tree.first_dof + k];
  warp.sync();
  find_rates(warp, in, tree, m);
  ISOPATCH_NO_UNROLL
  for (int k = warp.lane(); k < tree.num_dofs; k += Warp::kSize) rates[k] = solution[k];
  warp.sync();
}

/// Writes rates, momenta and the forces by which they change where the motion begins. Called by all lanes.
template <class Warp>
ISOPATCH_HD_APART void begin_motion(Warp& warp, TreeInput in, const TreeView& tree, bool before, TreeMemory m) {
  double *const rates = m.rates + tree.first_dof, *const momenta = m.first_momenta + tree.first_dof;
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
    find_first_rates(warp, in, tree, m);
  }
}

/// How a root turns in a stage of the method, `after` a part began: beside the top. `pose` is the stage's.
ISOPATCH_HD Vec3d turn_of_stage(const TreeRoot& root, const FreeTurning& turning, const Pose& pose, Vec3d omega,
                                double after) {
  const Vec3d L = root.angular, k = rotate(transform_of(pose), turning.symmetry);
  const Vec3d left = omega - fma(root.of_symmetry * dot(L, k), k, root.of_all * L);
  const Transform<double> about_momentum = transform_of({{0, 0, 0}, exp((after * root.of_all) * L)});
  const Vec3d w = rotate_back(about_momentum, left), a = rotate_back(about_momentum, k);
  return fma(-after * root.of_symmetry * dot(w, cross(a, L)), a, w);
}

/// The orientation of a root so long after a part began, turned by `turn` beside the top.
ISOPATCH_HD Quaternion turned(const TreeRoot& root, const FreeTurning& turning, Vec3d turn, double after) {
  const Quaternion q = normalized(product(exp(turn), root.begun));
  const double along = dot(root.angular, rotate(transform_of({{0, 0, 0}, q}), turning.symmetry));
  const Quaternion about_axis = exp((after * root.of_symmetry * along) * turning.symmetry);
  return normalized(product(exp((after * root.of_all) * root.angular), product(q, about_axis)));
}

/// By how much the rates of the solution differ from the last stage's, and how large they are.
struct RateChange {
  double change, size;
};

/// Called by all lanes, and each finds both.
ISOPATCH_HD RateChange rate_change(const TreeInput& in, const TreeView& tree, double after, const TreeMemory& m) {
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
    const Vec3d u = turn_of_stage(root, in.mass(in.view.tree_bodies[i]).turning, m.bodies[i].pose, omega, after);
    found.change += sum_of_sizes(u - root.rate);
    found.size += sum_of_sizes(omega);
  }
  return found;
}

/// Takes the solution as the rates of a stage, and finds the forces there. Called by all lanes.
template <class Warp>
ISOPATCH_HD_APART void end_tree_stage(Warp& warp, TreeInput in, const TreeView& tree, double after, double weight,
                                      TreeMemory m) {
  double *const rates = m.rates + tree.first_dof, *const forces = m.forces + tree.first_dof;
  find_twists(warp, in.view, tree, rates, m);
  find_momenta(warp, in.view, tree, rates, m, m.solution + tree.first_dof);
  find_inertial_forces(warp, in.view, tree, m, forces);
  for_each_body(warp, in.view, tree, [&](int i, const MovingBody& body) {
    if (body.is_follower()) return;
    if (body.is_joint()) {
      const int k = tree.first_dof + body.tree_dof;
      m.rate_sums[k] = fma(weight, m.rates[k], m.rate_sums[k]);
      m.force_sums[k] = fma(weight, m.forces[k], m.force_sums[k]);
      return;
    }
    TreeRoot& root = m.roots[body.root];
    const double* const omega = rates + body.tree_dof + 3;
    const Vec3d u = turn_of_stage(root, in.mass(in.view.tree_bodies[i]).turning, m.bodies[i].pose,
                                  {omega[0], omega[1], omega[2]}, after);
    root.rate = u;
    const Vec3d across = cross(root.turn, u);
    root.turning = fma(1.0 / 12, cross(root.turn, across), fma(-0.5, across, u));
    root.sum = fma(weight, root.turning, root.sum);
  });
}

/// Puts the joints where they are `time` after the part began with these rates, and their momenta, with these forces,
/// into the solution; turns the roots. Called by all lanes.
template <class Warp>
ISOPATCH_HD void advance(Warp& warp, const TreeInput& in, const TreeView& tree, double time, const double* of_rates,
                         const double* of_forces, double share, double after, bool of_sums, const TreeMemory& m) {
  const double *const rates = of_rates + tree.first_dof, *const forces = of_forces + tree.first_dof;
  const double* const begun = m.begun + tree.first_dof;
  for_each_body(warp, in.view, tree, [&](int i, const MovingBody& body) {
    TreeBody& t = m.bodies[i];
    if (!body.is_joint()) {
      TreeRoot& root = m.roots[body.root];
      root.turn = (share * time) * (of_sums ? root.sum : root.turning);
      t.pose.orientation = turned(root, in.mass(in.view.tree_bodies[i]).turning, root.turn, after);
      return;
    }
    const MovingBody& moves = body.is_follower() ? in.view.bodies[body.joint.leader] : body;
    const double position = fma(share * time, rates[body.tree_dof], m.bodies[moves.in_tree].begun_position);
    t.position = body.is_follower() ? body.joint.following(position) : position;
    if (body.is_follower()) return;
    double* const to = m.solution + tree.first_dof + body.tree_dof;
    *to = fma(share * time, forces[body.tree_dof], begun[body.tree_dof]);
  });
}

/// Moves a tree over a part of a motion: from begun positions, momenta and orientations, with rates and a placed tree
/// there, to positions, orientations and, in the solution, momenta. Returns whether it changes little enough; where
/// not, and it may have shorter parts, it ends early. Called by all lanes.
template <class Warp>
ISOPATCH_HD bool move_over_part(Warp& warp, const TreeInput& in, const TreeView& tree, double begin, double duration,
                                bool may_end, const TreeMemory& m) {
  for_each_body(warp, in.view, tree, [&](int, const MovingBody& body) {
    if (body.is_follower()) return;
    ISOPATCH_NO_UNROLL
    for (int k = 0; k < body.num_dofs(); ++k) {
      m.rate_sums[tree.first_dof + body.tree_dof + k] = m.force_sums[tree.first_dof + body.tree_dof + k] = 0;
    }
    if (!body.is_joint()) m.roots[body.root].turn = m.roots[body.root].sum = {0, 0, 0};
  });
  end_tree_stage(warp, in, tree, 0, 1, m);
  bool is_small = true;
  ISOPATCH_NO_UNROLL
  for (int stage = 1; stage < 4; ++stage) {
    const double after = stage == 3 ? duration : 0.5 * duration;
    advance(warp, in, tree, after, m.rates, m.forces, 1, after, false, m);
    place_tree(warp, in, tree, begin + after, m);
    find_rates(warp, in, tree, m);
    if (stage == 2) {
      const RateChange found = rate_change(in, tree, after, m);
      is_small = found.change <= kMostTreeChange * found.size;
      warp.sync();  // before they change
      if (!is_small && may_end) return false;
    }
    ISOPATCH_NO_UNROLL
    for (int k = warp.lane(); k < tree.num_dofs; k += Warp::kSize) {
      m.rates[tree.first_dof + k] = m.solution[tree.first_dof + k];
    }
    warp.sync();
    end_tree_stage(warp, in, tree, after, stage == 3 ? 1 : 2, m);
  }
  advance(warp, in, tree, duration, m.rate_sums, m.force_sums, 1.0 / 6, duration, true, m);
  return is_small;
}

/// Lets a part begin where the last one has ended, or the motion begins. Called by all lanes.
template <class Warp>
ISOPATCH_HD void begin_part(Warp& warp, const TreeInput& in, const TreeView& tree, const double* of_momenta,
                            const TreeMemory& m) {
  const double* const momenta = of_momenta + tree.first_dof;
  for_each_body(warp, in.view, tree, [&](int i, const MovingBody& body) {
    TreeBody& t = m.bodies[i];
    t.begun_position = t.position;
    if (!body.is_joint()) m.roots[body.root].begun = t.pose.orientation;
    if (!body.is_follower()) {
      ISOPATCH_NO_UNROLL
      for (int k = 0; k < body.num_dofs(); ++k)
        m.begun[tree.first_dof + body.tree_dof + k] = momenta[body.tree_dof + k];
    }
  });
}

/// Moves a tree in so many parts from where the motion begins. Returns as move_over_part(). Called by all lanes.
template <class Warp>
ISOPATCH_HD bool move_in_parts(Warp& warp, const TreeInput& in, const TreeView& tree, double duration, int parts,
                               const TreeMemory& m) {
  const double part = duration / parts;
  const bool may_end = parts < kMostTreeParts;
  begin_part(warp, in, tree, m.first_momenta, m);
  bool is_small = true;
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < parts; ++i) {
    if (i > 0) {
      begin_part(warp, in, tree, m.solution, m);
      place_tree(warp, in, tree, i * part, m);
      find_rates(warp, in, tree, m);
      ISOPATCH_NO_UNROLL
      for (int k = warp.lane(); k < tree.num_dofs; k += Warp::kSize) {
        m.rates[tree.first_dof + k] = m.solution[tree.first_dof + k];
      }
      warp.sync();
    }
    is_small = move_over_part(warp, in, tree, i * part, part, may_end, m) && is_small;
    if (!is_small && may_end) return false;
  }
  return is_small;
}

/// Reads a tree again where the motion begins, for a motion in shorter parts. Called by all lanes.
template <class Warp>
ISOPATCH_HD void restart_motion(Warp& warp, const TreeInput& in, const TreeView& tree, const TreeMemory& m) {
  load_tree(warp, in, tree, false, m);
  place_tree(warp, in, tree, 0, m);
  for_each_body(warp, in.view, tree, [&](int, const MovingBody& body) {
    if (body.is_joint()) return;
    double* const own = m.rates + tree.first_dof + body.tree_dof;
    const Vec3d drift = m.roots[body.root].drift;
    own[0] -= drift.x, own[1] -= drift.y, own[2] -= drift.z;
  });
  if (tree.on_moving_base) find_first_rates(warp, in, tree, m);
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

/// Ends a motion of a placed tree: finds the mass matrix, its factor and the rates there, from the momenta in the
/// solution. Called by all lanes.
template <class Warp>
ISOPATCH_HD_APART void find_last_rates(Warp& warp, TreeInput in, const TreeView& tree, TreeMemory m) {
  double *const rates = m.rates + tree.first_dof, *const solution = m.solution + tree.first_dof;
  double* const left = m.momenta + tree.first_dof;
  complete_momenta(warp, in, tree, m);
  const LowerMatrix mass = m.mass_of(tree), factor = m.factor_of(tree);
  write_mass_matrix(warp, in.view, tree, m, mass);
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
    double sum = solution[row];
    ISOPATCH_NO_UNROLL
    for (int k = 0; k < mass.size; ++k) sum = fma(-mass.symmetric(row, k), rates[k], sum);
    left[row] = sum;
  }
  warp.sync();
  solve_factorized(warp, factor, left);
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < mass.size; i += Warp::kSize) rates[i] += left[i];
  warp.sync();
  for_each_body(warp, in.view, tree, [&](int i, const MovingBody& body) {
    StageBody& at = in.bodies[in.view.tree_bodies[i]];
    double* const own = rates + body.tree_dof;
    if (body.is_joint()) {
      at.position = m.bodies[i].position;
      at.velocity[0] = body.is_follower() ? body.joint.ratio * own[0] : own[0];
      return;
    }
    const Vec3d drift = m.roots[body.root].drift;
    own[0] += drift.x, own[1] += drift.y, own[2] += drift.z;
    at.base = m.bodies[i].pose;
    for (int k = 0; k < 6; ++k) at.velocity[k] = own[k];
  });
}

/// Ends a motion: places the tree, and finds what find_last_rates() does. Called by all lanes.
template <class Warp>
ISOPATCH_HD void end_motion(Warp& warp, const TreeInput& in, const TreeView& tree, double duration,
                            const TreeMemory& m) {
  for_each_body(warp, in.view, tree, [&](int i, const MovingBody& body) {
    if (body.is_joint()) m.bodies[i].begun_position = body.joint.within_stops(m.bodies[i].position);
  });
  for_each_body(warp, in.view, tree, [&](int i, const MovingBody& body) {
    if (!body.is_joint()) return;
    const double own = m.bodies[i].begun_position;
    m.bodies[i].position =
        body.is_follower() ? body.joint.following(m.bodies[in.view.bodies[body.joint.leader].in_tree].begun_position)
                           : own;
  });
  place_tree(warp, in, tree, duration, m);
  if (tree.has_roots) shift_to_centers(warp, in, tree, duration, m);
  find_last_rates(warp, in, tree, m);
}

/// After end_motion(): the same for a tree whose joints and roots have been put elsewhere since. Called by all lanes.
template <class Warp>
ISOPATCH_HD void end_motion_again(Warp& warp, const TreeInput& in, const TreeView& tree, double duration,
                                  const TreeMemory& m) {
  ISOPATCH_NO_UNROLL
  for (int k = warp.lane(); k < tree.num_dofs && tree.on_moving_base; k += Warp::kSize) {
    m.solution[tree.first_dof + k] += m.forces[tree.first_dof + k];  // what complete_momenta() has taken away
  }
  warp.sync();
  place_tree(warp, in, tree, duration, m);
  find_last_rates(warp, in, tree, m);
}

/// Moves a tree for `duration` seconds, in which no force acts on it, from where the bodies of a stage have it to where
/// they have it then. With `before`, its momenta are those with the velocity that what carries it had before the
/// sub-step. Returns whether it changed little enough in each part of the motion. Called by all lanes.
template <class Warp>
ISOPATCH_HD bool move_freely(Warp& warp, const TreeInput& in, const TreeView& tree, double duration, bool before,
                             const TreeMemory& m) {
  begin_motion(warp, in, tree, before, m);
  bool is_small = !(duration > 0);
  ISOPATCH_NO_UNROLL
  for (int parts = 1; parts <= kMostTreeParts && !is_small; parts *= 2) {
    if (parts > 1) restart_motion(warp, in, tree, m);
    is_small = move_in_parts(warp, in, tree, duration, parts, m);
  }
  if (!(duration > 0)) {
    ISOPATCH_NO_UNROLL
    for (int k = warp.lane(); k < tree.num_dofs; k += Warp::kSize) {
      m.solution[tree.first_dof + k] = m.first_momenta[tree.first_dof + k];
    }
    warp.sync();
  }
  end_motion(warp, in, tree, duration, m);
  return is_small;
}

}  // namespace isopatch::detail
