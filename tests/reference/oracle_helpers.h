// SPDX-License-Identifier: Apache-2.0
//
// Every oracle holds for all backends that compute in double: it is written once and runs on each.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "isopatch/isopatch.h"
#include "tests/support/scenes.h"

namespace isopatch::oracle {

using Eigen::Quaterniond;
using Eigen::Vector3d;

struct BackendCase {
  const char* name;
  Backend backend;
};

std::ostream& operator<<(std::ostream& out, const BackendCase& backend);

/// What an evaluation says about pair 0 of a scene.
struct Outcome {
  Vector3d force, torque;      // on a, about a's origin
  Vector3d force_b, torque_b;  // on b, about b's origin
  double area = 0;
  Vector3d center_of_pressure, mean_normal, friction_force;
  double max_pressure = 0;
  int polygons = 0;
  double energy = 0;
  std::uint32_t status = 0;
};

/// Evaluates the scene at its own poses and velocities.
Outcome evaluate(const SceneDescription& scene, const BackendCase& backend, bool with_energy = false);

/// The energy of pair 0 with body a moved by each of the given motions: translation [m], then rotation vector [rad]
/// about its origin.
std::vector<double> energies(const SceneDescription& scene, const std::vector<Eigen::Matrix<double, 6, 1>>& motions,
                             const BackendCase& backend);

using test::two_bodies;

void set_pose(Body& body, const Vector3d& position, const Quaterniond& orientation = Quaterniond::Identity());
Vector3d position_of(const Body& body);
Quaterniond orientation_of(const Body& body);

/// Orientation from fixed-axis roll, pitch and yaw.
Quaterniond roll_pitch_yaw(double roll, double pitch, double yaw);

/// The scene with a and b exchanged in pair 0.
SceneDescription exchanged(SceneDescription scene);

/// The kinds of pairs a random scene can have, a against b.
enum class PairKind : std::uint8_t {
  kMeshOnMesh,
  kMeshOnRigidMesh,
  kMeshOnHalfSpace,
  kMeshOnRigidHalfSpace,
  kRigidMeshOnHalfSpace,
};

constexpr PairKind kAllPairKinds[] = {PairKind::kMeshOnMesh, PairKind::kMeshOnRigidMesh, PairKind::kMeshOnHalfSpace,
                                      PairKind::kMeshOnRigidHalfSpace, PairKind::kRigidMeshOnHalfSpace};

const char* name_of(PairKind kind);

/// Spheres, cubes and odd boxes of about 0.1 m with moduli in [1e4, 1e7] Pa, in random poses in which they touch.
/// Odd seeds exchange a and b.
SceneDescription random_scene(PairKind kind, unsigned seed);

/// Length that relates a torque to a force in relative errors, m.
constexpr double kLever = 0.1;

/// Largest of the errors of force and torque / kLever, relative to the expected force.
double relative_error(const Vector3d& force, const Vector3d& torque, const Vector3d& expected_force,
                      const Vector3d& expected_torque);

/// The geometry with every tet cut into eight, `levels` times; the field stays the same function.
Geometry refined(const Geometry& geometry, int levels);

/// The geometry with every tet cut into four at its centroid.
Geometry split_at_centroids(const Geometry& geometry);

class Oracle : public ::testing::TestWithParam<BackendCase> {};

std::vector<BackendCase> backends();

#define ISOPATCH_INSTANTIATE_ORACLE(suite)                                                       \
  INSTANTIATE_TEST_SUITE_P(Backends, suite, ::testing::ValuesIn(::isopatch::oracle::backends()), \
                           [](const auto& case_info) { return std::string(case_info.param.name); })

}  // namespace isopatch::oracle
