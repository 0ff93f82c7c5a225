// SPDX-License-Identifier: Apache-2.0
//
// The sums of a pair's contact points, compiled once for each instruction set and once with plain arithmetic, so that
// the solver that calls them is compiled once. With SIMD they have the bits of WarpPointSums: what a lane of 32 adds up
// is the same, and so is the tree.
#pragma once

#include "host/threads/work_counter.h"
#include "isopatch/detail/rollout/solver/point_sums.h"

namespace isopatch::detail {

using PairTwist = RelativeTwist<double>;

/// One for each member of WarpPointSums. The lanes of the last vector without a polygon are zeros.
struct PointKernels {
  using Parameters = PointParameters<double>;

  void (*begin)(const Parameters&, double* columns, int polygons, const PointsStart<double>&, double (&potentials)[2]);
  void (*impulses)(const Parameters&, double* columns, int polygons, const PairTwist&,
                   double (&sums)[ImpulseSums::kSize]);
  void (*all)(const Parameters&, double* columns, int polygons, const PairTwist&, bool renews,
              double (&sums)[kEvaluationSums]);
  void (*slopes)(const Parameters&, double* columns, int polygons, const PairTwist&, const PairTwist& change,
                 double (&sums)[2]);
  double (*normal_impulses)(const Parameters&, double* columns, int polygons, const PairTwist&);
  void (*plate)(double step, double* columns, int polygons, const PairTwist&, double (&sums)[PlateSums::kSize]);
  void (*patch)(double* columns, int polygons, const BodyMobility& a, const BodyMobility& b,
                double (&sums)[DamperSums::kSize]);
  void (*carried)(double* columns, int polygons, const PatchMotion&, double (&sums)[CarrySums::kSize]);
};

inline constexpr SerialWarp kAlone;

/// One number at a time.
extern const PointKernels kPlainPointKernels;

/// The counterpart of WarpPointSums.
struct KernelPointSums {
  using Columns = PolygonColumns;
  static constexpr bool kHasPlates = true, kTakesAll = true;

  const PointKernels& kernels;
  WorkCounter& counter;
  std::int32_t expected_iterations;  // of the solve; no bit depends on it

  void begin(const PointParameters<double>& p, const PolygonColumns& columns, int polygons,
             const PointsStart<double>& start, double (&potentials)[2]) const {
    counter.add(2 * polygons);
    kernels.begin(p, columns.column(0), polygons, start, potentials);
  }
  void impulses(const PointParameters<double>& p, const PolygonColumns& columns, int polygons, const PairTwist& twist,
                bool /*renews: with the matrix*/, double (&sums)[ImpulseSums::kSize]) const {
    counter.add(polygons);
    kernels.impulses(p, columns.column(0), polygons, twist, sums);
  }
  void all(const PointParameters<double>& p, const PolygonColumns& columns, int polygons, const PairTwist& twist,
           bool renews, double (&sums)[kEvaluationSums]) const {
    counter.add(polygons);
    kernels.all(p, columns.column(0), polygons, twist, renews, sums);
  }
  void slopes(const PointParameters<double>& p, const PolygonColumns& columns, int polygons, const PairTwist& twist,
              const PairTwist& change, double (&sums)[2]) const {
    counter.add(polygons);
    kernels.slopes(p, columns.column(0), polygons, twist, change, sums);
  }
  double normal_impulses(const PointParameters<double>& p, const PolygonColumns& columns, PolygonRange range,
                         const PairTwist& twist) const {
    if (!range.is_all) return WarpPointSums<const SerialWarp>{kAlone}.normal_impulses(p, columns, range, twist);
    return kernels.normal_impulses(p, columns.column(0), range.count, twist);
  }
  void plate(double step, const PolygonColumns& columns, PolygonRange range, const PairTwist& twist,
             double (&sums)[PlateSums::kSize]) const {
    if (!range.is_all) return WarpPointSums<const SerialWarp>{kAlone}.plate(step, columns, range, twist, sums);
    kernels.plate(step, columns.column(0), range.count, twist, sums);
  }
  void patch(const PolygonColumns& columns, int polygons, const BodyMobility& a, const BodyMobility& b,
             double (&sums)[DamperSums::kSize]) const {
    kernels.patch(columns.column(0), polygons, a, b, sums);
  }
  void carried(const PolygonColumns& columns, int polygons, const PatchMotion& motion,
               double (&sums)[CarrySums::kSize]) const {
    kernels.carried(columns.column(0), polygons, motion, sums);
  }
};

}  // namespace isopatch::detail
