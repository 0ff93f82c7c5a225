// SPDX-License-Identifier: Apache-2.0
//
// How the overlap of two meshes moves, against central differences of the reference in extended precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "host/reference/single_contact/find_patch.h"
#include "tests/overlap/two_parts.h"

namespace isopatch::test {
namespace {

reference::Vector3 extended(Vec3d x) { return {x.x, x.y, x.z}; }

reference::Transform extended(const Transform<double>& X) {
  reference::Transform out;
  for (int i = 0; i < 3; ++i) {
    out.rotation.row(i) << X.row[i].x, X.row[i].y, X.row[i].z;
  }
  out.translation = extended(X.translation);
  return out;
}

TEST(OverlapMotion, IsThatOfDifferences) {
  std::mt19937 random(12);
  std::normal_distribution<double> normal;
  const Geometry shapes[] = {make_sphere("sphere", 0.05, 2), cube(0.09), make_cylinder("cylinder", 0.04, 0.1, 12),
                             make_half_space("ground", 0.1)};
  int compared = 0;
  double worst = 0;
  for (int i = 0; i < 120; ++i) {
    const int first = static_cast<int>(random() % 4), second = static_cast<int>(random() % (first == 3 ? 3 : 4));
    const Two two(shapes[first], shapes[second]);
    Transform<double> X_A = random_pose(random, 0.03), X_B = random_pose(random, 0.03);
    X_B.translation = X_B.translation - X_A.translation;
    X_A.translation = {0, 0, 0};
    const auto vec = [&](double size) {
      return Vec3d{size * normal(random), size * normal(random), size * normal(random)};
    };
    const Twist a = {vec(1), vec(50)}, b = {vec(1), vec(50)};
    const PartOverlap o = two.overlap<true>(X_A, X_B, a, b);
    if (!(o.volume > 1e-8) || norm(o.area) < 1e-3 * o.surface) continue;

    const SceneDescription& scene = two.scene.description();
    const StateArrays states(scene, 1);
    const reference::Environment environment = reference::read_environment(scene, states.view(), 0);
    const Pair pair;
    reference::PosedParts parts = {scene,         pair,         environment.parts[0], environment.parts[1],
                                   extended(X_A), extended(X_B)};
    const Vec3d velocity = a.linear - b.linear + cross(b.angular, X_B.translation);  // of a's origin, seen from b
    const double size = std::min(o.volume / norm(o.area), std::cbrt(o.volume));
    const reference::OverlapMotion motion =
        reference::overlap_motion(parts, size, extended(velocity), extended(a.angular - b.angular));
    const double speed = norm(velocity) + norm(a.angular - b.angular) * 0.1;
    const double of_volume = std::fabs(static_cast<double>(motion.volume_rate) - o.volume_rate) / (o.surface * speed);
    const double of_centroid =
        static_cast<double>((motion.velocity - extended(o.velocity)).norm()) * o.volume / (o.surface * speed * 0.1);
    worst = std::max({worst, of_volume, of_centroid});
    ++compared;
  }
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LT(worst, 1e-9);
  EXPECT_GT(compared, 60);
}

}  // namespace
}  // namespace isopatch::test
