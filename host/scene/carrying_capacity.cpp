// SPDX-License-Identifier: Apache-2.0
#include "host/scene/scene_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "host/mesh/math/point_math.h"
#include "host/mesh/topology/connectivity.h"
#include "host/scene/body_mass.h"
#include "host/scene/contact_models.h"
#include "host/scene/motion_rules.h"
#include "host/scene/scene_data.h"
#include "host/text/quote.h"
#include "host/threads/work_counter.h"

namespace isopatch {

using namespace detail;

namespace {

constexpr int kFreeDegrees = 6;
constexpr int kLines = 64;           // of the grid, in either axis
constexpr double kGridError = 1.02;  // ten times what the grid errs by for boxes, balls, cylinders and capsules
constexpr int kMaxHeavy = 8;         // bodies that have a line each

/// A unit vector at right angles to another one.
Point3 across(const Point3& direction) {
  Point3 axis{};
  axis[std::fabs(direction[0]) < 0.9 ? 0 : 1] = 1;
  const Point3 found = cross(direction, axis);
  return (1 / norm(found)) * found;
}

/// f(e) of a half space: the pressure over its modulus at the extent e, beyond which the last slope continues.
double strained(const Geometry& half_space, double e) {
  const auto& rows = half_space.strain;
  if (rows.empty()) return e;
  std::size_t i = 1;
  while (i + 1 < rows.size() && rows[i][0] < e) ++i;
  const auto& [e0, f0] = rows[i - 1];
  const auto& [e1, f1] = rows[i];
  return f0 + (e - e0) * (f1 - f0) / (e1 - e0);
}

/// How much more a layer presses from below than from above on what is `height` high and no deeper than the layer.
double pressed(const Geometry& layer, double height) {
  const double e = std::min(1.0, height / layer.thickness);
  return std::max(strained(layer, e), strained(layer, 1) - strained(layer, 1 - e));
}

/// What a line of the grid has met.
struct Line {
  double low = kInfinity, high = -kInfinity, extent = -kInfinity;

  void add(double height, double e) {
    low = std::min(low, height);
    high = std::max(high, height);
    extent = std::max(extent, e);
  }
};

/// What a geometry can carry at least in any direction, found without a grid: the integral over the inside of 1, or of
/// the extent, is at most that over the lines times their length.
struct LeastArea {
  double area = 0, extent_area = 0, size = 0;
  Point3 middle = {};
};

LeastArea least_area(const Geometry& mesh) {
  const Box box = box_of(mesh.mesh.points, mesh.surface);
  LeastArea least;
  least.size = norm(box.high - box.low);
  least.middle = 0.5 * (box.low + box.high);
  least.area = mesh.report.volume / least.size;
  for (const Tet& tet : mesh.mesh.tets) {
    double sum = 0;
    for (const auto corner : tet) sum += mesh.extent[corner];
    least.extent_area += std::fabs(six_volumes(mesh.mesh, tet)) / 24 * sum / least.size;
  }
  return least;
}

/// A part of a body, as it stands in the scene.
struct StandingPart {
  const PartView* part;
  const Geometry* geometry;
  Transform<double> X_WP;

  bool is_half_space() const { return geometry->kind == GeometryKind::kHalfSpace; }
  Point3 normal() const { return {X_WP.row[0].z, X_WP.row[1].z, X_WP.row[2].z}; }  // of a half space
};

/// The silhouette along a direction of the world.
Silhouette seen(const StandingPart& part, const Point3& direction, const Geometry* layer = nullptr) {
  const Vec3d d = rotate_back(part.X_WP, Vec3d{direction[0], direction[1], direction[2]});
  return silhouette(*part.geometry, {d.x, d.y, d.z}, layer);
}

/// Over which area a compliant part can press along a direction, times the largest extent, m^2. Half spaces press along
/// their normals, as far as these carry.
double most_area(const StandingPart& soft, const StandingPart& against, const Point3& along) {
  for (const StandingPart* half_space : {&soft, &against}) {
    if (!half_space->is_half_space()) continue;
    const Point3 normal = half_space->normal();
    const StandingPart& other = half_space == &soft ? against : soft;
    const Silhouette found = seen(other, -1 * normal, half_space->geometry);
    return std::max(0.0, -dot(normal, along)) * (half_space == &soft ? found.layer_area : found.extent_area);
  }
  const Silhouette own = seen(soft, along);
  return std::min(own.extent_area, own.largest_extent * seen(against, along).area);
}

class Capacities {
 public:
  explicit Capacities(const Scene& scene) : data_(scene.data()), masses_(data_.description) {
    const auto& g = data_.description.rollout.gravity;
    gravity_ = norm({g[0], g[1], g[2]});
    down_ = (1 / gravity_) * Point3{g[0], g[1], g[2]};
    for (const Body& body : data_.description.bodies) {
      for (const Part& part : parts_of(body)) {
        parts_.push_back({&data_.parts[parts_.size()], &data_.description.geometries[part.geometry],
                          product(transform_of(body.pose), transform_of(part.pose))});
      }
    }
  }

  /// A line if the body weighs more than its contacts can carry; empty otherwise.
  std::string warning(int index) {
    const Body& body = data_.description.bodies[index];
    if (degrees_of_freedom(body) != kFreeDegrees || gravity_ == 0) return {};
    std::set<int> supports;
    std::set<Touching> touching;  // once for all layers of a half space
    for (const PairView& pair : data_.pairs) {
      if ((pair.a != index && pair.b != index) || contact_models()[pair.model].measures_distance) continue;
      if (pair.model != static_cast<std::int32_t>(kDefaultModel)) return {};
      supports.insert(pair.a + pair.b - index);
      for (std::int32_t i = pair.part_pairs_begin; i < pair.part_pairs_end; ++i) {
        const PartPairView& parts = data_.part_pairs[i];
        touching.insert(pair.a == index ? Touching{parts.a, parts.b} : Touching{parts.b, parts.a});
      }
    }
    if (!lies_on_any(data_.bodies[index], touching)) return {};

    const double weight = gravity_ * body_mass(data_.description, body, masses_).mass;
    double capacity = 0;
    for (const Touching& pair : touching) capacity += at_least(pair);
    if (weight <= capacity) return {};
    check_cancelled();
    capacity = 0;
    for (const Touching& pair : touching) {
      capacity += most(pair, down_);
      if (touching.size() == 1 || parts_[pair.other].is_half_space()) continue;
      // sideways, friction can hold what two parts squeeze
      const double friction = std::max(parts_[pair.own].part->friction, parts_[pair.other].part->friction);
      const Point3 u = across(down_);
      capacity += friction * std::max(most(pair, u), most(pair, cross(down_, u)));
    }
    if (weight <= kGridError * capacity) return {};
    return fmt::format(
        "{} weighs {:.4g} N, but {} can carry at most {:.4g} N on its area as seen from above, so it sinks through, or "
        "deeper than the layer is thick; {}",
        in_quotes(body.name), weight,
        supports.size() == 1 ? in_quotes(data_.description.bodies[*supports.begin()].name) : "its contacts", capacity,
        capacity > 0 ? fmt::format("{:.3g} times the modulus would carry it", kGridError * weight / capacity)
                     : "give it more area");
  }

 private:
  struct Touching {
    int own, other;  // parts

    bool operator<(const Touching& b) const { return std::pair(own, other) < std::pair(b.own, b.other); }
  };

  /// Whether what may touch a body without half spaces begins below its middle.
  bool lies_on_any(const BodyView& body, const std::set<Touching>& touching) {
    double own = -kInfinity;
    for (int i = body.parts_begin; i < body.parts_end; ++i) {
      if (parts_[i].is_half_space()) return false;
      own = std::max(own, depth(parts_[i]));
    }
    return std::any_of(touching.begin(), touching.end(), [&](const Touching& pair) {
      const StandingPart& other = parts_[pair.other];
      return other.is_half_space() ? dot(other.normal(), down_) < 0 : depth(other) > own;
    });
  }

  double depth(const StandingPart& part) {
    const Point3& middle = least_of(part).middle;
    const Vec3d p = apply(part.X_WP, Vec3d{middle[0], middle[1], middle[2]});
    return dot(down_, {p.x, p.y, p.z});
  }

  /// N; `area_of(soft, against)` is what limits a compliant part.
  template <class AreaOf>
  double force(const Touching& pair, const AreaOf& area_of) const {
    double least = kInfinity;
    for (const auto& [soft, against] : {std::pair(pair.own, pair.other), std::pair(pair.other, pair.own)}) {
      if (parts_[soft].part->rigid) continue;
      least = std::min(least, parts_[soft].part->modulus * area_of(parts_[soft], parts_[against]));
    }
    return least;
  }

  double most(const Touching& pair, const Point3& along) const {
    return force(pair, [&](const auto& soft, const auto& against) { return most_area(soft, against, along); });
  }

  /// Less than most() in any direction.
  double at_least(const Touching& pair) {
    return force(pair, [&](const StandingPart& soft, const StandingPart& against) {
      if (soft.is_half_space()) return least_of(against).area * pressed(*soft.geometry, least_of(against).size);
      const LeastArea& own = least_of(soft);
      return own.extent_area * (against.is_half_space() ? 1 : std::min(1.0, least_of(against).area / own.area));
    });
  }

  const LeastArea& least_of(const StandingPart& part) {
    const auto [found, is_new] = least_.try_emplace(part.geometry);
    if (is_new) found->second = least_area(*part.geometry);
    return found->second;
  }

  const SceneData& data_;
  GeometryMasses masses_;
  double gravity_ = 0;  // m/s^2
  Point3 down_;         // unit
  std::vector<StandingPart> parts_;
  std::map<const Geometry*, LeastArea> least_;
};

}  // namespace

Silhouette detail::silhouette(const Geometry& mesh, const std::array<double, 3>& direction, const Geometry* layer) {
  const Point3 u = across(direction), v = cross(direction, u);
  std::vector<Point3> seen;
  for (const Point3& p : mesh.mesh.points) seen.push_back({dot(u, p), dot(v, p), dot(direction, p)});
  const Box box = box_of(seen, mesh.surface);
  const Point3 cell = (1. / kLines) * (box.high - box.low);
  std::vector<Line> lines(kLines * kLines);

  const auto add = [&](const Triangle& triangle) {
    const Point3 &a = seen[triangle[0]], &b = seen[triangle[1]], &c = seen[triangle[2]];
    const auto twice_area = [](const Point3& p, const Point3& q, const Point3& r) {
      return (q[0] - p[0]) * (r[1] - p[1]) - (r[0] - p[0]) * (q[1] - p[1]);
    };
    const double whole = twice_area(a, b, c);
    if (whole == 0) return;
    std::array<int, 2> first, last;
    for (std::size_t k = 0; k < 2; ++k) {
      const auto [least, most] = std::minmax({a[k], b[k], c[k]});
      first[k] = std::max(0, static_cast<int>(std::ceil((least - box.low[k]) / cell[k] - 0.5)));
      last[k] = std::min(kLines - 1, static_cast<int>(std::floor((most - box.low[k]) / cell[k] - 0.5)));
    }
    for (int j = first[1]; j <= last[1]; ++j) {
      for (int i = first[0]; i <= last[0]; ++i) {
        const Point3 p{box.low[0] + (i + 0.5) * cell[0], box.low[1] + (j + 0.5) * cell[1], 0};
        const Point3 share{twice_area(p, b, c) / whole, twice_area(a, p, c) / whole, twice_area(a, b, p) / whole};
        if (share[0] < 0 || share[1] < 0 || share[2] < 0) continue;
        lines[j * kLines + i].add(dot(share, {a[2], b[2], c[2]}),
                                  mesh.extent.empty() ? 0
                                                      : dot(share, {mesh.extent[triangle[0]], mesh.extent[triangle[1]],
                                                                    mesh.extent[triangle[2]]}));
      }
    }
  };
  for (const Triangle& triangle : mesh.surface) add(triangle);
  for (const Tet& tet : mesh.mesh.tets) {
    for (int face = 0; face < 4; ++face) add(tet_face(tet, face));
  }

  Silhouette found;
  const double area = cell[0] * cell[1];
  for (const Line& line : lines) {
    if (line.extent == -kInfinity) continue;
    found.area += area;
    found.extent_area += area * line.extent;
    found.largest_extent = std::max(found.largest_extent, line.extent);
    if (layer != nullptr) found.layer_area += area * pressed(*layer, line.high - line.low);
  }
  return found;
}

std::vector<std::string> detail::capacity_warnings(const Scene& scene) {
  Capacities capacities(scene);
  std::vector<std::string> warnings;
  int further = 0;
  for (int body = 0; body < scene.num_bodies(); ++body) {
    const std::string warning = capacities.warning(body);
    if (warning.empty()) continue;
    if (std::ssize(warnings) < kMaxHeavy) {
      warnings.push_back(warning);
    } else {
      ++further;
    }
  }
  if (further > 0) warnings.push_back(fmt::format("so do {} more bodies", further));
  return warnings;
}

}  // namespace isopatch
