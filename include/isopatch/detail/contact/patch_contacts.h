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

#include "isopatch/detail/scene/environment.h"
#include "isopatch/limits.h"

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

/// A force and its moment about a point.
struct ElasticWrench {
  Vec3d force, moment;

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
inline constexpr double kMinForce = 1e-9;

/// The point contacts of one pair, in sweeps over its polygons in their fixed order: the sums are plain loops. begin(),
/// then in each sweep add() for some polygons after others, until finish_sweep() says that there is no other.
class PatchContacts {
 public:
  ISOPATCH_HD void begin(int max_clusters) {
    max_clusters_ = max_clusters;
    num_seeds_ = num_written_ = 0;
    all_ = of_points_ = none();
    begin_seed();
  }

  /// Adds polygon(i), i in [0, count).
  template <class PolygonAt>
  ISOPATCH_HD void add(const PolygonAt& polygon, int count) {
    switch (sweep_) {
      case Sweep::kSeed:
        return add_to_seed(polygon, count);
      case Sweep::kForce:
        return add_to_force(polygon, count);
      case Sweep::kStiffness:
        return add_to_stiffness(polygon, count);
      case Sweep::kMoments:
        return add_to_moments(polygon, count);
    }
  }

  /// All polygons were added. Writes what is known; false where that was the last. p_WoA is the origin of body a.
  ISOPATCH_HD bool finish_sweep(const Results& results, std::int64_t environment, int pair, Vec3d p_WoA) {
    switch (sweep_) {
      case Sweep::kSeed:
        if (most_ > 0) ++num_seeds_;
        if (most_ > 0 && num_seeds_ < max_clusters_) {
          begin_seed();
          return true;
        }
        return begin_cluster(0, results, environment, pair);
      case Sweep::kForce:
        if (begin_stiffness()) return true;
        break;
      case Sweep::kStiffness:
        if (begin_moments()) return true;
        break;
      case Sweep::kMoments:
        write_points(results, environment, pair, p_WoA);
        break;
    }
    return begin_cluster(cluster_ + 1, results, environment, pair);
  }

 private:
  enum class Sweep : std::uint8_t { kSeed, kForce, kStiffness, kMoments };

  struct Variance {
    double uu, uv, vv;
  };

  ISOPATCH_HD static ElasticWrench none() { return {{0, 0, 0}, {0, 0, 0}}; }

  ISOPATCH_HD void begin_seed() {
    sweep_ = Sweep::kSeed;
    most_ = 0;
  }

  /// Takes the polygon that is farthest from the clusters there are, weighted by its force, unless it is near.
  template <class PolygonAt>
  ISOPATCH_HD void add_to_seed(const PolygonAt& polygon, int count) {
    ElasticWrench all = all_;
    double most = most_;
    Vec3d normal = most > 0 ? seeds_[num_seeds_] : Vec3d{0, 0, 0};
    for (int i = 0; i < count; ++i) {
      const ElasticPolygon& p = polygon(i);
      if (num_seeds_ == 0) all.add(p, {0, 0, 0});
      double nearest = -1;
      cluster_of(p, nearest);
      const double weight = p.force * (1 - nearest);
      if ((num_seeds_ > 0 && nearest >= kClusterCosine) || !(weight > most)) continue;
      most = weight;
      normal = p.normal;
    }
    all_ = all;
    most_ = most;
    seeds_[num_seeds_] = normal;
  }

  /// Begins a cluster, or ends where there is none.
  ISOPATCH_HD bool begin_cluster(int cluster, const Results& results, std::int64_t environment, int pair) {
    if (cluster >= num_seeds_) {
      write_rest(results, environment, pair);
      return false;
    }
    sweep_ = Sweep::kForce;
    cluster_ = cluster;
    vector_ = {0, 0, 0};
    sum_ = 0;
    return true;
  }

  template <class PolygonAt>
  ISOPATCH_HD void add_to_force(const PolygonAt& polygon, int count) {
    Vec3d force = vector_;
    double all = sum_;
    for_each_own(polygon, count, [&](const ElasticPolygon& p) {
      force = fma(p.force, p.normal, force);
      all += p.force;
    });
    vector_ = force;
    sum_ = all;
  }

  ISOPATCH_HD bool begin_stiffness() {
    force_ = norm(vector_);
    if (!(force_ > kMinForce * sum_)) return false;
    sweep_ = Sweep::kStiffness;
    normal_ = (1 / force_) * vector_;
    vector_ = {0, 0, 0};
    sum_ = 0;
    return true;
  }

  template <class PolygonAt>
  ISOPATCH_HD void add_to_stiffness(const PolygonAt& polygon, int count) {
    const Vec3d n = normal_;
    Vec3d first = vector_;
    double K = sum_;
    for_each_own(polygon, count, [&](const ElasticPolygon& p) {
      const double k = stiffness_along(p, n);
      K += k;
      first = fma(k, p.centroid, first);
    });
    vector_ = first;
    sum_ = K;
  }

  ISOPATCH_HD bool begin_moments() {
    if (!(sum_ > 0)) return false;
    sweep_ = Sweep::kMoments;
    vector_ = (1 / sum_) * vector_;
    variance_ = {0, 0, 0};
    wrench_ = none();
    return true;
  }

  template <class PolygonAt>
  ISOPATCH_HD void add_to_moments(const PolygonAt& polygon, int count) {
    const Vec3d n = normal_, center = vector_;
    const Basis<double> axes = make_basis(n);
    double uu = variance_.uu, uv = variance_.uv, vv = variance_.vv;
    ElasticWrench wrench = wrench_;
    for_each_own(polygon, count, [&](const ElasticPolygon& p) {
      const double k = stiffness_along(p, n);
      const Vec3d from = p.centroid - center;
      const double u = dot(from, axes.u), v = dot(from, axes.v);
      const double xu = dot(p.u, axes.u), xv = dot(p.u, axes.v), yu = dot(p.v, axes.u), yv = dot(p.v, axes.v);
      uu += k * (u * u + xu * xu * p.xx + 2 * (xu * yu * p.xy) + yu * yu * p.yy);
      uv += k * (u * v + xu * xv * p.xx + (xu * yv + yu * xv) * p.xy + yu * yv * p.yy);
      vv += k * (v * v + xv * xv * p.xx + 2 * (xv * yv * p.xy) + yv * yv * p.yy);
      wrench.add(p, center);
    });
    variance_ = {uu, uv, vv};
    wrench_ = wrench;
  }

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

  /// Calls visit(polygon) for those of the cluster.
  template <class PolygonAt, class Visit>
  ISOPATCH_HD void for_each_own(const PolygonAt& polygon, int count, const Visit& visit) const {
    double nearest = 0;
    for (int i = 0; i < count; ++i) {
      const ElasticPolygon& p = polygon(i);
      if (num_seeds_ == 1 || cluster_of(p, nearest) == cluster_) visit(p);
    }
  }

  ISOPATCH_HD void write_points(const Results& results, std::int64_t environment, int pair, Vec3d p_WoA) {
    constexpr int kPoints = PatchPoints::kPoints;
    PatchPoints points;
    const double K = sum_;
    place(make_basis(normal_), vector_, normal_, force_, K, {variance_.uu / K, variance_.uv / K, variance_.vv / K},
          wrench_.moment, points);
    const int row = pair * max_clusters_ + num_written_++;
    write(results.patch_normal, environment, 3 * row, points.normal);
    for (int j = 0; j < kPoints; ++j) {
      const Vec3d x = points.point[j];
      of_points_.add(x, (points.stiffness * -points.distance[j]) * points.normal);
      write(results.patch_point, environment, 3 * (kPoints * row + j), p_WoA + x);
      write(results.patch_stiffness, environment, kPoints * row + j, points.stiffness);
      write(results.patch_distance, environment, kPoints * row + j, points.distance[j]);
    }
  }

  /// Writes what the points are not, and zeroes for the clusters that have none.
  ISOPATCH_HD void write_rest(const Results& results, std::int64_t environment, int pair) const {
    constexpr int kPoints = PatchPoints::kPoints;
    write(results.patch_count, environment, pair, num_written_);
    write(results.patch_residual, environment, 6 * pair, all_.force - of_points_.force);
    write(results.patch_residual, environment, 6 * pair + 3, all_.moment - of_points_.moment);
    const int first = pair * max_clusters_;
    for (int row = first + num_written_; row < first + max_clusters_; ++row) {
      for (int i = 0; i < 3 * kPoints; ++i) write(results.patch_point, environment, 3 * kPoints * row + i, 0.0);
      write(results.patch_normal, environment, 3 * row, Vec3d{0, 0, 0});
      for (int j = 0; j < kPoints; ++j) {
        write(results.patch_stiffness, environment, kPoints * row + j, 0.0);
        write(results.patch_distance, environment, kPoints * row + j, 0.0);
      }
    }
  }

  static constexpr double kFlat = 1e-24;  // a variance below this part of the other one is rounding

  Sweep sweep_;
  int max_clusters_, num_seeds_, num_written_;
  int cluster_;  // at hand
  Vec3d seeds_[limits::kMaxClusters];
  double most_;  // the weight of the seed that was found; 0: none yet
  ElasticWrench all_, of_points_;

  // of the cluster
  double force_;
  Vec3d normal_;
  Vec3d vector_;  // sum of forces; then of centroids by their stiffness; then the center
  double sum_;    // of the forces' sizes; then of stiffnesses
  Variance variance_;
  ElasticWrench wrench_;
};

/// Writes the patch contacts of a pair with the polygons polygon(i), i in [0, count), in their order. p_WoA is the
/// origin of body a.
template <class PolygonAt>
ISOPATCH_HD void write_patch_contacts(const Results& results, std::int64_t environment, int pair, Vec3d p_WoA,
                                      const PolygonAt& polygon, int count) {
  PatchContacts contacts = {};
  contacts.begin(results.max_clusters);
  do {
    contacts.add(polygon, count);
  } while (contacts.finish_sweep(results, environment, pair, p_WoA));
}

}  // namespace isopatch::detail
