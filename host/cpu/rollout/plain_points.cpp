// SPDX-License-Identifier: Apache-2.0
#include "host/cpu/rollout/point_kernels.h"

namespace isopatch::detail {

namespace {

using Parameters = PointKernels::Parameters;

constexpr WarpPointSums<const SerialWarp> kSums = {kAlone};

}  // namespace

const PointKernels kPlainPointKernels = {
    [](const Parameters& p, double* columns, int polygons, const PointsStart<double>& start, double (&potentials)[2]) {
      kSums.begin(p, PolygonColumns(columns), polygons, start, potentials);
    },
    [](const Parameters& p, double* columns, int polygons, const PairTwist& twist, double (&sums)[ImpulseSums::kSize]) {
      kSums.impulses(p, PolygonColumns(columns), polygons, twist, false, sums);
    },
    [](const Parameters& p, double* columns, int polygons, const PairTwist& twist, bool renews,
       double (&sums)[kEvaluationSums]) { kSums.all(p, PolygonColumns(columns), polygons, twist, renews, sums); },
    [](const Parameters& p, double* columns, int polygons, const PairTwist& twist, const PairTwist& change,
       double (&sums)[2]) { kSums.slopes(p, PolygonColumns(columns), polygons, twist, change, sums); },
    [](const Parameters& p, double* columns, int polygons, const PairTwist& twist) {
      return kSums.normal_impulses(p, PolygonColumns(columns), {0, polygons, true}, twist);
    },
    [](double step, double* columns, int polygons, const PairTwist& twist, double (&sums)[PlateSums::kSize]) {
      kSums.plate(step, PolygonColumns(columns), {0, polygons, true}, twist, sums);
    },
    [](double* columns, int polygons, const BodyMobility& a, const BodyMobility& b, double (&sums)[DamperSums::kSize]) {
      kSums.patch(PolygonColumns(columns), polygons, a, b, sums);
    },
    [](double* columns, int polygons, const PatchMotion& motion, double (&sums)[CarrySums::kSize]) {
      kSums.carried(PolygonColumns(columns), polygons, motion, sums);
    }};

}  // namespace isopatch::detail
