// SPDX-License-Identifier: Apache-2.0
//
// The sums over polygons that the derivatives of a pair's wrench are made of (pair/pair_derivatives.h). Always in
// double, world axes, about a point near the contact. As in the sums of the wrench, their order does not matter.
#pragma once

#include "isopatch/detail/pair/pair_call.h"
#include "isopatch/detail/pair/pair_derivatives.h"
#include "isopatch/detail/pressure_field/context/pair_bounds.h"
#include "isopatch/detail/pressure_field/outputs/record_of_polygon.h"
#include "isopatch/detail/pressure_field/outputs/velocity_derivatives.h"
#include "isopatch/detail/simt/warp.h"

namespace isopatch::detail {

/// The bounds of a pair do not bound a stiffness, which is large where both pressures hardly differ in slope. So scales
/// are wider by this, and what does not fit is left out and told.
inline constexpr double kDerivativeRoom = 0x1p8;

/// What the terms of a pair are multiplied by, by the power of the lever that they have.
struct DerivativeScales {
  FixedPointScale<double> stiffness[3], damping[3], force[2];

  ISOPATCH_HD static DerivativeScales make(const PairBounds& bounds, const PairMaxima& most, bool pfc_dissipation,
                                           double slip_tolerance) {
    const auto scale = [&](double bound, int power) {
      const double lever = bounds.torque / bounds.force;
      for (int i = 0; i < power; ++i) bound *= lever;
      return FixedPointScale<double>::from_bound(kDerivativeRoom * bound);
    };
    constexpr double kTiny = 0x1p-300;
    const double slope = bounds.area * next_power_of_two(max(most.gradient, kTiny));
    const double dissipation = most.dissipation * (pfc_dissipation ? most.gradient : 1.0);
    const double fall = bounds.force * next_power_of_two(max(dissipation + most.friction / slip_tolerance, kTiny));
    DerivativeScales s;
    for (int power = 0; power < 3; ++power) {
      s.stiffness[power] = scale(slope, power);
      s.damping[power] = scale(fall, power);
    }
    for (int power = 0; power < 2; ++power) s.force[power] = scale(bounds.force, power);
    return s;
  }
};

/// Calls visit(power of the lever, number of each matrix) for the numbers of a symmetric matrix that are its own.
template <class Visit, class... Matrices>
ISOPATCH_HD void for_each_symmetric(const Visit& visit, Matrices&... m) {
  const auto upper = [&](int power, auto&... block) {
    visit(power, block.row[0].x...), visit(power, block.row[0].y...), visit(power, block.row[0].z...);
    visit(power, block.row[1].y...), visit(power, block.row[1].z...), visit(power, block.row[2].z...);
  };
  upper(0, m.force[0]...);
  for (int i = 0; i < 3; ++i) {
    visit(1, m.force[1].row[i].x...), visit(1, m.force[1].row[i].y...), visit(1, m.force[1].row[i].z...);
  }
  upper(2, m.torque[1]...);
}

/// The same for all numbers.
template <class Visit, class... Matrices>
ISOPATCH_HD void for_each_entry(const Visit& visit, Matrices&... m) {
  const auto all = [&](int power, auto&... block) {
    for (int i = 0; i < 3; ++i)
      visit(power, block.row[i].x...), visit(power, block.row[i].y...), visit(power, block.row[i].z...);
  };
  all(0, m.force[0]...), all(1, m.force[1]...), all(1, m.torque[0]...), all(2, m.torque[1]...);
}

/// Calls visit(scale, number of each) for all numbers that are summed.
template <class Visit, class... Derivatives>
ISOPATCH_HD void for_each_term(const DerivativeScales& s, bool of_velocity, const Visit& visit, Derivatives&... d) {
  for_each_symmetric([&](int power, auto&... x) { visit(s.stiffness[power], x...); }, d.stiffness...);
  visit(s.force[0], d.force.x...), visit(s.force[0], d.force.y...), visit(s.force[0], d.force.z...);
  visit(s.force[1], d.torque.x...), visit(s.force[1], d.torque.y...), visit(s.force[1], d.torque.z...);
  if (!of_velocity) return;
  for_each_entry([&](int power, auto&... x) { visit(s.damping[power], x...); }, d.damping...);
  for_each_symmetric([&](int power, auto&... x) { visit(s.damping[power], x...); }, d.secant...);
}

/// Fills in what for_each_symmetric() leaves out.
ISOPATCH_HD void complete(Matrix6& m) {
  const auto mirror = [](Matrix3& block) {
    block.row[1].x = block.row[0].y;
    block.row[2].x = block.row[0].z;
    block.row[2].y = block.row[1].z;
  };
  mirror(m.force[0]), mirror(m.torque[1]);
  m.torque[0] = transposed(m.force[1]);
}

struct DerivativeSums {
  static constexpr int kTerms = 21 + 36 + 21 + 6;

  ReproducibleSum<double> sum[kTerms];
  SumBound bound;
  bool are_known = true;

  ISOPATCH_HD void add(const DerivativeScales& scales, bool of_velocity, PairDerivatives& term) {
    double largest = 0;
    bool fits = true;
    for_each_term(
        scales, of_velocity,
        [&](const FixedPointScale<double>& scale, double& x) {
          x = scale.to_quanta * x;
          largest = max(largest, std::fabs(x));
          fits = fits && std::fabs(x) < static_cast<double>(kMaxQuanta);  // nor is it NaN
        },
        term);
    if (!bound.add(fits ? largest : kInfinity)) return;
    int i = 0;
    for_each_term(
        scales, of_velocity, [&](const FixedPointScale<double>& /*scale*/, double x) { sum[i++].add(x); }, term);
  }

  ISOPATCH_HD bool fit() const { return bound.holds<double>(); }

  ISOPATCH_HD PairDerivatives total(const DerivativeScales& scales, bool of_velocity) const {
    PairDerivatives d = {};
    int i = 0;
    for_each_term(
        scales, of_velocity, [&](const FixedPointScale<double>& scale, double& x) { x = sum[i++].value(scale); }, d);
    complete(d.stiffness), complete(d.secant);
    return d;
  }
};

/// A polygon with its axes in the world, and where it is.
struct PlacedPolygon {
  Vec3d axis[3];              // u, v and n, from S into M
  Vec3d centroid, middle;     // from the point, m
  double area, xx, xy, yy;    // m^2; mean squares about the centroid, m^2
  double pressure, p_u, p_v;  // at the centroid, Pa; slopes, Pa/m

  template <class T>
  ISOPATCH_HD static PlacedPolygon make(const FoundPolygon<T>& p, Vec3d point_W) {
    const ContactPlane<T>& plane = p.plane;
    const Transform<double>& X_WM = p.context.frame.X_WM;
    const AreaMoments<T> m = area_moments(p.sides);
    const auto number = [](T value) { return static_cast<double>(value); };
    const double one = number(m.one), x = number(m.x) / one, y = number(m.y) / one;  // in units of the radius
    const double radius = number(plane.radius), square = radius * radius;
    const double X = radius * number(p.sides.segments.middle_x), Y = radius * number(p.sides.segments.middle_y);
    PlacedPolygon out;
    out.axis[0] = rotate(X_WM, plane.axes.u);
    out.axis[1] = rotate(X_WM, plane.axes.v);
    out.axis[2] = rotate(X_WM, plane.normal);
    const Vec3d origin = rotate(X_WM, plane.origin) + (X_WM.translation - point_W);
    out.middle = fma(X, out.axis[0], fma(Y, out.axis[1], origin));
    out.centroid = fma(radius * x, out.axis[0], fma(radius * y, out.axis[1], out.middle));
    out.area = square * one;
    out.xx = square * std::fma(-x, x, number(m.xx) / one);
    out.xy = square * std::fma(-x, y, number(m.xy) / one);
    out.yy = square * std::fma(-y, y, number(m.yy) / one);
    out.p_u = plane.pressure_u;
    out.p_v = plane.pressure_v;
    out.pressure = std::fma(out.p_u, std::fma(radius, x, X), std::fma(out.p_v, std::fma(radius, y, Y), plane.pressure));
    return out;
  }
};

/// Sets minus the symmetric part of the integral of b a^T / L, as a product of the gradients left and right and the
/// inverse of L: of two compliant bodies as it stands. Beside a rigid M the surface moves with it: n for a / L. Beside
/// a rigid S, -n for b / L.
template <class T>
ISOPATCH_HD void set_stiffness(const PairContext& f, const ContactPlane<T>& plane, const PlacedPolygon& p,
                               PairDerivatives& to) {
  const auto& [u, v, n] = p.axis;
  const Vec3d along = fma(p.p_u, u, p.p_v * v);
  Vec3d left = fma(-plane.gradient_S, n, along), right = fma(plane.gradient_M, n, along);
  double scale = p.area;
  if (f.M.rigid) {
    right = n;
  } else if (f.S.rigid) {
    left = -n;
  } else {
    scale /= plane.gradient_M + plane.gradient_S;
  }
  const Vec3d left_moment = cross(p.centroid, left), right_moment = cross(p.centroid, right);
  const Vec3d left_u = cross(u, left), left_v = cross(v, left), right_u = cross(u, right), right_v = cross(v, right);
  const Matrix3 moments = outer(left_moment, right_moment) + p.xx * outer(left_u, right_u) +
                          p.xy * (outer(left_u, right_v) + outer(left_v, right_u)) + p.yy * outer(left_v, right_v);
  const Matrix3 forces = outer(left, right);
  to.stiffness.force[0] = -0.5 * scale * (forces + transposed(forces));
  to.stiffness.force[1] = -0.5 * scale * (outer(left, right_moment) + outer(right, left_moment));
  to.stiffness.torque[1] = -0.5 * scale * (moments + transposed(moments));
}

/// Sets the wrench of the pressure on a at rest.
ISOPATCH_HD void set_static_wrench(const PlacedPolygon& p, bool swapped, PairDerivatives& to) {
  const double area = swapped ? -p.area : p.area;
  const double moment_u = area * std::fma(p.p_u, p.xx, p.p_v * p.xy),
               moment_v = area * std::fma(p.p_u, p.xy, p.p_v * p.yy);
  to.force = (area * p.pressure) * p.axis[2];
  to.torque = cross(p.centroid, to.force) + fma(moment_v, p.axis[0], -moment_u * p.axis[1]);
}

/// The matrix of a polygon in its axes, about its middle, about the point that polygons are placed from.
ISOPATCH_HD Matrix6 placed(const PlacedPolygon& p, const Matrix6& m) {
  const auto turned = [&](const Matrix3& block) { return rotated(p.axis, block); };
  const Matrix6 in_world = {{turned(m.force[0]), turned(m.force[1])}, {turned(m.torque[0]), turned(m.torque[1])}};
  return with_twist_at(p.middle, with_torque_about(p.middle, in_world));
}

/// Whether the wrench of a part pair changes by these derivatives: the surface may end only where the pressure is 0,
/// and no weight may turn with the bodies. Friction of plates is not known here.
ISOPATCH_HD bool has_derivatives(const PairContext& f) {
  const auto ends_at_zero = [](const PairBody& body) {
    return body.rigid || body.half_space || body.field->fluxes != nullptr;
  };
  return !f.law.gradient_filter && !f.law.is_weighed() && !f.law.has_plates && ends_at_zero(f.M) && ends_at_zero(f.S);
}

/// What the sums of a pair are made with.
struct DerivativeFrame {
  Vec3d point;  // world, m
  DerivativeScales scales;
  bool of_velocity;  // derivatives by the velocity are wanted too

  ISOPATCH_HD static DerivativeFrame make(const PairCall& call) {
    const PairView& view = call.view();
    const PairMaxima most = maxima_of(call.scene, call.state, call.environment, view);
    const bool pfc = call.scene.contact.pfc_dissipation;
    const PairBounds bounds = make_pair_bounds(most, pfc, num_part_pairs(view));
    return {contact_origin(call.scene, call.state, call.environment, view),
            DerivativeScales::make(bounds, most, pfc, call.scene.contact.slip_tolerance),
            call.results.pair_damping.data != nullptr || call.results.pair_damping_b.data != nullptr ||
                call.results.pair_damping_secant.data != nullptr};
  }
};

/// Writes the derivatives of a pair from the sums of all its polygons.
ISOPATCH_HD void write_derivatives(const PairCall& call, const DerivativeFrame& frame, const DerivativeSums& sums) {
  const PairView& view = call.view();
  const auto from_origin = [&](int body) {
    return frame.point - read_vec3(call.state.poses, call.environment, body * kPoseSize);
  };
  SerialWarp alone;
  if (!(sums.are_known && sums.fit())) set_status(alone, call.results, call.environment, kNoDerivative);
  write_pair_derivatives(call.results, call.environment, call.pair, sums.total(frame.scales, frame.of_velocity),
                         from_origin(view.a), from_origin(view.b));
}

template <class T>
ISOPATCH_HD void add_derivatives(const FoundPolygon<T>& p, const DerivativeFrame& frame, DerivativeSums& sums) {
  const PairContext& f = p.context;
  const PlacedPolygon placed_polygon = PlacedPolygon::make(p, frame.point);
  PairDerivatives term;
  set_stiffness(f, p.plane, placed_polygon, term);
  set_static_wrench(placed_polygon, f.frame.swapped, term);

  if (frame.of_velocity) {
    const PlainPolygon plain(p);
    const bool is_exact = f.law.quadrature == kExactRule;
    const bool by_duals = f.law.quadrature == kCentroidRule || (is_exact && plain.is_hard(f.law));
    const VelocityDerivatives d = by_duals ? derivatives_by_duals(plain, f.law) : derivatives_by_points(plain, f.law);
    term.damping = placed(placed_polygon, d.damping);
    term.secant = placed(placed_polygon, d.secant);
  }
  sums.add(frame.scales, frame.of_velocity, term);
  if (!has_derivatives(f)) sums.are_known = false;
}

/// Takes the polygons of a pair, where derivatives are wanted.
template <class T>
struct DerivativeSink {
  const DerivativeFrame& frame;
  DerivativeSums* sums;  // null: none are

  template <class Warp>
  ISOPATCH_HD void add(Warp& /*warp*/, const FoundPolygon<T>& polygon) const {
    if (sums != nullptr) add_derivatives(polygon, frame, *sums);
  }
};

}  // namespace isopatch::detail
