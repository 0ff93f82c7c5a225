// SPDX-License-Identifier: Apache-2.0
#include "host/reference/rollout/tree.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace isopatch::reference {
namespace {

constexpr Real kSmall = 1e-3L;  // change of the velocities in the middle of a part, relative to them
constexpr int kMaxParts = 16;

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
  const Matrix3 inverse = inertia.inverse();
  root.axis = members_[member].body.mass().turning().symmetry;
  const Vector3 k = state.poses[member].orientation * root.axis;
  const Real about_axis = k.dot(inverse * k);
  root.of_all = (inverse.trace() - about_axis) / 2;
  root.of_symmetry = about_axis - root.of_all;
  return root;
}

Quaternion Tree::Root::turned(const Quaternion& begun, const Vector3& rotation, Real duration) const {
  const Quaternion beside = rotation_by(rotation) * begun;
  const Quaternion about_axis = rotation_by(duration * of_symmetry * momentum.dot(beside * axis) * axis);
  return (rotation_by(duration * of_all * momentum) * beside * about_axis).normalized();
}

/// Seen from a frame that turns with of_all L, turned() turns with w + d/dt(duration of_symmetry (L . a)) a: w is that
/// of the rotation beside the top, and a is the axis as it has it, which changes by w x a.
Vector3 Tree::Root::beside_top(const Quaternion& orientation, const Vector3& omega, Real duration) const {
  const Quaternion about_momentum = rotation_by(duration * of_all * momentum);
  const Vector3 a = about_momentum.conjugate() * (orientation * axis);
  const Vector3 seen = about_momentum.conjugate() * omega - of_all * momentum;
  const Vector3 without_top = seen - of_symmetry * momentum.dot(a) * a;
  return without_top - duration * of_symmetry * without_top.dot(a.cross(momentum)) * a;
}

/// Places the members, and finds their velocities.
Tree::Momenta Tree::settle(const Bases& bases, FreeMotion& motion) const {
  place(bases.poses, motion.state);
  Momenta at = momenta_at(motion.state.poses, bases);
  motion.state.velocity = at.velocity(motion.momenta);
  return at;
}

/// So long after a part of the motion began.
Tree::Change Tree::change_of(const FreeMotion& motion, const Momenta& at, Real after) const {
  const VectorX& velocity = motion.state.velocity;
  Change change = {velocity, force(at, velocity), {}, {}};
  for (std::size_t i = 0; i < motion.roots.size(); ++i) {
    const Root& root = motion.roots[i];
    const Vector3 omega = velocity.segment<3>(members_[root.member].column + 3), &turn = motion.rotations[i];
    const Vector3 u = root.beside_top(motion.state.poses[root.member].orientation, omega, after);
    change.beside.push_back(u);
    change.rotations.push_back(u - turn.cross(u) / 2 + turn.cross(turn.cross(u)) / 12);
  }
  return change;
}

/// Without places of links.
Tree::FreeMotion Tree::advanced(FreeMotion begun, const Change& change, Real duration) const {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].body.own_dofs() == 1) begun.state.positions[i] += duration * change.velocity[members_[i].column];
  }
  begun.momenta += duration * change.force;
  for (std::size_t i = 0; i < begun.roots.size(); ++i) {
    const Root& root = begun.roots[i];
    Quaternion& orientation = begun.state.poses[root.member].orientation;
    begun.rotations[i] = duration * change.rotations[i];
    orientation = root.turned(orientation, begun.rotations[i], duration);
  }
  return begun;
}

/// Whether two evaluations at the same time differ little.
bool Tree::differ_little(const Change& last, const Change& next) const {
  Real difference = 0, size = 0;
  std::size_t root = 0;
  for (const Member& member : members_) {
    if (member.body.is_free()) {
      difference += sum_of_sizes(next.beside[root] - last.beside[root]);
      size += sum_of_sizes(next.velocity.segment<3>(member.column + 3));
      ++root;
    } else if (member.leader < 0) {
      difference += std::abs(next.velocity[member.column] - last.velocity[member.column]);
      size += std::abs(next.velocity[member.column]);
    }
  }
  return difference <= kSmall * size;
}

/// From velocities to velocities. Returns whether it changes little enough.
bool Tree::take_part(const MovingBases& bases, Real begin, Real duration, FreeMotion& motion) const {
  const auto bases_after = [&](Real time) -> Bases { return {bases.poses(begin + time), bases.twists}; };
  const FreeMotion begun = motion;
  Change change = change_of(begun, momenta_at(begun.state.poses, bases_after(0)), 0), mean = change;
  bool changes_little = true;
  for (const int stage : {2, 3, 4}) {
    const Real time = stage == 4 ? duration : duration / 2, weight = stage == 4 ? 1 : 2;
    const Change last = change;
    motion = advanced(begun, last, time);
    const Momenta at = settle(bases_after(time), motion);
    change = change_of(motion, at, time);
    if (stage == 3) changes_little = differ_little(last, change);
    mean.velocity += weight * change.velocity;
    mean.force += weight * change.force;
    for (std::size_t i = 0; i < mean.rotations.size(); ++i) mean.rotations[i] += weight * change.rotations[i];
  }
  mean.velocity /= 6;
  mean.force /= 6;
  for (Vector3& rotation : mean.rotations) rotation /= 6;
  motion = advanced(begun, mean, duration);
  motion.rotations = begun.rotations;
  settle(bases_after(duration), motion);
  return changes_little;
}

/// In `count` equal parts. Whether each of them changes little enough.
bool Tree::take(const MovingBases& bases, Real duration, int count, FreeMotion& motion) const {
  const Real part = duration / count;
  bool changes_little = true;
  for (int i = 0; i < count; ++i) changes_little = take_part(bases, i * part, part, motion) && changes_little;
  return changes_little;
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
  for (const Root& root : begin.roots) {
    begin.momenta.segment<6>(members_[root.member].column) << Vector3::Zero(), root.momentum;
  }
  begin.rotations.assign(begin.roots.size(), Vector3::Zero());
  settle(base, begin);  // they go on with other twists than before

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
