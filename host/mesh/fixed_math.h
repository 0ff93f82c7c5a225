// SPDX-License-Identifier: Apache-2.0
//
// Functions that C libraries round differently, the same library even from processor to processor: here they have one
// result everywhere, for meshes and extents have to have the same bits on every machine. They are made of sums,
// products, divisions and fused products of doubles, with contraction off, so nothing but those decides.
//
// Each is computed to some 100 bits and rounded once; so it is the double nearest to the true value, but where that is
// nearer than 2^-40 of a step to the middle between two.
#pragma once

namespace isopatch::detail {

/// For |x| up to 1000.
double fixed_cos(double x);
double fixed_sin(double x);

/// ln(1 + x), for x > -1.
double fixed_log1p(double x);

/// x^y for positive finite x and finite y.
double fixed_pow(double x, double y);

/// A number that orders as atan2(y, x) does, from -2 to 2.
double angle_order(double y, double x);

}  // namespace isopatch::detail
