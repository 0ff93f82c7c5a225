// SPDX-License-Identifier: Apache-2.0
//
// Scenes of rigid polytopes with random states near touch, in which relations of all kinds are found.
#pragma once

#include <Eigen/Geometry>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "isopatch/isopatch.h"
#include "tests/support/scenes.h"

namespace isopatch::test {

/// Of a body in the world or of a part in a body.
struct RigidPose {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();

  RigidPose operator*(const RigidPose& other) const { return {position + turn * other.position, turn * other.turn}; }
  std::array<double, 7> numbers() const {
    return {position.x(), position.y(), position.z(), turn.w(), turn.x(), turn.y(), turn.z()};
  }
};

inline RigidPose pose_at(double x, double y, double z) { return {{x, y, z}, Eigen::Quaterniond::Identity()}; }

inline RigidPose pose_turned(const Eigen::Vector3d& axis, double angle, const Eigen::Vector3d& position) {
  return {position, Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis.normalized()))};
}

/// A scene and the poses of its bodies in a random state.
struct RelationScene {
  std::string name;
  SceneDescription description;
  std::function<std::vector<RigidPose>(Random&)> place;
  bool is_planar = false;
  int floor = -1;                                 // the body that is a half space
  std::vector<std::vector<int>> geometries = {};  // of each part, of which a state has one; none: those of the scene
};

/// A peg in a square hole of four boxes, a prism in a groove of two hulls, a hull on level tiles that are one body and
/// on tiles that are a body each, polygons at a corner and in a groove, hulls on a half space, and a finger with a soft
/// tip and a steel bar on bodies whose geometries differ.
std::vector<RelationScene> relation_scenes();

/// All bodies of each environment moved together at random, each with a random velocity.
Batch relation_states(const RelationScene& scene, const Scene& made, std::int64_t environments, Random& random);

}  // namespace isopatch::test
