// SPDX-License-Identifier: Apache-2.0
//
// A patch as four point contacts, or four for each cluster of normals, for solvers that take point contacts. A flat
// patch keeps its force, both of its moments, and its stiffness against sinking and against tilting.
//
// Of the polygons i of a cluster, f_i is the elastic force, the integral of p n, and k_i the stiffness A g; the force
// of a polygon across which the pressure does not rise counts, its stiffness is 0. With the cluster's normal n along F
// = sum f_i and k'_i = k_i (n_i . n)^2,
//
//   K = sum k'_i,  c = sum (integral of k' x) / K,  lambda_1 >= lambda_2 and e_1, e_2 the variances of k' in the plane
//   normal to n and their axes,  m = sum of the moments of p n about c:
//
//   points       c +- sqrt(2 lambda_1) e_1,  c +- sqrt(2 lambda_2) e_2,  each of the stiffness K / 4
//   -distance    |F| / K + b . (x - c),  b = -(m . e_2) / (K lambda_1) e_1 + (m . e_1) / (K lambda_2) e_2
//
// The four have the force F, the components of m in the plane, and K and K lambda as their stiffnesses. What they lack
// is the moment about n, and what the clusters lack that have no points.
#pragma once

#include "isopatch/detail/pressure_field/contact_output.h"

namespace isopatch::detail {

/// A polygon under its elastic pressure, in world axes.
struct ElasticPolygon {
  Vec3d centroid;     // from the origin of body a, m
  Vec3d u, v;         // axes in its plane
  Vec3d normal;       // unit, from body b into body a
  double force;       // integral of the pressure, N
  double stiffness;   // A g, N/m; 0 across which the pressure does not rise into each compliant body
  double xx, xy, yy;  // mean squares about the centroid, in the axes, m^2
  double x, y;        // integral of the pressure times the position about the centroid, in the axes, N m
};

template <class T>
ISOPATCH_HD ElasticPolygon make_elastic_polygon(const PairContext& f, const ContactPlane<T>& plane,
                                                const Segments<T>& s, int count) {
  const AreaMoments<T> found = area_moments(s, count);
  const auto number = [](T value) { return static_cast<double>(value); };
  const double one = number(found.one), x = number(found.x) / one, y = number(found.y) / one;  // in units of the radius
  const double radius = number(plane.radius), square = radius * radius, area = square * one;
  const double X = radius * (number(s.middle_x) + x), Y = radius * (number(s.middle_y) + y);
  ElasticPolygon out;
  out.xx = square * std::fma(-x, x, number(found.xx) / one);
  out.xy = square * std::fma(-x, y, number(found.xy) / one);
  out.yy = square * std::fma(-y, y, number(found.yy) / one);
  out.u = rotate(f.frame.X_WM, plane.axes.u);
  out.v = rotate(f.frame.X_WM, plane.axes.v);
  out.normal = (f.frame.swapped ? -1.0 : 1.0) * rotate(f.frame.X_WM, plane.normal);
  const Vec3d origin = rotate(f.frame.X_WM, plane.origin) + (f.frame.X_WM.translation - f.frame.p_WoA);
  out.centroid = fma(X, out.u, fma(Y, out.v, origin));
  out.force = area * std::fma(plane.pressure_u, X, std::fma(plane.pressure_v, Y, plane.pressure));
  out.x = area * std::fma(plane.pressure_u, out.xx, plane.pressure_v * out.xy);
  out.y = area * std::fma(plane.pressure_u, out.xy, plane.pressure_v * out.yy);
  out.stiffness = resists(f, plane) ? area * effective_gradient(f, plane) : 0.0;
  return out;
}

/// A force and its moment about a point.
struct ElasticWrench {
  Vec3d force = {0, 0, 0}, moment = {0, 0, 0};

  ISOPATCH_HD void add(Vec3d arm, Vec3d f) {
    force = force + f;
    moment = moment + cross(arm, f);
  }
  ISOPATCH_HD void add(const ElasticPolygon& p, Vec3d point) {
    add(p.centroid - point, p.force * p.normal);
    moment = moment + cross(fma(p.x, p.u, p.y * p.v), p.normal);
  }
};

/// Four points of a cluster, from the origin of body a.
struct PatchPoints {
  static constexpr int kPoints = 4;
  Vec3d point[kPoints];
  Vec3d normal;
  double stiffness;  // of each
  double distance[kPoints];
};

/// Clusters are of polygons whose normals are within 30 degrees of that of their first one, while there are enough.
inline constexpr double kClusterCosine = 0.86602540378443865;

/// A cluster whose forces cancel to less than this part of them has no direction, and no points.
inline constexpr double kLeastForce = 1e-9;

/// The point contacts of one pair, polygon(i) for i in [0, count), in their fixed order: the sums are plain loops.
template <class PolygonAt>
class PatchContacts {
 public:
  ISOPATCH_HD PatchContacts(const PolygonAt& polygon, int count, int max_clusters) : polygon_(polygon), count_(count) {
    for (num_seeds_ = 0; num_seeds_ < max_clusters && add_seed();) {
    }
  }

  ISOPATCH_HD int num_clusters() const { return num_seeds_; }

  /// The points of a cluster; false where it has none.
  ISOPATCH_HD bool make_points(int cluster, PatchPoints& out) const {
    Vec3d force = {0, 0, 0};
    double all = 0;
    for_each_of(cluster, [&](const ElasticPolygon& p) {
      force = fma(p.force, p.normal, force);
      all += p.force;
    });
    const double size = norm(force);
    if (!(size > kLeastForce * all)) return false;
    const Vec3d n = (1 / size) * force;

    double K = 0;
    Vec3d first = {0, 0, 0};
    for_each_of(cluster, [&](const ElasticPolygon& p) {
      const double k = stiffness_along(p, n);
      K += k;
      first = fma(k, p.centroid, first);
    });
    if (!(K > 0)) return false;
    const Vec3d center = (1 / K) * first;

    const Basis<double> axes = make_basis(n);
    double uu = 0, uv = 0, vv = 0;
    ElasticWrench wrench;
    for_each_of(cluster, [&](const ElasticPolygon& p) {
      const double k = stiffness_along(p, n);
      const Vec3d from = p.centroid - center;
      const double u = dot(from, axes.u), v = dot(from, axes.v);
      const double xu = dot(p.u, axes.u), xv = dot(p.u, axes.v), yu = dot(p.v, axes.u), yv = dot(p.v, axes.v);
      uu += k * (u * u + xu * xu * p.xx + 2 * (xu * yu * p.xy) + yu * yu * p.yy);
      uv += k * (u * v + xu * xv * p.xx + (xu * yv + yu * xv) * p.xy + yu * yv * p.yy);
      vv += k * (v * v + xv * xv * p.xx + 2 * (xv * yv * p.xy) + yv * yv * p.yy);
      wrench.add(p, center);
    });
    place(axes, center, n, size, K, {uu / K, uv / K, vv / K}, wrench.moment, out);
    return true;
  }

 private:
  struct Variance {
    double uu, uv, vv;
  };

  ISOPATCH_HD static double stiffness_along(const ElasticPolygon& p, Vec3d n) {
    const double cosine = dot(p.normal, n);
    return p.stiffness * cosine * cosine;
  }

  ISOPATCH_HD static void place(const Basis<double>& axes, Vec3d center, Vec3d n, double force, double K,
                                const Variance& s, Vec3d moment, PatchPoints& out) {
    const double mean = 0.5 * (s.uu + s.vv), half = 0.5 * (s.uu - s.vv), root = sqrt(half * half + s.uv * s.uv);
    const double most = mean + root, least = most > 0 ? max(0.0, (s.uu * s.vv - s.uv * s.uv) / most) : 0.0;
    // of the two forms of the axis, the one that does not cancel
    double x = half >= 0 ? half + root : s.uv, y = half >= 0 ? s.uv : root - half;
    const double length = sqrt(x * x + y * y);
    x = length > 0 ? x / length : 1.0;
    y = length > 0 ? y / length : 0.0;
    const Vec3d e1 = fma(x, axes.u, y * axes.v), e2 = cross(n, e1);
    const double arm1 = sqrt(2 * most), arm2 = sqrt(2 * least);
    const double depth = force / K;
    const double change1 = most > 0 ? -dot(moment, e2) * arm1 / (K * most) : 0.0;
    const double change2 = least > kFlat * most ? dot(moment, e1) * arm2 / (K * least) : 0.0;
    out.normal = n;
    out.stiffness = 0.25 * K;
    for (int j = 0; j < PatchPoints::kPoints; ++j) {
      const double sign = j % 2 == 0 ? 1.0 : -1.0;
      out.point[j] = fma(sign * (j < 2 ? arm1 : arm2), j < 2 ? e1 : e2, center);
      out.distance[j] = -(depth + sign * (j < 2 ? change1 : change2));
    }
  }

  /// Takes the polygon that is farthest from the clusters there are, weighted by its force; false where all are near.
  ISOPATCH_HD bool add_seed() {
    int best = -1;
    double most = 0;
    for (int i = 0; i < count_; ++i) {
      const ElasticPolygon& p = polygon_(i);
      double nearest = -1;
      cluster_of(p, nearest);
      const double weight = p.force * (1 - nearest);
      if ((num_seeds_ > 0 && nearest >= kClusterCosine) || !(weight > most)) continue;
      best = i;
      most = weight;
    }
    if (best < 0) return false;
    seeds_[num_seeds_++] = polygon_(best).normal;
    return true;
  }

  /// The cluster with the nearest normal, and the cosine between them.
  ISOPATCH_HD int cluster_of(const ElasticPolygon& p, double& nearest) const {
    int cluster = 0;
    for (int i = 0; i < num_seeds_; ++i) {
      const double cosine = dot(p.normal, seeds_[i]);
      if (i > 0 && !(cosine > nearest)) continue;
      nearest = cosine;
      cluster = i;
    }
    return cluster;
  }

  template <class Visit>
  ISOPATCH_HD void for_each_of(int cluster, const Visit& visit) const {
    double nearest = 0;
    for (int i = 0; i < count_; ++i) {
      const ElasticPolygon& p = polygon_(i);
      if (num_seeds_ == 1 || cluster_of(p, nearest) == cluster) visit(p);
    }
  }

  static constexpr double kFlat = 1e-24;  // a variance below this part of the other one is rounding

  const PolygonAt& polygon_;
  int count_, num_seeds_ = 0;
  Vec3d seeds_[limits::kMaxClusters];
};

/// Writes the patch contacts of a pair with the polygons polygon(i), i in [0, count), in their order. p_WoA is the
/// origin of body a.
template <class PolygonAt>
ISOPATCH_HD void write_patch_contacts(const Results& results, std::int64_t environment, int pair, Vec3d p_WoA,
                                      const PolygonAt& polygon, int count) {
  constexpr int kPoints = PatchPoints::kPoints;
  ElasticWrench all, of_points;
  for (int i = 0; i < count; ++i) all.add(polygon(i), {0, 0, 0});

  const PatchContacts<PolygonAt> contacts(polygon, count, results.max_clusters);
  int at = 0;
  const int first = pair * results.max_clusters;
  for (int cluster = 0; cluster < contacts.num_clusters(); ++cluster) {
    PatchPoints points;
    if (!contacts.make_points(cluster, points)) continue;
    const int row = first + at++;
    write(results.patch_normal, environment, 3 * row, points.normal);
    for (int j = 0; j < kPoints; ++j) {
      const Vec3d x = points.point[j];
      of_points.add(x, (points.stiffness * -points.distance[j]) * points.normal);
      write(results.patch_point, environment, 3 * (kPoints * row + j), p_WoA + x);
      write(results.patch_stiffness, environment, kPoints * row + j, points.stiffness);
      write(results.patch_distance, environment, kPoints * row + j, points.distance[j]);
    }
  }
  write(results.patch_count, environment, pair, at);
  write(results.patch_residual, environment, 6 * pair, all.force - of_points.force);
  write(results.patch_residual, environment, 6 * pair + 3, all.moment - of_points.moment);
  for (int row = first + at; row < first + results.max_clusters; ++row) {
    for (int i = 0; i < 3 * kPoints; ++i) write(results.patch_point, environment, 3 * kPoints * row + i, 0.0);
    write(results.patch_normal, environment, 3 * row, Vec3d{0, 0, 0});
    for (int j = 0; j < kPoints; ++j) {
      write(results.patch_stiffness, environment, kPoints * row + j, 0.0);
      write(results.patch_distance, environment, kPoints * row + j, 0.0);
    }
  }
}

}  // namespace isopatch::detail
