// SPDX-License-Identifier: Apache-2.0
#include "host/reference/pressure_field/evaluate_pair.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <array>
#include <cmath>

#include "host/reference/pressure_field/body_pair.h"
#include "host/reference/pressure_field/traction.h"
#include "isopatch/error.h"

namespace isopatch::reference {
namespace {

using Matrix2 = Eigen::Matrix<Real, 2, 2>;
using Matrix32 = Eigen::Matrix<Real, 3, 2>;

/// Two unit vectors in the plane of the unit normal n: the images of the first two axes under the smallest rotation
/// that takes the third one to n, or to -n if that is nearer.
Matrix32 plane_axes(const Vector3& n) {
  const Vector3 up = n[2] < 0 ? Vector3(-n) : n;
  Matrix32 axes;
  for (Eigen::Index i = 0; i < 2; ++i) axes.col(i) = Vector3::Unit(i) - up[i] / (1 + up[2]) * (Vector3::UnitZ() + up);
  return axes;
}

/// The positive root of a symmetric matrix that has no negative eigenvalues but for rounding.
Matrix2 root_of(const Matrix2& matrix) {
  const Eigen::SelfAdjointEigenSolver<Matrix2> eigen(matrix);
  const auto roots = eigen.eigenvalues().cwiseMax(Real{0}).cwiseSqrt();
  return eigen.eigenvectors() * roots.asDiagonal() * eigen.eigenvectors().transpose();
}

/// Three points with the area, the centroid and the second moments of a polygon, in the frame of body a; `X_MA` leads
/// to the frame by whose axes the first one is chosen.
std::array<Vector3, 3> matched_points(const PolygonMoments& moments, const Vector3& normal, const Matrix3& R_MA) {
  const Matrix32 axes = R_MA.transpose() * plane_axes(R_MA * normal);
  const Matrix32 arms = axes * root_of(axes.transpose() * moments.second * axes / moments.area) * std::sqrt(Real{2});
  const Real height = std::sqrt(Real{3}) / 2;
  return {moments.centroid + arms.col(0), moments.centroid - arms.col(0) / 2 + height * arms.col(1),
          moments.centroid - arms.col(0) / 2 - height * arms.col(1)};
}

/// By how much the pressure falls at most for each metre that the bodies part, Pa/m.
Real greatest_fall(const ContactPolygon& polygon, bool rigid_a, bool rigid_b) {
  const Real a = polygon.gradients[0].norm(), b = polygon.gradients[1].norm();
  return rigid_a ? b : rigid_b ? a : a * b / (a + b);
}

/// The ratio of the fall to that along the normal, at most 1.5.
Real fall_ratio(const ContactPolygon& polygon, Real fall) {
  constexpr Real kMost = 1.5L;
  return polygon.gradient > 0 ? std::min(fall / polygon.gradient, kMost) : kMost;
}

/// Body b's share in the velocity with which the pressure of a polygon moves: all of it beside a rigid a.
Real share_of_b(const ContactPolygon& polygon, bool rigid_a, bool rigid_b) {
  if (rigid_a) return 1;
  if (rigid_b) return 0;
  const Real a = polygon.gradients[0].dot(polygon.normal), b = -polygon.gradients[1].dot(polygon.normal);
  return std::clamp(a / (a + b), Real{0}, Real{1});
}

/// The pair of two parts is computed in the frame of a body that is not a half space, and compliant if one is: the
/// frame of a, if both are alike.
bool is_in_frame_of_b(const PosedBody& a, const PosedBody& b) { return a.half_space || (a.rigid && !b.half_space); }

/// The points of a polygon in the frame of body a.
std::vector<ContactPoint> points_of(const ContactPolygon& polygon, const ContactLaw& law, const PosedBody& a,
                                    const PosedBody& b, const Matrix3& R_BA, ContactPoints rule) {
  const PolygonMoments polygon_moments = moments(polygon.vertices, polygon.normal);
  ContactPoint point;
  point.normal = polygon.normal;
  point.dissipation = damping_rate(polygon, law);
  point.friction = law.friction;

  point.share_b = share_of_b(polygon, a.rigid, b.rigid);
  const Vector3 along = polygon.pressure.gradient - polygon.normal * polygon.normal.dot(polygon.pressure.gradient);

  const auto at = [&](const Vector3& x, Real area, Real fall) {
    point.position = x;
    point.force = area * std::max(polygon.pressure.at(x), Real{0});
    point.stiffness = area * fall;
    point.slope = area * fall_ratio(polygon, fall) * along;
    return point;
  };
  if (rule == ContactPoints::kCentroid) {
    if (!polygon.resists()) return {};
    return {at(polygon_moments.centroid, polygon_moments.area, polygon.gradient)};
  }
  const bool in_frame_of_b = is_in_frame_of_b(a, b);
  const Vector3 into_frame = in_frame_of_b ? Vector3(-polygon.normal) : polygon.normal;
  std::vector<ContactPoint> points;
  for (const Vector3& x :
       matched_points(polygon_moments, into_frame, in_frame_of_b ? R_BA : Matrix3(Matrix3::Identity()))) {
    points.push_back(at(x, polygon_moments.area / 3, greatest_fall(polygon, a.rigid, b.rigid)));
  }
  return points;
}

/// Of points that carry elastic forces, from index `first` on: their center, the direction of their sum, and how far
/// they are spread about it.
void find_plate(const std::vector<ContactPoint>& points, std::size_t first, StatefulContact& contact) {
  Real load = 0;
  Vector3 center = Vector3::Zero(), along = Vector3::Zero();
  for (std::size_t i = first; i < points.size(); ++i) {
    load += points[i].force;
    center += points[i].force * (points[i].position - points[first].position);
    along += points[i].force * points[i].normal;
  }
  contact.position = points[first].position;
  contact.normal = points[first].normal;
  if (!(load > 0) || along.isZero(0)) return;
  contact.position += center / load;
  contact.normal = along.normalized();
  for (std::size_t i = first; i < points.size(); ++i) {
    const Vector3 arm = points[i].position - contact.position;
    contact.radius += points[i].force * (arm.squaredNorm() - std::pow(contact.normal.dot(arm), Real{2}));
  }
  contact.radius = std::sqrt(contact.radius / load);
}

}  // namespace

std::vector<ContactPoint> contact_points(const SceneDescription& scene, const State& state,
                                         const Environment& environment, ContactPoints rule,
                                         std::vector<StatefulContact>& contacts) {
  if (rule == ContactPoints::kFan6) throw Error("the reference has no contact points of the rule fan6");
  std::vector<ContactPoint> points;
  std::size_t next_row = 0;
  for_each_row(scene, environment, [&](std::size_t pair, ContactModel model, const PartIndices& indices) {
    const std::size_t row = next_row++, first = points.size();
    if (!environment.enabled[pair] || model != ContactModel::kPressureField) return;
    const Transform& X_WA = environment.bodies[static_cast<std::size_t>((*scene.pairs)[pair].a)].X_WB;
    const Transform& X_WB = environment.bodies[static_cast<std::size_t>((*scene.pairs)[pair].b)].X_WB;
    const Transform X_AB = X_WA.inverse() * X_WB;
    const auto posed = [&](std::size_t index, const Transform& X) {
      const PartState& part = environment.parts[index];
      return PosedBody(*part.geometry, part.rigid, part.modulus, X * part.X_BG);
    };
    const PosedBody a = posed(indices.a, Transform{}), b = posed(indices.b, X_AB);
    const bool is_plate = has_state(scene, pair, model);
    const ContactLaw law = contact_law(scene, state, environment, pair, indices);
    for (ContactPolygon polygon : contact_polygons(a, b)) {
      if (scene.contact.gradient_filter && !polygon.passes_gradient_filter()) continue;
      polygon.weigh_one_sided(scene.bodies[static_cast<std::size_t>((*scene.pairs)[pair].a)].one_sided,
                              scene.bodies[static_cast<std::size_t>((*scene.pairs)[pair].b)].one_sided,
                              a.largest_gradient, b.largest_gradient);
      for (ContactPoint point : points_of(polygon, law, a, b, X_AB.rotation.transpose(), rule)) {
        point.pair = pair;
        point.position = X_WA * point.position;
        point.normal = X_WA.rotation * point.normal;
        point.slope = X_WA.rotation * point.slope;
        if (is_plate) point.row = row;
        if (is_plate) point.friction = 0;
        points.push_back(point);
      }
    }
    if (!is_plate || points.size() == first) return;
    StatefulContact contact;
    contact.pair = pair;
    contact.row = row;
    contact.law = memory_law(scene, state, environment, pair, indices, kUsualStepSlipTolerance);
    find_plate(points, first, contact);
    contacts.push_back(contact);
  });
  return points;
}

}  // namespace isopatch::reference
