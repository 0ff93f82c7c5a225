// SPDX-License-Identifier: Apache-2.0
//
// Bolts and nuts: layers of points over one ScrewThreadGrid, from the screw thread's surface to a cylinder below its
// teeth, and on to the axis (bolt) or the hexagon (nut).
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <numbers>
#include <utility>
#include <vector>

#include "host/mesh/math/fixed_math.h"
#include "host/mesh/math/point_math.h"
#include "host/mesh/primitives/screw_thread_grid.h"
#include "host/mesh/primitives/tet_counts.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/mesh.h"
#include "isopatch/geometry/screw_thread.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

/// Points over all nodes of a grid; the point of node i is the returned index + i.
using Radius = std::function<double(const ScrewThreadGrid::Node&)>;

/// Points of all rays, counterclockwise seen from above.
using Ring = std::vector<std::int32_t>;

/// The directions of all rays.
std::vector<std::array<double, 2>> rays(int segments) {
  std::vector<std::array<double, 2>> directions;
  for (int ray = 0; ray < segments; ++ray) {
    const double angle = 2 * std::numbers::pi * ray / segments;
    directions.push_back({fixed_cos(angle), fixed_sin(angle)});
  }
  return directions;
}

Point3 point_on_ray(const std::array<double, 2>& direction, double radius, double z) {
  return {radius * direction[0], radius * direction[1], z};
}

/// Radius of a hexagon on a ray; its corners lie on rays.
double hexagon(int ray, int segments, double across_flats) {
  const double from_corner = std::fmod(6.0 * ray / segments, 1.0) * std::numbers::pi / 3;
  return across_flats / 2 / fixed_cos(from_corner - std::numbers::pi / 6);
}

std::int32_t add_layer(std::vector<Point3>& points, const ScrewThreadGrid& grid, int segments, const Radius& radius) {
  const auto first = static_cast<std::int32_t>(points.size());
  const std::vector<std::array<double, 2>> direction = rays(segments);
  for (const ScrewThreadGrid::Node& node : grid.nodes()) {
    points.push_back(point_on_ray(direction[node.ray], radius(node), node.z));
  }
  return first;
}

std::int32_t add_point(std::vector<Point3>& points, const Point3& p) {
  points.push_back(p);
  return static_cast<std::int32_t>(points.size()) - 1;
}

Ring add_hexagon(std::vector<Point3>& points, int segments, double across_flats, double z) {
  Ring ring;
  const std::vector<std::array<double, 2>> direction = rays(segments);
  for (int j = 0; j < segments; ++j) {
    const double radius = hexagon(j, segments, across_flats);
    ring.push_back(add_point(points, point_on_ray(direction[j], radius, z)));
  }
  return ring;
}

/// The points of a layer on a chain of the grid.
Ring ring_of(const std::vector<ScrewThreadGrid::Edge>& chain, std::int32_t layer) {
  Ring ring;
  for (const auto& [from, to] : chain) ring.push_back(layer + from);
  return ring;
}

/// Quads between two rings. They run counterclockwise seen from the side from which the rays go to the right and `b` is
/// above `a`.
void add_band(std::vector<Triangle>& triangles, const Ring& a, const Ring& b) {
  for (std::size_t j = 0; j < a.size(); ++j) {
    const std::size_t k = (j + 1) % a.size();
    triangles.push_back({a[j], a[k], b[j]});
    triangles.push_back({a[k], b[k], b[j]});
  }
}

/// A disk about `centre`, facing up, or down.
void add_disk(std::vector<Triangle>& triangles, const Ring& ring, std::int32_t centre, bool up) {
  for (std::size_t j = 0; j < ring.size(); ++j) {
    const std::size_t k = (j + 1) % ring.size();
    triangles.push_back(up ? Triangle{centre, ring[j], ring[k]} : Triangle{centre, ring[k], ring[j]});
  }
}

/// A layer, facing outward, or inward.
void add_cells(std::vector<Triangle>& triangles, const ScrewThreadGrid& grid, std::int32_t layer, bool outward) {
  for (const auto& [cell, section] : grid.cells()) {
    const std::int32_t a = layer + cell[0], b = layer + cell[1], c = layer + cell[2];
    triangles.push_back(outward ? Triangle{a, b, c} : Triangle{a, c, b});
  }
}

/// Adds a tet in positive orientation.
void add_tet(TetMesh& mesh, const Tet& tet) { mesh.tets.push_back(positively_oriented(mesh, tet)); }

/// Fills the space between two layers with three tets over each cell. If possible, each has a corner of layer `to`
/// that is not on an end plane.
/// The sides of a prism between two rays are not plane. All diagonals go from `from` on the first ray to `to` on the
/// next, so that of two almost equal sides neither bulges through the other.
void add_prisms(TetMesh& mesh, const ScrewThreadGrid& grid, std::int32_t from, std::int32_t to) {
  const auto ray = [&](std::int32_t i) { return grid.nodes()[i].ray; };
  const auto is_end = [&](std::int32_t i) { return grid.nodes()[i].end; };
  for (const auto& [cell, section] : grid.cells()) {
    // a on the first ray, c on the next, b on either; of two on one ray, one on an end plane comes first, else the
    // lower
    auto [a, b, c] = cell;
    if (ray(c) == ray(a)) std::swap(b, c);
    if (ray(b) == ray(a)) {
      if (is_end(b)) std::swap(a, b);
    } else {
      if (is_end(c)) std::swap(b, c);
    }
    add_tet(mesh, {from + a, from + b, from + c, to + c});
    add_tet(mesh, {from + a, from + b, to + b, to + c});
    add_tet(mesh, {from + a, to + a, to + b, to + c});
  }
}

/// Fills a prism over a regular polygon whose mantle is a layer of the grid, from z = 0 to `length`: cones of the
/// grid's sections from points of the axis, and between two of them, or at an end, wedges of a piece of the axis and
/// the chain around it.
void add_core(TetMesh& mesh, const ScrewThreadGrid& grid, std::int32_t layer, double length) {
  const std::size_t sections = grid.chains().size() - 1;
  std::vector<std::int32_t> axis = {add_point(mesh.points, {0, 0, 0})};
  for (std::size_t i = 0; i < sections; ++i) {
    const double middle = (static_cast<double>(i) + 0.5) / static_cast<double>(sections);
    axis.push_back(add_point(mesh.points, {0, 0, length * middle}));
  }
  axis.push_back(add_point(mesh.points, {0, 0, length}));

  for (const auto& [cell, section] : grid.cells()) {
    const auto& [a, b, c] = cell;
    add_tet(mesh, {layer + a, layer + b, layer + c, axis[static_cast<std::size_t>(section) + 1]});
  }
  for (std::size_t i = 0; i <= sections; ++i) {
    for (const auto& [from, to] : grid.chains()[i]) add_tet(mesh, {layer + from, layer + to, axis[i], axis[i + 1]});
  }
}

/// In heights H of the sharp screw thread: what the profile spans, and how far the first inner layer lies below the
/// crest and below the root. With flanks of 30 degrees both are 3/16 H away from the surface, and so is all of that
/// layer.
constexpr double kProfile = 5.0 / 8, kBelowCrest = 3.0 / 8, kBelowRoot = 3.0 / 16;

double sharp_height(const ScrewThread& thread) { return std::numbers::sqrt3 / 2 * thread.pitch; }

// ---- checks

void check(bool good, const char* shape, const char* what, double value, const std::string& need) {
  if (!good) throw_error("{}: {} {}; it must be {}", shape, what, value, need);
}

void check_screw_thread(const char* shape, const ScrewThread& thread, double length, const char* length_name,
                        int segments) {
  constexpr int kStep = limits::kThreadSegmentStep;
  const auto positive = [](double value) { return std::isfinite(value) && value > 0; };
  check(positive(thread.diameter), shape, "diameter [m]", thread.diameter, "finite and positive");
  check(positive(thread.pitch) && thread.pitch <= thread.diameter / 4, shape, "pitch [m]", thread.pitch,
        fmt::format("positive and at most a quarter of the diameter, {}", thread.diameter / 4));
  check(thread.clearance >= 0 && thread.clearance <= thread.pitch / 4, shape, "clearance [m]", thread.clearance,
        fmt::format("from 0 to a quarter of the pitch, {}", thread.pitch / 4));
  check(std::isfinite(length) && length >= 2 * thread.pitch, shape, length_name, length,
        fmt::format("finite and at least two pitches, {}", 2 * thread.pitch));
  check(segments >= kStep && segments <= limits::kMaxThreadSegments && segments % kStep == 0, shape, "segments",
        segments, fmt::format("a multiple of {0} from {0} to {1}", kStep, limits::kMaxThreadSegments));
  const double all = length / thread.pitch * segments;
  check(all <= limits::kMaxThreadSegmentsOfAll, shape, "number of segments in all turns", std::ceil(all),
        fmt::format("at most {}: take fewer segments", limits::kMaxThreadSegmentsOfAll));
}

void check_bolt(const Bolt& bolt) {
  check_screw_thread("bolt", bolt.thread, bolt.length, "length [m]", bolt.segments);
  check(std::isfinite(bolt.head_height) && bolt.head_height >= 0, "bolt", "head height [m]", bolt.head_height,
        "finite and not negative");
  if (bolt.head_height == 0) return;
  check(std::isfinite(bolt.across_flats) && bolt.across_flats > bolt.thread.diameter, "bolt", "width across flats [m]",
        bolt.across_flats, fmt::format("larger than the diameter, {}", bolt.thread.diameter));
}

void check_nut(const Nut& nut) {
  check_screw_thread("nut", nut.thread, nut.height, "height [m]", nut.segments);
  const double least = nut.thread.diameter + 2 * nut.thread.pitch;
  check(std::isfinite(nut.across_flats) && nut.across_flats >= least, "nut", "width across flats [m]", nut.across_flats,
        fmt::format("at least the diameter and two pitches, {}", least));
}

// ---- the head, and the ends

/// The head's underside beside the screw thread, its sides and its outer face.
void add_head(std::vector<Triangle>& triangles, std::vector<Point3>& points, const Bolt& bolt, const Ring& thread) {
  const Ring upper = add_hexagon(points, bolt.segments, bolt.across_flats, 0);
  const Ring lower = add_hexagon(points, bolt.segments, bolt.across_flats, -bolt.head_height);
  add_band(triangles, upper, thread);
  add_band(triangles, lower, upper);
  add_disk(triangles, lower, add_point(points, {0, 0, -bolt.head_height}), false);
}

/// The head is convex: its whole surface, including the part under the screw thread, is joined to its middle.
void add_head_tets(TetMesh& mesh, const Bolt& bolt, const Ring& thread) {
  std::vector<Triangle> surface;
  for (const Triangle& t : boundary_triangles(mesh)) {
    const bool at_head = std::all_of(t.begin(), t.end(), [&](std::int32_t v) { return point_at(mesh, v)[2] == 0; });
    if (at_head) surface.push_back(t);
  }
  add_head(surface, mesh.points, bolt, thread);
  const std::int32_t middle = add_point(mesh.points, {0, 0, -bolt.head_height / 2});
  for (const auto& [a, b, c] : surface) add_tet(mesh, {a, b, c, middle});
}

/// Where a ray ends between two nodes of the ray before, the last corner of a prism is on the end plane, and a tet may
/// have all vertices on the surface: it is split.
void split_corners(TetMesh& mesh, const char* shape) { check_and_repair(mesh, shape, AllBoundaryTets::kSplit); }

// ---- the layers

ScrewThreadGrid bolt_grid(const Bolt& bolt) {
  const int sections = std::max(1, static_cast<int>(std::round(bolt.length / bolt.thread.diameter)));
  return ScrewThreadGrid(bolt.thread.pitch, 0, bolt.length, bolt.segments, sections);
}

ScrewThreadGrid nut_grid(const Nut& nut) {
  return ScrewThreadGrid(nut.thread.pitch, -nut.height / 2, nut.height / 2, nut.segments, 1);
}

Radius bolt_thread(const Bolt& bolt) {
  const double crest = (bolt.thread.diameter - bolt.thread.clearance) / 2;
  const double profile = kProfile * sharp_height(bolt.thread);
  return [=](const ScrewThreadGrid::Node& node) { return crest - profile * node.depth; };
}

Radius nut_thread(const Nut& nut) {
  // corners far enough out that the circles of the profile lie inside the polygons
  const double out = 1 / fixed_cos(std::numbers::pi / nut.segments);
  const double crest = (nut.thread.diameter + nut.thread.clearance) / 2;
  const double profile = kProfile * sharp_height(nut.thread);
  return [=](const ScrewThreadGrid::Node& node) { return out * (crest - profile * node.depth); };
}

/// An upper bound, for any length and pitch, even invalid ones.
std::int64_t screw_thread_tets(const ScrewThread& thread, double length, int segments) {
  // a nut has about 72 in each segment; the ends and a head add a few
  constexpr std::int64_t kTetsOfSegment = 80;
  const double turns = std::fmin(length / thread.pitch, 1e9);
  return static_cast<std::int64_t>(std::ceil(turns)) * segments * kTetsOfSegment;
}

/// The fastener with this diameter, and all else in proportion: the screw thread and these lengths.
template <class Fastener>
Fastener in_proportion(double diameter, std::initializer_list<double Fastener::*> lengths) {
  const StandardArithmetic standard;
  Fastener fastener;
  ScrewThread& thread = fastener.thread;
  const double factor = diameter / thread.diameter;
  for (double* length : {&thread.diameter, &thread.pitch, &thread.clearance}) *length *= factor;
  for (const auto length : lengths) fastener.*length *= factor;
  return fastener;
}

}  // namespace

Bolt metric_bolt(double diameter) {
  return in_proportion<Bolt>(diameter, {&Bolt::length, &Bolt::head_height, &Bolt::across_flats});
}

Nut metric_nut(double diameter) { return in_proportion<Nut>(diameter, {&Nut::height, &Nut::across_flats}); }

TriangleMesh make_bolt_surface(const Bolt& bolt) {
  const StandardArithmetic standard;
  check_bolt(bolt);
  const ScrewThreadGrid grid = bolt_grid(bolt);
  TriangleMesh mesh;
  const std::int32_t thread = add_layer(mesh.points, grid, bolt.segments, bolt_thread(bolt));
  add_cells(mesh.triangles, grid, thread, true);
  add_disk(mesh.triangles, ring_of(grid.chains().back(), thread), add_point(mesh.points, {0, 0, bolt.length}), true);
  const Ring lower = ring_of(grid.chains().front(), thread);
  if (bolt.head_height > 0) {
    add_head(mesh.triangles, mesh.points, bolt, lower);
  } else {
    add_disk(mesh.triangles, lower, add_point(mesh.points, {0, 0, 0}), false);
  }
  return mesh;
}

TriangleMesh make_nut_surface(const Nut& nut) {
  const StandardArithmetic standard;
  check_nut(nut);
  const ScrewThreadGrid grid = nut_grid(nut);
  TriangleMesh mesh;
  const std::int32_t thread = add_layer(mesh.points, grid, nut.segments, nut_thread(nut));
  add_cells(mesh.triangles, grid, thread, false);
  const Ring lower = add_hexagon(mesh.points, nut.segments, nut.across_flats, -nut.height / 2);
  const Ring upper = add_hexagon(mesh.points, nut.segments, nut.across_flats, nut.height / 2);
  add_band(mesh.triangles, ring_of(grid.chains().front(), thread), lower);
  add_band(mesh.triangles, lower, upper);
  add_band(mesh.triangles, upper, ring_of(grid.chains().back(), thread));
  return mesh;
}

std::int64_t detail::bolt_tets(const Bolt& bolt) { return screw_thread_tets(bolt.thread, bolt.length, bolt.segments); }
std::int64_t detail::nut_tets(const Nut& nut) { return screw_thread_tets(nut.thread, nut.height, nut.segments); }

TetMesh make_bolt_mesh(const Bolt& bolt) {
  const StandardArithmetic standard;
  check_bolt(bolt);
  const ScrewThreadGrid grid = bolt_grid(bolt);
  const Radius thread = bolt_thread(bolt);
  const double height = sharp_height(bolt.thread);
  const double root = (bolt.thread.diameter - bolt.thread.clearance) / 2 - kProfile * height;
  const Radius teeth = [&](const ScrewThreadGrid::Node& node) {
    return thread(node) - (kBelowCrest + (kBelowRoot - kBelowCrest) * node.depth) * height;
  };
  const Radius core = [&](const ScrewThreadGrid::Node&) { return root - bolt.thread.pitch / 2; };

  TetMesh mesh;
  const std::int32_t outer = add_layer(mesh.points, grid, bolt.segments, thread);
  const std::int32_t inner = add_layer(mesh.points, grid, bolt.segments, teeth);
  const std::int32_t mantle = add_layer(mesh.points, grid, bolt.segments, core);
  add_prisms(mesh, grid, outer, inner);
  add_prisms(mesh, grid, inner, mantle);
  add_core(mesh, grid, mantle, bolt.length);
  if (bolt.head_height > 0) add_head_tets(mesh, bolt, ring_of(grid.chains().front(), outer));
  split_corners(mesh, "bolt");
  return mesh;
}

TetMesh make_nut_mesh(const Nut& nut) {
  const StandardArithmetic standard;
  check_nut(nut);
  const ScrewThreadGrid grid = nut_grid(nut);
  const Radius thread = nut_thread(nut);
  const double height = sharp_height(nut.thread);
  // the tip of a nut's tooth is the root of the profile
  const Radius teeth = [&](const ScrewThreadGrid::Node& node) {
    return thread(node) + (kBelowRoot + (kBelowCrest - kBelowRoot) * node.depth) * height;
  };
  const Radius wall = [&](const ScrewThreadGrid::Node&) { return (nut.thread.diameter + nut.across_flats) / 4; };
  const Radius outside = [&](const ScrewThreadGrid::Node& node) {
    return hexagon(node.ray, nut.segments, nut.across_flats);
  };

  TetMesh mesh;
  const std::int32_t surface = add_layer(mesh.points, grid, nut.segments, thread);
  const std::int32_t inner = add_layer(mesh.points, grid, nut.segments, teeth);
  const std::int32_t middle = add_layer(mesh.points, grid, nut.segments, wall);
  const std::int32_t sides = add_layer(mesh.points, grid, nut.segments, outside);
  add_prisms(mesh, grid, surface, inner);
  add_prisms(mesh, grid, inner, middle);
  add_prisms(mesh, grid, sides, middle);
  split_corners(mesh, "nut");
  return mesh;
}

}  // namespace isopatch
