// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/checks/shells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "host/mesh/math/point_math.h"
#include "host/mesh/topology/connectivity.h"
#include "host/mesh/topology/element_check.h"
#include "host/threads/work_counter.h"

namespace isopatch::detail {
namespace {

/// The most points of a shell that are tried. They differ where a shell is partly inside another and its faces lie in
/// those of the other, which no test for cuts sees.
constexpr std::size_t kMaxSamples = 32;

/// How far inside its shell a point is, relative to the shell's size.
constexpr double kInset = 1e-6;

/// How often each shell winds around something, without those that do not.
using Windings = std::map<std::int32_t, int>;

struct Shell {
  std::vector<std::size_t> triangles;
  Box box;
  double volume = 0;
  int sign = 0;                      // of the volume; 0 if it is within rounding
  std::optional<Windings> around{};  // none if they differ from point to point
  std::vector<std::size_t> inner{};  // the shells that have this one around them
};

class ShellRepair {
 public:
  ShellRepair(TriangleMesh& mesh, const Shells& shells, const TriangleTree& tree)
      : mesh_(mesh), labels_(shells.of_triangle), tree_(tree), shells_(shells.count) {
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      Shell& shell = shells_[label(t)];
      shell.triangles.push_back(t);
      for (std::size_t i = 0; i < 3; ++i) shell.box.add(corner(t, i));
    }
    for (Shell& shell : shells_) measure(shell);
    const std::vector<std::uint8_t> overlaps = overlaps_other();
    for (std::size_t s = 0; s < shells_.size(); ++s) find_around(shells_[s], overlaps[s] != 0);
    forget_twins();
    for (std::size_t s = 0; s < shells_.size(); ++s) {
      if (!shells_[s].around) continue;
      for (const auto& [outer, winding] : *shells_[s].around) shells_[outer].inner.push_back(s);
    }
  }

  std::int64_t repair(const std::vector<std::uint8_t>& meets_other) {
    std::vector<std::size_t> order(shells_.size());  // a shell comes after those around it
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto depth = [&](std::size_t s) { return shells_[s].around ? shells_[s].around->size() : 0; };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return depth(a) < depth(b); });

    std::vector<std::uint8_t> removed(shells_.size(), 0), turned(shells_.size(), 0);
    for (const std::size_t s : order) {
      const Shell& shell = shells_[s];
      if (meets_other[s] != 0 || shell.sign == 0 || !shell.around) continue;
      int outside = 0;
      for (const auto& [other, winding] : *shell.around) outside += turned[other] != 0 ? -winding : winding;
      const bool outward = (shell.sign > 0) != (turned[s] != 0);
      if (!outward && outside <= 0) {
        turned[s] ^= 1;
        for (const std::size_t inner : shell.inner) turned[inner] ^= 1;
      }
      removed[s] = outside > (outward ? 0 : 1) ? 1 : 0;
    }
    return apply(removed, turned);
  }

 private:
  std::size_t label(std::size_t t) const { return static_cast<std::size_t>(labels_[t]); }
  const Point3& corner(std::size_t t, std::size_t i) const { return point_at(mesh_, mesh_.triangles[t][i]); }
  bool is_around(std::size_t outer, std::size_t inner) const {
    return shells_[inner].around && shells_[inner].around->contains(static_cast<std::int32_t>(outer));
  }

  void measure(Shell& shell) const {
    if (shell.triangles.empty()) return;
    const Point3& origin = corner(shell.triangles[0], 0);
    for (const std::size_t t : shell.triangles) {
      shell.volume += six_volumes(origin, corner(t, 0), corner(t, 1), corner(t, 2)) / 6;
    }
    const double size = norm(shell.box.high - shell.box.low);
    if (std::fabs(shell.volume) > kFlat * size * size * size) shell.sign = shell.volume < 0 ? -1 : 1;
  }

  /// Of every shell, whether its box overlaps the box of another. Found along the axis on which the boxes are shortest,
  /// so that few stand side by side.
  std::vector<std::uint8_t> overlaps_other() const {
    Point3 lengths{};
    for (const Shell& shell : shells_) lengths = lengths + (shell.box.high - shell.box.low);
    const Box all = box_of(mesh_.points, mesh_.triangles);
    for (std::size_t k = 0; k < 3; ++k) lengths[k] /= all.high[k] - all.low[k];
    const auto axis = static_cast<std::size_t>(std::min_element(lengths.begin(), lengths.end()) - lengths.begin());
    std::vector<std::size_t> order(shells_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto box = [&](std::size_t i) -> const Box& { return shells_[order[i]].box; };
    std::sort(order.begin(), order.end(),
              [&](auto a, auto b) { return shells_[a].box.low[axis] < shells_[b].box.low[axis]; });
    std::vector<std::uint8_t> found(shells_.size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t j = i + 1; j < order.size() && box(j).low[axis] <= box(i).high[axis]; ++j) {
        if (box(i).overlaps(box(j))) found[order[i]] = found[order[j]] = 1;
      }
    }
    return found;
  }

  void find_around(Shell& shell, bool overlaps) const {
    if (shell.sign == 0) return;
    if (!overlaps) {
      shell.around.emplace();
      return;
    }
    const std::size_t samples = std::min(kMaxSamples, shell.triangles.size());
    for (std::size_t i = 0; i < samples; ++i) {
      const std::size_t t = shell.triangles[i * shell.triangles.size() / samples];
      Windings found = windings(inner_point(shell, t));
      found.erase(labels_[t]);
      if (i > 0 && found != *shell.around) {
        shell.around.reset();
        return;
      }
      shell.around = std::move(found);
    }
  }

  /// Near the middle of a triangle of the shell, inside.
  Point3 inner_point(const Shell& shell, std::size_t t) const {
    const Point3 &a = corner(t, 0), &b = corner(t, 1), &c = corner(t, 2);
    const Point3 normal = cross(b - a, c - a);
    const double inset = kInset * norm(shell.box.high - shell.box.low) / norm(normal);
    return (1.0 / 3) * (a + b + c) - (shell.sign * inset) * normal;
  }

  /// By the triangles that a ray from p along x passes through.
  Windings windings(const Point3& p) const {
    Windings found;
    tree_.for_each_near_ray(p, [&](std::size_t t) {
      if (const int crossed = crossing(p, t); crossed != 0) found[labels_[t]] += crossed;
    });
    std::erase_if(found, [](const auto& shell) { return shell.second == 0; });
    return found;
  }

  /// 1 if the ray leaves through the triangle, -1 if it enters, 0 if it passes by. Triangles that share an edge agree
  /// on which side of it the ray is, to the bit, so that it passes through one of them.
  int crossing(const Point3& p, std::size_t t) const {
    int turns = 0;  // of the projected triangle around the ray
    for (std::size_t i = 0; i < 3; ++i) {
      const Point3 &a = corner(t, i), &b = corner(t, (i + 1) % 3);
      if ((a[2] <= p[2]) == (b[2] <= p[2])) continue;
      const bool rises = a[2] <= p[2];
      const Point3 &low = rises ? a : b, &high = rises ? b : a;
      const double y = low[1] + (p[2] - low[2]) * (high[1] - low[1]) / (high[2] - low[2]);
      if (y > p[1]) turns += rises ? 1 : -1;
    }
    if (turns == 0) return 0;
    const Point3 &a = corner(t, 0), &b = corner(t, 1), &c = corner(t, 2);
    const Point3 normal = cross(b - a, c - a);
    const double x = a[0] - ((p[1] - a[1]) * normal[1] + (p[2] - a[2]) * normal[2]) / normal[0];
    // of a triangle almost along the ray, x may be anything
    return std::clamp(x, std::min({a[0], b[0], c[0]}), std::max({a[0], b[0], c[0]})) > p[0] ? turns : 0;
  }

  /// Of two shells in the same place, each is around the other: the later one is inside.
  void forget_twins() {
    for (std::size_t s = 0; s < shells_.size(); ++s) {
      if (!shells_[s].around) continue;
      std::erase_if(*shells_[s].around, [&](const auto& other) {
        const auto o = static_cast<std::size_t>(other.first);
        return o > s && is_around(s, o);
      });
    }
  }

  std::int64_t apply(const std::vector<std::uint8_t>& removed, const std::vector<std::uint8_t>& turned) {
    std::int64_t turned_triangles = 0, turned_shells = 0, removed_triangles = 0, removed_shells = 0;
    for (std::size_t s = 0; s < shells_.size(); ++s) {
      const std::int64_t triangles = std::ssize(shells_[s].triangles);
      if (removed[s] != 0) {
        ++removed_shells;
        removed_triangles += triangles;
      } else if (turned[s] != 0) {
        ++turned_shells;
        turned_triangles += triangles;
      }
    }
    const std::int64_t left = std::ssize(mesh_.triangles) - removed_triangles;
    if (turned_shells > 0 && turned_triangles < left) {
      mesh_.notes.push_back(fmt::format(
          "{} of {} closed parts, of {} triangles, pointed inward with no matter around them and have been turned",
          turned_shells, std::ssize(shells_) - removed_shells, turned_triangles));
    }
    if (removed_shells > 0) {
      mesh_.notes.push_back(
          fmt::format("{} closed parts, of {} triangles, lie in the matter of others and were left out, so that none "
                      "counts twice; turn them inward if they are cavities",
                      removed_shells, removed_triangles));
    }
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
      if (turned[label(t)] != 0) std::swap(mesh_.triangles[t][1], mesh_.triangles[t][2]);
    }
    std::size_t index = 0;
    std::erase_if(mesh_.triangles, [&](const Triangle&) { return removed[label(index++)] != 0; });
    return turned_triangles;
  }

  TriangleMesh& mesh_;
  const std::vector<std::int32_t>& labels_;
  const TriangleTree& tree_;
  std::vector<Shell> shells_;
};

}  // namespace

Shells find_shells(const TriangleMesh& mesh) {
  DisjointSets sets(mesh.points.size());
  for (const Triangle& t : mesh.triangles) {
    for (std::size_t i = 1; i < 3; ++i) sets.join(static_cast<std::size_t>(t[0]), static_cast<std::size_t>(t[i]));
  }
  Shells shells;
  std::vector<std::int32_t> label(mesh.points.size(), -1);
  for (const Triangle& t : mesh.triangles) {
    std::int32_t& found = label[sets.find(static_cast<std::size_t>(t[0]))];
    if (found < 0) found = static_cast<std::int32_t>(shells.count++);
    shells.of_triangle.push_back(found);
  }
  return shells;
}

std::int64_t repair_shells(TriangleMesh& mesh, const Shells& shells, const std::vector<std::uint8_t>& meets_other,
                           const TriangleTree& tree) {
  return ShellRepair(mesh, shells, tree).repair(meets_other);
}

}  // namespace isopatch::detail
