// SPDX-License-Identifier: Apache-2.0
//
// What the contact points of a pair add up to, as a function of the relative velocity of its bodies. All are taken
// about the pair's point P: the twist of A relative to B there is (u_P, omega), a contact point at r from it has the
// velocity u = u_P + omega x r, and its impulse F the moment r x F.
#pragma once

#include <cstdint>
#include <type_traits>

#include "isopatch/detail/rollout/solver/float_columns.h"
#include "isopatch/detail/rollout/solver/patch_damper.h"
#include "isopatch/detail/rollout/solver/patch_plate.h"

namespace isopatch::detail {

/// The sums of an evaluation of the impulses: their force and moment, and the friction.
struct ImpulseSums {
  enum : int {
    kForce = 0,     // 3, N s
    kMoment = 3,    // 3, N m s
    kMissed = 6,    // of the sizes by which the friction limits differ from mu times the normal impulses, N s
    kFriction = 7,  // of mu times the normal impulses, N s
    kSize = 8
  };
};

/// What the impulses change by: the lower triangle of -d (force, moment) / d (u_P, omega) by rows, kg, kg m, kg m^2.
struct MatrixSums {
  static constexpr int kSize = 21;

  /// Entry of the matrix, in any order.
  ISOPATCH_HD static int at(int row, int column) {
    return row >= column ? row * (row + 1) / 2 + column : column * (column + 1) / 2 + row;
  }
};

/// What an evaluation finds beside the impulses.
struct Evaluation {
  bool with_matrix;
  bool renews;  // friction limits before, from the same velocities; may differ between teams
};

/// The sums of an evaluation: ImpulseSums, then MatrixSums.
inline constexpr int kEvaluationSums = ImpulseSums::kSize + MatrixSums::kSize;

/// An entry of the lower triangle of a matrix of six rows to which s [1 -r x]^T [1 -r x] is added; sr = s r.
template <class T>
ISOPATCH_HD T add_isotropic(int row, int column, T s, Vec3<T> r, Vec3<T> sr, T entry) {
  const auto at = [](const Vec3<T>& v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; };
  if (row < 3) return row == column ? entry + s : entry;
  const int i = row - 3;
  if (column < 3) {
    if (i == column) return entry;
    const T other = at(sr, 3 - i - column);
    return (i + 2) % 3 == column ? entry + other : entry - other;
  }
  const int j = column - 3;
  if (i != j) return fma(-at(sr, j), at(r, i), entry);
  const int first = i == 0 ? 1 : 0, last = i == 2 ? 1 : 2;
  return fma(at(sr, first), at(r, first), fma(at(sr, last), at(r, last), entry));
}

/// What a point adds to the matrix: across [1 -r x]^T [1 -r x] + along_normal n n^T + along_slip t t^T, with six
/// numbers of n and of t: their own and their moments'.
template <class T>
struct PointMatrix {
  Vec3<T> r;
  T across, along_normal, along_slip;
  T n[6], t[6];
};

/// Adds the matrices of a polygon's points to a lower triangle. Entry by entry, of all points: registers do not hold
/// all entries.
template <class T, int points>
ISOPATCH_HD void add_matrices(const PointMatrix<T> (&point)[points], T* matrix) {
  ISOPATCH_UNROLL
  for (int row = 0; row < 6; ++row) {
    T n[points], t[points];
    Vec3<T> sr[points];
    ISOPATCH_UNROLL
    for (int k = 0; k < points; ++k) {
      n[k] = point[k].along_normal * point[k].n[row];
      t[k] = point[k].along_slip * point[k].t[row];
      sr[k] = point[k].across * point[k].r;
    }
    ISOPATCH_UNROLL
    for (int column = 0; column <= row; ++column) {
      T entry = matrix[row * (row + 1) / 2 + column];
      ISOPATCH_UNROLL
      for (int k = 0; k < points; ++k) {
        entry = add_isotropic(row, column, point[k].across, point[k].r, sr[k], entry);
        entry = fma(t[k], point[k].t[column], fma(n[k], point[k].n[column], entry));
      }
      matrix[row * (row + 1) / 2 + column] = entry;
    }
  }
}

/// What all points of a pair have in common.
template <class T>
struct PointParameters {
  T step;            // s
  T slip_tolerance;  // m/s
};

/// The impulse of point k at a twist.
template <class T>
ISOPATCH_HD PointImpulse<T> impulse_of(const PointParameters<T>& p, const PolygonPoints<T>& points, int k,
                                       const RelativeTwist<T>& twist) {
  return point_impulse(points.law(k, p.step), {points.limit[k], p.slip_tolerance}, points.normal,
                       twist.at(points.arm[k]));
}

/// Adds an impulse to all sums of ImpulseSums.
template <class T>
ISOPATCH_HD void add_impulse(const PolygonPoints<T>& points, int k, const PointImpulse<T>& point, T* sums) {
  add_to(sums + ImpulseSums::kForce, point.impulse);
  add_to(sums + ImpulseSums::kMoment, cross(points.arm[k], point.impulse));
  const T friction = points.friction * point.normal;
  sums[ImpulseSums::kMissed] = sums[ImpulseSums::kMissed] + abs(friction - points.limit[k]);
  sums[ImpulseSums::kFriction] = sums[ImpulseSums::kFriction] + friction;
}

template <class T>
ISOPATCH_HD PointMatrix<T> matrix_of(const PolygonPoints<T>& points, int k, const PointImpulse<T>& point) {
  const Vec3<T> n = points.normal, r = points.arm[k], t = point.slip, r_n = cross(r, n), r_t = cross(r, t);
  return {r,
          point.across,
          point.along_normal - point.across,
          -point.along_slip,
          {n.x, n.y, n.z, r_n.x, r_n.y, r_n.z},
          {t.x, t.y, t.z, r_t.x, r_t.y, r_t.z}};
}

/// What `impulses` and `matrix` add up: ImpulseSums and MatrixSums.
template <bool has_impulses, bool has_matrix, class T>
ISOPATCH_HD void add_sums(const PointParameters<T>& p, const PolygonPoints<T>& points, const RelativeTwist<T>& twist,
                          T* impulses, T* matrix) {
  PointMatrix<T> matrices[PolygonPoints<T>::kPoints];
  ISOPATCH_UNROLL
  for (int k = 0; k < PolygonPoints<T>::kPoints; ++k) {
    const PointImpulse<T> point = impulse_of(p, points, k, twist);
    if constexpr (has_impulses) add_impulse(points, k, point, impulses);
    if constexpr (has_matrix) matrices[k] = matrix_of(points, k, point);
  }
  if constexpr (has_matrix) add_matrices(matrices, matrix);
}

/// The normal impulses alone.
template <class T>
ISOPATCH_HD void add_normal_impulses(const PointParameters<T>& p, const PolygonPoints<T>& points,
                                     const RelativeTwist<T>& twist, T (&sums)[1]) {
  ISOPATCH_UNROLL
  for (int k = 0; k < PolygonPoints<T>::kPoints; ++k) {
    const T v_n = dot(points.normal, twist.at(points.arm[k]));
    sums[0] = sums[0] + normal_impulse(points.law(k, p.step), v_n).value;
  }
}

/// The potential, J.
template <class T>
ISOPATCH_HD void add_potential(const PointParameters<T>& p, const PolygonPoints<T>& points,
                               const RelativeTwist<T>& twist, T& sum) {
  ISOPATCH_UNROLL
  for (int k = 0; k < PolygonPoints<T>::kPoints; ++k) {
    sum = sum + point_potential(points.law(k, p.step), {points.limit[k], p.slip_tolerance}, points.normal,
                                twist.at(points.arm[k]));
  }
}

/// The slope of the potential and its slope in turn, as the twist changes by `change` for each unit.
template <class T>
ISOPATCH_HD void add_slopes(const PointParameters<T>& p, const PolygonPoints<T>& points, const RelativeTwist<T>& twist,
                            const RelativeTwist<T>& change, T (&sums)[2]) {
  const Vec3<T> n = points.normal;
  ISOPATCH_UNROLL
  for (int k = 0; k < PolygonPoints<T>::kPoints; ++k) {
    const Vec3<T> w = change.at(points.arm[k]);
    const PointImpulse<T> point = impulse_of(p, points, k, twist);
    const T w_n = dot(n, w), along = dot(point.slip, w);
    sums[0] = sums[0] - dot(point.impulse, w);
    sums[1] = sums[1] + fma(point.along_normal - point.across, w_n * w_n,
                            fma(point.across, dot(w, w), -(point.along_slip * along * along)));
  }
}

/// The limits of the friction impulses: mu times the normal impulses at this twist, of the elastic force at the
/// beginning of the step.
template <class T>
ISOPATCH_HD void begin_limits(const PointParameters<T>& p, const RelativeTwist<T>& twist, PolygonPoints<T>& points) {
  ISOPATCH_UNROLL
  for (int k = 0; k < PolygonPoints<T>::kPoints; ++k) {
    const T v_n = dot(points.normal, twist.at(points.arm[k]));
    points.limit[k] = points.friction * (p.step * points.force[k] * damped_share(points.dissipation, v_n));
  }
}

/// Changes elastic forces that were found where this twist leads in a step to the forces before that motion.
template <class T>
ISOPATCH_HD void move_forces_back(const PointParameters<T>& p, const RelativeTwist<T>& twist,
                                  PolygonPoints<T>& points) {
  ISOPATCH_UNROLL
  for (int k = 0; k < PolygonPoints<T>::kPoints; ++k) {
    const T v_n = dot(points.normal, twist.at(points.arm[k]));
    points.force[k] = fma(p.step * points.stiffness, v_n, points.force[k]);
  }
}

/// How the points of a pair begin a stage.
enum class PointsBegin : std::uint8_t {
  kAtStart,  // of polygons that were found where the stage begins
  kAtEnd,    // where it ends
  kDamped,   // with a damper
  kBegun     // they have begun
};

/// How they do, and where the solve may start: at velocities before the step, and without contact.
template <class T>
struct PointsStart {
  PointsBegin by;
  RelativeTwist<T> known, free;
  PatchDamper damper;  // if kDamped
};

/// Begins points that were made of a polygon.
template <class T>
ISOPATCH_HD void begin_points(const PointParameters<T>& p, const PointsStart<T>& start, PolygonPoints<T>& points) {
  begin_limits(p, start.known, points);
  if (start.by == PointsBegin::kAtEnd) move_forces_back(p, start.known, points);
  if (start.by == PointsBegin::kDamped) apply_damper(start.damper, points);
}

/// The potentials at both starts.
template <class T>
ISOPATCH_HD void add_potentials(const PointParameters<T>& p, const PolygonPoints<T>& points,
                                const PointsStart<T>& start, T (&sums)[2]) {
  add_potential(p, points, start.known, sums[0]);
  add_potential(p, points, start.free, sums[1]);
}

/// The limits of the friction impulses: mu times the normal impulses at this twist.
template <class T>
ISOPATCH_HD void renew_limits(const PointParameters<T>& p, const RelativeTwist<T>& twist, PolygonPoints<T>& points) {
  ISOPATCH_UNROLL
  for (int k = 0; k < PolygonPoints<T>::kPoints; ++k) {
    const T v_n = dot(points.normal, twist.at(points.arm[k]));
    points.limit[k] = points.friction * normal_impulse(points.law(k, p.step), v_n).value;
  }
}

/// The sums of a pair's polygons by the lanes of a warp. The counterpart for SIMD vectors is
/// host/cpu/rollout/simd_points.h.
template <class Warp, bool has_plates = true, class OwnColumns = PolygonColumns>
struct WarpPointSums {
  using Columns = OwnColumns;
  static constexpr bool kHasPlates = has_plates;  // whether scenes may have contacts with state
  static constexpr bool kTakesAll = !requires { requires Warp::kMaxSums < kEvaluationSums; };

  Warp& warp;

  /// Begins points, if they have not begun, and adds up their potentials.
  ISOPATCH_HD void begin(const PointParameters<double>& p, const Columns& columns, int polygons,
                         const PointsStart<double>& start, double (&potentials)[2]) const {
    NumbersAhead numbers(warp, columns, 0, polygons);
    lane_sums(
        warp, polygons,
        [&](int i, double(&add)[2]) {
          const bool begun = has_plates && start.by == PointsBegin::kBegun;
          PolygonPoints<double> points = begun ? columns.load(numbers(i)) : columns.read(numbers(i));
          if (!begun) {
            begin_points(p, start, points);
            columns.store(i, points);
          }
          add_potentials(p, points, start, add);
        },
        potentials);
  }
  /// Of friction limits that are taken from the same velocities before, if it `renews`.
  ISOPATCH_HD void impulses(const PointParameters<double>& p, const Columns& columns, int polygons,
                            const RelativeTwist<double>& twist, bool renews, double (&sums)[ImpulseSums::kSize]) const {
    NumbersAhead numbers(warp, columns, 0, polygons);
    lane_sums(
        warp, polygons,
        [&](int i, double(&add)[ImpulseSums::kSize]) {
          add_sums<true, false, double>(p, renewed(p, columns, i, numbers(i), twist, renews), twist, add, nullptr);
        },
        sums);
  }
  ISOPATCH_HD void matrix(const PointParameters<double>& p, const Columns& columns, int polygons,
                          const RelativeTwist<double>& twist, double (&sums)[MatrixSums::kSize]) const {
    NumbersAhead numbers(warp, columns, 0, polygons);
    lane_sums(
        warp, polygons,
        [&](int i, double(&add)[MatrixSums::kSize]) {
          add_sums<false, true, double>(p, columns.load(numbers(i)), twist, nullptr, add);
        },
        sums);
  }
  /// Both at once, with kTakesAll; else the matrix is found alone.
  ISOPATCH_HD void all(const PointParameters<double>& p, const Columns& columns, int polygons,
                       const RelativeTwist<double>& twist, bool renews, double (&sums)[kEvaluationSums]) const {
    NumbersAhead numbers(warp, columns, 0, polygons);
    lane_sums(
        warp, polygons,
        [&](int i, double(&add)[kEvaluationSums]) {
          add_sums<true, true>(p, renewed(p, columns, i, numbers(i), twist, renews), twist, add,
                               add + ImpulseSums::kSize);
        },
        sums);
  }
  ISOPATCH_HD void slopes(const PointParameters<double>& p, const Columns& columns, int polygons,
                          const RelativeTwist<double>& twist, const RelativeTwist<double>& change,
                          double (&sums)[2]) const {
    NumbersAhead numbers(warp, columns, 0, polygons);
    lane_sums(
        warp, polygons, [&](int i, double(&add)[2]) { add_slopes(p, columns.load(numbers(i)), twist, change, add); },
        sums);
  }
  ISOPATCH_HD double normal_impulses(const PointParameters<double>& p, const Columns& columns, PolygonRange range,
                                     const RelativeTwist<double>& twist) const {
    double sums[1];
    NumbersAhead numbers(warp, columns, range.first, range.first + range.count);
    lane_sums(
        warp, range.count,
        [&](int i, double(&add)[1]) { add_normal_impulses(p, columns.load(numbers(range.first + i)), twist, add); },
        sums);
    return sums[0];
  }
  /// Of polygons before their points are made of them, as the next two.
  ISOPATCH_HD void plate(double step, const Columns& columns, PolygonRange range, const RelativeTwist<double>& twist,
                         double (&sums)[PlateSums::kSize]) const {
    NumbersAhead numbers(warp, columns, range.first, range.first + range.count);
    lane_sums(
        warp, range.count,
        [&](int i, double(&add)[PlateSums::kSize]) {
          add_plate(step, columns.read(numbers(range.first + i)), twist, add);
        },
        sums);
  }
  ISOPATCH_HD void patch(const Columns& columns, int polygons, const BodyMobility& a, const BodyMobility& b,
                         double (&sums)[DamperSums::kSize]) const {
    NumbersAhead numbers(warp, columns, 0, polygons);
    lane_sums(
        warp, polygons, [&](int i, double(&add)[DamperSums::kSize]) { add_patch(a, b, columns.read(numbers(i)), add); },
        sums);
  }
  ISOPATCH_HD void carried(const Columns& columns, int polygons, const PatchMotion& motion,
                           double (&sums)[CarrySums::kSize]) const {
    NumbersAhead numbers(warp, columns, 0, polygons);
    lane_sums(
        warp, polygons,
        [&](int i, double(&add)[CarrySums::kSize]) {
          const Numbers now = numbers(i);
          add_carried(motion, columns.slope(now), columns.read(now), add);
        },
        sums);
  }

 private:
  using Numbers = typename Columns::Numbers;

  /// The polygons of a sum while the next ones are on their way from memory, in float to registers: a pair with many is
  /// read again and again, and has no room in the first-level cache.
  class NumbersAhead {
   public:
    ISOPATCH_HD NumbersAhead(const Warp& warp, const Columns& columns, int first, int end)
        : warp_(warp), columns_(columns), end_(end), next_() {
      if (kInRegisters && first + warp.lane() < end) next_ = columns.numbers(first + warp.lane());
    }
    ISOPATCH_HD Numbers operator()(int polygon) {
      const int next = polygon / kSumLanes + 1;
      const Numbers now = kInRegisters ? next_ : columns_.numbers(polygon);
      if (kInRegisters && polygon + kSumLanes < end_) next_ = columns_.numbers(polygon + kSumLanes);
      if (kInRegisters || next * kSumLanes >= end_) return now;
      warp_.prefetch(columns_.block(next), Columns::kBlock * sizeof(double));
      return now;
    }

   private:
    static constexpr bool kInRegisters = Warp::kSize == kSumLanes && !std::is_pointer_v<Numbers>;
    const Warp& warp_;
    const Columns& columns_;
    const int end_;
    Numbers next_;
  };

  ISOPATCH_HD PolygonPoints<double> renewed(const PointParameters<double>& p, const Columns& columns, int i,
                                            const Numbers& own, const RelativeTwist<double>& twist, bool renews) const {
    PolygonPoints<double> points = columns.load(own);
    if (renews) {
      renew_limits(p, twist, points);
      columns.store_limits(i, points);
    }
    return points;
  }
};

}  // namespace isopatch::detail
