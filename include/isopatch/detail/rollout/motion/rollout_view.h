// SPDX-License-Identifier: Apache-2.0
//
// What a scene says of masses, motions and steps, flattened as kernels see it: plain arrays in one address space,
// in addition to SceneView.
#pragma once

#include <cstdint>

#include "isopatch/detail/math/symmetric.h"
#include "isopatch/detail/rollout/motion/path.h"
#include "isopatch/limits.h"
#include "isopatch/scene/rollout_options.h"

namespace isopatch::detail {

/// How a body moves.
enum class MotionKind : std::uint8_t {
  kFixed,
  kPath,      // prescribed by rows
  kVelocity,  // prescribed by the velocity in its state
  kFree,
  kPlanar,  // along x and y and about z
  kPrismatic,
  kRevolute
};

struct DriveView {
  TimedValues force, target;
  double stiffness, damping;
  double limit;  // infinite if there is none
};

/// A degree of freedom about or along an axis of a parent.
struct JointView {
  std::int32_t index;         // among the joints
  std::int32_t parent;        // a body; negative: the world
  Vec3d axis;                 // unit, parent's frame
  Vec3d anchor;               // on the axis of a revolute joint, parent's frame, m
  Pose at_zero;               // of the body in its parent's frame at position 0
  double position, velocity;  // at the start
  DriveView drive;
  double lower, upper;  // infinite where it does not stop
  double bounce, friction, damping, armature;
  bool has_more;                               // a stop, friction or damping besides the drive
  std::int32_t slot;                           // among the joints that follow no other
  std::int32_t leader;                         // the body whose joint it follows; negative: none
  double ratio, offset;                        // of a follower
  std::int32_t first_follower, next_follower;  // bodies: the followers of a joint are a list; negative: none
  std::int32_t next_sibling;                   // the next body on a joint of the same parent; negative: none

  /// So far that going back in a step would throw it.
  ISOPATCH_HD bool is_beyond_stop(double at) const {
    return at < lower - limits::kMaxBeyondStop || at > upper + limits::kMaxBeyondStop;
  }
  /// What is beyond a stop is put back there, without a speed.
  ISOPATCH_HD double within_stops(double at) const { return max(min(at, upper), lower); }
  /// The position of a follower.
  ISOPATCH_HD double following(double leader_position) const { return fma(ratio, leader_position, offset); }
};

/// How a body turns freely. Its kinetic energy is that of a symmetric top and that of turning about a second principal
/// axis: (m L.L + s (L.k)^2)/2 + t (L.e)^2/2, with the angular momentum L.
struct FreeTurning {
  double of_all;           // m: a principal moment's inverse, 1/(kg m^2)
  Vec3d symmetry, second;  // k and e: unit, body's frame
  double of_symmetry;      // s: the inverse of the moment about k, less m
  double of_second;        // t: the inverse of the moment about e, less m; 0 for a symmetric top
};

/// With what mass a body moves.
struct BodyMass {
  double mass;                          // kg; 0 for a body without degrees of freedom, as what follows
  Vec3d center;                         // of mass, body's frame, m
  Symmetric3 inertia, inverse_inertia;  // about the center of mass, body's axes
  FreeTurning turning;
};

/// How the mass of a body follows from the geometries of its parts, where it does: those that a part can have add
/// numbers to an index into RolloutView::masses.
struct MassTable {
  std::int32_t first;                   // negative: the mass is the same with all geometries
  std::int32_t parts_begin, parts_end;  // among all parts
};

struct MovingBody {
  MotionKind kind;
  Pose pose;       // at the start
  Twist velocity;  // at the start, of the origin, world; of a body without a joint
  BodyMass mass;   // with the scene's own geometries
  MassTable masses;
  PathRows path;
  JointView joint;
  std::int32_t first_child;  // the first body on a joint of this one; negative: none
  std::int32_t depth;        // of joints from a body without one to this one
  std::int32_t tree;         // negative: it moves with one joint at most, and then no joint with it
  std::int32_t in_tree;      // among RolloutView::tree_bodies
  std::int32_t tree_dof;     // the first degree of freedom, among its tree's; of a follower its leader's
  std::int32_t root;         // of a tree: the free body that it is part of, among all trees'; negative: none

  ISOPATCH_HD bool is_joint() const { return kind == MotionKind::kPrismatic || kind == MotionKind::kRevolute; }
  ISOPATCH_HD bool is_follower() const { return is_joint() && joint.leader >= 0; }
  /// By forces, and on no joint.
  ISOPATCH_HD bool moves_freely() const { return kind == MotionKind::kFree || kind == MotionKind::kPlanar; }
  ISOPATCH_HD int num_dofs() const {
    return kind == MotionKind::kFree ? 6 : kind == MotionKind::kPlanar ? 3 : is_joint() ? 1 : 0;
  }
  ISOPATCH_HD bool is_in_tree() const { return tree >= 0; }
  /// Without those that it shares with a leader.
  ISOPATCH_HD int own_dofs() const { return is_follower() ? 0 : num_dofs(); }
};

/// Bodies with joints on bodies that have degrees of freedom too, and what follows their joints: one mass matrix is of
/// all their degrees of freedom.
struct TreeView {
  std::int32_t bodies_begin, bodies_end;  // among RolloutView::tree_bodies
  std::int32_t levels_begin, levels_end;  // among RolloutView::tree_levels
  std::int32_t body;                      // the first one with own degrees of freedom
  std::int32_t first_dof, num_dofs;       // among all trees'
  std::int32_t first_entry;               // of its matrix, among the entries of all trees
  bool on_moving_base;                    // a prescribed body carries it, or a part of it
  bool has_roots, has_followers;
};

/// What holds two bodies together beside joints.
struct LoopView {
  std::int32_t a, b;
  bool turns;                // about its axis
  Vec3d anchor_a, anchor_b;  // each in its body's frame, m
  Vec3d axis_a, axis_b;      // unit, likewise
  Quaternion b_in_a;         // the orientation of B in A's frame that it holds
};

struct RolloutView {
  const MovingBody* bodies;
  const BodyMass* masses;          // the first one, of bodies that cannot have their geometries, has a mass of 0
  const std::int32_t* mass_steps;  // of part p and geometry g at p num_geometries + g; negative: it cannot have that
  std::int32_t num_geometries;
  std::int32_t num_joints;
  std::int32_t num_own_joints;  // that follow no other
  std::int32_t num_dofs;        // of all bodies together
  std::int32_t max_depth;
  const TreeView* trees;
  const std::int32_t* tree_bodies;  // of each tree, from its roots to its leaves
  const std::int32_t* tree_levels;  // where the bodies of a depth begin among them, and at last where they end
  std::int32_t num_trees, num_tree_bodies, num_tree_roots, num_tree_dofs, num_tree_entries;
  std::int32_t max_chain;  // the most degrees of freedom that move a body
  const LoopView* loops;
  std::int32_t num_loops;
  Integrator integrator;
  ContactPoints points;
  double time_step;
  Vec3d gravity;
  double tolerance;
  std::int32_t max_iterations;
  std::int32_t friction_passes;  // of euler and sdirk2
  std::int32_t midpoint_passes;
  std::int32_t max_substeps;
  std::int32_t geometry_iterations;
  const double* thickness;          // of each of SceneView::geometries if it is compliant; infinite for half spaces, m
  const double* surface_thickness;  // if it is rigid
  double speed_limit;
  double slip_tolerance;         // v_s, m/s
  const double* contact_states;  // SceneView::contact_states
};

/// Whether the bodies of a scene need the code for trees: so do loops.
ISOPATCH_HD bool may_have_trees(const RolloutView& view) { return view.num_trees > 0 || view.num_loops > 0; }

}  // namespace isopatch::detail
