// SPDX-License-Identifier: Apache-2.0
//
// Functions that C libraries round differently, and one library even differently from processor to processor. Here they
// have the same result everywhere, because meshes and extents must have the same bits on every machine: they consist of
// sums, products, divisions and fma of doubles, with contraction off.
//
// Each is computed to some 100 bits and rounded once. So the result is the double nearest to the true value, except
// if that lies within 2^-40 units in the last place of the middle between two doubles.
#pragma once

namespace isopatch::detail {

/// For |x| up to 1000.
double fixed_cos(double x);
double fixed_sin(double x);

/// ln(1 + x), for x > -1.
double fixed_log1p(double x);

/// x^y for positive finite x and finite y.
double fixed_pow(double x, double y);

/// A key from -2 to 2 with the order of atan2(y, x).
double angle_order(double y, double x);

}  // namespace isopatch::detail
