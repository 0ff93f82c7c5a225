// SPDX-License-Identifier: Apache-2.0
#include "scene/box_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace isopatch {

namespace {

/// Margin of the boxes relative to the largest coordinate, for what their test rounds: some thirty sums and products in
/// float of numbers up to six times that, 2^-24 each.
constexpr double kSlack = 0x1p-15;

/// The box is tightest at this part of a node's extents, below the middle: contacts are at low extents more often than
/// at high ones.
constexpr double kFitted = 0.35;

// what is exact stays as it is: no subnormal beside 0, with which some processors are slow
float below(double x) {
  const auto f = static_cast<float>(x);
  return static_cast<double>(f) > x ? std::nextafter(f, -std::numeric_limits<float>::infinity()) : f;
}

float above(double x) { return -below(-x); }

}  // namespace

BoxFit::BoxFit(const detail::Cell& cell) {
  std::array<Hull, 6> points;
  for (const detail::Cell::Corner& corner : cell.corner) {
    const std::array<double, 3> x = {corner.vertex.x, corner.vertex.y, corner.vertex.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      points[2 * axis].push_back({corner.extent, x[axis]});
      points[2 * axis + 1].push_back({corner.extent, -x[axis]});
    }
  }
  for (std::size_t i = 0; i < 6; ++i) {
    std::sort(points[i].begin(), points[i].end(),
              [](const Point& a, const Point& b) { return std::tie(a.extent, a.x) < std::tie(b.extent, b.x); });
    hulls_[i] = hull_over(points[i]);
  }
}

BoxFit::BoxFit(const BoxFit& a, const BoxFit& b) {
  for (std::size_t i = 0; i < 6; ++i) {
    Hull points(a.hulls_[i].size() + b.hulls_[i].size());
    std::merge(a.hulls_[i].begin(), a.hulls_[i].end(), b.hulls_[i].begin(), b.hulls_[i].end(), points.begin(),
               [](const Point& p, const Point& q) { return std::tie(p.extent, p.x) < std::tie(q.extent, q.x); });
    hulls_[i] = hull_over(points);
  }
}

/// Of points by extent, then by x.
BoxFit::Hull BoxFit::hull_over(const Hull& points) {
  Hull hull;
  for (const Point& p : points) {
    if (!hull.empty() && hull.back().extent == p.extent) hull.pop_back();
    while (hull.size() >= 2) {
      const Point &a = hull[hull.size() - 2], &b = hull.back();
      if ((b.x - a.x) * (p.extent - a.extent) > (p.x - a.x) * (b.extent - a.extent)) break;
      hull.pop_back();  // b is under the line from a to p
    }
    hull.push_back(p);
  }
  return hull;
}

/// The edge over the extent `at`, prolonged.
BoxFit::Line BoxFit::line_over(const Hull& hull, double at, double steepest) {
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

void BoxFit::write(detail::Node& node, double reach) const {
  const double low = hulls_[0].front().extent, high = hulls_[0].back().extent;
  const double middle = 0.5 * (low + high), fitted_at = low + kFitted * (high - low);
  const double steepest = 2 * reach / std::max(std::fabs(low), std::fabs(high));
  node.low = below(low);
  node.high = above(high);
  node.size = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Hull &over = hulls_[2 * axis], &under = hulls_[2 * axis + 1];
    const Line upper = line_over(over, fitted_at, steepest), lower = line_over(under, fitted_at, steepest);
    node.center[axis] = static_cast<float>(0.5 * (upper.start - lower.start));
    node.drift[axis] = static_cast<float>(0.5 * (upper.slope - lower.slope));
    node.growth[axis] = static_cast<float>(0.5 * (upper.slope + lower.slope));

    // rounding has moved the lines: half an edge is what holds every point
    const double center = static_cast<double>(node.center[axis]), drift = static_cast<double>(node.drift[axis]),
                 growth = static_cast<double>(node.growth[axis]);
    double half = -std::numeric_limits<double>::infinity();
    for (const Point& p : over) half = std::max(half, p.x - (center + drift * p.extent) - growth * p.extent);
    for (const Point& p : under) half = std::max(half, p.x + (center + drift * p.extent) - growth * p.extent);
    node.half[axis] = above(half + kSlack * reach);
    node.size += static_cast<float>(half + growth * middle);
  }
}

}  // namespace isopatch
