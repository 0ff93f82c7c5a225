// SPDX-License-Identifier: Apache-2.0
#include "tests/pressure_field/aligned.h"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <utility>

namespace isopatch::test {
namespace {

std::vector<Orientation> make_quarter_turns() {
  std::vector<Orientation> turns;
  for (std::size_t i = 0; i < 4; ++i) {  // half turns about the axes, and none
    turns.push_back({0, 0, 0, 0});
    turns.back()[i] = 1;
  }
  for (std::size_t i = 0; i < 4; ++i) {  // turns by 90 degrees, and half turns about diagonals of faces
    for (std::size_t j = 0; j < i; ++j) {
      for (const double sign : {1.0, -1.0}) {
        turns.push_back({0, 0, 0, 0});
        turns.back()[i] = sign;
        turns.back()[j] = 1;
      }
    }
  }
  for (int signs = 0; signs < 8; ++signs) {  // turns by 120 degrees
    turns.push_back({1, signs & 1 ? -1.0 : 1.0, signs & 2 ? -1.0 : 1.0, signs & 4 ? -1.0 : 1.0});
  }
  return turns;
}

Batch batch_of(const SceneDescription& scene, const std::vector<Pose>& poses) {
  Batch batch = Batch::of_two_bodies(static_cast<std::int64_t>(poses.size()));
  for (const Pose& pose : poses) {
    batch.poses.insert(batch.poses.end(), pose.begin(), pose.end());
    batch.poses.insert(batch.poses.end(), scene.bodies[1].pose.begin(), scene.bodies[1].pose.end());
  }
  return batch;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const BackendCase& backend) { return out << backend.name; }

std::vector<BackendCase> backends() {
  return {{"Reference", Backend::kReference, Precision::kDouble},
          {"CpuFloat", Backend::kCpu, Precision::kFloat},
          {"CpuDouble", Backend::kCpu, Precision::kDouble}};
}

const std::vector<Orientation>& quarter_turns() {
  static const std::vector<Orientation> turns = make_quarter_turns();
  return turns;
}

Pose aligned_pose(const Vector3d& position, const Orientation& orientation, Random& random) {
  Pose pose = {position[0], position[1], position[2], orientation[0], orientation[1], orientation[2], orientation[3]};
  for (double& value : pose) {
    if (value == 0 && random.below(2) == 0) value = -0.0;
  }
  return pose;
}

Pose moved(const Pose& pose, const Vector3d& by) {
  Pose result = pose;
  for (std::size_t i = 0; i < 3; ++i) result[i] += by[static_cast<Eigen::Index>(i)];
  return result;
}

Pose turned(const Pose& pose, const Vector3d& by) {
  const Eigen::Quaterniond before(pose[3], pose[4], pose[5], pose[6]);
  const Eigen::Quaterniond turn(Eigen::AngleAxisd(by.norm(), by.normalized()));
  const Eigen::Quaterniond after = turn * before.normalized();
  return {pose[0], pose[1], pose[2], after.w(), after.x(), after.y(), after.z()};
}

Orientation any_turn(Random& random) {
  return random.below(2) == 0 ? Orientation{1, 0, 0, 0} : quarter_turns()[static_cast<std::size_t>(random.below(24))];
}

Vector3d generic_direction(Random& random) {
  Vector3d direction;
  for (Eigen::Index i = 0; i < 3; ++i) direction[i] = random.uniform(-1, 1);
  return direction.normalized();
}

Geometry corner_tet() {
  TetMesh mesh;
  mesh.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.tets = {{0, 1, 2, 3}};
  return make_tet_mesh("tet", std::move(mesh));
}

Geometry surface_of(const Geometry& geometry) {
  return make_surface_mesh(geometry.name, {geometry.mesh.points, geometry.surface});
}

std::vector<Geometry> aligned_shapes() {
  return {make_box("cube", {1, 1, 1}), make_sphere("icosphere", 0.5, 0), make_cylinder("cylinder", 0.5, 1, 4),
          corner_tet()};
}

Meeting on_itself(const Geometry& geometry) { return {geometry.name + " on itself", two_bodies(geometry, geometry)}; }

std::vector<Meeting> other_meetings(const Geometry& geometry) {
  // the thickness gives the slope of the cube's pressure
  const Geometry half_space = make_half_space("half space", 0.5);
  std::vector<Meeting> meetings = {
      {geometry.name + " on a stiffer one", two_bodies(geometry, geometry)},
      {geometry.name + " on a rigid one", two_bodies(geometry, geometry)},
      {geometry.name + " on its rigid surface", two_bodies(geometry, surface_of(geometry))},
      {geometry.name + " on a half space", two_bodies(geometry, half_space)},
      {geometry.name + " on a rigid half space", two_bodies(geometry, half_space)}};
  meetings[0].scene.bodies[1].modulus *= 2;
  meetings[1].scene.bodies[1].rigid = true;
  meetings[2].scene.bodies[1].rigid = true;
  meetings[4].scene.bodies[1].rigid = true;
  return meetings;
}

std::vector<Pose> aligned_poses(const Meeting& meeting, int count, unsigned seed) {
  Random random(seed);
  const std::vector<Point3>& points = meeting.scene.geometries[0].mesh.points;
  const auto any_point = [&] {
    const Point3& p = points[static_cast<std::size_t>(random.below(static_cast<int>(points.size())))];
    return Vector3d(p[0], p[1], p[2]);
  };
  std::vector<Pose> poses = {aligned_pose({0, 0, 0}, {1, 0, 0, 0}, random)};
  while (poses.size() < static_cast<std::size_t>(count)) {
    // a quarter, a half or the whole of the way from one vertex to another brings parts of the mesh onto others
    const Vector3d from = any_point(), to = any_point();
    poses.push_back(aligned_pose((to - from) * (0.25 * random.below(5)), any_turn(random), random));
  }
  return poses;
}

std::vector<Outcome> evaluate(const SceneDescription& scene, const std::vector<Pose>& poses,
                              const BackendCase& backend) {
  constexpr std::int32_t kCapacity = 1024;
  const Batch batch = batch_of(scene, poses);
  UnwrittenResults r(Scene(scene), batch.num_environments, detail::Outputs::kPolygons, kCapacity);
  Results results = r.view();
  results.energy = {};
  Evaluator(Scene(scene), backend.options()).evaluate(batch.state(), results);

  const double least_pressure = 1e-6 * scene.bodies[0].modulus;  // far below that of any vertex, above rounding
  std::vector<Outcome> outcomes(poses.size());
  for (std::size_t e = 0; e < poses.size(); ++e) {
    const double* wrench = r.pair_wrench.data() + 6 * e;
    outcomes[e].force = {wrench[0], wrench[1], wrench[2]};
    outcomes[e].torque = {wrench[3], wrench[4], wrench[5]};
    for (std::int32_t i = 0; i < r.polygons_needed[e]; ++i) {
      const Polygon& polygon = r.polygons[e * kCapacity + static_cast<std::size_t>(i)];
      const float highest = *std::max_element(polygon.pressures, polygon.pressures + polygon.num_vertices);
      if (static_cast<double>(highest) <= least_pressure) continue;
      const double area = polygon.area;
      outcomes[e].area += area;
      outcomes[e].directed_area += area * Vector3d(polygon.normal[0], polygon.normal[1], polygon.normal[2]);
    }
  }
  return outcomes;
}

std::vector<double> energies(const SceneDescription& scene, const std::vector<Pose>& poses,
                             const BackendCase& backend) {
  const Batch batch = batch_of(scene, poses);
  std::vector<double> energy(poses.size());
  Results results;
  results.energy = energy.data();
  Evaluator(Scene(scene), backend.options()).evaluate(batch.state(), results);
  return energy;
}

BackendCase reference() { return backends().front(); }

std::string text_of(const Pose& pose) {
  std::ostringstream text;
  text << std::setprecision(17);
  for (const double value : pose) text << ' ' << value;
  return text.str();
}

}  // namespace isopatch::test
