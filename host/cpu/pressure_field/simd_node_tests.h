// SPDX-License-Identifier: Apache-2.0
//
// The node tests of simd_traversal.h for pressure fields and their energies.
#pragma once

#include <cstdint>

#include "host/cpu/simd/simd.h"
#include "isopatch/detail/pressure_field/cells/node_test.h"

namespace isopatch::detail {
namespace {

/// Three rows of a transformed wide node.
template <class F, class Rows>
ISOPATCH_HD Vec3<F> vec_of(const Rows& row, int first) {
  return {row(first), row(first + 1), row(first + 2)};
}

template <class F>
ISOPATCH_HD NodeBox<F> widened(NodeBox<F> box, float margin) {
  box.box.half = box.box.half + Vec3<F>{F(margin), F(margin), F(margin)};
  return box;
}

template <class F, class Put>
ISOPATCH_HD void put_rows(const TransformedFixedBox<F>& box, const Put& put) {
  for (const Vec3<F>* v : {&box.center, &box.half_M, &box.half_S}) put(v->x), put(v->y), put(v->z);
}
template <class F, class Rows>
ISOPATCH_HD TransformedFixedBox<F> fixed_box_of(const Rows& row) {
  return {vec_of<F>(row, 0), vec_of<F>(row, 3), vec_of<F>(row, 6)};
}

/// The node test of pressure fields.
struct SimdNodeTest {
  const PairContext& f;
  float margin;  // by which boxes of M are wider, m

  template <class F, class Put>
  ISOPATCH_HD void transform(bool of_M, const NodeBox<F>& box, const std::int32_t*, const Put& put) const {
    const TransformedBox<F> b = of_M ? transformed_M(f, widened(box, margin)) : transformed_S(f, box);
    for (const LinearBounds<F>* bounds : {&b.in_M, &b.in_S}) {
      for (const Vec3<F>* v : {&bounds->center, &bounds->half, &bounds->velocity, &bounds->expansion}) {
        put(v->x), put(v->y), put(v->z);
      }
    }
    put(b.low), put(b.high);
  }

  template <class F, class RowsM, class RowsS>
  ISOPATCH_HD MaskOf<F> may_touch(const RowsM& m, const RowsS& s) const {
    return may_meet(f, box_of<F>(m), box_of<F>(s));
  }

  template <class F>
  ISOPATCH_HD MaskOf<F> may_touch_half_space(const NodeBox<F>& m) const {
    return may_meet_half_space(f, widened(m, margin));
  }

 private:

  template <class F, class Rows>
  ISOPATCH_HD static TransformedBox<F> box_of(const Rows& row) {
    const auto vec = [&](int r) { return vec_of<F>(row, r); };
    return {{vec(0), vec(3), vec(6), vec(9)}, {vec(12), vec(15), vec(18), vec(21)}, row(24), row(25)};
  }
};

/// The node test of pressure fields beside the triangles of a rigid S, which have no extent: boxes that do not move take
/// half the arithmetic, and leave as few candidates with the plane of a triangle as one more side. Rows: the box; of S
/// the normal of the node's triangle, in M, and how far from M's origin its plane is, zeros if it has several.
struct SimdRigidNodeTest {
  const PairContext& f;
  float margin;  // by which boxes of M are wider, m

  template <class F, class Put>
  ISOPATCH_HD void transform(bool of_M, const NodeBox<F>& box, const std::int32_t* children, const Put& put) const {
    if (of_M) return put_rows(fixed_M(f, widened(box, margin)), put);
    put_rows(fixed_S(f, box), put);
    constexpr int kCount = sizeof(F) / sizeof(float);
    float number[6][kCount] = {};  // of normal and vertex
    for (int i = 0; i < kCount; ++i) {
      if (children[i] >= 0) continue;
      const CoarseCell& triangle = f.S.hierarchy.coarse_cells[~children[i]];
      for (int k = 0; k < 3; ++k) {
        number[k][i] = triangle.gradient[k];
        number[3 + k][i] = triangle.vertex[0][k];
      }
    }
    const auto vec = [&](int k) { return Vec3<F>{F::load(number[k]), F::load(number[k + 1]), F::load(number[k + 2])}; };
    const Vec3<F> normal = rotate(f.coarse.X_MS, vec(0));
    put(normal.x), put(normal.y), put(normal.z);
    put(dot(normal, apply(f.coarse.X_MS, vec(3))));
  }

  template <class F, class RowsM, class RowsS>
  ISOPATCH_HD MaskOf<F> may_touch(const RowsM& m, const RowsS& s) const {
    const TransformedFixedBox<F> box = fixed_box_of<F>(m);
    const Vec3<F> normal = vec_of<F>(s, kNormal);
    const F most = fma(F(2), F(f.coarse.error), dot(abs(normal), box.half_M));
    return may_overlap(f, box, fixed_box_of<F>(s)) && abs(dot(normal, box.center) - s(kNormal + 3)) <= most;
  }

  /// Not called: a half space has no triangles.
  template <class F>
  ISOPATCH_HD MaskOf<F> may_touch_half_space(const NodeBox<F>& m) const {
    return may_overlap_half_space(f, widened(m, margin));
  }

 private:
  static constexpr int kNormal = 9;  // row
};

/// The node test of energies.
struct SimdEnergyNodeTest {
  const PairContext& f;

  template <class F, class Put>
  ISOPATCH_HD void transform(bool of_M, const NodeBox<F>& box, const std::int32_t*, const Put& put) const {
    const TransformedFixedBox<F> b = of_M ? fixed_M(f, box) : fixed_S(f, box);
    put_rows(b, put);
  }

  template <class F, class RowsM, class RowsS>
  ISOPATCH_HD MaskOf<F> may_touch(const RowsM& m, const RowsS& s) const {
    return may_overlap(f, fixed_box_of<F>(m), fixed_box_of<F>(s));
  }

  template <class F>
  ISOPATCH_HD MaskOf<F> may_touch_half_space(const NodeBox<F>& m) const {
    return may_overlap_half_space(f, m);
  }
};

}  // namespace
}  // namespace isopatch::detail
