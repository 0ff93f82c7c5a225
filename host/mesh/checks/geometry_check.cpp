// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/checks/geometry_check.h"

#include "host/mesh/topology/connectivity.h"
#include "host/mesh/topology/element_check.h"
#include "host/polytope/convex_shape.h"
#include "host/random/random.h"
#include "host/text/throw_error.h"
#include "host/threads/work_counter.h"
#include "isopatch/limits.h"

namespace isopatch::detail {
namespace {

constexpr const char* kAdvice = "build it with a make_ function";

// A face has a signature, and seen from its other side the negative of it. In the sum over all tets, the signatures of
// faces between two tets cancel, which leaves the sum over the surface; a wrong surface has the same sum with a
// probability of 2^-64. The same holds for the edges of a closed surface.

std::uint64_t signature(Triangle t) {
  const bool even = is_even(t);
  std::sort(t.begin(), t.end());
  const auto bits = [&](std::size_t i) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(t[i])); };
  const std::uint64_t value = scrambled(scrambled(bits(0) << 32 | bits(1)) + bits(2));
  return even ? value : std::uint64_t{0} - value;
}

std::uint64_t signature(std::int32_t from, std::int32_t to) {
  const auto bits = [](std::int32_t v) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(v)); };
  const std::uint64_t value = scrambled(bits(std::min(from, to)) << 32 | bits(std::max(from, to)));
  return from < to ? value : std::uint64_t{0} - value;
}

void check_half_space(const Geometry& g, const std::string& source) {
  if (!(g.thickness >= limits::kMinThickness && g.thickness <= limits::kMaxThickness)) {
    throw_error("{}: thickness {} m; it must be in [{}, {}]", source, g.thickness, limits::kMinThickness,
                limits::kMaxThickness);
  }
  if (g.strain.empty()) return;
  try {
    check_strain_map({StrainMap::Kind::kTable, 0, g.strain});
  } catch (const Error& error) {
    throw_error("{}: {}", source, error.what());
  }
  for (std::size_t i = 1; i < g.strain.size(); ++i) {
    const double extent = g.strain[i][0] - g.strain[i - 1][0], thickness = extent * g.thickness;
    if (extent >= limits::kMinLayerExtent && thickness >= limits::kMinLayerThickness) continue;
    throw_error(
        "{}: strain: the layer between rows {} and {} has {} of the extent and is {} m thick; a half space needs at "
        "least {} and {} m",
        source, i - 1, i, extent, thickness, limits::kMinLayerExtent, limits::kMinLayerThickness);
  }
}

/// Throws unless the sizes of the exact shape are possible. That it is the mesh's is not checked.
void check_primitive(const Primitive& primitive, const std::string& source) {
  const PrimitiveKind kind = primitive.kind;
  if (kind == PrimitiveKind::kNone) return;
  if (kind > PrimitiveKind::kCapsule) {
    throw_error("{}: primitive.kind is {}; it must be one of PrimitiveKind", source, static_cast<int>(kind));
  }
  const auto check = [&](const char* what, double size) {
    if (size > 0 && size <= limits::kMaxCoordinate) return;
    throw_error("{}: primitive.{} is {} m; it must be positive and at most {}", source, what, size,
                limits::kMaxCoordinate);
  };
  if (kind != PrimitiveKind::kBox) check("radius", primitive.radius);
  if (kind == PrimitiveKind::kBox) check("half[0]", primitive.half[0]), check("half[1]", primitive.half[1]);
  if (kind != PrimitiveKind::kSphere) check("half[2]", primitive.half[2]);
}

void check_tets(const Geometry& g, const std::string& source) {
  check_indices(g.mesh.tets, g.mesh.points.size(), source);
  for (std::size_t i = 0; i < g.mesh.tets.size(); ++i) {
    const Tet& tet = g.mesh.tets[i];
    check_edges(g.mesh.points, tet, i, source);
    const double six_v = six_volumes(g.mesh, tet);
    if (six_v > kFlat * edge_product(g.mesh, tet)) continue;
    throw_error("{}: {} has a volume of {} m^3; it must be positive, {}", source, describe(i, tet), six_v / 6, kAdvice);
  }
}

void check_triangles(const Geometry& g, const std::string& source) {
  check_indices(g.surface, g.mesh.points.size(), source);
  for (std::size_t i = 0; i < g.surface.size(); ++i) {
    check_edges(g.mesh.points, g.surface[i], i, source);
    if (!is_flat(g.mesh.points, g.surface[i])) continue;
    throw_error("{}: surface {} has no area; {}", source, describe(i, g.surface[i]), kAdvice);
  }
}

/// Throws unless the surface is the boundary of the tets or, without tets, closed. If triangles without area were
/// removed, it is closed in space but not by its indices.
void check_boundary(const Geometry& g, const std::string& source) {
  if (g.mesh.tets.empty() && g.report.flat_triangles > 0) return;
  std::uint64_t sum = 0;
  for (const Triangle& t : g.surface) {
    for (std::size_t i = 0; i < 3 && g.mesh.tets.empty(); ++i) sum += signature(t[i], t[(i + 1) % 3]);
    if (!g.mesh.tets.empty()) sum += signature(t);
  }
  for (const Tet& tet : g.mesh.tets) {
    for (int face = 0; face < 4; ++face) sum -= signature(tet_face(tet, face));
  }
  if (sum == 0) return;
  throw_error("{}: its surface is not {}; {}", source, g.mesh.tets.empty() ? "closed" : "that of its tets, outward",
              kAdvice);
}

/// The largest extent. Throws if one is out of range.
double largest_of(const std::vector<double>& extent, const std::string& source) {
  double largest = 0;
  for (std::size_t i = 0; i < extent.size(); ++i) {
    if (!(std::isfinite(extent[i]) && extent[i] >= 0)) {
      throw_error("{}: the extent at point {} is {}; it must be finite and not negative", source, i, extent[i]);
    }
    if (!(extent[i] <= limits::kMaxExtent)) {
      throw_error("{}: the extent at point {} is {}; it must be at most {}", source, i, extent[i], limits::kMaxExtent);
    }
    largest = std::max(largest, extent[i]);
  }
  if (largest == 0) {
    throw_error("{}: the extent is 0 at all {} points; at least one must be positive", source, extent.size());
  }
  if (largest >= limits::kMinLargestExtent) return largest;
  throw_error("{}: the largest extent of all points is {}; it must be at least {}", source, largest,
              limits::kMinLargestExtent);
}

/// The norm of the extent's gradient in a tet.
double gradient_of(const TetMesh& mesh, const Tet& tet, const std::vector<double>& extent) {
  const Point3& origin = point_at(mesh, tet[0]);
  const auto edge = [&](std::size_t i) { return point_at(mesh, tet[i]) - origin; };
  const auto rise = [&](std::size_t i) { return extent[tet[i]] - extent[tet[0]]; };
  const Point3 u = edge(1), v = edge(2), w = edge(3), vw = cross(v, w);
  return norm(rise(1) * vw + rise(2) * cross(w, u) + rise(3) * cross(u, v)) / std::fabs(dot(u, vw));
}

void check_polygon(const Geometry& g, const std::string& source) {
  std::vector<std::array<double, 2>> corners;
  for (std::size_t i = 0; i < g.mesh.points.size(); ++i) {
    const Point3& p = g.mesh.points[i];
    if (p[2] != 0) throw_error("{}: z of point {} is {} m; a polygon lies in the plane z = 0", source, i, p[2]);
    corners.push_back({p[0], p[1]});
  }
  const ConvexShape hull = ConvexShape::polygon(corners);
  bool same = hull.vertices().size() == corners.size();
  for (std::size_t i = 0; i < corners.size() && same; ++i) {
    same = hull.vertices()[i].x == corners[i][0] && hull.vertices()[i].y == corners[i][1];
  }
  if (!same) {
    throw_error("{}: its points are not the corners of a convex polygon, counter-clockwise; {}", source, kAdvice);
  }
  std::vector<Triangle> fan;  // about corner 0
  for (std::int32_t i = 2; i < static_cast<std::int32_t>(corners.size()); ++i) fan.push_back({0, i - 1, i});
  const bool is_flat_mesh = g.surface == fan && g.mesh.tets.empty() && g.convex && !g.strained &&
                            g.primitive == Primitive{} &&
                            std::all_of(g.extent.begin(), g.extent.end(), [](double e) { return e == 0; });
  if (!is_flat_mesh) throw_error("{}: it is not the surface mesh of a polygon; {}", source, kAdvice);
  check_points(g.mesh.points, source);
  check_size(g.mesh.points, g.surface, source);
}

}  // namespace

void check_extents(const TetMesh& mesh, const std::vector<double>& extent, double size, const std::string& source) {
  const double largest = largest_of(extent, source);
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const double gradient = gradient_of(mesh, mesh.tets[t], extent);
    if (gradient * size <= limits::kMaxSteepness * largest) continue;
    throw_error(
        "{}: the extent's gradient in {} is {:.3g} per metre, in a mesh {:.3g} m large with extents up to {:.3g}; "
        "gradient times size must be at most {} times that: the tet is too flat or too small for its extents",
        source, describe(t, mesh.tets[t]), gradient, size, largest, limits::kMaxSteepness);
  }
}

std::int64_t count_tets_without_extent(const TetMesh& mesh, const std::vector<double>& extent) {
  return std::count_if(mesh.tets.begin(), mesh.tets.end(), [&](const Tet& tet) {
    return std::all_of(tet.begin(), tet.end(), [&](std::int32_t v) { return extent[v] == 0; });
  });
}

void check_geometry(const Geometry& g, const std::string& source) {
  if (g.kind == GeometryKind::kHalfSpace) return check_half_space(g, source);
  if (g.kind != GeometryKind::kMesh) {
    throw_error("{}: kind is {}; it must be kMesh or kHalfSpace", source, static_cast<int>(g.kind));
  }
  if (g.surface.empty() || g.extent.size() != g.mesh.points.size()) {
    throw_error("{} has {} tets, {} surface triangles, {} points and {} extents; {}", source, g.mesh.tets.size(),
                g.surface.size(), g.mesh.points.size(), g.extent.size(), kAdvice);
  }
  const std::size_t largest = std::max({g.mesh.points.size(), g.mesh.tets.size(), g.surface.size()});
  if (static_cast<std::int64_t>(largest) > limits::kMaxElements) {
    throw_error("{} has more points, tets or triangles than the {} that can be indexed", source, limits::kMaxElements);
  }

  if (g.polygon) return check_polygon(g, source);

  check_cancelled();
  check_primitive(g.primitive, source);
  check_points(g.mesh.points, source);
  check_tets(g, source);
  check_triangles(g, source);
  check_boundary(g, source);
  const double size = check_size(g.mesh.points, g.surface, source);
  if (!g.is_surface_mesh()) return check_extents(g.mesh, g.extent, size, source);
  for (std::size_t i = 0; i < g.extent.size(); ++i) {
    if (g.extent[i] == 0) continue;
    throw_error("{}: the extent at point {} is {}; that of a surface mesh must be 0", source, i, g.extent[i]);
  }
}

}  // namespace isopatch::detail
