// SPDX-License-Identifier: Apache-2.0
//
// One pair of bodies with SIMD, on one CPU core. The formulas are those of the GPU; only the order of work differs. The
// stages work on lists: nodes give candidates (SimdTraversal), candidates accepted cells (test), accepted cells sums
// (visit). Each stage waits until a SIMD vector is full.
#pragma once

#include "host/cpu/pressure_field/simd_accepted.h"
#include "host/cpu/pressure_field/simd_solver_contacts.h"
#include "host/cpu/simd/simd_sum.h"
#include "host/cpu/simd/simd_traversal.h"

namespace isopatch::detail {
namespace {

/// Three rows of a transformed wide node.
template <class F, class Rows>
ISOPATCH_HD Vec3<F> vec_of(const Rows& row, int first) {
  return {row(first), row(first + 1), row(first + 2)};
}

/// The node test of pressure fields.
struct SimdNodeTest {
  const PairContext& f;

  template <class F, class Put>
  ISOPATCH_HD void transform(bool of_M, const NodeBox<F>& box, const Put& put) const {
    const TransformedBox<F> b = of_M ? transformed_M(f, box) : transformed_S(f, box);
    for (const LinearBounds<F>* bounds : {&b.in_M, &b.in_S}) {
      for (const Vec3<F>* v : {&bounds->center, &bounds->half, &bounds->velocity, &bounds->expansion}) {
        put(v->x), put(v->y), put(v->z);
      }
    }
    put(b.low), put(b.high);
  }

  template <class F, class RowsA, class RowsB>
  ISOPATCH_HD MaskOf<F> may_touch(const RowsA& a, const RowsB& b) const {
    return may_meet(f, box_of<F>(a), box_of<F>(b));
  }

  template <class F>
  ISOPATCH_HD MaskOf<F> may_touch_half_space(const NodeBox<F>& m) const {
    return may_meet_half_space(f, m);
  }

 private:
  template <class F, class Rows>
  ISOPATCH_HD static TransformedBox<F> box_of(const Rows& row) {
    const auto vec = [&](int r) { return vec_of<F>(row, r); };
    return {{vec(0), vec(3), vec(6), vec(9)}, {vec(12), vec(15), vec(18), vec(21)}, row(24), row(25)};
  }
};

/// The node test of energies.
struct SimdEnergyNodeTest {
  const PairContext& f;

  template <class F, class Put>
  ISOPATCH_HD void transform(bool of_M, const NodeBox<F>& box, const Put& put) const {
    const TransformedFixedBox<F> b = of_M ? fixed_M(f, box) : fixed_S(f, box);
    for (const Vec3<F>* v : {&b.center, &b.half_M, &b.half_S}) put(v->x), put(v->y), put(v->z);
  }

  template <class F, class RowsA, class RowsB>
  ISOPATCH_HD MaskOf<F> may_touch(const RowsA& a, const RowsB& b) const {
    return may_overlap(f, box_of<F>(a), box_of<F>(b));
  }

  template <class F>
  ISOPATCH_HD MaskOf<F> may_touch_half_space(const NodeBox<F>& m) const {
    return may_overlap_half_space(f, m);
  }

 private:
  template <class F, class Rows>
  ISOPATCH_HD static TransformedFixedBox<F> box_of(const Rows& row) {
    return {vec_of<F>(row, 0), vec_of<F>(row, 3), vec_of<F>(row, 6)};
  }
};

/// Adds up the sums of the lanes.
template <class T, int lanes, bool with_patch>
void add_lanes(WrenchSums<Simd<T, lanes>, with_patch>& from, WrenchSums<T, with_patch>& to) {
  from.for_each_sum([](ReproducibleSum<Simd<T, lanes>>& sum, ReproducibleSum<T>& total) { sum.add_to(total); }, to);
  from.far_side.add_to(to.far_side);
  from.bound.add_to(to.bound);
  if constexpr (with_patch) {
    T lane[lanes];
    from.patch.max_pressure.store(lane);
    for (const T value : lane) to.patch.max_pressure = max(value, to.patch.max_pressure);
  }
}

/// The counterpart of WrenchVisitor for SIMD vectors.
template <class T, bool with_patch>
class SimdWrenchVisitor {
 public:
  SimdWrenchVisitor(const PairContext& context, SimdWorkspace& work)
      : f_(context), accepted_(context, work), scales_(FixedPointScales<T>::make(context.bounds)) {}

  void test(const std::int32_t* m, const std::int32_t* s, Mask<kFloatLanes> active) {
    accepted_.test(m, s, active);
    while (accepted_.waiting() >= kPolygonLanes) visit(sums_);
  }

  /// Visits what is left, once there are no more candidates.
  void finish(WrenchSums<T, with_patch>& sums) {
    while (accepted_.waiting() > kLanes) visit(sums_);
    if (accepted_.waiting() > 0) {
      WrenchSums<Simd<T, kLanes>, with_patch> rest;
      visit(rest);
      add_lanes(rest, sums);
    }
    add_lanes(sums_, sums);
  }

 private:
  static constexpr int kPolygonLanes = kIsFloat<T> ? kFloatLanes : kLanes;  // kLanes for the last few polygons

  template <int lanes>
  void visit(WrenchSums<Simd<T, lanes>, with_patch>& sums) {
    if (f_.S.half_space && !f_.S.geometry->is_layer) {
      visit_lines<kHalfSpaceLines>(sums);
    } else {
      visit_lines<kMaxLines>(sums);
    }
  }

  template <int most_lines, int lanes>
  void visit_lines(WrenchSums<Simd<T, lanes>, with_patch>& sums) {
    using Number = Simd<T, lanes>;
    const SimdCellPairs<lanes> cells = accepted_.take<lanes>();
    const SimdPlanes<lanes> m(accepted_.cells_M(), cells.m), s(accepted_.cells_S(), cells.s);
    ContactPlane<Number> plane;
    Segments<Number> segments;
    Contribution<Number> contribution;
    const Mask<lanes> found =
        cells.active && contribution_of<false, most_lines>(f_, m, s, cells.bounds, plane, segments, contribution);
    if (any(found)) sums.add(found, contribution, scales_);
  }

  const PairContext& f_;
  SimdAccepted accepted_;
  WrenchSums<Simd<T, kPolygonLanes>, with_patch> sums_;
  const FixedPointScales<T> scales_;
};

/// Lets a visitor test the pairs of cells whose nodes may touch.
template <class Visitor>
void traverse_cells(const PairContext& context, SimdWorkspace& work, Visitor& visitor) {
  traverse_with_simd(SimdNodeTest{context}, context.M.hierarchy.wide_nodes,
                     context.S.half_space ? nullptr : context.S.hierarchy.wide_nodes, work.traversal, visitor);
}

template <class T, bool with_patch>
void sum_part_pairs(std::span<const PairContext* const> contexts, std::span<const std::int32_t> sums_of,
                    SimdWorkspace& work, WrenchSums<T, with_patch>* sums) {
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    SimdWrenchVisitor<T, with_patch> visitor(*contexts[i], work);
    traverse_cells(*contexts[i], work, visitor);
    visitor.finish(sums[sums_of[i]]);
  }
}

void find_overlaps(const PairContext& context, SimdWorkspace& work, CellEnergyVisitor& visitor,
                   void (*visit)(CellEnergyVisitor&, std::int32_t, std::int32_t)) {
  struct OneByOne {
    CellEnergyVisitor& visitor;
    void (*visit)(CellEnergyVisitor&, std::int32_t, std::int32_t);

    void test(const std::int32_t* m, const std::int32_t* s, Mask<kFloatLanes> active) const {
      for (std::uint32_t left = bits_of(active); left != 0; left &= left - 1) {
        const int lane = hwy::Num0BitsBelowLS1Bit_Nonzero32(left);
        visit(visitor, m[lane], s[lane]);
      }
    }
  };
  OneByOne one_by_one = {visitor, visit};
  const auto wide_nodes = [](const PairBody& body) { return body.field->solid.wide_nodes; };
  traverse_with_simd(SimdEnergyNodeTest{context}, wide_nodes(context.M),
                     context.S.half_space ? nullptr : wide_nodes(context.S), work.traversal, one_by_one);
}

template <class T>
SearchResult<T> find_contacts(const PairContext& context, SimdWorkspace& work, const ContactSearch<T>& search) {
  SimdContactVisitor<T> visitor(context, work, search);
  traverse_cells(context, work, visitor);
  return visitor.finish();
}

void find_accepted(const PairContext& context, SimdWorkspace& work, std::vector<AcceptedCells>& to) {
  struct OneByOne {
    SimdAccepted accepted;
    std::vector<AcceptedCells>& to;

    void test(const std::int32_t* m, const std::int32_t* s, Mask<kFloatLanes> active) {
      accepted.test(m, s, active);
      while (accepted.waiting() > 0) to.push_back(accepted.take_one());
    }
  };
  OneByOne one_by_one = {SimdAccepted(context, work), to};
  traverse_cells(context, work, one_by_one);
}

constexpr PressureFieldKernels kPressureFieldKernels = {sum_part_pairs<float, false>,
                                                        sum_part_pairs<float, true>,
                                                        sum_part_pairs<double, false>,
                                                        sum_part_pairs<double, true>,
                                                        find_overlaps,
                                                        find_contacts<float>,
                                                        find_contacts<double>,
                                                        find_accepted};

}  // namespace
}  // namespace isopatch::detail
