// SPDX-License-Identifier: Apache-2.0
#include "host/scene/carrying_capacity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "host/mesh/math/point_math.h"
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
  double extent = -kInfinity, low = kInfinity, high = -kInfinity;
};

class Grid {
 public:
  Grid(const Geometry& mesh, const Point3& direction) : mesh_(mesh) {
    const std::size_t least =
        static_cast<std::size_t>(std::min_element(direction.begin(), direction.end(),
                                                  [](double x, double y) { return std::fabs(x) < std::fabs(y); }) -
                                 direction.begin());
    Point3 axis = {};
    axis[least] = 1;
    Point3 across = cross(direction, axis);
    across = (1 / norm(across)) * across;
    const Point3 other = cross(direction, across);
    for (const Point3& p : mesh.mesh.points) seen_.push_back({dot(across, p), dot(other, p), dot(direction, p)});
    Point3 high = {-kInfinity, -kInfinity, 0};
    low_ = {kInfinity, kInfinity, 0};
    for (const Triangle& triangle : mesh.surface) {
      for (const auto point : triangle) {
        for (std::size_t k = 0; k < 2; ++k) {
          low_[k] = std::min(low_[k], seen_[static_cast<std::size_t>(point)][k]);
          high[k] = std::max(high[k], seen_[static_cast<std::size_t>(point)][k]);
        }
      }
    }
    for (std::size_t k = 0; k < 2; ++k) cell_[k] = (high[k] - low_[k]) / kLines;
  }

  void add(const std::array<std::int32_t, 3>& triangle) {
    std::array<Point3, 3> p;
    std::array<double, 3> e;
    for (std::size_t k = 0; k < 3; ++k) {
      p[k] = seen_[static_cast<std::size_t>(triangle[k])];
      e[k] = mesh_.extent.empty() ? 0 : mesh_.extent[static_cast<std::size_t>(triangle[k])];
    }
    const double twice = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
    if (twice == 0) return;
    std::array<int, 2> first, last;
    for (std::size_t k = 0; k < 2; ++k) {
      const auto [least, most] = std::minmax({p[0][k], p[1][k], p[2][k]});
      first[k] = std::max(0, static_cast<int>(std::ceil((least - low_[k]) / cell_[k] - 0.5)));
      last[k] = std::min(kLines - 1, static_cast<int>(std::floor((most - low_[k]) / cell_[k] - 0.5)));
    }
    for (int j = first[1]; j <= last[1]; ++j) {
      for (int i = first[0]; i <= last[0]; ++i) {
        const double x = low_[0] + (i + 0.5) * cell_[0], y = low_[1] + (j + 0.5) * cell_[1];
        const double u = ((x - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (y - p[0][1])) / twice;
        const double v = ((p[1][0] - p[0][0]) * (y - p[0][1]) - (x - p[0][0]) * (p[1][1] - p[0][1])) / twice;
        if (u < 0 || v < 0 || u + v > 1) continue;
        Line& line = lines_[static_cast<std::size_t>(j * kLines + i)];
        const double height = p[0][2] + u * (p[1][2] - p[0][2]) + v * (p[2][2] - p[0][2]);
        line.extent = std::max(line.extent, e[0] + u * (e[1] - e[0]) + v * (e[2] - e[0]));
        line.low = std::min(line.low, height);
        line.high = std::max(line.high, height);
      }
    }
  }

  Silhouette sum(const Geometry* layer) const {
    Silhouette found;
    const double area = cell_[0] * cell_[1];
    for (const Line& line : lines_) {
      if (line.extent == -kInfinity) continue;
      found.area += area;
      found.extent_area += area * line.extent;
      found.largest_extent = std::max(found.largest_extent, line.extent);
      if (layer != nullptr) found.layer_area += area * pressed(*layer, line.high - line.low);
    }
    return found;
  }

 private:
  const Geometry& mesh_;
  std::vector<Point3> seen_;  // the points in the axes of the grid and the direction
  Point3 low_, cell_ = {};
  std::vector<Line> lines_ = std::vector<Line>(static_cast<std::size_t>(kLines) * kLines);
};

/// What a geometry can carry at least in any direction, found without a grid: the integral over the inside of 1, or of
/// the extent, is at most that over the lines times their length.
struct LeastArea {
  double area = 0, extent_area = 0, volume = 0, size = 0;
  Point3 middle = {};
};

LeastArea least_area(const Geometry& mesh) {
  LeastArea least;
  Box box;
  for (const Point3& p : mesh.mesh.points) box.add(p);
  least.size = norm(box.high - box.low);
  least.middle = 0.5 * (box.low + box.high);
  least.volume = mesh.report.volume;
  double integral = 0;
  for (const Tet& tet : mesh.mesh.tets) {
    const auto point = [&](std::size_t k) { return mesh.mesh.points[static_cast<std::size_t>(tet[k])]; };
    const double volume = std::fabs(dot(point(1) - point(0), cross(point(2) - point(0), point(3) - point(0)))) / 6;
    for (const auto corner : tet) integral += volume / 4 * mesh.extent[static_cast<std::size_t>(corner)];
  }
  least.area = least.volume / least.size;
  least.extent_area = integral / least.size;
  return least;
}

/// A part of a body, as it stands in the scene.
struct StandingPart {
  const Part* part;
  const Geometry* geometry;
  int index;  // of the geometry
  Transform<double> X_WP;

  bool is_half_space() const { return geometry->kind == GeometryKind::kHalfSpace; }
  Point3 normal() const { return {X_WP.row[0].z, X_WP.row[1].z, X_WP.row[2].z}; }  // of a half space
  /// The cosine between `down` and the direction that a half space presses against.
  double normal_share(const Point3& down) const { return -dot(normal(), down); }
  Point3 direction(const Point3& world) const {
    const Vec3d d = rotate_back(X_WP, Vec3d{world[0], world[1], world[2]});
    return {d.x, d.y, d.z};
  }
};

class Capacities {
 public:
  explicit Capacities(const Scene& scene) : data_(scene.data()), masses_(data_.description) {
    for (const Body& body : data_.description.bodies) parts_.push_back(parts_of(body));
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Transform<double> X_WB = transform_of(data_.description.bodies[i].pose);
      for (const Part& part : parts_[i]) {
        placed_.push_back({&part, &data_.description.geometries[static_cast<std::size_t>(part.geometry)], part.geometry,
                           product(X_WB, transform_of(part.pose))});
      }
    }
  }

  /// A line if the body weighs more than its contacts can carry; empty otherwise.
  std::string warning(int body) {
    const Body& what = data_.description.bodies[static_cast<std::size_t>(body)];
    const auto& g = data_.description.rollout.gravity;
    const Point3 gravity = {g[0], g[1], g[2]}, down = (1 / norm(gravity)) * gravity;
    if (degrees_of_freedom(what) != kFreeDegrees || norm(gravity) == 0 || has_half_space(body)) return {};
    const std::vector<Touching> touching = touching_of(body);
    if (partners_.contains(-1) || !lies_on_any(body, touching, down)) return {};
    const double weight = body_mass(data_.description, what, masses_).mass * norm(gravity);
    double least = 0;
    for (const Touching& pair : touching) least += at_least(pair);
    if (weight <= least) return {};
    check_cancelled();
    double capacity = 0;
    for (const Touching& pair : touching) {
      if (weight <= kGridError * capacity) return {};
      capacity += most(pair, down);
      // sideways, friction can hold what two parts squeeze
      if (touching.size() > 1) capacity += friction(pair) * sideways(pair, down);
    }
    if (weight <= kGridError * capacity) return {};
    return text(what, weight, capacity);
  }

 private:
  struct Touching {
    int own, other;  // parts

    auto operator<=>(const Touching&) const = default;
  };

  bool has_half_space(int body) const {
    const BodyView& view = data_.bodies[static_cast<std::size_t>(body)];
    const auto begin = placed_.begin() + view.parts_begin, end = placed_.begin() + view.parts_end;
    return std::any_of(begin, end, [](const StandingPart& part) { return part.is_half_space(); });
  }

  /// Part pairs of a body that are of pressure fields. partners_ are the bodies; it has -1 if another model touches.
  std::vector<Touching> touching_of(int body) {
    std::vector<Touching> touching;
    partners_.clear();
    for (const PairView& pair : data_.pairs) {
      if (pair.a != body && pair.b != body) continue;
      if (contact_models()[static_cast<std::size_t>(pair.model)].measures_distance) continue;
      const bool is_field = pair.model == static_cast<std::int32_t>(ContactModel::kPressureField);
      partners_.insert(is_field ? pair.a + pair.b - body : -1);
      for (std::int32_t i = pair.part_pairs_begin; is_field && i < pair.part_pairs_end; ++i) {
        const PartPairView& parts = data_.part_pairs[static_cast<std::size_t>(i)];
        touching.push_back(pair.a == body ? Touching{parts.a, parts.b} : Touching{parts.b, parts.a});
      }
    }
    std::sort(touching.begin(), touching.end());
    touching.erase(std::unique(touching.begin(), touching.end()), touching.end());  // layers of half spaces
    return touching;
  }

  /// Whether what may touch a body begins below its middle.
  bool lies_on_any(int body, const std::vector<Touching>& touching, const Point3& down) {
    const auto depth = [&](const StandingPart& part) {
      const Vec3d t = part.X_WP.translation;
      return dot(down, Point3{t.x, t.y, t.z}) + dot(part.direction(down), least_of(part).middle);
    };
    double own = -kInfinity;
    const BodyView& view = data_.bodies[static_cast<std::size_t>(body)];
    for (int i = view.parts_begin; i < view.parts_end; ++i)
      own = std::max(own, depth(placed_[static_cast<std::size_t>(i)]));
    return std::any_of(touching.begin(), touching.end(), [&](const Touching& pair) {
      const StandingPart& other = placed_[static_cast<std::size_t>(pair.other)];
      return other.is_half_space() ? other.normal_share(down) > 0 : depth(other) > own;
    });
  }

  /// N; less than most() in any direction.
  double at_least(const Touching& pair) {
    double force = kInfinity;
    for (const auto& [of, on] : {std::pair(pair.own, pair.other), std::pair(pair.other, pair.own)}) {
      const StandingPart &soft = placed_[static_cast<std::size_t>(of)],
                         &against = placed_[static_cast<std::size_t>(on)];
      if (*soft.part->rigid) continue;
      if (soft.is_half_space()) {
        const LeastArea& area = least_of(against);
        const double per_line = pressed(*soft.geometry, area.size) / area.size;
        force = std::min(force, *soft.part->modulus * area.volume * per_line);
      } else {
        double area = least_of(soft).extent_area;
        if (!against.is_half_space())
          area = std::min(area, least_of(soft).extent_area / least_of(soft).area * least_of(against).area);
        force = std::min(force, *soft.part->modulus * area);
      }
    }
    return force;
  }

  /// N, along a unit vector `down`, world frame.
  double most(const Touching& pair, const Point3& down) {
    double force = kInfinity;
    for (const auto& [of, on] : {std::pair(pair.own, pair.other), std::pair(pair.other, pair.own)}) {
      const StandingPart &soft = placed_[static_cast<std::size_t>(of)],
                         &against = placed_[static_cast<std::size_t>(on)];
      if (*soft.part->rigid) continue;
      double area = 0;
      if (soft.is_half_space()) {
        area = along_normal(against, soft, down).layer_area;
      } else if (against.is_half_space()) {
        area = along_normal(soft, against, down).extent_area;
      } else {
        const Silhouette& own = seen(soft, down, nullptr);
        area = std::min(own.extent_area, own.largest_extent * seen(against, down, nullptr).area);
      }
      force = std::min(force, *soft.part->modulus * area);
    }
    return force;
  }

  /// The most in a horizontal direction.
  double sideways(const Touching& pair, const Point3& down) {
    if (placed_[static_cast<std::size_t>(pair.other)].is_half_space()) return 0;
    const std::size_t axis = std::fabs(down[0]) < 0.9 ? 0 : 1;
    Point3 across = {};
    across[axis] = 1;
    across = cross(down, across);
    across = (1 / norm(across)) * across;
    return std::max(most(pair, across), most(pair, cross(down, across)));
  }

  double friction(const Touching& pair) const {
    return std::max(*placed_[static_cast<std::size_t>(pair.own)].part->friction,
                    *placed_[static_cast<std::size_t>(pair.other)].part->friction);
  }

  /// A part seen along the normal of a half space, which presses along it, as far as it carries.
  Silhouette along_normal(const StandingPart& part, const StandingPart& half_space, const Point3& down) {
    Silhouette found = seen(part, -1 * half_space.normal(), half_space.geometry);
    const double share = std::max(0.0, half_space.normal_share(down));
    for (double* area : {&found.area, &found.extent_area, &found.layer_area}) *area *= share;
    return found;
  }

  const Silhouette& seen(const StandingPart& part, const Point3& direction, const Geometry* layer) {
    const auto [found, is_new] = seen_.try_emplace({&part, direction, layer});
    if (is_new) found->second = silhouette(*part.geometry, part.direction(direction), layer);
    return found->second;
  }

  const LeastArea& least_of(const StandingPart& part) {
    const auto [found, is_new] = least_.try_emplace(part.index);
    if (is_new) found->second = least_area(*part.geometry);
    return found->second;
  }

  std::string text(const Body& body, double weight, double capacity) const {
    std::string support = "its contacts";
    if (partners_.size() == 1) {
      support = in_quotes(data_.description.bodies[static_cast<std::size_t>(*partners_.begin())].name);
    }
    const std::string ratio =
        capacity > 0 ? fmt::format("{:.3g} times the modulus would carry it", kGridError * weight / capacity)
                     : "give it more area";
    return fmt::format(
        "{} weighs {:.4g} N, but {} can carry at most {:.4g} N on its area as seen from above, so it sinks through, or "
        "deeper than the layer is thick; {}",
        in_quotes(body.name), weight, support, capacity, ratio);
  }

  const SceneData& data_;
  GeometryMasses masses_;
  std::vector<std::vector<Part>> parts_;
  std::vector<StandingPart> placed_;
  std::set<int> partners_;
  std::map<int, LeastArea> least_;
  std::map<std::tuple<const StandingPart*, Point3, const Geometry*>, Silhouette> seen_;
};

}  // namespace

Silhouette detail::silhouette(const Geometry& mesh, const std::array<double, 3>& direction, const Geometry* layer) {
  Grid grid(mesh, direction);
  for (const Triangle& triangle : mesh.surface) grid.add(triangle);
  for (const Tet& tet : mesh.mesh.tets) {
    for (std::size_t k = 0; k < 4; ++k) grid.add({tet[k], tet[(k + 1) % 4], tet[(k + 2) % 4]});
  }
  return grid.sum(layer);
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
