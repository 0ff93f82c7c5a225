// SPDX-License-Identifier: Apache-2.0
//
// Trees: bodies that are connected through joints on bodies with degrees of freedom, and joints that follow one of
// them, with dense Jacobians. Their degrees of freedom are the twists of free bodies, of the center of mass, and the
// rates of joints that follow no other.
//
// They move without forces by the classical method of Runge and Kutta, for positions and generalized momenta p = dT/dv.
// The momentum of a joint changes by dT/dq; the momenta of a free body with all that stands on it stay. Its orientation
// is found beside the turn of a symmetric top, which turns exactly.
#pragma once

#include <functional>
#include <vector>

#include "host/reference/rollout/moving_body.h"

namespace isopatch::reference {

/// Bodies without degrees of freedom, which trees stand on. Arrays are of all bodies; others have any values.
struct Bases {
  std::vector<Pose> poses;
  std::vector<Vector6> twists;  // of the origins
};

/// How they move while trees move freely.
struct MovingBases {
  std::function<std::vector<Pose>(Real)> poses;  // after a time, s
  std::vector<Vector6> before, twists;           // of the origins: before the motion begins, and in it
};

/// Arrays are of the members of a tree.
struct TreeState {
  std::vector<Pose> poses;
  std::vector<Real> positions;  // of joints
  VectorX velocity;             // of the degrees of freedom
};

class Tree {
 public:
  /// The trees among the bodies of a scene. A free body that carries nothing is none, nor are joints on bodies without
  /// degrees of freedom that carry nothing, with their followers.
  static std::vector<Tree> among(const std::vector<MovingBody>& bodies);

  struct Member {
    std::size_t index;  // among all bodies
    MovingBody body;
    int parent;           // the member that carries it; -1: it is free, or stands on a body without degrees of freedom
    int root;             // the free member that it stands on, or is; -1: none
    int leader;           // the member whose joint it follows; -1: none
    Eigen::Index column;  // the first of its degrees of freedom, or its leader's
  };

  /// Each after the one that carries it.
  const std::vector<Member>& members() const { return members_; }
  Eigen::Index num_dofs() const { return num_dofs_; }

  /// How members can move where they are.
  std::vector<StageMotion> motions(const std::vector<Pose>& poses, const Bases& bases) const;

  /// Moves without forces. The velocities before it are with the twists that bases had before.
  void move_freely(const MovingBases& bases, Real duration, TreeState& state) const;

 private:
  /// At a configuration: p = mass v + known.
  struct Momenta {
    std::vector<StageMotion> motions;
    std::vector<Vector6> axes;  // of joints: the twist of the center at a rate of 1 of the degree of freedom
    MatrixX mass;
    VectorX known;

    VectorX velocity(const VectorX& momenta) const;
  };

  /// A free member with all that stands on it, in the frame that moves with their center of mass. As if no joint moved,
  /// they are about a symmetric top, which has the angular velocity of_all L + of_symmetry (L . k) k.
  struct Root {
    std::size_t member;
    Real mass;
    Vector3 center, velocity;  // of mass
    Vector3 momentum;          // L, about the center
    Vector3 axis;              // k, unit, member's frame
    Real of_all, of_symmetry;  // 1/(kg m^2), where the motion begins

    /// The orientation of what turns as the top for `duration` seconds, with a rotation beside that.
    Quaternion turned(const Quaternion& begun, const Vector3& rotation, Real duration) const;

    /// The angular velocity of that rotation, which leads to an orientation and an angular velocity.
    Vector3 beside_top(const Quaternion& orientation, const Vector3& omega, Real duration) const;
  };

  struct FreeMotion {
    TreeState state;
    VectorX momenta;
    std::vector<Root> roots;
    std::vector<Vector3> rotations;  // of the roots, beside their tops, in a part of the motion
  };

  /// By how much a motion changes in a second.
  struct Change {
    VectorX velocity, force;         // of positions and momenta
    std::vector<Vector3> rotations;  // of rotation vectors
    std::vector<Vector3> beside;     // angular velocities
  };

  void place(const std::vector<Pose>& bases, TreeState& state) const;
  Momenta momenta_at(const std::vector<Pose>& poses, const Bases& bases) const;
  VectorX force(const Momenta& at, const VectorX& velocity) const;
  Root root_at(std::size_t member, const Momenta& at, const TreeState& state) const;
  Momenta settle(const Bases& bases, FreeMotion& motion) const;
  Change change_of(const FreeMotion& motion, const Momenta& at, Real after) const;
  FreeMotion advanced(FreeMotion begun, const Change& change, Real duration) const;
  bool differ_little(const Change& last, const Change& next) const;
  bool take_part(const MovingBases& bases, Real begin, Real duration, FreeMotion& motion) const;
  bool take(const MovingBases& bases, Real duration, int count, FreeMotion& motion) const;
  Vector3 center_of(const Root& root, const TreeState& state) const;

  std::vector<Member> members_;
  Eigen::Index num_dofs_ = 0;
};

}  // namespace isopatch::reference
