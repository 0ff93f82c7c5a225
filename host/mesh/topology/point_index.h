// SPDX-License-Identifier: Apache-2.0
//
// Finds points by their coordinates.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

/// Mixes the bits of a number, so that those of all numbers together are spread evenly (the finalizer of MurmurHash3).
inline std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ bits >> 33) * 0xff51afd7ed558ccdULL;
  bits = (bits ^ bits >> 33) * 0xc4ceb9fe1a85ec53ULL;
  return bits ^ bits >> 33;
}

/// The first of all points added with the same coordinates.
class PointIndex {
 public:
  /// Keeps a reference: `points` are those added so far, in this order.
  explicit PointIndex(std::vector<Point3>& points) : points_(points) {}

  /// The index of the point with these coordinates, which is appended if it is new. A coordinate of -0 becomes 0.
  std::int32_t add(Point3 point) {
    std::uint64_t hash = 0;
    for (double& x : point) {
      x += 0.0;
      hash = mixed(hash + std::bit_cast<std::uint64_t>(x));
    }
    if (2 * points_.size() >= slots_.size()) grow();
    std::int32_t& slot = slots_[find(point, hash)];
    if (slot < 0) {
      slot = static_cast<std::int32_t>(points_.size());
      points_.push_back(point);
      hashes_.push_back(hash);
    }
    return slot;
  }

 private:
  std::size_t find(const Point3& point, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at] >= 0 && points_[static_cast<std::size_t>(slots_[at])] != point) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), -1);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      std::size_t at = hashes_[i] & (slots_.size() - 1);
      while (slots_[at] >= 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = static_cast<std::int32_t>(i);
    }
  }

  std::vector<Point3>& points_;
  std::vector<std::uint64_t> hashes_;  // of the points
  std::vector<std::int32_t> slots_;    // indices of points, -1 where there is none; a power of two of them
};

}  // namespace isopatch::detail
