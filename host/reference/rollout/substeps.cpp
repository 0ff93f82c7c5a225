// SPDX-License-Identifier: Apache-2.0
#include "host/reference/rollout/substeps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/reference/scene/posed_body.h"

namespace isopatch::reference {
namespace {

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
constexpr Real kMargin = 1e-5L;  // of the radius of a ball

/// A body for the question how fast it can come near another, in its own frame.
struct Outline {
  bool half_space = false;           // all of it
  bool has_half_space = false;       // among several parts
  Transform X_BH;                    // of the half space
  Vector3 center = Vector3::Zero();  // of a ball about all meshes
  Real radius = 0, thickness = kInfinity;
};

struct PartOutline {
  Vector3 center;  // of the bounding box
  Real radius;
};

Transform transform_of(const std::array<double, 7>& pose) { return pose_of(pose).transform(); }

PartOutline outline_of(const Geometry& geometry, const Transform& X) {
  Vector3 low = Vector3::Constant(kInfinity), high = -low;
  std::vector<Vector3> points;
  for (const Point3& p : geometry.mesh.points) {
    points.push_back(X * Vector3(p[0], p[1], p[2]));
    low = low.cwiseMin(points.back());
    high = high.cwiseMax(points.back());
  }
  PartOutline outline = {(low + high) / 2, 0};
  for (const Vector3& p : points) outline.radius = std::max(outline.radius, (p - outline.center).norm());
  return outline;
}

/// Where the extent is steepest it falls from 1 to 0 in this; of a rigid part three volumes over its area.
Real thickness_of(const Geometry& geometry, bool rigid, const Transform& X) {
  const PosedBody posed(geometry, rigid, 1, X);
  if (!rigid) return 1 / posed.largest_gradient;
  Real volume = 0, area = 0;
  for (const Triangle& t : geometry.surface) {
    Vector3 p[3];
    for (std::size_t i = 0; i < 3; ++i) {
      const Point3& point = geometry.mesh.points[static_cast<std::size_t>(t[i])];
      p[i] = Vector3(point[0], point[1], point[2]);
    }
    volume += p[0].dot(p[1].cross(p[2])) / 6;
    area += (p[1] - p[0]).cross(p[2] - p[0]).norm() / 2;
  }
  return 3 * std::abs(volume) / area;
}

Outline outline_of(const SceneDescription& scene, const Body& body) {
  Outline outline;
  std::vector<PartOutline> meshes;
  const std::vector<Part> parts = parts_of(body);
  for (const Part& part : parts) {
    const Geometry& geometry = scene.geometries[static_cast<std::size_t>(part.geometry)];
    const Transform X = transform_of(part.pose);
    if (geometry.kind == GeometryKind::kHalfSpace) {
      (parts.size() == 1 ? outline.half_space : outline.has_half_space) = true;
      outline.X_BH = X;
      continue;
    }
    meshes.push_back(outline_of(geometry, X));
    outline.thickness = std::min(outline.thickness, thickness_of(geometry, *part.rigid, X));
  }
  Vector3 low = Vector3::Constant(kInfinity), high = -low;
  for (const auto& [center, radius] : meshes) {
    low = low.cwiseMin(center - Vector3::Constant(radius));
    high = high.cwiseMax(center + Vector3::Constant(radius));
  }
  if (!meshes.empty())
    outline.center = meshes.size() == 1 && parts.size() == 1 ? meshes[0].center : Vector3((low + high) / 2);
  for (const auto& [center, radius] : meshes) {
    outline.radius = std::max(outline.radius, (center - outline.center).norm() + radius);
  }
  outline.radius += kMargin * (outline.center.norm() + outline.radius);
  return outline;
}

struct Mover {
  const Outline& outline;
  Pose pose;
  Vector6 twist;

  Vector3 center() const { return pose.position + pose.orientation * outline.center; }
  Vector3 velocity_at(const Vector3& point) const { return twist_at(twist, point - pose.position).head<3>(); }
  Real turning() const { return outline.has_half_space ? 0 : outline.radius * twist.tail<3>().norm(); }
};

/// The speed of approach of two bodies that can meet in `duration`, else 0.
Real approach(const Mover& a, const Mover& b, Real duration) {
  if (a.outline.half_space) return approach(b, a, duration);
  const Vector3 center = a.center();
  Real gap, speed;
  if (b.outline.half_space) {
    const Transform plane = b.pose.transform() * b.outline.X_BH;
    const Vector3 up = plane.rotation.col(2);
    gap = up.dot(center - plane.translation) - a.outline.radius;
    speed = a.turning() - up.dot(a.velocity_at(center) - b.velocity_at(center));
  } else {
    gap = (center - b.center()).norm() - a.outline.radius - b.outline.radius;
    speed = (a.velocity_at(center) - b.velocity_at(b.center())).norm() + a.turning() + b.turning();
  }
  if (a.outline.has_half_space || b.outline.has_half_space) gap = -kInfinity;
  return speed > 0 && gap < duration * speed ? speed : 0;
}

}  // namespace

int count_substeps(const SceneDescription& scene, const std::vector<Pose>& poses, const std::vector<Vector6>& twists) {
  std::vector<Outline> outlines;
  for (const Body& body : scene.bodies) outlines.push_back(outline_of(scene, body));
  const Real h = scene.rollout.time_step;
  Real most = 1;
  for (const Pair& pair : *scene.pairs) {
    const auto mover = [&](int index) {
      const auto i = static_cast<std::size_t>(index);
      return Mover{outlines[i], poses[i], twists[i]};
    };
    const Mover a = mover(pair.a), b = mover(pair.b);
    const Real thickness = std::min(a.outline.thickness, b.outline.thickness);
    most = std::max(most, h * approach(a, b, h) / thickness);
  }
  return std::min(static_cast<int>(std::ceil(std::min(most, Real{1000}))), scene.rollout.max_substeps);
}

}  // namespace isopatch::reference
