// SPDX-License-Identifier: Apache-2.0
//
// How much of a pressure presses on the near side of a wall, rather than through it on the far side.
#pragma once

#include "isopatch/detail/pressure_field/context/pair_context.h"

namespace isopatch::detail {

/// Where the weight of near_side(), clamp(4 cosine + this, 0, 1), falls from 1 to 0.
enum class NearSide : int {
  kSmoothed = 2,  // for smoothed gradients: 1 up to 104.5 degrees, 0 from 120
  kOfCells = 3    // for those of cells, which point sideways near the rim of a body: 1 up to 120 degrees, 0 from 138.6
};

/// How much of the pressure at a point of the contact plane presses on the near side of a wall. `cosine` is that of the
/// angle between the normal and the other body's gradient times the gradient's size; where that is a millionth of
/// `steepest`, it says nothing.
template <class D>
ISOPATCH_HD D near_side(NearSide by, D cosine, Vec3<D> gradient, double steepest) {
  const D square = dot(gradient, gradient), least = D(1e-6 * steepest);
  const MaskOf<D> flat = square < least * least;
  const D ramp = fma(D(4) * cosine, inverse_sqrt(select(flat, D(1), square)), D(static_cast<double>(by)));
  return select(flat, D(1), max(D(0), min(ramp, D(1))));
}

/// The same for the whole polygon of two cells by their own gradients, for kFarSide: the smaller one of both compliant
/// bodies. `slope_M` and `slope_S` are those of the pressures into each body, along the normal. Few are below 1, and
/// only where a pressure falls into its body, so that the rest needs no square root.
template <class Cells, class D>
ISOPATCH_HD D near_side_of_cells(const PairContext& f, const Cells& m, const Cells& s, D slope_M, D slope_S,
                                 MaskOf<D> found) {
  D weight = D(1);
  if (!any(found && (slope_M < D(0) || slope_S < D(0)))) return weight;
  if (!f.M.rigid) {
    const Vec3<D> gradient = pressure_gradient(f.M, m.gradient());
    weight = near_side(NearSide::kOfCells, slope_M, gradient, steepest_slope(f.M));
  }
  if (!f.S.rigid) {
    const Vec3<D> gradient =
        f.S.half_space ? Vec3<D>{D(0), D(0), D(half_space_pressure_slope(f.S))} : pressure_gradient(f.S, s.gradient());
    weight = min(weight, near_side(NearSide::kOfCells, slope_S, gradient, steepest_slope(f.S)));
  }
  return weight;
}

}  // namespace isopatch::detail
