// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/cell_volume.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cstddef>

namespace isopatch::oracle {
namespace {

using Corners = std::array<ExtendedVector, 4>;

struct Pressure {
  ExtendedVector gradient = ExtendedVector::Zero();
  Extended constant = 0;  // at the origin
};

// A convex piece of a body on which its pressure is affine.
struct Cell {
  std::vector<HalfSpace> bounds;
  Pressure pressure;
  bool rigid = false;  // pressure is infinite
  bool bounded = true;
  ExtendedVector lower, upper;
};

struct Placement {
  Eigen::Matrix<Extended, 3, 3> rotation;
  ExtendedVector position;
};

Placement placement_of(const Body& body, const ExtendedVector& origin) {
  const auto& p = body.pose;
  Eigen::Quaternion<Extended> q(p[3], p[4], p[5], p[6]);
  return {q.normalized().toRotationMatrix(), ExtendedVector(p[0], p[1], p[2]) - origin};
}

std::vector<HalfSpace> faces_of(const Corners& x) {
  std::vector<HalfSpace> faces;
  for (std::size_t i = 0; i < 4; ++i) {
    const ExtendedVector& p = x[(i + 1) % 4];
    ExtendedVector normal = (x[(i + 2) % 4] - p).cross(x[(i + 3) % 4] - p).normalized();
    if (normal.dot(x[i] - p) > 0) normal = -normal;
    faces.push_back({normal, normal.dot(p)});
  }
  return faces;
}

Pressure pressure_through(const Corners& x, const std::array<Extended, 4>& values) {
  Eigen::Matrix<Extended, 4, 4> system;
  Eigen::Matrix<Extended, 4, 1> right;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    system.row(row) << x[i].transpose(), Extended{1};
    right[row] = values[i];
  }
  const Eigen::Matrix<Extended, 4, 1> solution = system.fullPivLu().solve(right);
  return {solution.head<3>(), solution[3]};
}

std::vector<Cell> cells_of(const SceneDescription& scene, const Body& body, const ExtendedVector& origin) {
  const Geometry& geometry = scene.geometries[static_cast<std::size_t>(body.geometry)];
  const Placement X = placement_of(body, origin);
  if (geometry.kind == GeometryKind::kHalfSpace) {
    const ExtendedVector up = X.rotation.col(2);
    const Extended rate = Extended{body.modulus} / geometry.thickness;
    return {{{{up, up.dot(X.position)}}, {-rate * up, rate * up.dot(X.position)}, body.rigid, false, up, up}};
  }

  std::vector<Cell> cells;
  for (const Tet& tet : geometry.mesh.tets) {
    Corners x;
    std::array<Extended, 4> values;
    for (std::size_t i = 0; i < 4; ++i) {
      const Point3& p = geometry.mesh.points[static_cast<std::size_t>(tet[i])];
      x[i] = X.rotation * ExtendedVector(p[0], p[1], p[2]) + X.position;
      values[i] = Extended{body.modulus} * geometry.extent[static_cast<std::size_t>(tet[i])];
    }
    Cell cell = {faces_of(x), pressure_through(x, values), body.rigid, true, x[0], x[0]};
    for (const ExtendedVector& corner : x) {
      cell.lower = cell.lower.cwiseMin(corner);
      cell.upper = cell.upper.cwiseMax(corner);
    }
    cells.push_back(cell);
  }
  return cells;
}

bool may_overlap(const Cell& a, const Cell& b) {
  if (!a.bounded || !b.bounded) return true;
  return (a.lower.array() <= b.upper.array()).all() && (b.lower.array() <= a.upper.array()).all();
}

using Face = std::vector<ExtendedVector>;

Face clipped(const Face& face, const HalfSpace& half_space) {
  Face kept;
  for (std::size_t k = 0; k < face.size(); ++k) {
    const ExtendedVector& here = face[k];
    const ExtendedVector& next = face[(k + 1) % face.size()];
    const Extended h = half_space.normal.dot(here) - half_space.offset;
    const Extended n = half_space.normal.dot(next) - half_space.offset;
    if (h <= 0) kept.push_back(here);
    if ((h < 0 && n > 0) || (h > 0 && n < 0)) kept.push_back(here + (next - here) * (h / (h - n)));
  }
  return kept;
}

Face square_in(const HalfSpace& plane, const ExtendedVector& inside, Extended reach) {
  const ExtendedVector center = inside - (plane.normal.dot(inside) - plane.offset) * plane.normal;
  const ExtendedVector u = plane.normal.unitOrthogonal() * (4 * reach);
  const ExtendedVector v = plane.normal.cross(u);
  return {center - u - v, center + u - v, center + u + v, center - u + v};
}

}  // namespace

Volume intersection_volume(const std::vector<HalfSpace>& half_spaces, const ExtendedVector& inside, Extended reach) {
  Volume sum;
  for (std::size_t i = 0; i < half_spaces.size(); ++i) {
    Face face = square_in(half_spaces[i], inside, reach);
    for (std::size_t j = 0; j < half_spaces.size() && !face.empty(); ++j) {
      if (j != i) face = clipped(face, half_spaces[j]);
    }

    // the pyramid from `inside` to the face, in tets
    for (std::size_t k = 1; k + 1 < face.size(); ++k) {
      const ExtendedVector u = face[0] - inside, v = face[k] - inside, w = face[k + 1] - inside;
      const Extended volume = u.cross(v).dot(w) / 6;
      sum.volume += volume;
      sum.first_moment += volume * (inside + (u + v + w) / 4);
    }
  }
  return sum;
}

VolumeWrench wrench_by_volume(const SceneDescription& scene) {
  const Body& a = scene.bodies[static_cast<std::size_t>((*scene.pairs)[0].a)];
  const Body& b = scene.bodies[static_cast<std::size_t>((*scene.pairs)[0].b)];
  const ExtendedVector origin(a.pose[0], a.pose[1], a.pose[2]);

  // the side whose gradient is integrated: the compliant one
  const bool use_a = !a.rigid;
  const std::vector<Cell> soft_cells = cells_of(scene, use_a ? a : b, origin);
  const std::vector<Cell> other_cells = cells_of(scene, use_a ? b : a, origin);
  VolumeWrench wrench;
  for (const Cell& soft : soft_cells) {
    for (const Cell& other : other_cells) {
      if (!may_overlap(soft, other)) continue;
      std::vector<HalfSpace> bounds = soft.bounds;
      bounds.insert(bounds.end(), other.bounds.begin(), other.bounds.end());
      if (!other.rigid) {
        const ExtendedVector gradient = soft.pressure.gradient - other.pressure.gradient;
        const Extended size = gradient.norm();
        bounds.push_back({gradient / size, (other.pressure.constant - soft.pressure.constant) / size});
      }
      const Cell& small = soft.bounded ? soft : other;
      const Volume part =
          intersection_volume(bounds, (small.lower + small.upper) / 2, (small.upper - small.lower).norm());
      const ExtendedVector gradient = use_a ? soft.pressure.gradient : ExtendedVector(-soft.pressure.gradient);
      wrench.force += part.volume * gradient;
      wrench.torque += part.first_moment.cross(gradient);
    }
  }
  return wrench;
}

Volume submerged_volume(const SceneDescription& scene) {
  const ExtendedVector origin = ExtendedVector::Zero();
  Volume sum;
  for (const Cell& a : cells_of(scene, scene.bodies[0], origin)) {
    for (const Cell& b : cells_of(scene, scene.bodies[1], origin)) {
      std::vector<HalfSpace> bounds = a.bounds;
      bounds.insert(bounds.end(), b.bounds.begin(), b.bounds.end());
      const Cell& small = a.bounded ? a : b;
      const Volume part =
          intersection_volume(bounds, (small.lower + small.upper) / 2, (small.upper - small.lower).norm());
      sum.volume += part.volume;
      sum.first_moment += part.first_moment;
    }
  }
  return sum;
}

}  // namespace isopatch::oracle
