// SPDX-License-Identifier: Apache-2.0
#include "host/reference/pressure_field/body_pair.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "host/reference/pressure_field/polygon.h"
#include "host/threads/work_counter.h"

namespace isopatch::reference {
namespace {

/// Differences below this fraction of their scale count as zero. It is above the rounding of extended precision and far
/// below the rounding of double.
constexpr Real kSnap = 1e-16L;

/// Calls visit(i, j) for the elements whose boxes overlap.
template <typename Visit>
void for_each_candidate(const std::vector<Box>& a, const std::vector<Box>& b, Real margin, Visit visit) {
  detail::WorkCounter counter;
  for (std::size_t i = 0; i < a.size(); ++i) {
    counter.add(static_cast<std::int32_t>(b.size() / 8));  // boxes take less time than what is visited
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (!a[i].overlaps(b[j], margin)) continue;
      counter.add(64);
      visit(i, j);
    }
  }
}

void append(std::optional<ContactPolygon> polygon, std::vector<ContactPolygon>& polygons) {
  if (polygon) polygons.push_back(std::move(*polygon));
}

std::vector<ContactPolygon> meshes(const PosedBody& a, const PosedBody& b) {
  std::vector<ContactPolygon> polygons;
  const Real size = a.size + b.size;
  if (b.rigid) {
    for_each_candidate(a.tet_boxes, b.triangle_boxes, kSnap * size, [&](std::size_t i, std::size_t j) {
      append(tet_on_triangle(a.tets[i], b.triangles[j], kSnap * size), polygons);
    });
  } else {
    // a difference at a vertex of one body carries the rounding of the other's affine pressure there; a bound from the
    // larger modulus would set a soft body's whole contact with a very stiff one to zero
    const Real tolerance_a = kSnap * size * b.largest_gradient;
    const Real tolerance_b = kSnap * size * a.largest_gradient;
    for_each_candidate(a.tet_boxes, b.tet_boxes, kSnap * size, [&](std::size_t i, std::size_t j) {
      append(tet_on_tet(a.tets[i], b.tets[j], tolerance_a, tolerance_b), polygons);
    });
  }
  return polygons;
}

std::vector<ContactPolygon> mesh_on_half_space(const PosedBody& a, const PosedBody& b) {
  std::vector<ContactPolygon> polygons;
  if (a.rigid) {
    for (const SurfaceTriangle& triangle : a.triangles) {
      for (const HalfSpaceLayer& layer : b.layers) {
        auto polygon = half_space_on_triangle(layer, b.height, triangle);
        if (polygon) polygons.push_back(swapped(std::move(*polygon)));
      }
    }
  } else if (b.rigid) {
    for (const PressureTet& tet : a.tets) append(tet_on_plane(tet, b.height, kSnap * a.size), polygons);
  } else {
    const Real tolerance = kSnap * a.size * b.largest_gradient;
    for (const PressureTet& tet : a.tets) {
      for (const HalfSpaceLayer& layer : b.layers) append(tet_on_half_space(tet, layer, tolerance), polygons);
    }
  }
  return polygons;
}

std::vector<ContactPolygon> exchanged(std::vector<ContactPolygon> polygons) {
  for (ContactPolygon& polygon : polygons) polygon = swapped(std::move(polygon));
  return polygons;
}

Real mesh_energy(const PosedBody& a, const PosedBody& b) {
  Real energy = 0;
  for_each_candidate(a.tet_boxes, b.tet_boxes, 0, [&](std::size_t i, std::size_t j) {
    const TetList overlap = intersection({a.tets[i].vertices}, b.tets[j].vertices);
    const Real part = a.rigid   ? integral(overlap, b.tets[j].pressure)
                      : b.rigid ? integral(overlap, a.tets[i].pressure)
                                : integral_of_minimum(overlap, a.tets[i].pressure, b.tets[j].pressure);
    energy += a.tet_signs[i] * b.tet_signs[j] * part;
  });
  return energy;
}

Real half_space_energy(const PosedBody& mesh, const PosedBody& half_space) {
  const Affine depth = {-half_space.height.gradient, half_space.height.point, 0};
  Real energy = 0;
  for (std::size_t i = 0; i < mesh.tets.size(); ++i) {
    const PressureTet& tet = mesh.tets[i];
    const TetList overlap = positive_part({tet.vertices}, depth);
    if (half_space.rigid) energy += mesh.tet_signs[i] * integral(overlap, tet.pressure);
    for (const HalfSpaceLayer& layer : half_space.layers) {
      TetList in_layer = overlap;
      if (layer.has_top) in_layer = positive_part(in_layer, layer.below_top);
      if (layer.has_bottom) in_layer = positive_part(in_layer, layer.above_bottom);
      energy += mesh.tet_signs[i] * (mesh.rigid ? integral(in_layer, layer.pressure)
                                                : integral_of_minimum(in_layer, tet.pressure, layer.pressure));
    }
  }
  return energy;
}

/// A barycentric coordinate above minus this counts as positive, so that no point falls between two tets.
constexpr Real kTouch = 1e-15L;

/// For each vertex, the smallest vertex of its component.
std::vector<std::int32_t> component_labels(const TetMesh& mesh) {
  std::vector<std::int32_t> labels(mesh.points.size());
  std::iota(labels.begin(), labels.end(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Tet& tet : mesh.tets) {
      std::int32_t lowest = labels[static_cast<std::size_t>(tet[0])];
      for (const std::int32_t i : tet) lowest = std::min(lowest, labels[static_cast<std::size_t>(i)]);
      for (const std::int32_t i : tet) {
        std::int32_t& label = labels[static_cast<std::size_t>(i)];
        changed = changed || label != lowest;
        label = lowest;
      }
    }
  }
  return labels;
}

bool contains(const PressureTet& tet, const Vector3& x) {
  for (std::size_t i = 0; i < 4; ++i) {
    if (barycentric(tet.vertices, i).at(x) < -kTouch) return false;
  }
  return true;
}

/// The signed solid angle of a triangle seen from x (van Oosterom and Strackee, IEEE Trans. Biomed. Eng., 1983).
Real solid_angle(const SurfaceTriangle& triangle, const Vector3& x) {
  const Vector3 a = triangle[0] - x, b = triangle[1] - x, c = triangle[2] - x;
  const Real lengths[] = {a.norm(), b.norm(), c.norm()};
  const Real cosine =
      lengths[0] * lengths[1] * lengths[2] + a.dot(b) * lengths[2] + b.dot(c) * lengths[0] + c.dot(a) * lengths[1];
  return 2 * std::atan2(a.dot(b.cross(c)), cosine);
}

}  // namespace

std::vector<ContactPolygon> contact_polygons(const PosedBody& a, const PosedBody& b) {
  if (a.half_space) return exchanged(mesh_on_half_space(b, a));
  if (b.half_space) return mesh_on_half_space(a, b);
  return a.rigid ? exchanged(meshes(b, a)) : meshes(a, b);
}

Real elastic_energy(const PosedBody& a, const PosedBody& b) {
  const Real energy = a.half_space   ? half_space_energy(b, a)
                      : b.half_space ? half_space_energy(a, b)
                                     : mesh_energy(a, b);
  return std::max(energy, Real{0});  // for bodies that only touch, rounding may have either sign
}

std::vector<Vector3> component_centroids(const Geometry& geometry) {
  const TetMesh& mesh = geometry.mesh;
  const std::vector<std::int32_t> labels = component_labels(mesh);
  std::set<std::int32_t> seen;
  std::vector<Vector3> centroids;
  for (const Tet& tet : mesh.tets) {
    if (!seen.insert(labels[static_cast<std::size_t>(tet[0])]).second) continue;
    Vector3 sum = Vector3::Zero();
    for (const std::int32_t i : tet) {
      const Point3& p = mesh.points[static_cast<std::size_t>(i)];
      sum += Vector3(p[0], p[1], p[2]);
    }
    centroids.push_back(sum / 4);
  }
  return centroids;
}

bool is_inside(const PosedBody& body, const Vector3& x) {
  if (body.half_space) return body.height.at(x) < 0;
  if (!body.rigid) {
    return std::any_of(body.tets.begin(), body.tets.end(), [&](const PressureTet& tet) { return contains(tet, x); });
  }
  Real angle = 0;  // 4 pi inside, 0 outside
  for (const SurfaceTriangle& triangle : body.triangles) angle += solid_angle(triangle, x);
  constexpr Real kHalf = 6.283185307179586477L;
  return angle > kHalf;
}

}  // namespace isopatch::reference
