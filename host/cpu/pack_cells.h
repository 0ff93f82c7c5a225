// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/pack.h"
#include "isopatch/detail/scene_view.h"

namespace isopatch::detail {
namespace {

/// A cell for each lane, read where it is used.
class PackCells {
 public:
  using Double = Pack<double>;

  ISOPATCH_HD PackCells(const Cell* cells, Pack<std::int32_t> number) : cells_(cells) {
    const Pack<std::int32_t> place(hn::Mul(number.v, hn::Set(IntTag(), kDoubles)));
    place_ = hn::PromoteTo(LongTag(), place.v);
    half_place_ = hn::Add(place.v, place.v);
  }

  ISOPATCH_HD Vec3<Double> vertex(int i) const { return read(cells_->vertex[i]); }
  ISOPATCH_HD Double extent(int i) const { return read(cells_->extent[i]); }
  ISOPATCH_HD Vec3<Double> gradient() const { return read(cells_->gradient); }
  ISOPATCH_HD Vec3<Double> inward(int i) const { return read(cells_->inward[i]); }
  ISOPATCH_HD Mask has_zero_face() const {
    return Pack<std::int32_t>(hn::GatherIndex(IntTag(), &cells_->zero_face, half_place_)) != Pack<std::int32_t>(0);
  }

 private:
  static constexpr std::int32_t kDoubles = sizeof(Cell) / sizeof(double);
  static_assert(sizeof(Cell) % sizeof(double) == 0);

  ISOPATCH_HD Double read(const double& first) const { return Double(hn::GatherIndex(DoubleTag(), &first, place_)); }
  ISOPATCH_HD Vec3<Double> read(const Vec3d& first) const { return {read(first.x), read(first.y), read(first.z)}; }

  const Cell* cells_;
  hn::Vec<LongTag> place_;      // of the lane's cell after the first, in doubles
  hn::Vec<IntTag> half_place_;  // and in words of half that size
};

}  // namespace
}  // namespace isopatch::detail
