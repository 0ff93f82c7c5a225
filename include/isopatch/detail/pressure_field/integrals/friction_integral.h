// SPDX-License-Identifier: Apache-2.0
//
// Friction over a polygon in closed form.
//
// In the contact plane the slip velocity is w J r, with the angular velocity w, r = x - c from the instantaneous centre
// c and J r = (-r_y, r_x). With e = v_s / |w| and phi = sqrt(r^2 + e^2), the direction of friction is
//
//   v / sqrt(v^2 + v_s^2) = sign(w) J r / phi,   and   r / phi = grad phi.
//
// So the integral of a polynomial times r / phi is a sum over the edges, by the divergence theorem, as for the
// potentials of polygons in boundary element methods. Here the polynomial is the normal traction, the product of two
// affine functions: pressure and damping. Where c is far from the polygon the sums cancel; there the points of a rule
// are good enough, and the caller blends the two.
#pragma once

#include "isopatch/detail/math/elementary.h"
#include "isopatch/detail/pressure_field/integrals/point_rules.h"

namespace isopatch::detail {

template <class D>
struct Vec2 {
  D x, y;

  friend ISOPATCH_HD Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }
  friend ISOPATCH_HD Vec2 operator-(Vec2 a, Vec2 b) { return {a.x - b.x, a.y - b.y}; }
  friend ISOPATCH_HD Vec2 operator*(D s, Vec2 a) { return {s * a.x, s * a.y}; }
};

template <class D>
ISOPATCH_HD D dot(Vec2<D> a, Vec2<D> b) {
  return fma(a.x, b.x, a.y * b.y);
}

/// An affine function: its value at the polygon's centroid, and its slopes.
template <class D>
struct Affine {
  D value;
  Vec2<D> slope;
};

/// What friction over a polygon depends on, about its centroid. The slip velocity turns about `center` with an angular
/// velocity of the sign `turn`; `softening` is the slip tolerance over its magnitude, a length.
template <class D>
struct SpinningTraction {
  Affine<D> pressure, factor;
  Vec2<D> center;
  D softening, turn;
};

/// Friction without its coefficient, and its moment about the polygon's centroid.
template <class D>
struct PlaneFriction {
  D u, v, moment;
};

/// Integrals along an edge a + t d, t from 0 to 1, of powers of its distance phi from the centre.
template <class D>
struct EdgeIntegrals {
  D ends, excess;  // the sum of phi at both ends, and by how much it is above the edge's length
  D inverse;       // the integral of 1 / phi
  D one, t, tt;    // of phi, t phi, t^2 phi
  D cube, cube_t;  // of phi^3, t phi^3

  /// `g0` and `g1` are phi^2 at the ends, `begin` is the parameter of the first end counted from the foot of the
  /// centre, `least` the smallest phi^2 on the line.
  ISOPATCH_HD static EdgeIntegrals make(D g0, D g1, D begin, D least, D length, D inverse_length) {
    constexpr double kTiny = 0x1p-90;  // for a centre on the edge: there 1 / phi is multiplied by a height of 0
    const D inverse_square = inverse_length * inverse_length, end = begin + D(1);
    const D f0 = g0 * inverse_sqrt(g0), f1 = g1 * inverse_sqrt(g1), c0 = f0 * g0, c1 = f1 * g1;
    EdgeIntegrals k;
    k.ends = f0 + f1;
    k.excess = max(k.ends - length, D(kTiny));
    k.inverse = inverse_length * log((k.ends + length) * reciprocal(k.excess));
    k.one = D(0.5) * fma(end, f1, fma(-begin, f0, least * k.inverse));
    k.t = fma(inverse_square * (c1 - c0), D(1.0 / 3), -(begin * k.one));
    k.cube = D(0.25) * fma(end, c1, fma(-begin, c0, D(3) * least * k.one));
    k.cube_t = fma(inverse_square * fma(c1, g1, -(c0 * g0)), D(1.0 / 5), -(begin * k.cube));
    k.tt = fma(inverse_square, fma(-least, k.one, k.cube), -(begin * fma(begin, k.one, D(2) * k.t)));
    return k;
  }
};

/// The sums over the edges that the integrals of friction are made of.
template <class D>
class FrictionSums {
 public:
  /// An edge whose squared length is not above `negligible` is left out.
  ISOPATCH_HD FrictionSums(const SpinningTraction<D>& traction, D negligible) : f_(traction), negligible_(negligible) {}

  /// Adds the edge from a to b, about the centroid, counter-clockwise.
  ISOPATCH_HD void add(Vec2<D> a, Vec2<D> b) {
    Vec2<D> d = b - a;
    const MaskOf<D> counts = dot(d, d) > negligible_;
    d = {select(counts, d.x, D(0)), select(counts, d.y, D(0))};
    const D square = select(counts, dot(d, d), D(1)), inverse_length = inverse_sqrt(square);
    const D length = square * inverse_length, inverse_square = inverse_length * inverse_length;

    // n is normal to the edge, outward and of its length; heights over the edge are times that length too
    const Vec2<D> n = {d.y, -d.x}, from = a - f_.center, to = b - f_.center;
    const D height = dot(from, n), height_of_centroid = dot(a, n), softening_square = f_.softening * f_.softening;
    const D least = fma(height * height, inverse_square, softening_square);
    const EdgeIntegrals<D> k =
        EdgeIntegrals<D>::make(dot(from, from) + softening_square, dot(to, to) + softening_square,
                               dot(from, d) * inverse_square, least, length, inverse_length);

    const D pressure_a = dot(f_.pressure.slope, a), pressure_d = dot(f_.pressure.slope, d);
    const D factor_a = dot(f_.factor.slope, a), factor_d = dot(f_.factor.slope, d);
    const D p = f_.pressure.value + pressure_a, q = f_.factor.value + factor_a;
    const D traction = fma(p * q, k.one, fma(fma(p, factor_d, q * pressure_d), k.t, pressure_d * factor_d * k.tt));
    force_ = force_ + traction * n;
    moment_ = fma(height_of_centroid, traction, moment_);
    one_ = fma(height, k.one, one_);
    cube_ = fma(height, k.cube, cube_);
    cube_n_ = cube_n_ + k.cube * n;
    const D angle = arctangent(height, fma(D(0.5) * k.excess, k.ends + length, f_.softening * k.ends));
    inverse_ = fma(height, k.inverse, fma(D(-2) * f_.softening, angle, inverse_));
    third_ = fma(dot(f_.pressure.slope, n), fma(factor_a, k.cube, factor_d * k.cube_t),
                 fma(dot(f_.factor.slope, n), fma(pressure_a, k.cube, pressure_d * k.cube_t), third_));
  }

  /// The integrals over the polygon. By the divergence theorem, with s = p q: of s r / phi = div(s phi) - phi grad s,
  /// and of s x . r / phi likewise.
  ISOPATCH_HD PlaneFriction<D> result() const {
    const Affine<D>&p = f_.pressure, &q = f_.factor;
    const D softening_square = f_.softening * f_.softening;
    const D phi = D(1.0 / 3) * fma(softening_square, inverse_, one_);
    const D cube = D(1.0 / 5) * fma(D(3) * softening_square, phi, cube_);
    const Vec2<D> first = D(1.0 / 3) * cube_n_ + phi * f_.center;  // of x phi

    const auto hessian = [&](Vec2<D> v) { return D(0.5) * (dot(q.slope, v) * p.slope + dot(p.slope, v) * q.slope); };
    const Vec2<D> slope = p.value * q.slope + q.value * p.slope;
    const Vec2<D> sum = force_ - phi * slope - D(2) * hessian(first);
    const D second = fma(D(1.0 / 3), fma(D(0.5), third_, -(dot(p.slope, q.slope) * cube)),
                         dot(hessian(f_.center), first));  // of x . H x phi
    const D moment = moment_ - D(2) * p.value * q.value * phi - D(3) * dot(slope, first) - D(4) * second;
    return {f_.turn * sum.y, -(f_.turn * sum.x), -(f_.turn * moment)};
  }

 private:
  const SpinningTraction<D>& f_;
  const D negligible_;
  Vec2<D> force_ = {D(0), D(0)}, cube_n_ = {D(0), D(0)};
  D moment_ = D(0), one_ = D(0), cube_ = D(0), inverse_ = D(0), third_ = D(0);
};

}  // namespace isopatch::detail
