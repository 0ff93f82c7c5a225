// SPDX-License-Identifier: Apache-2.0
//
// Bounds of the patches that the bridge to MuJoCo makes rows of; isopatch/_src/mujoco/bounds.py has the reasons.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "host/python/bindings/bindings.h"

namespace isopatch::python {
namespace {

constexpr int kPoints = 4;           // of a cluster: the two ends of each of its two axes
constexpr double kLeastPart = 0.1;   // of a pair's forces, from which on a force that points lack becomes a point
constexpr double kRounding = 1e-12;  // N and N m, of what points lack

/// The arrays of N states with P pairs and K clusters, which outlive it: the address of each.
template <class T>
T* at(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr): NumPy's
}

/// What a cluster of a patch is for rows.
struct Cluster {
  double* point;      // [4, 3], m
  double* stiffness;  // [4], N/m
  double* distance;   // [4], m

  double depth() const { return -((distance[0] + distance[1] + distance[2] + distance[3]) / kPoints); }

  /// Moves the points to where none pulls, and makes them `softer` times as stiff.
  void bound(double depth, double softer) const {
    double shift[3] = {0, 0, 0};
    for (int axis = 0; axis < 2; ++axis) {
      double* d = distance + 2 * axis;
      const double* end = point + 6 * axis;
      const double change = (d[1] - d[0]) / 2;
      const double past = std::copysign(std::max(std::fabs(change) - depth, 0.0) / (2 * depth), change);
      for (int i = 0; i < 3; ++i) shift[i] += past * ((end[i] - end[3 + i]) / 2);
      const double bounded = std::clamp(change, -depth, depth);
      d[0] = -((depth + bounded) / softer);
      d[1] = -((depth - bounded) / softer);
    }
    for (int p = 0; p < kPoints; ++p) {
      for (int i = 0; i < 3; ++i) point[3 * p + i] += shift[i];
      stiffness[p] *= softer;
    }
  }
};

/// What bound_patches() finds in some pair of some state; bounds.py has the same bits.
enum : int {
  kBounded = 1,    // a cluster was bounded
  kInexact = 2,    // points lack more of the wrench than rounding
  kUncarried = 4,  // points lack a force that is much of the pair's
  kParted = 8,     // a pair that can move has no points
};

/// Whether points that carry `carried` lack the force at `residual` so that a point has to push by it.
bool is_uncarried(const double* residual, double carried) {
  const double size = std::sqrt(residual[0] * residual[0] + residual[1] * residual[1] + residual[2] * residual[2]);
  return size > kLeastPart * (carried + size) && size > kRounding;
}

/// Bounds patches; returns bits of what there is. bool[N] at `bounded` says in which states any was bounded. `depths`
/// [2, P] are those from which a cluster is deep, and with which it then leaves; `residuals` [N, P, 6] are the wrenches
/// that points lack, and bool[P] at `can_move` says which pairs can move.
int bound_patches(std::uintptr_t points, std::uintptr_t stiffnesses, std::uintptr_t distances, std::uintptr_t depths,
                  std::uintptr_t bounded, std::uintptr_t residuals, std::uintptr_t can_move, int states, int pairs,
                  int clusters) {
  const double *const shallow = at<const double>(depths), *const leaving = shallow + pairs;
  int found = 0;
  double squared = 0;
  std::ptrdiff_t cluster = 0;
  const double* residual = at<const double>(residuals);
  for (int n = 0; n < states; ++n) {
    for (int p = 0; p < pairs; ++p, residual += 6) {
      double carried = 0;
      const bool has_points = at<const double>(stiffnesses)[4 * cluster] > 0;  // clusters without them are the last
      for (int k = 0; k < clusters; ++k, ++cluster) {
        const Cluster of = {at<double>(points) + 12 * cluster, at<double>(stiffnesses) + 4 * cluster,
                            at<double>(distances) + 4 * cluster};
        if (!(of.stiffness[0] > 0)) continue;
        const double depth = of.depth();
        const bool deep = depth > shallow[p];
        if (deep || *std::max_element(of.distance, of.distance + kPoints) > 0) {
          of.bound(depth, deep ? depth / leaving[p] : 1);
          at<std::uint8_t>(bounded)[n] = 1;
          found |= kBounded;
        }
        for (int i = 0; i < kPoints; ++i) carried -= of.stiffness[i] * of.distance[i];
      }
      for (int i = 0; i < 6; ++i) squared += residual[i] * residual[i];
      if (at<const std::uint8_t>(can_move)[p] == 0) continue;
      if (!has_points) found |= kParted;
      if (is_uncarried(residual, carried)) found |= kUncarried;
    }
  }
  return squared > kRounding * kRounding ? found | kInexact : found;
}

}  // namespace

void bind_patch_bounds(nb::module_& module) { module.def("_bound_patches", &bound_patches); }

}  // namespace isopatch::python
