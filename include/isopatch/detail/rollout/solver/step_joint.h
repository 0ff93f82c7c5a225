// SPDX-License-Identifier: Apache-2.0
//
// What a joint has of itself over a step: a drive, friction, damping and stops. All are terms of the convex problem in
// the rate of the joint alone.
#pragma once

#include "isopatch/detail/math/vec.h"

namespace isopatch::detail {

/// What acts on a joint over an implicit step besides contact, as a function of its rate.
struct StepJoint {
  double step;  // h, s

  // of the drive: h clamp(force - slope rate, +-limit)
  double force;  // at a rate of 0, N or N m
  double slope;  // N s/m or N m s
  double limit;

  // of the joint itself, if it has any of it
  bool has_more;
  double drag;             // at a rate of 0, N or N m, and
  double damping;          // how much it decreases with the rate, N s/m or N m s
  double friction, slip;   // N or N m; the rate below which friction is less
  double stop;             // by how much the impulse of a stop grows, N s^2/m or N m s^2
  double lowest, highest;  // rates below and above which a stop pushes

  ISOPATCH_HD double drive_impulse(double rate) const {
    return step * max(min(fma(-slope, rate, force), limit), -limit);
  }
  ISOPATCH_HD double stop_impulse(double rate) const {
    return has_more ? stop * (max(lowest - rate, 0.0) - max(rate - highest, 0.0)) : 0.0;
  }
  ISOPATCH_HD_CALLED double impulse(double rate) const {
    const double drive = drive_impulse(rate);
    if (!has_more) return drive;
    const double own = fma(-damping, rate, drag) - friction * rate / sqrt(fma(slip, slip, rate * rate));
    return fma(step, own, drive) + stop_impulse(rate);
  }
  /// -d impulse / d rate
  ISOPATCH_HD_CALLED double fall(double rate) const {
    const double pull = fma(-slope, rate, force), drive = pull < limit && pull > -limit ? step * slope : 0.0;
    if (!has_more) return drive;
    const double inverse = 1 / sqrt(fma(slip, slip, rate * rate)), smooth = slip * inverse;
    const double own = fma(friction * inverse, smooth * smooth, damping);
    return fma(step, own, drive) + (rate < lowest || rate > highest ? stop : 0.0);
  }
  /// -integral of the impulse from a rate of 0; of stops, up to a constant.
  ISOPATCH_HD double potential(double rate) const {
    const double drive = drive_potential(rate);
    if (!has_more) return drive;
    const double under = max(lowest - rate, 0.0), over = max(rate - highest, 0.0);
    const double root = sqrt(fma(slip, slip, rate * rate));
    const double own = fma(0.5 * damping * rate, rate, fma(friction, rate * rate / (root + slip), -drag * rate));
    return fma(step, own, drive) + 0.5 * stop * fma(under, under, over * over);
  }

 private:
  ISOPATCH_HD double drive_potential(double rate) const {
    if (!(slope > 0)) return -drive_impulse(rate) * rate;
    const auto integral = [&](double pull) {
      const double size = abs(pull);
      return size <= limit ? 0.5 * pull * pull : limit * (size - 0.5 * limit);
    };
    return step / slope * (integral(fma(-slope, rate, force)) - integral(force));
  }
};

}  // namespace isopatch::detail
