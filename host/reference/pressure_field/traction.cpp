// SPDX-License-Identifier: Apache-2.0
#include "host/reference/pressure_field/traction.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/reference/pressure_field/adaptive_integral.h"

namespace isopatch::reference {
namespace {

struct QuadraturePoint {
  Vector3 point;
  Real weight;  // m^2
};

/// A symmetric orbit of a triangle rule: the three points with one barycentric coordinate 1 - 2 s and the others s.
void add_orbit(const SurfaceTriangle& triangle, Real s, Real weight, std::vector<QuadraturePoint>& points) {
  const Vector3 sum = triangle[0] + triangle[1] + triangle[2];
  for (const Vector3& corner : triangle) points.push_back({s * sum + (1 - 3 * s) * corner, weight});
}

/// Strang and Fix's six points of degree 4, in closed form.
void add_degree_four(const SurfaceTriangle& triangle, Real area, std::vector<QuadraturePoint>& points) {
  const Real root_ten = std::sqrt(Real{10});
  const Real inner = std::sqrt(38 - 44 * std::sqrt(Real{2} / 5));
  const Real spread = std::sqrt(213125 - 53320 * root_ten);
  add_orbit(triangle, (8 - root_ten + inner) / 18, area * (620 + spread) / 3720, points);
  add_orbit(triangle, (8 - root_ten - inner) / 18, area * (620 - spread) / 3720, points);
}

std::vector<QuadraturePoint> quadrature_points(const ContactPolygon& polygon, const PolygonMoments& moments,
                                               Quadrature rule) {
  if (rule == Quadrature::kCentroid) return {{moments.centroid, moments.area}};

  std::vector<QuadraturePoint> points;
  for (std::size_t k = 0; k < polygon.vertices.size(); ++k) {
    const Vector3& v = polygon.vertices[k];
    const Vector3& w = polygon.vertices[(k + 1) % polygon.vertices.size()];
    const SurfaceTriangle triangle = {moments.centroid, v, w};
    const Real area = (v - moments.centroid).cross(w - moments.centroid).dot(polygon.normal) / 2;
    if (rule == Quadrature::kFan3) {
      add_orbit(triangle, Real{1} / 6, area / 3, points);
    } else {
      add_degree_four(triangle, area, points);
    }
  }
  return points;
}

/// The traction of the moving bodies at a point.
struct Traction {
  Real pressure, factor;  // without damping, Pa, and what damping makes of it
  Vector3 friction;
};

Traction traction_at(const Vector3& x, const ContactPolygon& polygon, const ContactLaw& law) {
  const Vector3 velocity = law.velocity + law.angular_velocity.cross(x);
  const Real normal_speed = polygon.normal.dot(velocity);
  const Vector3 slip = velocity - normal_speed * polygon.normal;
  const Real factor = std::max(1 - damping_rate(polygon, law) * normal_speed, Real{0});
  const Real slip_scale = std::sqrt(slip.squaredNorm() + law.slip_tolerance * law.slip_tolerance);
  const Real p = polygon.pressure.at(x);
  return {p, factor, (-law.friction * p * factor / slip_scale) * slip};
}

/// Damping and friction by points. The one factor of the centroid rule scales the closed form of the pressure.
void add_motion_by_points(const ContactPolygon& polygon, const ContactLaw& law, const PolygonMoments& moments,
                          const Vector3& pressure_moment, PatchSum& sum) {
  for (const QuadraturePoint& q : quadrature_points(polygon, moments, law.quadrature)) {
    const Traction traction = traction_at(q.point, polygon, law);
    const bool whole = law.quadrature == Quadrature::kCentroid;
    const Real pressure = moments.area * polygon.pressure.at(moments.centroid);
    const Real damping = (traction.factor - 1) * (whole ? pressure : q.weight * traction.pressure);
    const Vector3 damping_moment = whole ? (traction.factor - 1) * pressure_moment : damping * q.point;
    const Vector3 friction = q.weight * traction.friction;
    sum.force += damping * polygon.normal + friction;
    sum.torque += damping_moment.cross(polygon.normal) + q.point.cross(friction);
    sum.friction_force += friction;
  }
}

/// The point of a polygon that is nearest to `x`, which lies in its plane.
Vector3 nearest_point(const VertexList& polygon, const Vector3& normal, const Vector3& x) {
  Vector3 nearest = x;
  Real least = std::numeric_limits<Real>::infinity();
  bool inside = true;
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const Vector3& v = polygon[k];
    const Vector3 edge = polygon[(k + 1) % polygon.size()] - v;
    if (edge.squaredNorm() == 0) continue;
    inside = inside && normal.cross(edge).dot(x - v) >= 0;
    const Vector3 on_edge = v + std::clamp(edge.dot(x - v) / edge.squaredNorm(), Real{0}, Real{1}) * edge;
    const Real distance = (x - on_edge).norm();
    if (distance < least) nearest = on_edge;
    least = std::min(least, distance);
  }
  return inside ? x : nearest;
}

/// The point in which the triangles of a polygon meet: nearest to where the slip velocity is zero and its direction
/// turns fastest.
Vector3 apex_of(const VertexList& polygon, const ContactPolygon& contact, const ContactLaw& law) {
  const Vector3& n = contact.normal;
  const Real spin = n.dot(law.angular_velocity);
  const Vector3 velocity = law.velocity + law.angular_velocity.cross(polygon[0]);
  const Vector3 slip = velocity - n.dot(velocity) * n;
  const Vector3 center = spin == 0 ? polygon[0] : polygon[0] + n.cross(slip) / spin;
  return center.allFinite() ? nearest_point(polygon, n, center) : polygon[0];
}

/// The integral of damping and friction to 1e-10 of the normal force. The traction has a kink where damping ends, so
/// both sides of it are integrated apart.
void add_motion_exactly(const ContactPolygon& polygon, const ContactLaw& law, Real pressure, PatchSum& sum) {
  const Vector3& n = polygon.normal;
  const Real rate = damping_rate(polygon, law);
  Affine factor;  // of damping
  factor.gradient = -rate * n.cross(law.angular_velocity);
  factor.value = 1 - rate * n.dot(law.velocity);
  Affine opposite = factor;
  opposite.gradient = -factor.gradient;
  opposite.value = -factor.value;

  for (const Affine& side : {factor, opposite}) {
    const VertexList part = clip(polygon.vertices, side);
    if (part.size() < 3) continue;
    const Vector3 apex = apex_of(part, polygon, law);
    Real size = 0;
    for (const Vector3& v : part) size = std::max(size, (v - apex).norm());

    // force, friction, and the moment of the force about the apex
    using Sums = Eigen::Matrix<Real, 9, 1>;
    const auto traction = [&](const Vector3& x) {
      const Traction at = traction_at(x, polygon, law);
      const Vector3 force = (at.factor - 1) * at.pressure * n + at.friction;
      Sums sums;
      sums << force, at.friction, (x - apex).cross(force);
      return sums;
    };
    const Real force_tolerance = std::max(Real{1e-10L} * pressure, std::numeric_limits<Real>::min());
    Sums tolerance = Sums::Constant(force_tolerance);
    tolerance.tail<3>().setConstant(force_tolerance * size);
    Sums total = Sums::Zero();
    for (std::size_t k = 0; k < part.size(); ++k) {
      const SurfaceTriangle triangle = {apex, part[k], part[(k + 1) % part.size()]};
      total += integrate_adaptively<Sums>(triangle, traction, tolerance);
    }
    const Vector3 force = total.segment<3>(0);
    sum.force += force;
    sum.torque += total.segment<3>(6) + apex.cross(force);
    sum.friction_force += total.segment<3>(3);
  }
}

}  // namespace

void PatchSum::add(const PatchSum& other) {
  force += other.force;
  torque += other.torque;
  friction_force += other.friction_force;
  area += other.area;
  pressure += other.pressure;
  pressure_moment += other.pressure_moment;
  normal += other.normal;
  max_pressure = std::max(max_pressure, other.max_pressure);
  polygons += other.polygons;
}

Real damping_rate(const ContactPolygon& polygon, const ContactLaw& law) {
  if (law.model == DissipationModel::kHuntCrossley) return law.dissipation;
  return law.dissipation * polygon.smoothed_gradient / law.modulus;
}

void add_polygon(const ContactPolygon& polygon, const ContactLaw& law, PatchSum& sum) {
  const PolygonMoments polygon_moments = moments(polygon.vertices, polygon.normal);
  const Vector3& n = polygon.normal;

  // static normal part: p is affine
  const Real pressure = polygon_moments.area * polygon.pressure.at(polygon_moments.centroid);
  const Vector3 pressure_moment =
      pressure * polygon_moments.centroid + polygon_moments.second * polygon.pressure.gradient;
  sum.force += pressure * n;
  sum.torque += pressure_moment.cross(n);

  const bool moving = !law.velocity.isZero(0) || !law.angular_velocity.isZero(0);
  if (moving && law.quadrature == Quadrature::kExact) {
    add_motion_exactly(polygon, law, pressure, sum);
  } else if (moving) {
    add_motion_by_points(polygon, law, polygon_moments, pressure_moment, sum);
  }

  // summary
  sum.area += polygon_moments.area;
  sum.pressure += pressure;
  sum.pressure_moment += pressure_moment;
  sum.normal += polygon_moments.area * n;
  for (const Vector3& x : polygon.vertices) sum.max_pressure = std::max(sum.max_pressure, polygon.pressure.at(x));
  ++sum.polygons;
}

}  // namespace isopatch::reference
