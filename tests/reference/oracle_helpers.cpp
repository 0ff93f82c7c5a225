// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/oracle_helpers.h"

#include <algorithm>
#include <cmath>

namespace isopatch::oracle {
namespace {

Evaluator make_evaluator(const SceneDescription& scene, const BackendCase& backend) {
  EvaluatorOptions options;
  options.backend = backend.backend;
  options.precision = Precision::kDouble;
  return Evaluator(Scene(scene), options);
}

Vector3d vector_at(const std::vector<double>& values, std::size_t index) {
  return {values[index], values[index + 1], values[index + 2]};
}

template <std::size_t size>
void append(const std::array<double, size>& row, std::vector<double>& values) {
  values.insert(values.end(), row.begin(), row.end());
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const BackendCase& backend) { return out << backend.name; }

std::vector<BackendCase> backends() { return {{"Reference", Backend::kReference}, {"Cpu", Backend::kCpu}}; }

Outcome evaluate(const SceneDescription& scene, const BackendCase& backend, bool with_energy) {
  std::vector<double> poses, velocities;
  for (const Body& body : scene.bodies) {
    append(body.pose, poses);
    append(body.velocity, velocities);
  }
  const std::size_t num_pairs = scene.pairs->size();
  const std::size_t num_bodies = scene.bodies.size();
  std::vector<double> pair_wrench(6 * num_pairs), body_wrench(6 * num_bodies), area(num_pairs), center(3 * num_pairs);
  std::vector<double> normal(3 * num_pairs), pressure(num_pairs), friction(3 * num_pairs), energy(num_pairs);
  std::vector<std::int32_t> polygons(num_pairs);
  Outcome outcome;

  State state;
  state.num_environments = 1;
  state.poses = poses.data();
  state.velocities = velocities.data();
  Results results;
  results.pair_wrench = pair_wrench.data();
  results.body_wrench = body_wrench.data();
  results.status = &outcome.status;
  results.area = area.data();
  results.center_of_pressure = center.data();
  results.mean_normal = normal.data();
  results.max_pressure = pressure.data();
  results.friction_force = friction.data();
  results.polygon_count = polygons.data();
  if (with_energy) results.energy = energy.data();
  make_evaluator(scene, backend).evaluate(state, results);

  const auto b = static_cast<std::size_t>((*scene.pairs)[0].b);
  outcome.force = vector_at(pair_wrench, 0);
  outcome.torque = vector_at(pair_wrench, 3);
  outcome.force_b = vector_at(body_wrench, 6 * b);
  outcome.torque_b = vector_at(body_wrench, 6 * b + 3);
  outcome.area = area[0];
  outcome.center_of_pressure = vector_at(center, 0);
  outcome.mean_normal = vector_at(normal, 0);
  outcome.friction_force = vector_at(friction, 0);
  outcome.max_pressure = pressure[0];
  outcome.polygons = polygons[0];
  outcome.energy = energy[0];
  return outcome;
}

std::vector<double> energies(const SceneDescription& scene, const std::vector<Eigen::Matrix<double, 6, 1>>& motions,
                             const BackendCase& backend) {
  const auto a = static_cast<std::size_t>((*scene.pairs)[0].a);
  std::vector<double> poses;
  for (const auto& motion : motions) {
    std::vector<Body> bodies = scene.bodies;
    const Vector3d turn = motion.tail<3>();
    const double angle = turn.norm();
    const Vector3d axis = angle > 0 ? Vector3d(turn / angle) : Vector3d::UnitX();
    set_pose(bodies[a], position_of(bodies[a]) + motion.head<3>(),
             Quaterniond(Eigen::AngleAxisd(angle, axis)) * orientation_of(bodies[a]));
    for (const Body& body : bodies) append(body.pose, poses);
  }

  std::vector<double> energy(motions.size() * scene.pairs->size());
  State state;
  state.num_environments = static_cast<std::int64_t>(motions.size());
  state.poses = poses.data();
  Results results;
  results.energy = energy.data();
  make_evaluator(scene, backend).evaluate(state, results);

  std::vector<double> first_pair;
  for (std::size_t i = 0; i < motions.size(); ++i) first_pair.push_back(energy[i * scene.pairs->size()]);
  return first_pair;
}

void set_pose(Body& body, const Vector3d& position, const Quaterniond& orientation) {
  body.pose = {position.x(),    position.y(),    position.z(),   orientation.w(),
               orientation.x(), orientation.y(), orientation.z()};
}

Vector3d position_of(const Body& body) { return {body.pose[0], body.pose[1], body.pose[2]}; }

Quaterniond orientation_of(const Body& body) { return {body.pose[3], body.pose[4], body.pose[5], body.pose[6]}; }

Quaterniond roll_pitch_yaw(double roll, double pitch, double yaw) {
  return Eigen::AngleAxisd(yaw, Vector3d::UnitZ()) * Eigen::AngleAxisd(pitch, Vector3d::UnitY()) *
         Eigen::AngleAxisd(roll, Vector3d::UnitX());
}

SceneDescription exchanged(SceneDescription scene) {
  std::swap((*scene.pairs)[0].a, (*scene.pairs)[0].b);
  return scene;
}

double relative_error(const Vector3d& force, const Vector3d& torque, const Vector3d& expected_force,
                      const Vector3d& expected_torque) {
  const double errors = std::max((force - expected_force).norm(), (torque - expected_torque).norm() / kLever);
  return errors / expected_force.norm();
}

}  // namespace isopatch::oracle
