// SPDX-License-Identifier: Apache-2.0
//
// Positions in which faces, edges and vertices of two bodies coincide, evaluated on every backend.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/scenes.h"

namespace isopatch::test {

using Eigen::Vector3d;
using Pose = std::array<double, 7>;  // position, then quaternion w, x, y, z
using Orientation = std::array<double, 4>;

struct BackendCase {
  const char* name;
  Backend backend;
  Precision precision;

  EvaluatorOptions options() const { return {backend, precision, 0}; }
};

std::ostream& operator<<(std::ostream& out, const BackendCase& backend);
std::vector<BackendCase> backends();

class Degenerate : public ::testing::TestWithParam<BackendCase> {};

#define ISOPATCH_INSTANTIATE_DEGENERATE(suite)                                                 \
  INSTANTIATE_TEST_SUITE_P(Backends, suite, ::testing::ValuesIn(::isopatch::test::backends()), \
                           [](const auto& case_info) { return std::string(case_info.param.name); })

/// The 24 rotations of a cube onto itself. Components are 0, 1 and -1, so the quaternions are not normalised.
const std::vector<Orientation>& quarter_turns();

/// A quarter turn and the position, each 0 of a random sign.
Pose aligned_pose(const Vector3d& position, const Orientation& orientation, Random& random);

Pose moved(const Pose& pose, const Vector3d& by);

/// Turned about the body's origin by a small rotation vector, rad.
Pose turned(const Pose& pose, const Vector3d& by);

/// One of the 24 quarter turns, or none as often.
Orientation any_turn(Random& random);

/// A unit vector in no special direction.
Vector3d generic_direction(Random& random);

/// A tet with corners at the origin and 1 along the axes, split at its centroid.
Geometry corner_tet();

/// Its surface alone, for rigid bodies.
Geometry surface_of(const Geometry& geometry);

/// A mesh body and what it meets: two of the same shape, or the shape and something flat.
struct Meeting {
  std::string name;
  SceneDescription scene;
};

/// Cube, icosphere, cylinder and tet, of sizes about 1 m and 1e5 Pa.
std::vector<Geometry> aligned_shapes();

/// The shape on itself, with the same modulus.
Meeting on_itself(const Geometry& geometry);

/// The shape on itself with the double modulus, on itself rigid, with tets and without, on a half space and on a
/// rigid half space.
std::vector<Meeting> other_meetings(const Geometry& geometry);

/// Poses of the first body in which it is aligned with the second; the first pose is the second body's own.
std::vector<Pose> aligned_poses(const Meeting& meeting, int count, unsigned seed);

/// What pair 0 says in each environment.
struct Outcome {
  Vector3d force, torque;  // on a, about its origin

  // Of the polygons with some pressure. Two surfaces of opposite normals vanish where they meet: up to there their
  // forces and directed areas cancel, but their areas do not.
  double area = 0;
  Vector3d directed_area = {0, 0, 0};  // the integral of the normal
};

/// Evaluates pair 0 of a scene of two bodies, b in its own pose, a in each of `poses`, in one call.
std::vector<Outcome> evaluate(const SceneDescription& scene, const std::vector<Pose>& poses,
                              const BackendCase& backend);

/// The same for the energies alone.
std::vector<double> energies(const SceneDescription& scene, const std::vector<Pose>& poses, const BackendCase& backend);

/// The reference in double.
BackendCase reference();

std::string text_of(const Pose& pose);

}  // namespace isopatch::test
