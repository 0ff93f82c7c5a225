// SPDX-License-Identifier: Apache-2.0
#include "host/scene/scene_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/scene/contact_models.h"
#include "host/text/quote.h"
#include "host/threads/work_counter.h"
#include "isopatch/detail/pressure_field/stages/enclosure.h"
#include "isopatch/scene/mass_properties.h"

namespace isopatch {

using namespace detail;

namespace {

constexpr std::size_t kPoints = 4096;  // half a per cent of share is twenty of them
constexpr double kMinShare = 0.02;     // that causes a warning

/// Point i of the additive sequence with the steps 1/g, 1/g^2, 1/g^3, g^4 = g + 1, which fills the unit cube evenly.
Vec3d point_of_cube(std::size_t i) {
  const auto turn = [i](double step) {
    const double x = 0.5 + step * static_cast<double>(i);
    return x - std::floor(x);
  };
  return {turn(0.8191725133961645), turn(0.6710436067037893), turn(0.5497004779019703)};
}

/// A point of a tet from one of the unit cube, evenly: the corners of the cube outside of the tet are folded into it.
Vec3d point_of_tet(const std::array<Vec3d, 4>& corner, Vec3d at) {
  double s = at.x, t = at.y, u = at.z;
  if (s + t > 1) s = 1 - s, t = 1 - t;
  if (t + u > 1) {
    const double old_u = u;
    u = 1 - s - t;
    t = 1 - old_u;
  } else if (s + t + u > 1) {
    const double old_u = u;
    u = s + t + u - 1;
    s = 1 - t - old_u;
  }
  return corner[0] + s * (corner[1] - corner[0]) + t * (corner[2] - corner[0]) + u * (corner[3] - corner[0]);
}

/// A part of a body as it is there.
struct PlacedPart {
  const Geometry& geometry;
  const GeometryView& view;
  Transform<double> X_BG;

  bool is_half_space() const { return view.half_space; }
  double size() const;  // m^3; of polygons as plates 1 m thick
  bool contains(Vec3d x) const;
};

Vec3d corner_of(const PlacedPart& part, std::int32_t point) {
  const Point3& p = part.geometry.mesh.points[point];
  return apply(part.X_BG, Vec3d{p[0], p[1], p[2]});
}

/// Twice the area of a triangle in the plane z = 0, positive if it turns left.
double turn_of(Vec3d p, Vec3d q, Vec3d r) { return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x); }

double PlacedPart::size() const {
  if (is_half_space()) return kInfinity;
  return geometry.polygon ? mass_properties(geometry).volume : geometry.report.volume;
}

bool PlacedPart::contains(Vec3d x) const {
  if (!geometry.polygon) return is_inside(view, is_half_space() ? apply_back(X_BG, x) : x);
  const auto count = static_cast<std::int32_t>(geometry.mesh.points.size());
  for (std::int32_t i = 0; i < count; ++i) {
    if (turn_of(corner_of(*this, i), corner_of(*this, (i + 1) % count), x) < 0) return false;
  }
  return true;
}

/// Points of the tets, as many for equal volumes.
std::vector<Vec3d> points_of_tets(const PlacedPart& part) {
  std::vector<std::array<Vec3d, 4>> tets;
  std::vector<double> end;  // volume of the tets up to and including this one, times 6
  double volume = 0;
  for (const Tet& tet : part.geometry.mesh.tets) {
    std::array<Vec3d, 4> c;
    for (std::size_t k = 0; k < 4; ++k) c[k] = corner_of(part, tet[k]);
    volume += std::fabs(dot(c[1] - c[0], cross(c[2] - c[0], c[3] - c[0])));
    tets.push_back(c);
    end.push_back(volume);
  }
  std::vector<Vec3d> points;
  std::size_t tet = 0;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double at = volume * (static_cast<double>(i) + 0.5) / kPoints;
    while (tet + 1 < tets.size() && end[tet] < at) ++tet;
    points.push_back(point_of_tet(tets[tet], point_of_cube(i)));
  }
  return points;
}

/// Points inside a closed surface or a polygon, from a pattern over its box.
std::vector<Vec3d> points_of_surface(const PlacedPart& part) {
  std::vector<Vec3d> points;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const Vec3d at = 2.0 * point_of_cube(i) - Vec3d{1, 1, 1}, half = part.view.half;
    const Vec3d x = part.view.center + Vec3d{at.x * half.x, at.y * half.y, at.z * half.z};
    if (part.contains(x)) points.push_back(x);
  }
  return points;
}

/// False if the boxes of two parts are apart, or touch.
bool boxes_overlap(const PlacedPart& a, const PlacedPart& b) {
  if (a.is_half_space() || b.is_half_space()) return a.is_half_space() != b.is_half_space();
  const Vec3d apart = abs(a.view.center - b.view.center), half_extents = a.view.half + b.view.half;
  const bool in_plane = a.geometry.polygon;  // so are all parts of the body then
  return apart.x < half_extents.x && apart.y < half_extents.y && (in_plane || apart.z < half_extents.z);
}

std::vector<PlacedPart> placed_parts(const SceneData& data, int body) {
  const BodyView& view = data.bodies[body];
  const std::vector<Part> parts = parts_of(data.description.bodies[body]);
  std::vector<PlacedPart> placed;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const PartView& part = data.parts[static_cast<std::size_t>(view.parts_begin) + i];
    placed.push_back({data.description.geometries[parts[i].geometry], data.geometries.views[part.geometry], part.X_BG});
  }
  return placed;
}

/// A body whose pairs are all of models that measure distances exerts no force.
bool has_no_force(const SceneData& data, int body) {
  bool any = false, force = false;
  for (const PairView& pair : data.pairs) {
    if (pair.a != body && pair.b != body) continue;
    any = true;
    force = force || !contact_models()[static_cast<std::size_t>(pair.model)].measures_distance;
  }
  return any && !force;
}

std::string warning_of(const OverlappingParts& overlap, std::size_t count, const SceneData& data, int index) {
  const Body& body = data.description.bodies[index];
  const std::vector<Part> parts = parts_of(body);
  const std::string smaller = in_quotes(parts[overlap.smaller].name), other = in_quotes(parts[overlap.other].name);
  const std::string more = count < 2 ? "" : fmt::format(", the most of {} pairs of parts that overlap", count);
  const char* effect = has_no_force(data, index) ? "what a body has in common with both counts twice in its overlap"
                                                 : "where both touch a body, both press on it";
  return fmt::format("body {}: {:.1f} % of part {} is inside part {}{}; {}", in_quotes(body.name), 100 * overlap.share,
                     smaller, other, more, effect);
}

}  // namespace

std::vector<OverlappingParts> detail::overlaps_of(const SceneData& data, int body, double least) {
  const std::vector<PlacedPart> parts = placed_parts(data, body);
  std::vector<std::vector<Vec3d>> points(parts.size());  // made if needed
  std::vector<OverlappingParts> overlaps;
  for (std::size_t a = 0; a < parts.size(); ++a) {
    for (std::size_t b = a + 1; b < parts.size(); ++b) {
      if (!boxes_overlap(parts[a], parts[b])) continue;
      check_cancelled();
      const std::size_t smaller = parts[b].size() < parts[a].size() ? b : a, other = a + b - smaller;
      std::vector<Vec3d>& of = points[smaller];
      const PlacedPart& part = parts[smaller];
      if (of.empty()) of = part.geometry.is_surface_mesh() ? points_of_surface(part) : points_of_tets(part);
      const auto inside = std::count_if(of.begin(), of.end(), [&](Vec3d x) { return parts[other].contains(x); });
      const double share = of.empty() ? 0 : static_cast<double>(inside) / static_cast<double>(of.size());
      if (share > least) overlaps.push_back({smaller, other, share});
    }
  }
  return overlaps;
}

std::vector<std::string> detail::overlap_warnings(const Scene& scene) {
  std::vector<std::string> warnings;
  for (int body = 0; body < scene.num_bodies(); ++body) {
    const std::vector<OverlappingParts> found = overlaps_of(scene.data(), body, kMinShare);
    const auto most =
        std::max_element(found.begin(), found.end(),
                         [](const OverlappingParts& x, const OverlappingParts& y) { return x.share < y.share; });
    if (most == found.end()) continue;
    warnings.push_back(warning_of(*most, found.size(), scene.data(), body));
  }
  return warnings;
}

}  // namespace isopatch
