// SPDX-License-Identifier: Apache-2.0
//
// The unrolled mantle of a cylinder with a screw thread: the grid of the layers of points of bolts and nuts.
#pragma once

#include <array>
#include <vector>

#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

/// Rays from the z axis, each with nodes where the four corners of the screw thread's profile cross it, and one at each
/// end. Nodes of one corner lie on a helix. Triangles join neighbouring rays; seen from outside they run
/// counterclockwise.
///
/// The grid is cut into `sections` one above the other by closed chains of edges, each of which goes once around from
/// ray to ray: the bases of a fan of tets about a piece of the axis.
class ScrewThreadGrid {
 public:
  struct Node {
    int ray;
    double z;
    double depth;  // 0 at the profile's crest, 1 at its root
    bool end;      // whether it lies on one of the two end planes
  };
  struct Cell {
    Triangle nodes;
    int section;
  };
  using Edge = std::array<std::int32_t, 2>;  // from a ray to the next one, counterclockwise seen from above

  /// `high - low` is at least two pitches, and sections at least three pitches high.
  ScrewThreadGrid(double pitch, double low, double high, int segments, int sections);

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Cell>& cells() const { return cells_; }

  /// Chain 0 is the lower end, chain `sections` the upper one; chain i lies between the sections i - 1 and i.
  const std::vector<std::vector<Edge>>& chains() const { return chains_; }

 private:
  struct Ray {
    std::vector<std::int32_t> nodes;  // in ascending order
    std::vector<int> corners;         // of each node: its helix; below and above all others at the ends
  };

  Ray make_ray(int index, double low, double high);
  void join(const Ray& ray, const Ray& next, int shift, int ray_index, const std::vector<int>& starts);

  double pitch_;
  int segments_;
  std::vector<Node> nodes_;
  std::vector<Cell> cells_;
  std::vector<std::vector<Edge>> chains_;
};

}  // namespace isopatch::detail
