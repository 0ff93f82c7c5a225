// SPDX-License-Identifier: Apache-2.0
//
// PolygonColumns of polygons in float, without contacts with state: what stays as it was found stays in float, which is
// two thirds of the memory. What points are made of is found again whenever they are loaded, to the same bits.
#pragma once

#include "isopatch/detail/rollout/solver/polygon_columns.h"

namespace isopatch::detail {

/// The columns of one pair's polygons, of eight bytes a polygon: pairs of floats, then doubles. The same number of so
/// many polygons stands side by side.
template <int side_by_side>
class FloatColumnsOf {
 public:
  static constexpr int kColumns = 15, kBlock = kColumns * kSumLanes;
  static_assert(kSumLanes % side_by_side == 0);

  ISOPATCH_HD explicit FloatColumnsOf(double* first_block) : first_(first_block) {}

  ISOPATCH_HD const double* block(int index) const { return first_ + static_cast<std::ptrdiff_t>(index) * kBlock; }

  ISOPATCH_HD void write(int polygon, const SolverContact<float>& from) const {
    double* const to = column(polygon);
    const Vec3<float>&n = from.normal, &c = from.centroid, &u = from.arm[0], &v = from.arm[1], &s = from.slope;
    const Pair pairs[kPairs] = {{n.x, n.y}, {n.z, c.x}, {c.y, c.z},           {u.x, u.y},
                                {u.z, v.x}, {v.y, v.z}, {from.dissipation, 0}};
    ISOPATCH_UNROLL
    for (int i = 0; i < kPairs; ++i) set(to, i, pairs[i]);
    to[kStiffness * kApart] = from.stiffness;
    to[kFriction * kApart] = from.friction;
    set(to, kForce, {from.force, from.change[0]});
    set(to, kForce + 1, {from.change[1], from.share_b});
    set(to, kForce + 2, {s.x, s.y});
    set(to, kLimit, {s.z, 0});
  }
  ISOPATCH_HD void write_nothing(int polygon) const {
    for (int i = 0; i < kColumns; ++i) column(polygon)[i * kApart] = 0;
  }
  /// The numbers of a polygon as they stand there.
  struct Numbers {
    double column[kColumns];
  };
  ISOPATCH_HD Numbers numbers(int polygon) const {
    Numbers numbers;
    ISOPATCH_UNROLL
    for (int i = 0; i < kColumns; ++i) numbers.column[i] = column(polygon)[i * kApart];
    return numbers;
  }
  /// Before points are made of the polygon, as slope().
  ISOPATCH_HD PolygonPoints<double> read(int polygon) const { return read(numbers(polygon)); }
  ISOPATCH_HD static PolygonPoints<double> read(const Numbers& from) {
    SolverContact<double> contact = shape(from);
    const Pair force = at(from, kForce), change = at(from, kForce + 1);
    contact.force = force.first;
    contact.change[0] = force.second;
    contact.change[1] = change.first;
    return points_of(contact, contact.friction);
  }
  ISOPATCH_HD static FieldSlope<double> slope(const Numbers& from) {
    const Pair xy = at(from, kForce + 2);
    return {{xy.first, xy.second, at(from, kLimit).first}, at(from, kForce + 1).second};
  }
  ISOPATCH_HD static PolygonPoints<double> load(const Numbers& from) {
    SolverContact<double> contact = shape(from);
    contact.force = contact.change[0] = contact.change[1] = 0;
    PolygonPoints<double> points = points_of(contact, contact.friction);
    ISOPATCH_UNROLL
    for (int k = 0; k < PolygonPoints<double>::kPoints; ++k) {
      points.force[k] = from.column[kForce + k];
      points.limit[k] = from.column[kLimit + k];
    }
    return points;
  }
  ISOPATCH_HD void store(int polygon, const PolygonPoints<double>& points) const {
    double* const to = column(polygon);
    to[kStiffness * kApart] = points.stiffness;
    ISOPATCH_UNROLL
    for (int k = 0; k < PolygonPoints<double>::kPoints; ++k) to[(kForce + k) * kApart] = points.force[k];
    store_limits(polygon, points);
  }
  /// The friction limits alone, of points that were stored.
  ISOPATCH_HD void store_limits(int polygon, const PolygonPoints<double>& points) const {
    double* const to = column(polygon) + kLimit * kApart;
    ISOPATCH_UNROLL
    for (int k = 0; k < PolygonPoints<double>::kPoints; ++k) to[k * kApart] = points.limit[k];
  }

 private:
  static constexpr int kApart = side_by_side;  // columns

  /// Columns: pairs, then doubles. Of points; before there are any, pairs stand in place of forces and limits.
  static constexpr int kPairs = 7, kStiffness = 7, kFriction = 8, kForce = 9, kLimit = 12;

  struct alignas(8) Pair {
    float first, second;
  };

  ISOPATCH_HD double* column(int polygon) const {
    return first_ + static_cast<std::ptrdiff_t>(polygon / kApart) * (kColumns * kApart) + polygon % kApart;
  }
  ISOPATCH_HD static Pair at(const Numbers& from, int index) { return std::bit_cast<Pair>(from.column[index]); }
  ISOPATCH_HD static void set(double* column, int index, Pair pair) {
    column[index * kApart] = std::bit_cast<double>(pair);
  }
  /// All but the forces.
  ISOPATCH_HD static SolverContact<double> shape(const Numbers& from) {
    Pair pairs[kPairs];
    ISOPATCH_UNROLL
    for (int i = 0; i < kPairs; ++i) pairs[i] = at(from, i);
    const auto& [n, n_c, c, u, u_v, v, d] = pairs;
    SolverContact<double> contact;
    contact.normal = unit_of({n.first, n.second, n_c.first});
    contact.centroid = {n_c.second, c.first, c.second};
    contact.arm[0] = {u.first, u.second, u_v.first};
    contact.arm[1] = {u_v.second, v.first, v.second};
    contact.dissipation = d.first;
    contact.stiffness = from.column[kStiffness];
    contact.friction = from.column[kFriction];
    return contact;
  }

  double* first_;
};

using FloatColumns = FloatColumnsOf<kSumLanes>;
using SmallFloatColumns = FloatColumnsOf<PolygonColumns::kMaxVector>;  // of few, which take less of a cache

}  // namespace isopatch::detail
