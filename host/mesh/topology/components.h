// SPDX-License-Identifier: Apache-2.0
//
// The connected components of a tet mesh.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

/// Disjoint sets of the indices below `count`. At first each is in a set of its own.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t i, std::size_t j) { parent_[find(i)] = find(j); }

 private:
  std::vector<std::size_t> parent_;
};

/// A point inside each component: the centroid of its first tet. Tets that share a vertex belong to one component.
std::vector<Point3> component_points(const TetMesh& mesh);

}  // namespace isopatch::detail
