// SPDX-License-Identifier: Apache-2.0
#include "host/reference/pressure_field/traction.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <optional>

namespace isopatch::reference {
namespace {

using Matrix2 = Eigen::Matrix<Real, 2, 2>;

/// A polygon under its pressure.
struct PressedPolygon {
  PolygonMoments moments;
  Vector3 normal;
  Vector3 force_moment;  // integral of p (x - centroid)
  Real force, stiffness;

  explicit PressedPolygon(const ContactPolygon& polygon)
      : moments(reference::moments(polygon.vertices, polygon.normal)),
        normal(polygon.normal),
        force_moment(moments.second * polygon.pressure.gradient),
        force(moments.area * polygon.pressure.at(moments.centroid)),
        stiffness(polygon.resists() ? moments.area * polygon.gradient : 0) {}

  void add_to(ElasticWrench& wrench, const Vector3& about) const {
    wrench.force += force * normal;
    wrench.moment += (force * (moments.centroid - about) + force_moment).cross(normal);
  }
};

using Cluster = std::vector<const PressedPolygon*>;

/// Divides polygons by the nearest of some normals, which are chosen one after another: the normal of the polygon with
/// the largest product of force and distance from the normals so far, among polygons more than 30 degrees from them.
std::vector<Cluster> clusters_of(const std::vector<PressedPolygon>& polygons, int most) {
  const Real least_cosine = std::sqrt(Real{3}) / 2;
  std::vector<Vector3> normals;
  const auto nearest = [&](const PressedPolygon& polygon) {
    return std::max_element(normals.begin(), normals.end(), [&](const Vector3& a, const Vector3& b) {
      return polygon.normal.dot(a) < polygon.normal.dot(b);
    });
  };
  while (static_cast<int>(normals.size()) < most) {
    const PressedPolygon* best = nullptr;
    Real weight_of_best = 0;
    for (const PressedPolygon& polygon : polygons) {
      const Real cosine = normals.empty() ? -1 : polygon.normal.dot(*nearest(polygon));
      const Real weight = polygon.force * (1 - cosine);
      if (cosine >= least_cosine || weight <= weight_of_best) continue;
      best = &polygon;
      weight_of_best = weight;
    }
    if (best == nullptr) break;
    normals.push_back(best->normal);
  }
  std::vector<Cluster> clusters(normals.size());
  for (const PressedPolygon& polygon : polygons) {
    if (!normals.empty()) clusters[static_cast<std::size_t>(nearest(polygon) - normals.begin())].push_back(&polygon);
  }
  return clusters;
}

std::optional<PatchPoints> points_of(const Cluster& cluster) {
  Vector3 force = Vector3::Zero();
  Real all = 0;
  for (const PressedPolygon* polygon : cluster) {
    force += polygon->force * polygon->normal;
    all += polygon->force;
  }
  if (force.norm() <= all * Real{1e-9}) return std::nullopt;
  const Vector3 n = force.normalized();

  const auto stiffness_of = [&](const PressedPolygon& p) { return p.stiffness * std::pow(p.normal.dot(n), Real{2}); };
  Real K = 0;
  Vector3 center = Vector3::Zero();
  for (const PressedPolygon* polygon : cluster) {
    K += stiffness_of(*polygon);
    center += stiffness_of(*polygon) * polygon->moments.centroid;
  }
  if (K <= 0) return std::nullopt;
  center /= K;

  Matrix3 second = Matrix3::Zero();
  ElasticWrench wrench;
  for (const PressedPolygon* polygon : cluster) {
    const Vector3 from = polygon->moments.centroid - center;
    second += stiffness_of(*polygon) * (polygon->moments.second / polygon->moments.area + from * from.transpose());
    polygon->add_to(wrench, center);
  }
  Eigen::Matrix<Real, 3, 2> axes;
  axes.col(0) = n.unitOrthogonal();
  axes.col(1) = n.cross(axes.col(0));
  const Matrix2 in_plane = axes.transpose() * second * axes;
  const Eigen::SelfAdjointEigenSolver<Matrix2> principal(in_plane);

  // the pressure over the plane that has the moment: K lambda b = integral of f x, and the moment is x times f n
  PatchPoints out;
  out.normal = n;
  out.stiffness = K / 4;
  for (Eigen::Index axis = 0; axis < 2; ++axis) {
    const Eigen::Index by_size = 1 - axis;  // eigenvalues ascend
    const Vector3 direction = axes * principal.eigenvectors().col(by_size);
    const Real stiffness = std::max(principal.eigenvalues()[by_size], Real{0});  // against tilting
    const Real arm = std::sqrt(2 * stiffness / K);
    const Real moment = n.cross(wrench.moment).dot(direction);
    const Real change = stiffness > Real{1e-24} * in_plane.trace() ? moment * arm / stiffness : 0;
    for (std::size_t side = 0; side < 2; ++side) {
      const Real sign = side == 0 ? 1 : -1;
      const std::size_t j = 2 * static_cast<std::size_t>(axis) + side;
      out.points[j] = center + sign * arm * direction;
      out.distances[j] = -(force.norm() / K + sign * change);
    }
  }
  return out;
}

}  // namespace

PatchContacts patch_contacts(const std::vector<const ContactPolygon*>& polygons, int max_clusters) {
  std::vector<PressedPolygon> pressed;
  PatchContacts out;
  for (const ContactPolygon* polygon : polygons) pressed.emplace_back(*polygon).add_to(out.residual, Vector3::Zero());
  for (const Cluster& cluster : clusters_of(pressed, max_clusters)) {
    const std::optional<PatchPoints> points = points_of(cluster);
    if (!points) continue;
    for (std::size_t j = 0; j < points->points.size(); ++j) {
      const Vector3 force = -points->stiffness * points->distances[j] * points->normal;
      out.residual.force -= force;
      out.residual.moment -= points->points[j].cross(force);
    }
    out.clusters.push_back(*points);
  }
  return out;
}

}  // namespace isopatch::reference
