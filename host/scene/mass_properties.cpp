// SPDX-License-Identifier: Apache-2.0
#include "isopatch/scene/mass_properties.h"

#include <cmath>

#include "host/mesh/math/point_math.h"
#include "host/mesh/topology/element_check.h"
#include "host/scene/body_mass.h"
#include "host/scene/scene_check.h"
#include "host/scene/scene_rules.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/detail/scene/environment.h"

namespace isopatch {

using namespace detail;

namespace {

using Matrix3 = std::array<Point3, 3>;

/// A sum that carries along what its additions round off (Neumaier), so that its error does not grow with their number.
class CompensatedSum {
 public:
  void add(double x) {
    const double sum = sum_ + x;
    rounded_off_ += std::fabs(sum_) >= std::fabs(x) ? (sum_ - sum) + x : (x - sum) + sum_;
    sum_ = sum;
  }
  double value() const { return sum_ + rounded_off_; }

 private:
  double sum_ = 0, rounded_off_ = 0;
};

/// Integrals over the inside of a surface.
struct Moments {
  double volume;   // of 1, m^3
  Point3 first;    // of x, m^4
  Matrix3 second;  // of x x^T, m^5
};

/// The integrals of coordinates relative to `origin`. Each triangle (a, b, c) adds the integrals of its tet with the
/// origin, whose volume is v/6, v = a . (b x c): v s/24 and v (a a^T + b b^T + c c^T + s s^T)/120, s = a + b + c.
Moments moments_about(const Point3& origin, const Geometry& geometry) {
  CompensatedSum volume;
  std::array<CompensatedSum, 3> first;
  std::array<std::array<CompensatedSum, 3>, 3> second;  // the upper half
  for (const auto& [i, j, k] : geometry.surface) {
    const Point3 a = point_at(geometry.mesh, i) - origin, b = point_at(geometry.mesh, j) - origin,
                 c = point_at(geometry.mesh, k) - origin, s = a + b + c;
    const double v = dot(a, cross(b, c));
    volume.add(v);
    for (std::size_t row = 0; row < 3; ++row) {
      first[row].add(v * s[row]);
      for (std::size_t column = row; column < 3; ++column) {
        second[row][column].add(v *
                                (a[row] * a[column] + b[row] * b[column] + c[row] * c[column] + s[row] * s[column]));
      }
    }
  }

  Moments moments{volume.value() / 6, {}, {}};
  for (std::size_t row = 0; row < 3; ++row) {
    moments.first[row] = first[row].value() / 24;
    for (std::size_t column = row; column < 3; ++column) {
      moments.second[row][column] = moments.second[column][row] = second[row][column].value() / 120;
    }
  }
  return moments;
}

/// The inertia of what has the second moments P: tr(P) 1 - P.
Matrix3 inertia_of(const Matrix3& P) {
  return {{{P[1][1] + P[2][2], -P[0][1], -P[0][2]},
           {-P[1][0], P[2][2] + P[0][0], -P[1][2]},
           {-P[2][0], -P[2][1], P[0][0] + P[1][1]}}};
}

void add_scaled(Matrix3& sum, double scale, const Matrix3& m) {
  for (std::size_t row = 0; row < 3; ++row) sum[row] = sum[row] + scale * m[row];
}

void check_positive(const char* name, double value, const char* unit) {
  if (std::isfinite(value) && value > 0) return;
  throw_error("mass properties: {} is {} {}; it must be finite and positive", name, value, unit);
}

void check_pose(const std::array<double, 7>& pose) {
  try {
    for (std::size_t i = 0; i < 3; ++i) check_range(pose[i], kPositionRange);
  } catch (const Error& error) {
    throw with_location("mass properties: a coordinate of the position ", error);
  }
  try {
    check_orientation(pose);
  } catch (const Error& error) {
    throw with_location("mass properties: orientation: ", error);
  }
}

const Geometry& geometry_of(const SceneDescription& scene, const Part& part) { return scene.geometries[part.geometry]; }

/// The parts of a body that have a volume, each at 1 kg/m^3 in the body's frame.
std::vector<MassProperties> solid_parts(const SceneDescription& scene, const Body& body, GeometryMasses& masses) {
  std::vector<MassProperties> solids;
  for (const Part& part : parts_of(body)) {
    const bool half_space = geometry_of(scene, part).kind == GeometryKind::kHalfSpace;
    if (!half_space) solids.push_back(placed(masses.of(part.geometry), part.pose));
  }
  return solids;
}

/// The tensor of which these are the entries xx, yy, zz, xy, xz, yz.
std::array<Point3, 3> tensor_of(const std::array<double, 6>& entries) {
  const auto& [xx, yy, zz, xy, xz, yz] = entries;
  return {{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}};
}

/// Of a plate 1 m thick, of which the polygon is the middle.
MassProperties mass_of_polygon(const Geometry& geometry) {
  const std::vector<Point3>& points = geometry.mesh.points;
  double area = 0;
  Point3 first{};  // moments about corner 0
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 2; i < points.size(); ++i) {
    const Point3 a = points[i - 1] - points[0], b = points[i] - points[0], sum = a + b;
    const double size = 0.5 * (a[0] * b[1] - a[1] * b[0]);
    area += size;
    first = first + (size / 3) * sum;
    xx += size / 12 * (a[0] * a[0] + b[0] * b[0] + sum[0] * sum[0]);
    yy += size / 12 * (a[1] * a[1] + b[1] * b[1] + sum[1] * sum[1]);
    xy += size / 12 * (a[0] * a[1] + b[0] * b[1] + sum[0] * sum[1]);
  }
  if (!(std::isfinite(area) && area > 0)) {
    throw_error("{}: its area is {} m^2; it must be finite and positive", geometry.name, area);
  }
  const Point3 center = (1 / area) * first;
  xx -= area * center[0] * center[0], yy -= area * center[1] * center[1], xy -= area * center[0] * center[1];
  const double thickness = area / 12;  // of which the second moment along z is that
  return {area, area, points[0] + center, {{{yy + thickness, -xy, 0}, {-xy, xx + thickness, 0}, {0, 0, xx + yy}}}};
}

}  // namespace

MassProperties mass_properties(const Geometry& geometry) {
  const StandardArithmetic standard;
  if (geometry.kind != GeometryKind::kMesh) {
    throw Error(geometry.name + ": a half space has no finite volume; mass properties are those of meshes");
  }
  check_indices(geometry.surface, geometry.mesh.points.size(), geometry.name);
  if (geometry.polygon) return mass_of_polygon(geometry);

  // relative to points nearby, so that nothing cancels: the centre from the middle, then the inertia from the centre
  const Box bounds = box_of(geometry.mesh.points, geometry.surface);
  const Point3 middle = 0.5 * (bounds.low + bounds.high);
  const Moments rough = moments_about(middle, geometry);
  if (!(std::isfinite(rough.volume) && rough.volume > 0)) {
    throw_error("{}: its {} surface triangles enclose a volume of {} m^3; it must be finite and positive",
                geometry.name, geometry.surface.size(), rough.volume);
  }
  const Point3 near_center = middle + (1 / rough.volume) * rough.first;
  const Moments moments = moments_about(near_center, geometry);
  return {moments.volume, moments.volume, near_center + (1 / moments.volume) * moments.first,
          inertia_of(moments.second)};
}

MassProperties with_density(const MassProperties& properties, double density) {
  const StandardArithmetic standard;
  check_positive("the density", density, "kg/m^3");
  check_positive("the volume", properties.volume, "m^3");
  return with_mass(properties, density * properties.volume);
}

MassProperties with_mass(const MassProperties& properties, double mass) {
  const StandardArithmetic standard;
  check_positive("the mass", mass, "kg");
  check_positive("the mass before", properties.mass, "kg");
  MassProperties scaled = properties;
  scaled.mass = mass;
  scaled.inertia = {};
  add_scaled(scaled.inertia, mass / properties.mass, properties.inertia);
  return scaled;
}

MassProperties placed(const MassProperties& properties, const std::array<double, 7>& pose) {
  const StandardArithmetic standard;
  check_pose(pose);
  State state;
  state.poses = pose.data();
  const Transform<double> X = read_pose(state, 0, 0);

  MassProperties result = properties;
  const Point3& c = properties.center;
  const Vec3d center = apply(X, Vec3d{c[0], c[1], c[2]});
  result.center = {center.x, center.y, center.z};

  // R I R^T, the same for (row, column) and (column, row)
  const auto times_inertia = [&](const Vec3d& v) {
    const auto& [x, y, z] = properties.inertia;
    return v.x * Vec3d{x[0], x[1], x[2]} + v.y * Vec3d{y[0], y[1], y[2]} + v.z * Vec3d{z[0], z[1], z[2]};
  };
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = row; column < 3; ++column) {
      result.inertia[row][column] = result.inertia[column][row] = dot(times_inertia(X.row[row]), X.row[column]);
    }
  }
  return result;
}

MassProperties combined(std::span<const MassProperties> parts) {
  const StandardArithmetic standard;
  if (parts.empty()) throw Error("mass properties: no parts to combine; there must be at least one");

  // relative to the first part's centre, so that nothing is lost far from the origin
  MassProperties sum;
  const Point3 near = parts.front().center;
  Point3 first{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    check_positive(fmt::format("the mass of part {}", i).c_str(), parts[i].mass, "kg");
    sum.volume += parts[i].volume;
    sum.mass += parts[i].mass;
    first = first + parts[i].mass * (parts[i].center - near);
  }
  sum.center = near + (1 / sum.mass) * first;

  for (const MassProperties& part : parts) {
    const Point3 d = part.center - sum.center;
    add_scaled(sum.inertia, 1, part.inertia);
    add_scaled(sum.inertia, part.mass, inertia_of({d[0] * d, d[1] * d, d[2] * d}));
  }
  return sum;
}

MassProperties mass_properties(const SceneDescription& scene, const Body& body) {
  check_geometry_indices(scene, body);
  std::vector<MassProperties> parts;
  for (const Part& part : parts_of(body)) parts.push_back(placed(mass_properties(geometry_of(scene, part)), part.pose));
  return combined(parts);
}

MassProperties body_mass(const SceneDescription& scene, const Body& body) {
  GeometryMasses masses(scene);
  return body_mass(scene, body, masses);
}

MassProperties detail::body_mass(const SceneDescription& scene, const Body& body, GeometryMasses& masses) {
  const StandardArithmetic standard;
  check_geometry_indices(scene, body);
  check_mass(body);
  if (body.mass && body.center_of_mass && body.inertia) {
    return {0, *body.mass, *body.center_of_mass, tensor_of(*body.inertia)};
  }

  const std::vector<MassProperties> solids = solid_parts(scene, body, masses);
  if (solids.empty()) {
    fail_scene("body {} has no part with a volume; give its mass, center_of_mass and inertia", in_quotes(body.name));
  }
  const MassProperties filled = combined(solids);
  MassProperties mass =
      body.mass ? with_mass(filled, *body.mass) : with_density(filled, body.density.value_or(kDefaultDensity));
  if (body.center_of_mass) mass.center = *body.center_of_mass;
  if (body.inertia) mass.inertia = tensor_of(*body.inertia);
  return mass;
}

}  // namespace isopatch
