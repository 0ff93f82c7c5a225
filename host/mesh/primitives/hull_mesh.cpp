// SPDX-License-Identifier: Apache-2.0
//
// The medial mesh of a convex polyhedron. Over the polyhedron, the distance to the surface is the lowest of its faces'
// heights, so the points (x, t) with 0 <= t <= distance(x) are a convex polytope in four dimensions, an intersection of
// half-spaces. The vertices of that polytope are the vertices of the medial mesh, and its facets, seen from above, are
// the regions nearest to one face. Each region is a convex polyhedron on which the distance is linear. It is cut into
// tets like the box's regions: cones from its first vertex over fans about the first vertex of each facet.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "host/mesh/math/fixed_math.h"
#include "host/mesh/math/point_math.h"
#include "host/mesh/primitives/convex_hull.h"
#include "host/mesh/primitives/polygon_fan.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/mesh.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

struct Face {
  Point3 normal;  // outward
  double offset;
  std::vector<std::int32_t> corners;
};

/// A convex polyhedron and a point well inside it.
struct Polyhedron {
  std::vector<Point3> corners;
  std::vector<Face> faces;
  Point3 inside{};

  double height(const Face& face, const Point3& p) const { return face.offset - dot(face.normal, p); }
  double depth(const Point3& p) const {
    double least = height(faces[0], p);
    for (const Face& face : faces) least = std::min(least, height(face, p));
    return least;
  }
};

/// A vertex of the medial mesh and the faces that are nearest to it, all at the same distance, in ascending order.
struct MedialVertex {
  Point3 position;
  std::vector<std::int32_t> nearest;
};

/// The convex hull of points. Throws Error if they lie in a plane, and for too many faces.
Polyhedron hull_of(const std::vector<Point3>& points) {
  std::vector<double> coordinates;
  for (const Point3& p : points) coordinates.insert(coordinates.end(), p.begin(), p.end());
  const std::vector<HullFacet> facets = convex_hull(std::move(coordinates), 3);
  if (facets.empty()) {
    throw_error("convex hull: the {} points lie in a plane; a hull needs four that do not", points.size());
  }
  if (facets.size() > limits::kMaxHullFaces) {
    throw_error("convex hull: the hull of the {} points has {} faces, the limit is {}; use fewer points", points.size(),
                facets.size(), limits::kMaxHullFaces);
  }
  Polyhedron hull;
  std::map<std::int32_t, std::int32_t> corner_of;  // of the points that are corners: their index among these
  for (const HullFacet& facet : facets) {
    for (const std::int32_t v : facet.vertices) corner_of.try_emplace(v, 0);
  }
  for (auto& [point, corner] : corner_of) {
    corner = static_cast<std::int32_t>(hull.corners.size());
    hull.corners.push_back(points[point]);
    hull.inside = hull.inside + hull.corners.back();
  }
  hull.inside = (1 / static_cast<double>(hull.corners.size())) * hull.inside;
  for (const HullFacet& facet : facets) {
    Face face{{facet.normal[0], facet.normal[1], facet.normal[2]}, facet.offset, {}};
    for (const std::int32_t v : facet.vertices) face.corners.push_back(corner_of[v]);
    std::sort(face.corners.begin(), face.corners.end());
    hull.faces.push_back(std::move(face));
  }
  return hull;
}

/// The vertices of the medial surface: the vertices of the polytope {0 <= t <= depth(x)} that are above its ground t =
/// 0. They are found by duality about a point inside: the half-space h.y <= s becomes the point h/s, and every facet of
/// the hull of these points is a vertex.
std::vector<MedialVertex> inner_vertices(const Polyhedron& hull) {
  const double level = hull.depth(hull.inside) / 2;
  std::vector<double> dual;
  for (const Face& face : hull.faces) {
    const double slack = hull.height(face, hull.inside) - level;
    for (const double n : face.normal) dual.push_back(n / slack);
    dual.push_back(1 / slack);
  }
  const auto ground = static_cast<std::int32_t>(hull.faces.size());
  dual.insert(dual.end(), {0, 0, 0, -1 / level});

  std::vector<MedialVertex> vertices;
  for (HullFacet& facet : convex_hull(std::move(dual), 4)) {
    if (std::find(facet.vertices.begin(), facet.vertices.end(), ground) != facet.vertices.end()) continue;
    const Point3 from_inside{facet.normal[0] / facet.offset, facet.normal[1] / facet.offset,
                             facet.normal[2] / facet.offset};
    std::sort(facet.vertices.begin(), facet.vertices.end());
    vertices.push_back({hull.inside + from_inside, std::move(facet.vertices)});
  }
  return vertices;
}

/// Joins vertices within `distance` of each other, which differ only by rounding.
std::vector<MedialVertex> joined(std::vector<MedialVertex> vertices, double distance) {
  std::sort(vertices.begin(), vertices.end(),
            [](const MedialVertex& a, const MedialVertex& b) { return a.position < b.position; });
  std::vector<MedialVertex> kept;
  for (MedialVertex& vertex : vertices) {
    const auto same = std::find_if(kept.rbegin(), kept.rend(), [&](const MedialVertex& other) {
      return norm(other.position - vertex.position) <= distance;
    });
    if (same == kept.rend()) {
      kept.push_back(std::move(vertex));
    } else {
      const std::vector<std::int32_t> one = std::move(same->nearest);
      same->nearest.clear();
      std::set_union(one.begin(), one.end(), vertex.nearest.begin(), vertex.nearest.end(),
                     std::back_inserter(same->nearest));
    }
  }
  return kept;
}

/// Medial vertices nearer to each other than this fraction of the size become one: where more than four faces have the
/// same distance, rounding leaves several vertices.
constexpr double kSameVertex = 1e-9;

/// The tets' volume may differ from the hull's by this fraction; the volume of a wrong mesh differs by a tet.
constexpr double kSameVolume = 1e-9;

/// Six times a tet's volume over the product of three edges, and twice a triangle's area over that of two. The gradient
/// on a flatter tet is mostly rounding.
constexpr double kFlat = 1e-8;

/// A tet of this relative volume or less is flat within rounding.
constexpr double kZero = 1e-14;

/// The vertices of a convex polygon in cyclic order about `normal`.
void sort_around(std::vector<std::int32_t>& polygon, const std::vector<MedialVertex>& vertices, const Point3& normal) {
  const auto at = [&](std::int32_t v) { return vertices[v].position; };
  Point3 middle{};
  for (const std::int32_t v : polygon) middle = middle + (1. / static_cast<double>(polygon.size())) * at(v);
  // the farthest vertex gives a stable first direction
  const std::int32_t far = *std::max_element(polygon.begin(), polygon.end(), [&](std::int32_t a, std::int32_t b) {
    return norm(at(a) - middle) < norm(at(b) - middle);
  });
  const Point3 u = at(far) - middle;
  const Point3 v = cross((1 / norm(normal)) * normal, u);
  const auto angle = [&](std::int32_t i) { return angle_order(dot(at(i) - middle, v), dot(at(i) - middle, u)); };
  std::sort(polygon.begin(), polygon.end(), [&](std::int32_t a, std::int32_t b) { return angle(a) < angle(b); });
}

/// The smallest area of the triangles of the polygon's fan from its first vertex, relative to their edges there.
double flattest_triangle(const std::vector<std::int32_t>& polygon, const std::vector<MedialVertex>& vertices) {
  const auto edge = [&](std::size_t i) { return vertices[polygon[i]].position - vertices[polygon[0]].position; };
  double least = 1;
  for (std::size_t i = 2; i < polygon.size(); ++i) {
    least = std::min(least, norm(cross(edge(i - 1), edge(i))) / (norm(edge(i - 1)) * norm(edge(i))));
  }
  return least;
}

/// Rotates the polygon so that it begins with the apex of its fan: the vertex with the lowest index, or the best one if
/// that makes a flat triangle.
void turn_to_fan(std::vector<std::int32_t>& polygon, const std::vector<MedialVertex>& vertices) {
  std::rotate(polygon.begin(), std::min_element(polygon.begin(), polygon.end()), polygon.end());
  double best = flattest_triangle(polygon, vertices);
  if (best >= kFlat) return;
  std::vector<std::int32_t> turned = polygon;
  for (std::size_t i = 1; i < polygon.size(); ++i) {
    std::rotate(turned.begin(), turned.begin() + 1, turned.end());
    const double quality = flattest_triangle(turned, vertices);
    if (quality <= best) continue;
    best = quality;
    polygon = turned;
  }
}

/// For every face, the polygons that bound its region: the face itself, and one for each face that it meets.
std::vector<Polygons> region_polygons(const Polyhedron& hull, const std::vector<MedialVertex>& vertices) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::int32_t>> shared;
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    const auto& nearest = vertices[v].nearest;
    for (std::size_t i = 0; i < nearest.size(); ++i) {
      for (std::size_t j = i + 1; j < nearest.size(); ++j) {
        shared[{nearest[i], nearest[j]}].push_back(static_cast<std::int32_t>(v));
      }
    }
  }
  std::vector<Polygons> regions(hull.faces.size());
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    regions[f].push_back(hull.faces[f].corners);
    sort_around(regions[f].back(), vertices, hull.faces[f].normal);
    turn_to_fan(regions[f].back(), vertices);
  }
  for (auto& [faces, polygon] : shared) {
    if (polygon.size() < 3) continue;
    const auto a = static_cast<std::size_t>(faces.first);
    const auto b = static_cast<std::size_t>(faces.second);
    sort_around(polygon, vertices, hull.faces[a].normal - hull.faces[b].normal);
    turn_to_fan(polygon, vertices);
    regions[a].push_back(polygon);
    regions[b].push_back(polygon);
  }
  return regions;
}

/// The smallest volume of the tets from `first` on, relative to their edges.
double flattest_tet(const TetMesh& mesh, std::size_t first) {
  double least = 1;
  for (std::size_t t = first; t < mesh.tets.size(); ++t) {
    const Tet& tet = mesh.tets[t];
    least = std::min(least, six_volumes(mesh, tet) / edge_product(mesh, tet));
  }
  return least;
}

/// Cones the region's polygons from its vertex with the lowest index; inner vertices come first. If a fan has another
/// apex or a tet would be flat, cones them from a new point in the middle instead; the triangles, which the neighbours
/// share, stay.
void add_region(TetMesh& mesh, const Polygons& polygons) {
  std::int32_t apex = polygons[0][0];
  bool fans_start_lowest = true;
  for (const auto& polygon : polygons) {
    const std::int32_t lowest = *std::min_element(polygon.begin(), polygon.end());
    fans_start_lowest = fans_start_lowest && polygon[0] == lowest;
    apex = std::min(apex, lowest);
  }
  const std::size_t first = mesh.tets.size();
  if (fans_start_lowest) {
    append_cone(mesh, apex, polygons);
    if (flattest_tet(mesh, first) >= kFlat) return;
    mesh.tets.resize(first);
  }

  Point3 middle{};
  double corners = 0;
  for (const auto& polygon : polygons) {
    for (const std::int32_t v : polygon) middle = middle + point_at(mesh, v);
    corners += static_cast<double>(polygon.size());
  }
  mesh.points.push_back((1 / corners) * middle);
  append_cone(mesh, static_cast<std::int32_t>(mesh.points.size()) - 1, polygons);
}

double hull_volume(const Polyhedron& hull, const std::vector<Polygons>& regions, const TetMesh& mesh) {
  double six_v = 0;
  for (const Polygons& polygons : regions) {
    const auto& face = polygons[0];
    for (std::size_t i = 2; i < face.size(); ++i) {
      six_v += std::fabs(
          six_volumes(hull.inside, point_at(mesh, face[0]), point_at(mesh, face[i - 1]), point_at(mesh, face[i])));
    }
  }
  return six_v / 6;
}

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

}  // namespace

TetMesh make_convex_hull_mesh(const std::vector<Point3>& points) {
  const StandardArithmetic standard;
  const auto [size, middle] = measure(points);
  std::vector<Point3> scaled;
  for (const Point3& p : points) scaled.push_back((1 / size) * (p - middle));

  // the inner vertices, then the hull's corners
  Polyhedron hull = hull_of(scaled);
  std::vector<MedialVertex> vertices = joined(inner_vertices(hull), kSameVertex);
  const auto inner = static_cast<std::int32_t>(vertices.size());
  for (const Point3& corner : hull.corners) vertices.push_back({corner, {}});
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    for (std::int32_t& corner : hull.faces[f].corners) {
      corner += inner;
      vertices[corner].nearest.push_back(static_cast<std::int32_t>(f));
    }
  }

  TetMesh mesh;
  for (const MedialVertex& vertex : vertices) mesh.points.push_back(vertex.position);
  const std::vector<Polygons> regions = region_polygons(hull, vertices);
  for (const Polygons& polygons : regions) add_region(mesh, polygons);

  const double expected = hull_volume(hull, regions, mesh);
  if (flattest_tet(mesh, 0) < kZero || std::fabs(volume_of(mesh) - expected) > kSameVolume * expected) {
    throw Error(
        "convex hull: some points are too near to a degenerate position for a mesh with the exact distance; move them "
        "or leave them out");
  }
  for (Point3& p : mesh.points) p = middle + size * p;
  return mesh;
}

}  // namespace isopatch
