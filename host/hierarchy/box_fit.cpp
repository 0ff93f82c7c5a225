// SPDX-License-Identifier: Apache-2.0
#include "host/hierarchy/box_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace isopatch::detail {
namespace {

/// Margin of the boxes relative to the largest coordinate, for the rounding of their test: some thirty sums and
/// products in float of values up to six times that coordinate, 2^-24 each.
constexpr double kSlack = 0x1p-15;

/// Where in a node's range of extents its box is tightest: below the middle, since more contacts are at low extents
/// than at high ones.
constexpr double kFitted = 0.35;

/// The steepest line, m per unit of extent. For tiny extents, steeper lines would fit the points but overflow float: in
/// units of the other body's extents a slope is up to 2^64 times larger (kFar in
/// detail/cells/mesh_pair.h).
constexpr double kSteepest = 1e17;

}  // namespace

float below(double x) {
  const auto f = static_cast<float>(x);
  return static_cast<double>(f) > x ? std::nextafter(f, -std::numeric_limits<float>::infinity()) : f;
}

float above(double x) { return -below(-x); }

BoxFit::BoxFit(const Cell& cell) {
  std::array<const Cell::Corner*, 4> corners = {};
  for (std::size_t k = 0; k < 4; ++k) corners[k] = &cell.corner[k];
  std::sort(corners.begin(), corners.end(), [](const auto* a, const auto* b) { return a->extent < b->extent; });

  points_.reserve(24);
  for (std::size_t i = 0; i < 6; ++i) {
    for (const Cell::Corner* corner : corners) {
      const double x = i < 2 ? corner->vertex.x : i < 4 ? corner->vertex.y : corner->vertex.z;
      add(begin_[i], {corner->extent, i % 2 == 0 ? x : -x});
    }
    begin_[i + 1] = points_.size();
  }
}

BoxFit::BoxFit(const BoxFit& a, const BoxFit& b) {
  points_.reserve(a.points_.size() + b.points_.size());
  for (std::size_t i = 0; i < 6; ++i) {
    const Hull left = a.hull(i), right = b.hull(i);
    auto p = left.begin(), q = right.begin();
    while (p != left.end() || q != right.end()) {
      const bool from_right = p == left.end() || (q != right.end() && q->extent < p->extent);
      add(begin_[i], from_right ? *q++ : *p++);
    }
    begin_[i + 1] = points_.size();
  }
}

/// Adds a point to the last hull, which begins at `begin`; points come in the order of their extents.
void BoxFit::add(std::size_t begin, const Point& p) {
  if (points_.size() > begin && points_.back().extent == p.extent) {
    if (p.x < points_.back().x) return;
    points_.pop_back();
  }
  while (points_.size() >= begin + 2) {
    const Point &a = points_[points_.size() - 2], &b = points_.back();
    if ((b.x - a.x) * (p.extent - a.extent) > (p.x - a.x) * (b.extent - a.extent)) break;
    points_.pop_back();  // b is under the line from a to p
  }
  points_.push_back(p);
}

/// The hull's edge above the extent `at`, extended to a line.
BoxFit::Line BoxFit::line_over(Hull hull, double at, double steepest) {
  for (std::size_t i = 1; i < hull.size(); ++i) {
    if (hull[i].extent < at) continue;
    const Point &a = hull[i - 1], &b = hull[i];
    const double slope = (b.x - a.x) / (b.extent - a.extent);
    if (std::fabs(slope) <= steepest) return {a.x - slope * a.extent, slope};
    break;
  }
  const auto highest =
      std::max_element(hull.begin(), hull.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
  return {highest->x, 0};
}

void BoxFit::write(Node& node, double reach) const {
  const double low = hull(0).front().extent, high = hull(0).back().extent;
  const double middle = 0.5 * (low + high), fitted_at = low + kFitted * (high - low);
  const double steepest = std::min(kSteepest, 2 * reach / std::max(std::fabs(low), std::fabs(high)));
  node.low = below(low);
  node.high = above(high);
  node.size = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Hull over = hull(2 * axis), under = hull(2 * axis + 1);
    const Line upper = line_over(over, fitted_at, steepest), lower = line_over(under, fitted_at, steepest);
    node.center[axis] = static_cast<float>(0.5 * (upper.start - lower.start));
    node.velocity[axis] = static_cast<float>(0.5 * (upper.slope - lower.slope));
    node.expansion[axis] = static_cast<float>(0.5 * (upper.slope + lower.slope));

    // rounding has moved the lines, so the half edges grow until the box holds every point
    const double center = static_cast<double>(node.center[axis]), velocity = static_cast<double>(node.velocity[axis]),
                 expansion = static_cast<double>(node.expansion[axis]);
    double half = -std::numeric_limits<double>::infinity();
    for (const Point& p : over) half = std::max(half, p.x - (center + velocity * p.extent) - expansion * p.extent);
    for (const Point& p : under) half = std::max(half, p.x + (center + velocity * p.extent) - expansion * p.extent);
    node.half[axis] = above(half + kSlack * reach);
    node.size += static_cast<float>(half + expansion * middle);
  }
}

}  // namespace isopatch::detail
