// SPDX-License-Identifier: Apache-2.0
//
// One pair of bodies in packs, on one CPU core: traversal, tests, polygons and sums. The formulas are those of the
// GPU; only who goes where differs. A node of one body is tested against up to eight of the other at once; pairs of
// cells wait until a pack is full, and those that pass their test wait once more.
#pragma once

#include "cpu/pack_cells.h"
#include "cpu/pack_kernels.h"
#include "isopatch/detail/evaluate_pair.h"

namespace isopatch::detail {
namespace {

constexpr int kNodeLanes = kFloatLanes < kWide ? kFloatLanes : kWide;
using NodeFloat = Pack<float, kNodeLanes>;

template <class T, bool with_patch>
class PackEvaluation {
 public:
  PackEvaluation(const PairFrame& frame, PackWorkspace& work, WrenchSums<T, with_patch>& sums)
      : f_(frame),
        work_(work),
        sums_(sums),
        grids_(Grids<T>::make(frame)),
        wide_M_(frame.hierarchy_M.wide_layer(frame.layer_M)),
        wide_S_(frame.half_space_S ? nullptr : frame.hierarchy_S.wide_layer(frame.layer_S)),
        cells_S_(frame.half_space_S ? nullptr : frame.hierarchy_S.cells) {}

  void run() {
    work_.stack[0] = {0, f_.half_space_S ? kHalfSpace : 0, true};
    int depth = 1;
    while (depth > 0) {
      const PackWorkspace::Entry at = work_.stack[--depth];
      if (at.opened_M) {
        open<true>(at, depth);
      } else {
        open<false>(at, depth);
      }
      while (candidates_ >= kFloatLanes) test();
    }
    while (candidates_ > 0) test();
    while (accepted_ > 0) visit();
  }

 private:
  static constexpr std::int32_t kHalfSpace = -1;
  static constexpr int kPolygonLanes = kIsFloat<T> ? kFloatLanes : kLanes;
  using Number = Pack<T, kPolygonLanes>;

  // --- nodes ---

  static NodeBox<NodeFloat> side_by_side(const WideNode& w, int first) {
    const auto load = [&](const float(&values)[kWide]) { return NodeFloat::load(values + first); };
    const auto load3 = [&](const float(&v)[3][kWide]) { return Vec3<NodeFloat>{load(v[0]), load(v[1]), load(v[2])}; };
    return {load3(w.center), load3(w.half), load3(w.slope), load(w.low), load(w.high)};
  }

  static NodeBox<NodeFloat> everywhere(const WideNode& w, int place) {
    const auto set = [&](const float(&values)[kWide]) { return NodeFloat(values[place]); };
    const auto set3 = [&](const float(&v)[3][kWide]) { return Vec3<NodeFloat>{set(v[0]), set(v[1]), set(v[2])}; };
    return {set3(w.center), set3(w.half), set3(w.slope), set(w.low), set(w.high)};
  }

  static NodeFloat size_of(const NodeBox<NodeFloat>& n) { return n.half.x + n.half.y + n.half.z; }

  /// Tests all nodes below the opened one; what may touch goes on the stack, or to the candidates.
  template <bool opened_M>
  void open(const PackWorkspace::Entry& at, int& depth) {
    const WideNode& opened = (opened_M ? wide_M_ : wide_S_)[at.opened];
    const WideNode* kept = at.kept == kHalfSpace ? nullptr : (opened_M ? wide_S_ : wide_M_) + at.kept / kWide;
    const int kept_place = at.kept & (kWide - 1);
    const NodeBox<NodeFloat> kept_box = kept == nullptr ? NodeBox<NodeFloat>{} : everywhere(*kept, kept_place);
    const NodeFloat kept_size = size_of(kept_box);

    std::uint32_t touching = 0, larger = 0;
    for (int first = 0; first < kWide; first += kNodeLanes) {
      const NodeBox<NodeFloat> box = side_by_side(opened, first);
      const NodeBox<NodeFloat>&m = opened_M ? box : kept_box, &s = opened_M ? kept_box : box;
      NodeOverlap<NodeFloat> overlap;
      Mask<kNodeLanes> touch = boxes_may_touch(f_, m, s, overlap);
      if (!any(touch)) continue;
      touch = touch && may_have_polygons(f_, m, s, overlap);
      touching |= bits_of(touch) << first;
      larger |= bits_of(size_of(box) >= kept_size) << first;
    }

    const std::int32_t kept_child = kept == nullptr ? ~kHalfSpace : kept->child[kept_place];
    for (; touching != 0; touching &= touching - 1) {
      const int place = hwy::Num0BitsBelowLS1Bit_Nonzero32(touching);
      const std::int32_t child = opened.child[place];
      if (child < 0 && (kept == nullptr || kept_child < 0)) {
        add_candidate<opened_M>(~child, kept == nullptr ? kHalfSpace : ~kept_child);
      } else if (kept == nullptr || kept_child < 0 || (child >= 0 && (larger >> place & 1u) != 0u)) {
        work_.stack[depth++] = {child, at.kept, opened_M};
      } else {
        work_.stack[depth++] = {kept_child, at.opened * kWide + place, !opened_M};
      }
    }
  }

  // --- cells ---

  template <bool opened_M>
  void add_candidate(std::int32_t of_opened, std::int32_t of_kept) {
    work_.candidates.m[candidates_] = opened_M ? of_opened : of_kept;
    work_.candidates.s[candidates_] = opened_M ? of_kept : of_opened;
    ++candidates_;
  }

  /// Takes the last pack of a queue; lanes that get nothing repeat the first of it and are masked.
  template <int lanes>
  struct Round {
    const std::int32_t *m, *s;
    Mask<lanes> active;
  };
  template <int lanes>
  static Round<lanes> take(PackWorkspace::CellPairs& queue, int& waiting) {
    const int count = waiting < lanes ? waiting : lanes;
    const int first = waiting - count;
    for (int i = waiting; i < first + lanes; ++i) {
      queue.m[i] = queue.m[first];
      queue.s[i] = queue.s[first];
    }
    waiting = first;
    const auto active = hn::FirstN(Tag<float, lanes>(), static_cast<std::size_t>(count));
    return {queue.m + first, queue.s + first, Mask<lanes>(active)};
  }

  void test() {
    const auto round = take<kFloatLanes>(work_.candidates, candidates_);
    Mask<kFloatLanes> pass = round.active;
    if (!f_.half_space_S) {
      pass = pass && sections_may_meet(f_, PackCoarseCells(f_.hierarchy_M.coarse_cells, round.m),
                                       PackCoarseCells(f_.hierarchy_S.coarse_cells, round.s));
    }
    append(round.m, pass, work_.accepted.m);
    append(round.s, pass, work_.accepted.s);
    accepted_ += static_cast<int>(hn::CountTrue(Tag<float, kFloatLanes>(), pass.m));
    while (accepted_ >= kPolygonLanes) visit();
  }

  void append(const std::int32_t* from, Mask<kFloatLanes> mask, std::int32_t* queue) const {
    const Tag<std::int32_t, kFloatLanes> tag;
    hn::CompressStore(hn::LoadU(tag, from), hn::RebindMask(tag, mask.m), tag, queue + accepted_);
  }

  void visit() {
    if (f_.half_space_S) {
      visit<kHalfSpaceLines>();
    } else {
      visit<kMaxLines>();
    }
  }

  template <int most_lines>
  void visit() {
    const auto round = take<kPolygonLanes>(work_.accepted, accepted_);
    const PackCells<kPolygonLanes> m(f_.hierarchy_M.cells, round.m), s(cells_S_, round.s);
    Gate<DoubleOf<Number>> gate = {};
    Overlap<FloatOf<Number>> overlap = {};
    Mask<kPolygonLanes> found = round.active && locate_polygon(f_, m, s, gate, overlap);
    if (!any(found)) return;
    ContactPlane<Number> plane = {};
    Segments<Number> segments = {};
    Contribution<Number> contribution;
    found = found && contact_of<false, most_lines>(f_, m, s, gate, overlap, plane, segments, contribution);
    if (any(found)) add(contribution, bits_of(found));
  }

  // --- sums ---

  struct Lanes {
    T lane[kPolygonLanes];
    void operator=(Number p) { p.store(lane); }
  };

  void add(const Contribution<Number>& c, std::uint32_t found) {
    Contribution<Lanes> lanes;
    const auto store = [](Vec3<Lanes>& to, const Vec3<Number>& from) {
      to.x = from.x;
      to.y = from.y;
      to.z = from.z;
    };
    store(lanes.force, c.force);
    store(lanes.torque, c.torque);
    lanes.area = c.area;
    if constexpr (with_patch) {
      store(lanes.friction_force, c.friction_force);
      store(lanes.pressure_moment, c.pressure_moment);
      store(lanes.normal, c.normal);
      lanes.pressure_integral = c.pressure_integral;
      lanes.max_pressure = c.max_pressure;
    }
    for (; found != 0; found &= found - 1) {
      const auto i = static_cast<std::size_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(found));
      const auto vec = [i](const Vec3<Lanes>& v) { return Vec3<T>{v.x.lane[i], v.y.lane[i], v.z.lane[i]}; };
      Contribution<T> one = {};
      one.force = vec(lanes.force);
      one.torque = vec(lanes.torque);
      one.area = lanes.area.lane[i];
      if constexpr (with_patch) {
        one.friction_force = vec(lanes.friction_force);
        one.pressure_moment = vec(lanes.pressure_moment);
        one.normal = vec(lanes.normal);
        one.pressure_integral = lanes.pressure_integral.lane[i];
        one.max_pressure = lanes.max_pressure.lane[i];
      }
      sums_.add(one, grids_);
    }
  }

  const PairFrame& f_;
  PackWorkspace& work_;
  WrenchSums<T, with_patch>& sums_;
  const Grids<T> grids_;
  const WideNode *wide_M_, *wide_S_;  // the layers in use
  const Cell* cells_S_;
  int candidates_ = 0, accepted_ = 0;
};

template <class T, bool with_patch>
void sum_pair(const PairFrame& frame, PackWorkspace& work, WrenchSums<T, with_patch>& sums) {
  WrenchSums<T, with_patch> own = sums;  // a copy that no pointer leads to
  PackEvaluation<T, with_patch>(frame, work, own).run();
  sums = own;
}

constexpr PackKernels kPackKernels = {sum_pair<float, false>, sum_pair<float, true>, sum_pair<double, false>,
                                      sum_pair<double, true>};

}  // namespace
}  // namespace isopatch::detail
