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

#include <cmath>

#include "isopatch/detail/contact/sweep_sums.h"
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

/// The point contacts of one pair, in sweeps over its polygons, by a warp whose threads have it in common. begin(),
/// then in each sweep add() for some polygons after others, until finish_sweep() says that there is no other. The sums
/// are in the order of lane_sums.h, of SweepSums that each thread begins with.
class PatchContacts {
 public:
  /// Called by one thread, before the others go on.
  ISOPATCH_HD void begin(int max_clusters) {
    sweep_ = Sweep::kSeed;
    max_clusters_ = max_clusters;
    num_seeds_ = num_written_ = 0;
    all_ = of_points_ = {{0, 0, 0}, {0, 0, 0}};
  }

  /// Adds the polygons first + i of the pair's order: polygon(i), i in [0, count). Called by all threads.
  template <class Warp, int lanes, class PolygonAt>
  ISOPATCH_HD void add(Warp& warp, SweepSums<lanes>& own, const PolygonAt& polygon, int first, int count) const {
    switch (sweep_) {
      case Sweep::kSeed:
        return add_to_seed(warp, own, polygon, first, count);
      case Sweep::kForce:
        return add_to_force(warp, own, polygon, first, count);
      case Sweep::kStiffness:
        return add_to_stiffness(warp, own, polygon, first, count);
      case Sweep::kMoments:
        return add_to_moments(warp, own, polygon, first, count);
    }
  }

  /// All polygons were added. Writes what is known; false where that was the last. p_WoA is the origin of body a.
  /// Called by all threads.
  template <class Warp, int lanes>
  ISOPATCH_HD bool finish_sweep(Warp& warp, SweepSums<lanes>& own, const Results& results, std::int64_t environment,
                                int pair, Vec3d p_WoA) {
    double sums[kSums] = {};
    bool has_seed = false;
    if (sweep_ == Sweep::kMoments) {
      own.sums.template finish<6>(warp, sums);
    } else if (sweep_ != Sweep::kSeed) {
      own.sums.template finish<4>(warp, sums);
    } else {
      if (num_seeds_ == 0) own.sums.finish(warp, sums);
      const bool is_first = own.is_first(warp);
      has_seed = warp.ballot(is_first) != 0u;
      if (is_first) seeds_[num_seeds_] = own.normal;
    }
    warp.sync();  // all have read what changes now
    bool more = false;
    if (warp.lane() == 0) more = next_sweep(sums, has_seed, results, environment, pair, p_WoA);
    more = warp.from_first(more ? 1 : 0) != 0;
    warp.sync();
    own.clear();
    return more;
  }

 private:
  static constexpr int kSums = SweepSums<1>::kSums;

  /// Of the polygons' sums: which of them a sweep has.
  enum class Sweep : std::uint8_t {
    kSeed,       // for the first seed: force, sum of forces, moment about body a's origin
    kForce,      // force, sum of forces
    kStiffness,  // sum of centroids by their stiffness, stiffness
    kMoments     // variances uu, uv, vv; moment about the center
  };

  struct Variance {
    double uu, uv, vv;
  };

  /// Adds the polygon's moment about a point.
  ISOPATCH_HD static void add_moment(double* sums, const ElasticPolygon& p, Vec3d point) {
    add_to(sums, cross(p.centroid - point, p.force * p.normal) + cross(fma(p.x, p.u, p.y * p.v), p.normal));
  }

  /// Adds weight * v, and the weight.
  ISOPATCH_HD static void add_weighted(double* sums, double weight, Vec3d v) {
    sums[0] = std::fma(weight, v.x, sums[0]);
    sums[1] = std::fma(weight, v.y, sums[1]);
    sums[2] = std::fma(weight, v.z, sums[2]);
    sums[3] += weight;
  }

  /// Takes the polygon that is farthest from the clusters there are, weighted by its force, unless it is near.
  template <class Warp, int lanes, class PolygonAt>
  ISOPATCH_HD void add_to_seed(Warp& warp, SweepSums<lanes>& own, const PolygonAt& polygon, int first,
                               int count) const {
    if (num_seeds_ == 0) {
      own.sums.add(warp, first, count, [&](int i, double* sums) {
        const ElasticPolygon& p = polygon(i);
        add_weighted(sums, p.force, p.normal);
        add_moment(sums + 4, p, {0, 0, 0});
        own.take(2 * p.force, first + i, p.normal);
      });
    } else {
      for (int i = warp.lane(); i < count; i += Warp::kSize) {
        const ElasticPolygon& p = polygon(i);
        double nearest = -1;
        cluster_of(p, nearest);
        if (!(nearest >= kClusterCosine)) own.take(p.force * (1 - nearest), first + i, p.normal);
      }
    }
  }

  template <class Warp, int lanes, class PolygonAt>
  ISOPATCH_HD void add_to_force(Warp& warp, SweepSums<lanes>& own, const PolygonAt& polygon, int first,
                                int count) const {
    add_own(warp, own, polygon, first, count,
            [&](const ElasticPolygon& p, double* sums) { add_weighted(sums, p.force, p.normal); });
  }

  template <class Warp, int lanes, class PolygonAt>
  ISOPATCH_HD void add_to_stiffness(Warp& warp, SweepSums<lanes>& own, const PolygonAt& polygon, int first,
                                    int count) const {
    const Vec3d n = normal_;
    add_own(warp, own, polygon, first, count,
            [&](const ElasticPolygon& p, double* sums) { add_weighted(sums, stiffness_along(p, n), p.centroid); });
  }

  template <class Warp, int lanes, class PolygonAt>
  ISOPATCH_HD void add_to_moments(Warp& warp, SweepSums<lanes>& own, const PolygonAt& polygon, int first,
                                  int count) const {
    const Vec3d n = normal_, center = center_;
    const Basis<double> axes = make_basis(n);
    add_own(warp, own, polygon, first, count, [&](const ElasticPolygon& p, double* sums) {
      const double k = stiffness_along(p, n);
      const Vec3d from = p.centroid - center;
      const double u = dot(from, axes.u), v = dot(from, axes.v);
      const double xu = dot(p.u, axes.u), xv = dot(p.u, axes.v), yu = dot(p.v, axes.u), yv = dot(p.v, axes.v);
      sums[0] += k * (u * u + xu * xu * p.xx + 2 * (xu * yu * p.xy) + yu * yu * p.yy);
      sums[1] += k * (u * v + xu * xv * p.xx + (xu * yv + yu * xv) * p.xy + yu * yv * p.yy);
      sums[2] += k * (v * v + xv * xv * p.xx + 2 * (xv * yv * p.xy) + yv * yv * p.yy);
      add_moment(sums + 3, p, center);
    });
  }

  /// Calls add(polygon, sums) for those of the cluster.
  template <class Warp, int lanes, class PolygonAt, class Add>
  ISOPATCH_HD void add_own(Warp& warp, SweepSums<lanes>& own, const PolygonAt& polygon, int first, int count,
                           const Add& add) const {
    const bool has_all = num_seeds_ == 1;
    const int cluster = cluster_;
    own.sums.add(warp, first, count, [&](int i, double* sums) {
      const ElasticPolygon& p = polygon(i);
      double nearest = 0;
      if (has_all || cluster_of(p, nearest) == cluster) add(p, sums);
    });
  }

  ISOPATCH_HD static Vec3d first_three(const double* sums) { return {sums[0], sums[1], sums[2]}; }

  /// Takes the sums of a sweep and begins the next; false if there is none. Called by one thread.
  ISOPATCH_HD bool next_sweep(const double* sums, bool has_seed, const Results& results, std::int64_t environment,
                              int pair, Vec3d p_WoA) {
    switch (sweep_) {
      case Sweep::kSeed:
        if (num_seeds_ == 0) {
          all_ = {first_three(sums), first_three(sums + 4)};
          all_forces_ = sums[3];
        }
        if (has_seed && ++num_seeds_ < max_clusters_) return true;
        return begin_cluster(0, results, environment, pair);
      case Sweep::kForce:
        if (begin_stiffness(first_three(sums), sums[3])) return true;
        break;
      case Sweep::kStiffness:
        if (begin_moments(first_three(sums), sums[3])) return true;
        break;
      case Sweep::kMoments:
        write_points(results, environment, pair, p_WoA, {sums[0], sums[1], sums[2]}, first_three(sums + 3));
        break;
    }
    return begin_cluster(cluster_ + 1, results, environment, pair);
  }

  /// Begins a cluster, or ends where there is none.
  ISOPATCH_HD bool begin_cluster(int cluster, const Results& results, std::int64_t environment, int pair) {
    cluster_ = cluster;
    if (num_seeds_ == 1 && cluster == 0 && begin_stiffness(all_.force, all_forces_)) return true;  // all are its own
    if (num_seeds_ > 1 && cluster < num_seeds_) {
      sweep_ = Sweep::kForce;
      return true;
    }
    write_rest(results, environment, pair);
    return false;
  }

  /// False where the cluster has no direction.
  ISOPATCH_HD bool begin_stiffness(Vec3d force, double all) {
    force_ = norm(force);
    if (!(force_ > kMinForce * all)) return false;
    sweep_ = Sweep::kStiffness;
    normal_ = (1 / force_) * force;
    return true;
  }

  ISOPATCH_HD bool begin_moments(Vec3d first, double K) {
    if (!(K > 0)) return false;
    sweep_ = Sweep::kMoments;
    stiffness_ = K;
    center_ = (1 / K) * first;
    return true;
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

  ISOPATCH_HD void write_points(const Results& results, std::int64_t environment, int pair, Vec3d p_WoA,
                                const Variance& sums, Vec3d moment) {
    constexpr int kPoints = PatchPoints::kPoints;
    PatchPoints points;
    const double K = stiffness_;
    place(make_basis(normal_), center_, normal_, force_, K, {sums.uu / K, sums.uv / K, sums.vv / K}, moment, points);
    const int row = pair * max_clusters_ + num_written_++;
    write(results.patch_normal, environment, 3 * row, points.normal);
    for (int j = 0; j < kPoints; ++j) {
      const Vec3d x = points.point[j], force = (points.stiffness * -points.distance[j]) * points.normal;
      of_points_ = {of_points_.force + force, of_points_.moment + cross(x, force)};
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
  ElasticWrench all_, of_points_;
  double all_forces_;  // sum of the forces' sizes

  // of the cluster
  double force_;
  Vec3d normal_;
  double stiffness_;
  Vec3d center_;
};

/// Writes the patch contacts of a pair with the polygons polygon(i), i in [0, count), in their order. p_WoA is the
/// origin of body a. The warp has `contacts` in common, and each of its threads so many lanes of the sums. Called by
/// all threads.
template <int lanes, class Warp, class PolygonAt>
ISOPATCH_HD void write_patch_contacts(Warp& warp, PatchContacts& contacts, const Results& results,
                                      std::int64_t environment, int pair, Vec3d p_WoA, const PolygonAt& polygon,
                                      int count) {
  if (warp.lane() == 0) contacts.begin(results.max_clusters);
  warp.sync();
  SweepSums<lanes> own;
  do {
    contacts.add(warp, own, polygon, 0, count);
  } while (contacts.finish_sweep(warp, own, results, environment, pair, p_WoA));
}

}  // namespace isopatch::detail
