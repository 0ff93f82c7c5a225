// SPDX-License-Identifier: Apache-2.0
#include "host/reference/single_contact/mesh_overlap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "host/reference/scene/posed_body.h"
#include "host/threads/work_counter.h"

namespace isopatch::reference {
namespace {

using Loop = std::vector<Vector3>;

/// A convex body by its faces, in either direction.
using Polyhedron = std::vector<Loop>;

/// The part of a convex polygon where the function is not positive; appends the points where it is 0 to `cut`.
Loop clipped(const Loop& loop, const Affine& function, Loop* cut) {
  Loop out;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Vector3 &x = loop[i], &y = loop[(i + 1) % loop.size()];
    const Real at_x = function.at(x), at_y = function.at(y);
    if (at_x <= 0) out.push_back(x);
    if (at_x == 0 && cut != nullptr) cut->push_back(x);
    if ((at_x < 0 && at_y > 0) || (at_x > 0 && at_y < 0)) {
      const Vector3 point = x + at_x / (at_x - at_y) * (y - x);
      out.push_back(point);
      if (cut != nullptr) cut->push_back(point);
    }
  }
  return out;
}

/// Points of a plane in the order of their angles about their mean.
Loop in_order(Loop points, const Vector3& normal) {
  Vector3 mean = Vector3::Zero();
  for (const Vector3& x : points) mean += x / static_cast<Real>(points.size());
  Eigen::Index least = 0;
  normal.cwiseAbs().minCoeff(&least);
  const Vector3 u = normal.cross(Vector3::Unit(least)).normalized(), v = normal.normalized().cross(u);
  const auto angle = [&](const Vector3& x) { return std::atan2(v.dot(x - mean), u.dot(x - mean)); };
  std::sort(points.begin(), points.end(), [&](const Vector3& x, const Vector3& y) { return angle(x) < angle(y); });
  return points;
}

/// The part of a polyhedron where the function is not positive; its new face, which may be empty, comes last.
Polyhedron clipped(const Polyhedron& body, const Affine& function) {
  Polyhedron out;
  Loop cut;
  for (const Loop& face : body) {
    Loop left = clipped(face, function, &cut);
    if (left.size() > 2) out.push_back(std::move(left));
  }
  out.push_back(cut.size() > 2 ? in_order(std::move(cut), function.gradient) : Loop{});
  return out;
}

Vector3 area_of(const Loop& loop) {
  Vector3 area = Vector3::Zero();
  for (std::size_t i = 1; i + 1 < loop.size(); ++i) area += (loop[i] - loop[0]).cross(loop[i + 1] - loop[0]) / 2;
  return area;
}

/// Integrals of 1, x and x x^T.
struct Moments {
  Real volume = 0;
  Vector3 first = Vector3::Zero();
  Matrix3 second = Matrix3::Zero();

  /// Adds a body's moments about a point that is `arm` away from this sum's.
  void add(Real sign, const Moments& body, const Vector3& arm) {
    volume += sign * body.volume;
    first += sign * (body.first + body.volume * arm);
    const Matrix3 cross = body.first * arm.transpose();
    second += sign * (body.second + cross + cross.transpose() + body.volume * arm * arm.transpose());
  }
};

Vector3 mean_of(const Polyhedron& body) {
  Vector3 sum = Vector3::Zero();
  Real count = 0;
  for (const Loop& face : body) {
    for (const Vector3& x : face) sum += x, ++count;
  }
  return count > 0 ? Vector3(sum / count) : sum;
}

/// About a point of the body.
Moments moments_of(const Polyhedron& body, const Vector3& point) {
  Moments out;
  for (const Loop& face : body) {
    for (std::size_t i = 1; i + 1 < face.size(); ++i) {
      const Vector3 p = face[0] - point, q = face[i] - point, r = face[i + 1] - point, sum = p + q + r;
      const Real volume = std::abs(p.cross(q).dot(r)) / 6;
      out.volume += volume;
      out.first += volume / 4 * sum;
      out.second += volume / 20 * (sum * sum.transpose() + p * p.transpose() + q * q.transpose() + r * r.transpose());
    }
  }
  return out;
}

Polyhedron polyhedron_of(const PressureTet& tet) {
  Polyhedron faces;
  for (std::size_t i = 0; i < 4; ++i) {
    faces.push_back({tet.vertices[(i + 1) % 4], tet.vertices[(i + 2) % 4], tet.vertices[(i + 3) % 4]});
  }
  return faces;
}

/// Not positive inside, and the height over face i where it is positive.
std::array<Affine, 4> sides_of(const PressureTet& tet) {
  std::array<Affine, 4> sides;
  for (std::size_t i = 0; i < 4; ++i) {
    const Affine inside = barycentric(tet.vertices, i);
    const Real slope = inside.gradient.norm();
    sides[i] = {-inside.gradient / slope, inside.point, 0};
  }
  return sides;
}

/// The vector area of the surface of one part inside another, and the area itself.
struct Surface {
  Vector3 area = Vector3::Zero();
  Real size = 0;
};

Surface surface_inside(const PosedBody& surface, const PosedBody& solid) {
  Surface out;
  const Real rounding = 1e-17L * (surface.size + solid.size);
  detail::WorkCounter counter;
  for (std::size_t i = 0; i < surface.triangles.size(); ++i) {
    const SurfaceTriangle& triangle = surface.triangles[i];
    for (std::size_t k = 0; k < solid.tets.size(); ++k) {
      counter.add(1);
      if (!surface.triangle_boxes[i].overlaps(solid.tet_boxes[k], rounding)) continue;
      Loop loop(triangle.begin(), triangle.end());
      Real weight = solid.tet_signs[k];
      for (const Affine& side : sides_of(solid.tets[k])) {
        const bool is_flush = std::all_of(triangle.begin(), triangle.end(),
                                          [&](const Vector3& x) { return std::abs(side.at(x)) <= rounding; });
        if (is_flush) {
          weight /= 2;
        } else {
          loop = clipped(loop, side, nullptr);
        }
      }
      const Vector3 area = area_of(loop);
      out.area += weight * area;
      out.size += weight * area.norm();
    }
  }
  return out;
}

/// Adds bodies up about the first one's point.
class Sum {
 public:
  void add(Real sign, const Polyhedron& body) {
    const Vector3 own = mean_of(body);
    if (empty_) point_ = own;
    empty_ = false;
    moments_.add(sign, moments_of(body, own), own - point_);
  }
  OverlapIntegrals integrals(const Vector3& area) const {
    OverlapIntegrals out;
    if (!(moments_.volume > 0)) return out;
    const Vector3 arm = moments_.first / moments_.volume;
    out.volume = moments_.volume;
    out.centroid = point_ + arm;
    out.second = moments_.second - moments_.volume * arm * arm.transpose();
    out.area = area;
    return out;
  }

 private:
  bool empty_ = true;
  Vector3 point_ = Vector3::Zero();
  Moments moments_;
};

/// Of a mesh below a plane.
MeshOverlap overlap_below(const PosedBody& mesh, const Affine& height, bool mesh_is_a) {
  MeshOverlap out;
  out.size = mesh.size;
  Sum sum;
  Vector3 section = Vector3::Zero();  // of the plane inside the mesh
  for (std::size_t i = 0; i < mesh.tets.size(); ++i) {
    const Polyhedron below = clipped(polyhedron_of(mesh.tets[i]), height);
    sum.add(mesh.tet_signs[i], below);
    section += mesh.tet_signs[i] * area_of(below.back()).norm() * height.gradient;
  }
  for (const SurfaceTriangle& triangle : mesh.triangles) {
    out.surface += area_of(clipped(Loop(triangle.begin(), triangle.end()), height, nullptr)).norm();
  }
  out.surface += section.norm();
  out.integrals = sum.integrals(mesh_is_a ? section : Vector3(-section));
  return out;
}

}  // namespace

MeshOverlap mesh_overlap(const PartState& a, const Transform& X_A, const PartState& b, const Transform& X_B) {
  const PosedBody of_a(*a.geometry, true, 0, X_A), of_b(*b.geometry, true, 0, X_B);
  if (of_a.half_space) return overlap_below(of_b, of_a.height, false);
  if (of_b.half_space) return overlap_below(of_a, of_b.height, true);
  MeshOverlap out;
  out.size = of_a.size + of_b.size;
  Sum sum;
  detail::WorkCounter counter;
  for (std::size_t i = 0; i < of_a.tets.size(); ++i) {
    for (std::size_t k = 0; k < of_b.tets.size(); ++k) {
      counter.add(1);
      if (!of_a.tet_boxes[i].overlaps(of_b.tet_boxes[k], 0)) continue;
      Polyhedron common = polyhedron_of(of_a.tets[i]);
      for (const Affine& side : sides_of(of_b.tets[k])) common = clipped(common, side);
      sum.add(of_a.tet_signs[i] * of_b.tet_signs[k], common);
    }
  }
  const Surface of_surface_b = surface_inside(of_b, of_a), of_surface_a = surface_inside(of_a, of_b);
  out.surface = of_surface_a.size + of_surface_b.size;
  out.integrals = sum.integrals(of_surface_b.area);
  return out;
}

}  // namespace isopatch::reference
