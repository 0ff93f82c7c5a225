// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/reference/oracle_helpers.h"

namespace isopatch::oracle {
namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_()) / static_cast<double>(std::mt19937_64::max()));
  }
  double log_uniform(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  Vector3d direction() {
    Vector3d v;
    do {
      v = Vector3d(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
    } while (v.norm() > 1 || v.norm() < 0.1);
    return v.normalized();
  }
  Quaterniond orientation() { return Quaterniond(Eigen::AngleAxisd(uniform(0, 3), direction())); }

  Geometry mesh() {
    const double kind = uniform(0, 3);
    if (kind < 1) return make_sphere("ball", uniform(0.04, 0.06), kind < 0.5 ? 1 : 2);
    if (kind < 2) return make_box("cube", {0.1, 0.1, 0.1});
    return make_box("brick", {uniform(0.05, 0.2), uniform(0.05, 0.2), uniform(0.05, 0.2)});
  }

 private:
  std::mt19937_64 engine_;
};

// Extent of a body from its origin in a direction; a half space reaches its plane.
double support(const Geometry& geometry, const Quaterniond& orientation, const Vector3d& direction) {
  if (geometry.kind == GeometryKind::kHalfSpace) return 0;
  double largest = -std::numeric_limits<double>::infinity();
  for (const Point3& p : geometry.mesh.points) {
    largest = std::max(largest, (orientation * Vector3d(p[0], p[1], p[2])).dot(direction));
  }
  return largest;
}

bool is_rigid_first(PairKind kind) { return kind == PairKind::kRigidMeshOnHalfSpace; }
bool is_rigid_second(PairKind kind) {
  return kind == PairKind::kMeshOnRigidMesh || kind == PairKind::kMeshOnRigidHalfSpace;
}
bool has_half_space(PairKind kind) { return kind != PairKind::kMeshOnMesh && kind != PairKind::kMeshOnRigidMesh; }

/// A strain map with a few rows, stiff at first.
const std::vector<std::array<double, 2>> kSoftening = {{0, 0}, {0.05, 0.1}, {0.1, 0.15}, {0.4, 0.3}, {1, 1}};

}  // namespace

const char* name_of(PairKind kind) {
  switch (kind) {
    case PairKind::kMeshOnMesh:
      return "mesh on mesh";
    case PairKind::kMeshOnRigidMesh:
      return "mesh on rigid mesh";
    case PairKind::kMeshOnHalfSpace:
      return "mesh on half space";
    case PairKind::kMeshOnRigidHalfSpace:
      return "mesh on rigid half space";
    case PairKind::kRigidMeshOnHalfSpace:
      return "rigid mesh on half space";
  }
  return "?";
}

SceneDescription random_scene(PairKind kind, unsigned seed) {
  Random random(1000 * static_cast<unsigned>(kind) + seed);
  const Geometry first = random.mesh();
  Geometry second = has_half_space(kind) ? make_half_space("ground", random.uniform(0.05, 0.2)) : random.mesh();
  if (seed % 3 == 2) second = with_strain(std::move(second), {StrainMap::Kind::kTable, 0, kSoftening});
  SceneDescription scene = two_bodies(first, second);
  scene.bodies[0].rigid = is_rigid_first(kind);
  scene.bodies[1].rigid = is_rigid_second(kind);
  for (Body& body : scene.bodies) body.modulus = random.log_uniform(1e4, 1e7);

  const Quaterniond q_a = random.orientation();
  const Quaterniond q_b = random.orientation();
  const Vector3d p_b = random.uniform(0, 0.1) * random.direction();
  const Vector3d outward = has_half_space(kind) ? q_b * Vector3d::UnitZ() : random.direction();
  const double reach = support(first, q_a, -outward) + support(second, q_b, outward);

  // two bodies whose supports overlap need not touch: go deeper until they do
  double depth = random.log_uniform(1e-3, 1e-2);
  set_pose(scene.bodies[1], p_b, q_b);
  const BackendCase reference = {"Reference", Backend::kReference};
  do {
    set_pose(scene.bodies[0], p_b + (reach - depth) * outward, q_a);
    depth *= 1.5;
  } while (!(evaluate(scene, reference).area > 1e-5));
  return seed % 2 == 0 ? scene : exchanged(scene);
}

}  // namespace isopatch::oracle
