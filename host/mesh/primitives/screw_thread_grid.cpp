// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/primitives/screw_thread_grid.h"

#include <cmath>
#include <limits>

namespace isopatch::detail {
namespace {

/// The corners of the profile in a pitch, in sixteenths of it from the middle of a crest.
constexpr int kProfileCorners = 4;
constexpr std::array<int, kProfileCorners> kCornerPhase = {1, 6, 10, 15};

/// A helix that crosses a ray within this fraction of the pitch of the ray's end has no node there: it would make
/// slivers.
constexpr double kNearEnd = 1e-3;

constexpr int kBelowAll = std::numeric_limits<int>::min();
constexpr int kAboveAll = std::numeric_limits<int>::max();

int floor_divide(int a, int b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

/// Height of a helix on the ray through the x axis, in pitches.
double height_of(int helix) {
  const int turn = floor_divide(helix, kProfileCorners);
  return turn + kCornerPhase[helix - kProfileCorners * turn] / 16.0;
}

/// 0 at the crest, 1 at the root, by the distance from the middle of a crest in pitches.
double depth_at(double phase) {
  const double from_crest = 16 * std::fabs(phase - std::round(phase));
  return std::fmin(std::fmax((from_crest - kCornerPhase[0]) / (kCornerPhase[1] - kCornerPhase[0]), 0.0), 1.0);
}

}  // namespace

ScrewThreadGrid::ScrewThreadGrid(double pitch, double low, double high, int segments, int sections)
    : pitch_(pitch), segments_(segments), chains_(static_cast<std::size_t>(sections) + 1) {
  std::vector<Ray> rays;
  rays.reserve(static_cast<std::size_t>(segments));
  for (int j = 0; j < segments; ++j) rays.push_back(make_ray(j, low, high));

  // where each inner chain begins on ray 0: the helix just below an even division of the height
  std::vector<int> starts;
  for (int i = 1; i < sections; ++i) {
    const double turns = (low + (high - low) * i / sections) / pitch;
    starts.push_back(static_cast<int>(std::floor(kProfileCorners * turns)));
  }
  for (int j = 0; j < segments; ++j) {
    const bool last = j + 1 == segments;
    // a helix comes back to ray 0 a pitch higher, with another index
    join(rays[j], rays[last ? 0 : static_cast<std::size_t>(j) + 1], last ? kProfileCorners : 0, j, starts);
  }
}

ScrewThreadGrid::Ray ScrewThreadGrid::make_ray(int index, double low, double high) {
  Ray ray;
  const double turn = static_cast<double>(index) / segments_;
  const auto add = [&](int corner, double z, double depth) {
    ray.nodes.push_back(static_cast<std::int32_t>(nodes_.size()));
    ray.corners.push_back(corner);
    nodes_.push_back({index, z, depth, corner == kBelowAll || corner == kAboveAll});
  };
  add(kBelowAll, low, depth_at(low / pitch_ - turn));
  for (int helix = kProfileCorners * (static_cast<int>(std::floor(low / pitch_)) - 2);; ++helix) {
    const double z = pitch_ * (height_of(helix) + turn);
    if (z > high - kNearEnd * pitch_) break;
    const int corner = helix - kProfileCorners * floor_divide(helix, kProfileCorners);
    if (z >= low + kNearEnd * pitch_) add(helix, z, corner == 1 || corner == 2 ? 1 : 0);
  }
  add(kAboveAll, high, depth_at(high / pitch_ - turn));
  return ray;
}

/// Climbs both rays, each time on the one whose next helix is lower. So between two helices the diagonal rises towards
/// the first ray, and a chain can stay level: it follows its helix, and goes on with the one below it four times a
/// turn.
void ScrewThreadGrid::join(const Ray& ray, const Ray& next, int shift, int ray_index, const std::vector<int>& starts) {
  const auto helix_on_next = [&](std::size_t i) {
    const int corner = next.corners[i];
    return corner == kBelowAll || corner == kAboveAll ? corner : corner - shift;
  };
  const auto chain_helix = [&](int start, int at) { return start - kProfileCorners * at / segments_; };

  std::size_t left = 0, right = 0, section = 0;
  chains_[0].push_back({ray.nodes[0], next.nodes[0]});
  while (left + 1 < ray.nodes.size() || right + 1 < next.nodes.size()) {
    const bool left_up = right + 1 == next.nodes.size() ||
                         (left + 1 < ray.nodes.size() && ray.corners[left + 1] <= helix_on_next(right + 1));
    const std::int32_t from = left_up ? ray.nodes[left + 1] : next.nodes[right + 1];
    cells_.push_back({{ray.nodes[left], next.nodes[right], from}, static_cast<int>(section)});
    ++(left_up ? left : right);

    if (section < starts.size() && ray.corners[left] == chain_helix(starts[section], ray_index) &&
        helix_on_next(right) == chain_helix(starts[section], ray_index + 1)) {
      chains_[++section].push_back({ray.nodes[left], next.nodes[right]});
    }
  }
  chains_.back().push_back({ray.nodes.back(), next.nodes.back()});
}

}  // namespace isopatch::detail
