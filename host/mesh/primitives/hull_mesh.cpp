// SPDX-License-Identifier: Apache-2.0
//
// Meshes of convex hulls.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/mesh/math/point_math.h"
#include "host/mesh/primitives/hull_polyhedron.h"
#include "host/mesh/primitives/medial_mesh.h"
#include "host/mesh/primitives/polygon_fan.h"
#include "host/mesh/topology/element_check.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/mesh.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

/// What is rounding in the points, of the size: first of float32, then what is left of it in thinner hulls and of
/// doubles, and last of points far from the origin of their coordinates.
constexpr double kTolerances[] = {1e-6, 1e-7, 1e-8, 1e-9, 1e-5};

/// A mesh keeps this many times the volume below which a tet counts as flat.
constexpr double kMargin = 2;

/// The size and middle of the points. Tolerances are relative to them, so neither unit nor position matters.
struct SizeAndMiddle {
  double size;
  Point3 middle;
};

SizeAndMiddle measure(const std::vector<Point3>& points) {
  if (points.size() < 4) throw_error("convex hull: {} points; it needs at least four", points.size());
  Box box;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (!std::isfinite(points[i][k])) {
        throw_error("convex hull: point {} has the coordinate {}; it must be finite", i, points[i][k]);
      }
    }
    box.add(points[i]);
  }
  const double size = norm(box.high - box.low);
  if (!(std::isfinite(size) && std::isfinite(1 / size))) {
    throw_error("convex hull: the points span {} m; this must be finite and not too near to 0", size);
  }
  return {size, box.low + 0.5 * (box.high - box.low)};
}

/// A hull of size 1, whose middle is the origin.
struct ScaledHull {
  SizeAndMiddle frame;
  Polyhedron hull;
  std::vector<std::string> notes;

  /// The mesh in the coordinates of the points; none if they are too coarse for a tet.
  std::optional<TetMesh> placed(TetMesh mesh) const {
    for (Point3& p : mesh.points) p = frame.middle + frame.size * p;
    if (!(flattest_tet(mesh) > kMargin * kFlat)) return {};
    mesh.notes = notes;
    return mesh;
  }
};

ScaledHull scaled_hull(const std::vector<Point3>& points) {
  ScaledHull scaled{measure(points), {}, {}};
  const auto& [size, middle] = scaled.frame;
  std::vector<Point3> in_unit;
  for (const Point3& p : points) in_unit.push_back((1 / size) * (p - middle));
  scaled.hull = hull_polyhedron(in_unit);
  const std::size_t faces = scaled.hull.faces.size();
  if (faces == 0) {
    throw_error("convex hull: the {} points lie in a plane; a hull needs four that do not", points.size());
  }
  if (faces > limits::kMaxHullFaces) {
    auto [hull, distance] = simplified(scaled.hull, limits::kMaxHullFaces);
    scaled.notes.push_back(fmt::format(
        "the convex hull of the {} points has {} faces, the limit is {}; it was simplified to {} faces, and "
        "its surface is up to {:.2g} m (Hausdorff distance) inside",
        points.size(), faces, limits::kMaxHullFaces, hull.faces.size(), distance * size));
    scaled.hull = std::move(hull);
  }
  return scaled;
}

/// Whether there would be a warning of a flat tet, which nobody could mend.
bool has_flat_tet(const TetMesh& mesh) {
  return std::any_of(mesh.tets.begin(), mesh.tets.end(),
                     [&](const Tet& tet) { return relative_height(mesh, tet) < limits::kFlatTet; });
}

/// Cones from a point inside over the faces: tets that exist of any hull, but on which the field is no distance.
TetMesh fan_of(const Polyhedron& hull) {
  TetMesh mesh;
  mesh.points = hull.corners;
  mesh.points.push_back(hull.inside);
  Polygons faces;
  for (const HullFace& face : hull.faces) faces.push_back(sorted_around(face.corners, hull.corners, face.normal));
  append_cone(mesh, static_cast<std::int32_t>(hull.corners.size()), faces);
  return mesh;
}

}  // namespace

TetMesh make_convex_hull_mesh(const std::vector<Point3>& points) {
  const StandardArithmetic standard;
  const ScaledHull scaled = scaled_hull(points);
  std::optional<TetMesh> found;
  const auto is_done = [&](std::optional<TetMesh> mesh) {
    if (mesh) mesh = scaled.placed(std::move(*mesh));
    if (!mesh) return false;
    const bool flat = has_flat_tet(*mesh);  // a later one may have none
    if (!flat || !found) found = std::move(mesh);
    return !flat;
  };
  if (is_done(exact_medial_mesh(scaled.hull))) return std::move(*found);
  for (const double tolerance : kTolerances) {
    const Polyhedron merged = merged_polyhedron(scaled.hull, tolerance);
    if (!merged.faces.empty() && is_done(medial_mesh(merged))) return std::move(*found);
  }
  if (!found) is_done(fan_of(scaled.hull));
  if (found) return std::move(*found);
  throw_error("convex hull: the {} points lie in a plane within rounding; a hull needs four that do not",
              points.size());
}

}  // namespace isopatch
