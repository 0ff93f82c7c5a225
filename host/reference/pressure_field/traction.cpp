// SPDX-License-Identifier: Apache-2.0
#include "host/reference/pressure_field/traction.h"

#include <algorithm>
#include <cmath>

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

/// Ratio of the normal traction to the pressure.
Real damping_factor(const ContactPolygon& polygon, const ContactLaw& law, Real normal_speed) {
  const Real rate = law.model == DissipationModel::kHuntCrossley
                        ? law.dissipation
                        : law.dissipation * std::max(polygon.gradient, Real{0}) / law.modulus;
  return std::max(1 - rate * normal_speed, Real{0});
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

void add_polygon(const ContactPolygon& polygon, const ContactLaw& law, PatchSum& sum) {
  const PolygonMoments polygon_moments = moments(polygon.vertices, polygon.normal);
  const Vector3& n = polygon.normal;

  // static normal part: p is affine
  const Real pressure = polygon_moments.area * polygon.pressure.at(polygon_moments.centroid);
  const Vector3 pressure_moment =
      pressure * polygon_moments.centroid + polygon_moments.second * polygon.pressure.gradient;
  sum.force += pressure * n;
  sum.torque += pressure_moment.cross(n);

  // damping and friction
  for (const QuadraturePoint& q : quadrature_points(polygon, polygon_moments, law.quadrature)) {
    const Vector3 velocity = law.velocity + law.angular_velocity.cross(q.point);
    const Real normal_speed = n.dot(velocity);
    const Vector3 slip = velocity - normal_speed * n;
    const Real p = polygon.pressure.at(q.point);
    const Real factor = damping_factor(polygon, law, normal_speed);
    const Real slip_scale = std::sqrt(slip.squaredNorm() + law.slip_tolerance * law.slip_tolerance);
    const Vector3 tangential = q.weight * (-law.friction * p * factor / slip_scale) * slip;
    // the one factor of the centroid rule scales the closed form
    const bool whole = law.quadrature == Quadrature::kCentroid;
    const Real damping = (factor - 1) * (whole ? pressure : q.weight * p);
    const Vector3 damping_moment = whole ? (factor - 1) * pressure_moment : damping * q.point;
    sum.force += damping * n + tangential;
    sum.torque += damping_moment.cross(n) + q.point.cross(tangential);
    sum.friction_force += tangential;
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
