// SPDX-License-Identifier: Apache-2.0
#include "host/reference/rollout/tree.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace isopatch::reference {
namespace {

constexpr Real kSettled = 1e-8L;  // change of the velocities in an evaluation, relative to them
constexpr int kMaxEvaluations = 6, kMaxParts = 8;

bool stands_on_moving(const std::vector<MovingBody>& bodies, std::size_t i) {
  const int parent = bodies[i].parent();
  return bodies[i].is_joint() && parent >= 0 && bodies[static_cast<std::size_t>(parent)].num_dofs() > 0;
}

/// How many joints carry a body, down to a body that is free or stands on one without degrees of freedom.
int depth(const std::vector<MovingBody>& bodies, std::size_t i) {
  return stands_on_moving(bodies, i) ? 1 + depth(bodies, static_cast<std::size_t>(bodies[i].parent())) : 0;
}

/// Takes the twist of a point to the twist of another point of the same body, at `arm` from it.
Matrix6 carrying(const Vector3& arm) {
  Matrix6 J = Matrix6::Identity();
  J.topRows<3>() = reference::velocity_at(arm);
  return J;
}

/// The change of a motion that goes along with another one, of the same point.
Vector6 cross_of_motions(const Vector6& along, const Vector6& motion) {
  const Vector3 v = along.head<3>(), omega = along.tail<3>();
  Vector6 result;
  result << omega.cross(motion.head<3>()) + v.cross(motion.tail<3>()), omega.cross(motion.tail<3>());
  return result;
}

Matrix3 inertia_about(const Vector3& point, const StageMotion& body, Real mass) {
  const Vector3 arm = body.center - point;
  return body.inertia.bottomRightCorner<3, 3>() +
         mass * (arm.squaredNorm() * Matrix3::Identity() - arm * arm.transpose());
}

Real sum_of_sizes(const Vector3& v) { return v.lpNorm<1>(); }

}  // namespace

std::vector<Tree> Tree::among(const std::vector<MovingBody>& bodies) {
  std::vector<std::size_t> labels(bodies.size());  // connected bodies have the same
  std::iota(labels.begin(), labels.end(), std::size_t{0});
  const auto connect = [&](std::size_t a, int b) {
    const std::size_t label = labels[a], other = labels[static_cast<std::size_t>(b)];
    std::replace(labels.begin(), labels.end(), std::max(label, other), std::min(label, other));
  };
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (stands_on_moving(bodies, i)) connect(i, bodies[i].parent());
    if (bodies[i].is_joint() && bodies[i].leader() >= 0) connect(i, bodies[i].leader());
  }

  std::vector<Tree> trees;
  for (std::size_t label = 0; label < bodies.size(); ++label) {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (labels[i] == label) indices.push_back(i);
    }
    const auto is_carried = [&](std::size_t i) { return stands_on_moving(bodies, i); };
    if (std::none_of(indices.begin(), indices.end(), is_carried)) continue;
    std::stable_sort(indices.begin(), indices.end(),
                     [&](std::size_t a, std::size_t b) { return depth(bodies, a) < depth(bodies, b); });

    const auto member_of = [&](int body) {
      return static_cast<int>(std::find(indices.begin(), indices.end(), static_cast<std::size_t>(body)) -
                              indices.begin());
    };
    Tree& tree = trees.emplace_back();
    for (const std::size_t i : indices) {
      const MovingBody& body = bodies[i];
      const int self = static_cast<int>(tree.members_.size());
      const int parent = is_carried(i) ? member_of(body.parent()) : -1;
      const int root = body.is_free() ? self : parent < 0 ? -1 : tree.members_[static_cast<std::size_t>(parent)].root;
      const int leader = body.is_joint() && body.leader() >= 0 ? member_of(body.leader()) : -1;
      tree.members_.push_back({i, body, parent, root, leader, tree.num_dofs_});
      tree.num_dofs_ += body.own_dofs();
    }
    for (Member& member : tree.members_) {
      if (member.leader >= 0) member.column = tree.members_[static_cast<std::size_t>(member.leader)].column;
    }
  }
  return trees;
}

/// Followers follow, and links are where their joints say.
void Tree::place(const std::vector<Pose>& bases, TreeState& state) const {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].leader < 0) continue;
    const Real position = state.positions[static_cast<std::size_t>(members_[i].leader)];
    state.positions[i] = members_[i].body.following({position, 0}).position;
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    if (member.body.is_free()) continue;
    Pose parent;
    if (member.parent >= 0) {
      parent = state.poses[static_cast<std::size_t>(member.parent)];
    } else if (member.body.parent() >= 0) {
      parent = bases[static_cast<std::size_t>(member.body.parent())];
    }
    state.poses[i] = composed(parent, member.body.joint_pose(state.positions[i]));
  }
}

Tree::Momenta Tree::momenta_at(const std::vector<Pose>& poses, const Bases& bases) const {
  Momenta at;
  at.axes.resize(members_.size(), Vector6::Zero());
  at.mass = MatrixX::Zero(num_dofs_, num_dofs_);
  at.known = VectorX::Zero(num_dofs_);
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    StageMotion& motion = at.motions.emplace_back();
    motion.center = poses[i].position + member.body.mass().arm(poses[i]);
    motion.inertia = member.body.mass().spatial_inertia(poses[i]);
    motion.freedom.setZero(6, num_dofs_);
    if (member.body.is_free()) {
      motion.freedom.middleCols<6>(member.column).setIdentity();
    } else {
      Pose parent;
      if (member.parent >= 0) {
        const auto p = static_cast<std::size_t>(member.parent);
        parent = poses[p];
        const Matrix6 J = carrying(motion.center - at.motions[p].center);
        motion.known = J * at.motions[p].known;
        motion.freedom = J * at.motions[p].freedom;
      } else if (member.body.parent() >= 0) {
        const auto p = static_cast<std::size_t>(member.body.parent());
        parent = bases.poses[p];
        motion.known = twist_at(bases.twists[p], motion.center - parent.position);
      }
      const Vector3 in_parent = parent.orientation.conjugate() * (motion.center - parent.position);
      at.axes[i] = member.body.ratio() * in_axes(parent, member.body.joint_twist(in_parent));
      motion.freedom.col(member.column) += at.axes[i];
      if (member.leader < 0) at.mass(member.column, member.column) += member.body.armature();
    }
    at.mass += motion.freedom.transpose() * motion.inertia * motion.freedom;
    at.known += motion.freedom.transpose() * motion.inertia * motion.known;
  }
  return at;
}

std::vector<StageMotion> Tree::motions(const std::vector<Pose>& poses, const Bases& bases) const {
  return momenta_at(poses, bases).motions;
}

VectorX Tree::Momenta::velocity(const VectorX& momenta) const { return mass.llt().solve(momenta - known); }

/// dT/dq: of a joint, the momentum of all that it carries times the change of its axis with the body that has it.
VectorX Tree::force(const Momenta& at, const VectorX& velocity) const {
  std::vector<Vector6> momenta;  // of members with all that they carry, about their own centers
  for (const StageMotion& motion : at.motions) {
    momenta.push_back(motion.inertia * (motion.known + motion.freedom * velocity));
  }
  VectorX result = VectorX::Zero(num_dofs_);
  for (std::size_t i = members_.size(); i-- > 0;) {
    const Member& member = members_[i];
    if (member.body.is_free()) continue;
    Vector6 along = at.motions[i].known;  // the twist of the joint's parent
    if (member.parent >= 0) {
      const auto p = static_cast<std::size_t>(member.parent);
      const StageMotion& parent = at.motions[p];
      const Vector3 arm = at.motions[i].center - parent.center;
      along = twist_at(parent.known + parent.freedom * velocity, arm);
      momenta[p] += momenta[i];
      momenta[p].tail<3>() += arm.cross(momenta[i].head<3>());
    }
    result[member.column] += momenta[i].dot(cross_of_motions(along, at.axes[i]));
  }
  return result;
}

Vector3 Tree::center_of(const Root& root, const TreeState& state) const {
  Vector3 sum = Vector3::Zero();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const MassiveBody& body = members_[i].body.mass();
    if (members_[i].root != static_cast<int>(root.member)) continue;
    sum += body.mass * (state.poses[i].position + body.arm(state.poses[i]));
  }
  return sum / root.mass;
}

Tree::Root Tree::root_at(std::size_t member, const Momenta& at, const TreeState& state) const {
  Root root = {};
  root.member = member;
  Vector6 momentum = Vector6::Zero();  // about the origin of the world
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].root != static_cast<int>(member)) continue;
    const StageMotion& motion = at.motions[i];
    const Vector6 own = motion.inertia * (motion.known + motion.freedom * state.velocity);
    momentum += own;
    momentum.tail<3>() += motion.center.cross(own.head<3>());
    root.mass += members_[i].body.mass().mass;
  }
  root.center = center_of(root, state);
  root.velocity = momentum.head<3>() / root.mass;
  root.momentum = momentum.tail<3>() - root.center.cross(momentum.head<3>());

  Matrix3 inertia = Matrix3::Zero();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].root != static_cast<int>(member)) continue;
    inertia += inertia_about(root.center, at.motions[i], members_[i].body.mass().mass);
  }
  const Matrix3 R = state.poses[member].orientation.toRotationMatrix(), inverse = R.transpose() * inertia.inverse() * R;
  root.locked = members_[member].body.mass().turning();
  const Vector3 &k = root.locked.symmetry, &e = root.locked.second, third = k.cross(e);
  root.locked.of_all = third.dot(inverse * third);
  root.locked.of_symmetry = k.dot(inverse * k) - root.locked.of_all;
  root.locked.of_second = e.dot(inverse * e) - root.locked.of_all;
  return root;
}

/// Without places of links.
TreeState Tree::advanced(TreeState state, const FreeMotion& with, Real duration) const {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].body.own_dofs() == 1) state.positions[i] += duration * with.state.velocity[members_[i].column];
  }
  for (const Root& root : with.roots) {
    Quaternion& orientation = state.poses[root.member].orientation;
    orientation = (rotation_by(duration * root.rest) * orientation).normalized();
  }
  return state;
}

/// Whether its evaluations come to rest.
bool Tree::take_midpoint(const Bases& middle, Real duration, FreeMotion& motion) const {
  const TreeState begin = motion.state;
  bool rests = false;
  for (int evaluation = 0; evaluation < kMaxEvaluations && !rests; ++evaluation) {
    TreeState half = advanced(begin, motion, duration / 2);
    place(middle.poses, half);
    const Momenta at = momenta_at(half.poses, middle);
    const VectorX before = motion.state.velocity;
    VectorX& velocity = motion.state.velocity;
    velocity = at.velocity(motion.momenta + duration / 2 * motion.force);
    motion.force = force(at, velocity);

    Real change = 0, size = 0;
    for (const Member& member : members_) {
      if (member.body.own_dofs() != 1) continue;
      change += std::abs(velocity[member.column] - before[member.column]);
      size += std::abs(velocity[member.column]);
    }
    for (Root& root : motion.roots) {
      const Vector3 omega = velocity.segment<3>(members_[root.member].column + 3), rest_before = root.rest;
      root.rest = omega - root.locked.omega(half.poses[root.member].orientation, root.momentum);
      change += sum_of_sizes(root.rest - rest_before);
      size += sum_of_sizes(omega);
    }
    rests = change <= kSettled * size;
  }
  const VectorX velocity = motion.state.velocity;
  motion.state = advanced(begin, motion, duration);
  motion.state.velocity = velocity;
  motion.momenta += duration * motion.force;
  return rests;
}

/// In `count` equal parts. Whether all of them come to rest.
bool Tree::take(const MovingBases& bases, Real duration, int count, FreeMotion& motion) const {
  const Real part = duration / count;
  const auto turn_roots = [&] {
    for (const Root& root : motion.roots) {
      Quaternion& orientation = motion.state.poses[root.member].orientation;
      orientation = root.locked.turned(orientation, root.momentum, part / 2);
    }
  };
  bool rests = true;
  for (int i = 0; i < count; ++i) {
    turn_roots();
    rests = take_midpoint({bases.poses((i + Real{1} / 2) * part), bases.twists}, part, motion) && rests;
    turn_roots();
  }
  return rests;
}

void Tree::move_freely(const MovingBases& bases, Real duration, TreeState& state) const {
  const Bases base = {bases.poses(0), bases.twists};
  place(base.poses, state);

  // what begins, in the frames that move with roots
  FreeMotion begin;
  const Momenta before = momenta_at(state.poses, {base.poses, bases.before});
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].body.is_free()) begin.roots.push_back(root_at(i, before, state));
  }
  for (const Root& root : begin.roots) state.velocity.segment<3>(members_[root.member].column) -= root.velocity;
  begin.state = state;
  begin.momenta = before.mass * state.velocity + before.known;
  begin.force = force(momenta_at(state.poses, base), state.velocity);
  for (Root& root : begin.roots) {
    const Eigen::Index column = members_[root.member].column;
    begin.momenta.segment<6>(column) << Vector3::Zero(), root.momentum;
    root.rest =
        state.velocity.segment<3>(column + 3) - root.locked.omega(state.poses[root.member].orientation, root.momentum);
  }

  FreeMotion motion;
  for (int count = 1; count <= kMaxParts; count *= 2) {
    motion = begin;
    if (take(bases, duration, count, motion)) break;
  }

  // where it leads
  state = motion.state;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].body.own_dofs() == 1) state.positions[i] = members_[i].body.within_stops(state.positions[i]);
  }
  const Bases end = {bases.poses(duration), bases.twists};
  place(end.poses, state);
  for (const Root& root : motion.roots) {
    state.poses[root.member].position += root.center + duration * root.velocity - center_of(root, state);
  }
  place(end.poses, state);
  state.velocity = momenta_at(state.poses, end).velocity(motion.momenta);
  for (const Root& root : motion.roots) state.velocity.segment<3>(members_[root.member].column) += root.velocity;
}

}  // namespace isopatch::reference
