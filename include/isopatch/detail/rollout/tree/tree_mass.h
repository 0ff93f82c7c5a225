// SPDX-License-Identifier: Apache-2.0
//
// Trees of bodies in their own degrees of freedom: where the bodies are, the mass matrix, and what momenta and forces
// are along the degrees of freedom. The matrix is found by composite bodies (Featherstone, "Rigid Body Dynamics
// Algorithms", 2008, chapter 6).
#pragma once

#include "isopatch/detail/rollout/tree/tree_memory.h"

namespace isopatch::detail {

/// What a tree moves in.
struct TreeInput {
  const RolloutView& view;
  const InputView& input;  // both where all kernels, or calls, have them
  std::int64_t environment;
  EnvironmentState state;
  SolverStage stage;
  StageBody* bodies;
  double begin;  // of the motion, s

  ISOPATCH_HD const BodyMass& mass(int body) const { return input.mass(view, environment, body); }
};

/// The pose of what carries a tree, so long after the motion begins, s.
ISOPATCH_HD Pose base_pose(const TreeInput& in, int base, double after) {
  if (base < 0) return kWorld;
  const MovingBody& body = in.view.bodies[base];
  if (body.kind == MotionKind::kPath) return pose_at(body.path, in.begin + after);
  const Pose& pose = in.bodies[base].base;
  return body.kind == MotionKind::kVelocity ? moved(pose, in.state.twist(base), after) : pose;
}

/// Adds a body, or several as if locked, to a body's `all_`.
ISOPATCH_HD void add_to_all(TreeBody& to, double mass, Vec3d center, const Symmetric3& inertia) {
  const double sum = to.all_mass + mass, share = mass / sum, reduced = to.all_mass * share;
  const Vec3d d = center - to.all_center;
  const double square = dot(d, d);
  Symmetric3& I = to.all_inertia;
  I.xx += fma(reduced, fma(-d.x, d.x, square), inertia.xx);
  I.yy += fma(reduced, fma(-d.y, d.y, square), inertia.yy);
  I.zz += fma(reduced, fma(-d.z, d.z, square), inertia.zz);
  I.xy += fma(-reduced * d.x, d.y, inertia.xy);
  I.xz += fma(-reduced * d.x, d.z, inertia.xz);
  I.yz += fma(-reduced * d.y, d.z, inertia.yz);
  to.all_center = fma(share, d, to.all_center);
  to.all_mass = sum;
}

/// Places the bodies of a tree, so long after the motion begins, from the positions of its joints, and from the
/// orientations and the centers of its roots. Called by all lanes.
template <class Warp>
ISOPATCH_HD_APART void place_tree(Warp& warp, TreeInput in, const TreeView& tree, double after, TreeMemory m) {
  for_each_from_roots(warp, in.view, tree, [&](int i, const MovingBody& body) {
    TreeBody& t = m.bodies[i];
    const int index = in.view.tree_bodies[i];
    const BodyMass& mass = in.mass(index);
    const double scale = in.input.mass_scale(in.environment, index);
    Pose parent = kWorld;
    if (body.is_joint()) {
      const TreeBody* const above = parent_in_tree(in.view, m, body);
      parent = above != nullptr ? above->pose : base_pose(in, body.joint.parent, after);
      t.pose = pose_at(body, parent, t.position);
    }
    const Transform<double> X = transform_of(t.pose);
    const Vec3d arm = rotate(X, mass.center);
    if (body.is_joint()) {
      t.center = t.pose.position + arm;
      t.freedom = joint_twist(body, axis_of(body.joint, parent), t.center);
      if (body.is_follower()) t.freedom = {body.joint.ratio * t.freedom.linear, body.joint.ratio * t.freedom.angular};
    } else {
      t.pose.position = t.center - arm;
    }
    t.from_base = t.center - parent.position;
    t.mass = t.all_mass = scale * mass.mass;
    t.inertia = t.all_inertia = rotated(X, scale * mass.inertia);
    t.all_center = t.center;
  });
  for_each_from_leaves(warp, in.view, tree, [&](int i, const MovingBody& body) {
    TreeBody& t = m.bodies[i];
    for_each_child(in.view, m, body,
                   [&](const TreeBody& child) { add_to_all(t, child.all_mass, child.all_center, child.all_inertia); });
  });
}

/// A wrench, or a momentum, about another center, which is at `arm` from the one that it is about.
ISOPATCH_HD Momentum shifted(const Momentum& wrench, Vec3d arm) {
  return {wrench.linear, wrench.angular - cross(arm, wrench.linear)};
}

/// What of a wrench about a body's center is along its joint.
ISOPATCH_HD double along_joint(const TreeBody& t, const Momentum& wrench) {
  return dot(t.freedom.linear, wrench.linear) + dot(t.freedom.angular, wrench.angular);
}

/// Calls visit(k, component) for the components of a wrench about the body's center along the body's own degrees of
/// freedom.
template <class Visit>
ISOPATCH_HD void project(const MovingBody& body, const TreeBody& t, const Momentum& wrench, const Visit& visit) {
  if (body.is_joint()) return visit(0, along_joint(t, wrench));
  visit(0, wrench.linear.x), visit(1, wrench.linear.y), visit(2, wrench.linear.z);
  visit(3, wrench.angular.x), visit(4, wrench.angular.y), visit(5, wrench.angular.z);
}

/// Adds to the matrix what the columns of a body have in its own rows and in the rows of bodies that carry it: all but
/// what involves a follower, or only that.
ISOPATCH_HD void add_columns(const RolloutView& view, const TreeMemory& m, int i, bool of_followers,
                             const LowerMatrix& M) {
  const MovingBody& body = view.bodies[view.tree_bodies[i]];
  const TreeBody& t = m.bodies[i];
  const Vec3d to_all = t.all_center - t.center;
  ISOPATCH_NO_UNROLL
  for (int k = 0; k < body.num_dofs(); ++k) {
    const auto one = [&](int axis) { return k == axis ? 1.0 : 0.0; };
    const Twist own = body.is_joint() ? t.freedom : Twist{{one(0), one(1), one(2)}, {one(3), one(4), one(5)}};
    const Twist at_all = shifted(own, to_all);
    const Momentum momentum = {t.all_mass * at_all.linear, t.all_inertia * at_all.angular};
    const int column = body.tree_dof + k;
    ISOPATCH_NO_UNROLL
    for (const MovingBody* up = &body;;) {
      const TreeBody& above = m.bodies[up->in_tree];
      if ((body.is_follower() || up->is_follower()) == of_followers) {
        const bool twice = up != &body && up->tree_dof == body.tree_dof;  // above and below the diagonal
        project(*up, above, shifted(momentum, above.center - t.all_center), [&](int row, double value) {
          const int other = up->tree_dof + row;
          if (up == &body && row < k) return;
          double& entry = M.at(max(column, other), min(column, other));
          entry += twice ? 2 * value : value;
        });
      }
      if (!up->is_joint() || up->joint.parent < 0) break;
      up = view.bodies + up->joint.parent;
      if (!up->is_in_tree()) break;
    }
  }
  if (!of_followers && body.is_joint() && body.joint.armature > 0) {
    M.at(body.tree_dof, body.tree_dof) += body.joint.armature;
  }
}

/// Writes the mass matrix of a tree that is placed. Called by all lanes.
template <class Warp>
ISOPATCH_HD_APART void write_mass_matrix(Warp& warp, const RolloutView& view, const TreeView& tree, TreeMemory m,
                                         LowerMatrix M) {
  const int entries = M.size * M.size;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < entries; i += Warp::kSize) M.entries[i] = 0;
  warp.sync();
  for_each_body(warp, view, tree, [&](int i, const MovingBody& body) {
    if (!body.is_follower()) add_columns(view, m, i, false, M);
  });
  if (!tree.has_followers) return;
  if (warp.lane() == 0) {  // several bodies add to the same entries
    ISOPATCH_NO_UNROLL
    for (int i = tree.bodies_begin; i < tree.bodies_end; ++i) add_columns(view, m, i, true, M);
  }
  warp.sync();
}

/// Writes the twists of the bodies of a tree that is placed, with these rates of its degrees of freedom; null: at rest.
/// Called by all lanes.
template <class Warp>
ISOPATCH_HD_APART void find_twists(Warp& warp, const RolloutView& view, const TreeView& tree, const double* rates,
                                   TreeMemory m) {
  for_each_from_roots(warp, view, tree, [&](int i, const MovingBody& body) {
    TreeBody& t = m.bodies[i];
    const double* const own = rates == nullptr ? nullptr : rates + body.tree_dof;
    if (!body.is_joint()) {
      t.twist =
          own == nullptr ? Twist{{0, 0, 0}, {0, 0, 0}} : Twist{{own[0], own[1], own[2]}, {own[3], own[4], own[5]}};
      return;
    }
    const TreeBody* const above = parent_in_tree(view, m, body);
    t.twist = above != nullptr ? shifted(above->twist, t.center - above->center) : shifted(t.base, t.from_base);
    if (own != nullptr) t.twist = fma(own[0], t.freedom, t.twist);
  });
}

/// Sums own(i, body), a wrench or a momentum about a body's center, over each body and all that it carries, and writes
/// the sums' components along the degrees of freedom. Called by all lanes.
template <class Warp, class Own>
ISOPATCH_HD void sum_along_dofs(Warp& warp, const RolloutView& view, const TreeView& tree, const TreeMemory& m,
                                const Own& own, double* to) {
  for_each_from_leaves(warp, view, tree, [&](int i, const MovingBody& body) {
    TreeBody& t = m.bodies[i];
    Momentum sum = own(i, body);
    for_each_child(view, m, body, [&](const TreeBody& child) {
      const Momentum of_child = shifted(child.momentum, t.center - child.center);
      sum = {sum.linear + of_child.linear, sum.angular + of_child.angular};
    });
    t.momentum = sum;
  });
  for_each_body(warp, view, tree, [&](int i, const MovingBody& body) {
    if (body.is_follower()) return;
    project(body, m.bodies[i], m.bodies[i].momentum, [&](int k, double value) { to[body.tree_dof + k] = value; });
    if (!body.is_joint()) return;
    ISOPATCH_NO_UNROLL
    for (std::int32_t k = body.joint.first_follower; k >= 0; k = view.bodies[k].joint.next_follower) {
      const TreeBody& follower = m.bodies[view.bodies[k].in_tree];
      to[body.tree_dof] += along_joint(follower, follower.momentum);
    }
  });
}

/// Writes the momenta along the degrees of freedom, after find_twists() with the same rates; the momentum of each body
/// with all that it carries is in TreeBody. Called by all lanes.
template <class Warp>
ISOPATCH_HD_APART void find_momenta(Warp& warp, const RolloutView& view, const TreeView& tree, const double* rates,
                                    TreeMemory m, double* to) {
  sum_along_dofs(
      warp, view, tree, m,
      [&](int i, const MovingBody&) {
        const TreeBody& t = m.bodies[i];
        return Momentum{t.mass * t.twist.linear, t.inertia * t.twist.angular};
      },
      to);
  if (rates == nullptr) return;
  for_each_body(warp, view, tree, [&](int, const MovingBody& body) {
    if (body.is_follower() || !body.is_joint()) return;
    to[body.tree_dof] = fma(body.joint.armature, rates[body.tree_dof], to[body.tree_dof]);
  });
}

/// By how much a joint's momentum grows in a second without forces: the derivative of the kinetic energy by its
/// position. That turns, or moves, the joint's bodies along with their velocities, while the parent keeps its own.
ISOPATCH_HD double inertial_force(const RolloutView& view, const TreeMemory& m, const MovingBody& body) {
  const TreeBody& t = m.bodies[body.in_tree];
  const TreeBody* const above = parent_in_tree(view, m, body);
  const Twist parent =
      above != nullptr ? shifted(above->twist, t.center - above->center) : shifted(t.base, t.from_base);
  const Twist& s = t.freedom;
  const Vec3d linear = cross(parent.angular, s.linear) + cross(parent.linear, s.angular);
  return dot(t.momentum.linear, linear) + dot(t.momentum.angular, cross(parent.angular, s.angular));
}

/// Writes the forces by which the momenta of joints change by themselves, after find_momenta(). Called by all lanes.
template <class Warp>
ISOPATCH_HD_APART void find_inertial_forces(Warp& warp, const RolloutView& view, const TreeView& tree, TreeMemory m,
                                            double* to) {
  for_each_body(warp, view, tree, [&](int, const MovingBody& body) {
    if (body.is_follower()) return;
    if (!body.is_joint()) {
      for (int k = 0; k < 6; ++k) to[body.tree_dof + k] = 0;
      return;
    }
    double force = inertial_force(view, m, body);
    ISOPATCH_NO_UNROLL
    for (std::int32_t k = body.joint.first_follower; k >= 0; k = view.bodies[k].joint.next_follower) {
      force += inertial_force(view, m, view.bodies[k]);
    }
    to[body.tree_dof] = force;
  });
}

}  // namespace isopatch::detail
