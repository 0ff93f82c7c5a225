// SPDX-License-Identifier: Apache-2.0
//
// Overlaps against figures of independent programs and closed forms, and however the bodies are cut.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "isopatch/detail/force_law/contact_patch.h"
#include "tests/overlap/two_parts.h"
#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

constexpr double kDegree = 3.14159265358979323846 / 180;

Geometry tet(const char* name, const std::array<Point3, 4>& points) {
  TetMesh mesh;
  mesh.points = {points.begin(), points.end()};
  mesh.tets = {{0, 1, 2, 3}};
  mesh.point_data["extent"] = {1, 0, 0, 0};
  FieldOptions options;
  options.kind = FieldOptions::Kind::kPointData;
  return make_tet_mesh(name, mesh, options);
}

/// A box of so many cells along each edge, each of six tets, whose field is 1 in one point inside, or at a corner.
Geometry cut_box(const Point3& size, int cells) {
  TetMesh mesh;
  const int points = cells + 1;
  const auto index = [points](int i, int j, int k) { return (i * points + j) * points + k; };
  for (int i = 0; i < points; ++i) {
    for (int j = 0; j < points; ++j) {
      for (int k = 0; k < points; ++k) {
        const auto along = [&](int axis, int at) {
          return at == cells ? size[static_cast<std::size_t>(axis)] / 2
                             : size[static_cast<std::size_t>(axis)] * (static_cast<double>(at) / cells - 0.5);
        };
        mesh.points.push_back({along(0, i), along(1, j), along(2, k)});
      }
    }
  }
  constexpr int kOrders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      for (int k = 0; k < cells; ++k) {
        for (const auto& order : kOrders) {
          int at[3] = {i, j, k};
          Tet corners = {index(i, j, k), 0, 0, 0};
          for (std::size_t n = 0; n < 3; ++n) {
            ++at[order[n]];
            corners[n + 1] = index(at[0], at[1], at[2]);
          }
          mesh.tets.push_back(corners);
        }
      }
    }
  }
  return make_tet_mesh("cut", mesh, {});
}

TEST(OverlapFigures, OfATetAndItsReflection) {
  const Two two(tet("a", {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}),
                tet("b", {{{0.5, 0.5, 0.5}, {-0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0.5, 0.5, -0.5}}}));
  const PartOverlap o = two.overlap(at(0, 0, 0), at(0, 0, 0));
  EXPECT_NEAR(o.volume, 1.0 / 12, 1e-14);
  EXPECT_LT(norm(o.centroid - Vec3d{0.25, 0.25, 0.25}), 1e-14);
  for (const double diagonal : {o.second.xx, o.second.yy, o.second.zz}) EXPECT_NEAR(diagonal, 1.0 / 640, 1e-15);
  for (const double beside : {o.second.xy, o.second.xz, o.second.yz}) EXPECT_NEAR(beside, -1.0 / 1920, 1e-15);
  EXPECT_LT(norm(o.area), 1e-14);
}

TEST(OverlapFigures, OfTwoTetsAcross) {
  const Two two(tet("a", {{{2, 0, 2}, {-2, 0, 2}, {0, 2, -2}, {0, -2, -2}}}),
                tet("b", {{{1.5, 1.5, 2.5}, {-1.5, -1.5, 2.5}, {-1.5, 1.5, -2.5}, {1.5, -1.5, -2.5}}}));
  const PartOverlap o = two.overlap(at(0, 0, 0), at(0, 0, 0));
  EXPECT_NEAR(o.volume, 7.25486111111111, 1e-12 * 7.3);
  EXPECT_LT(norm(o.centroid), 1e-12);
  EXPECT_NEAR(o.second.xx, 1.827117594702, 1e-12);
  EXPECT_NEAR(o.second.yy, 1.827117594702, 1e-12);
  EXPECT_NEAR(o.second.zz, 4.026758746865, 2e-12);
  for (const double beside : {o.second.xy, o.second.xz, o.second.yz}) EXPECT_NEAR(beside, 0, 1e-12);
}

TEST(OverlapFigures, OfTwoTiltedCubes) {
  const double roll = 0.02, pitch = 0.01, yaw = 0.3;
  const auto about = [](double angle, double x, double y, double z) {
    const double s = std::sin(angle / 2);
    return rotation_of(std::cos(angle / 2), s * x, s * y, s * z);
  };
  Transform<double> X_B = product(product(about(yaw, 0, 0, 1), about(pitch, 0, 1, 0)), about(roll, 1, 0, 0));
  X_B.translation = {0.013, 0.007, 0.098};
  const PartOverlap o = Two(cube(0.1), cube(0.1)).overlap(at(0, 0, 0), X_B);
  EXPECT_NEAR(o.volume, 1.5668751502329e-5, 1e-11 * 1.6e-5);
  EXPECT_LT(norm(o.centroid - Vec3d{0.010461782258, -0.001374135402, 0.048945869586}), 2e-12);
  const double second[] = {o.second.xx, o.second.yy, o.second.zz, o.second.xy, o.second.xz, o.second.yz};
  const double expected[] = {9.155213165808e-9,  1.0906875119913e-8, 7.3918544211e-12,
                             5.391689384343e-10, -6.63882662975e-11, 8.38416947751e-11};
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(second[k], expected[k], 1e-11 * 1.1e-8) << k;
  EXPECT_LT(norm(o.area - Vec3d{-2.115702186748e-4, -5.245123687326e-5, -8.144244868471e-3}), 1e-11 * 8e-3);
  const ContactPatch patch = contact_patch({o.volume, o.centroid, o.second, o.area}, false);
  EXPECT_LT(norm(patch.normal - Vec3d{-0.007731657782, 0.008073365913, -0.999937519163}), 2e-11);
}

/// The normal of the second moments of a wedge leans; that of the area is the plane's.
TEST(OverlapFigures, NormalsOfAWedge) {
  const Two two(cube(0.1), make_half_space("ground", 0.1));
  const double depths[] = {0.01, 0.1, 0.3}, degrees[] = {0.28646, 2.84050, 7.83805};
  for (int i = 0; i < 3; ++i) {
    const double angle = std::asin(depths[i]), s = std::sin(angle / 2);
    Transform<double> X = rotation_of(std::cos(angle / 2), 0, s, 0);
    X.translation = -rotate(X, Vec3d{-0.05, 0, -0.05});  // one edge of its bottom in the plane
    const PartOverlap o = two.overlap(X, at(0, 0, 0));
    const OverlapMoments moments = {o.volume, o.centroid, o.second, o.area};
    const Vec3d leans = contact_patch(moments, false).normal, upright = contact_patch(moments, true).normal;
    EXPECT_NEAR(std::acos(leans.z) / kDegree, degrees[i], 1e-4) << depths[i];
    EXPECT_LT(norm(upright - Vec3d{0, 0, 1}), 1e-12) << depths[i];
  }
}

TEST(OverlapFigures, OfFlushBoxesHoweverTheyAreCut) {
  const Geometry whole = cube(0.1);
  for (const int cells : {1, 2, 3, 5, 10}) {
    const Geometry cut = cut_box({0.1, 0.1, 0.1}, cells), other = cut_box({0.1, 0.1, 0.1}, 4);
    for (const Geometry* beside : {&whole, &other}) {
      const Two two(cut, *beside);
      for (const double x : {0.0, 0.05, 0.1}) {
        for (const double h : {5e-3, 1e-3, 1e-9, 0.0, -1e-15}) {
          const PartOverlap o = two.overlap(at(x, 0, 0.1 - h), at(0, 0, 0));
          EXPECT_NEAR(o.volume, x == 0.1 ? 0 : (0.1 - x) * 0.1 * std::max(h, 0.0), 1e-17) << cells << x << h;
        }
      }
      // inside out: both bodies at the same place
      EXPECT_NEAR(two.overlap(at(0, 0, 0), at(0, 0, 0)).volume, 1e-3, 1e-17);
    }
  }
}

/// The same from a half space and from a large box, however it is turned about the normal and cut.
TEST(OverlapFigures, OfAHalfSpaceAreThoseOfALargeBox) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> angle(0, 6.28);
  const Geometry ball = make_sphere("ball", 0.05, 3);
  const PartOverlap plane = Two(ball, make_half_space("ground", 0.1)).overlap(at(0.01, 0.02, 0.045), at(0, 0, 0));
  for (const int cells : {1, 2, 4}) {
    const Two two(ball, cut_box({0.4, 0.3, 0.3}, cells));
    for (int i = 0; i < 5; ++i) {
      const double yaw = angle(random);
      Transform<double> X = rotation_of(std::cos(yaw / 2), 0, 0, std::sin(yaw / 2));
      X.translation = {0.01, -0.005, -0.15};
      const PartOverlap o = two.overlap(at(0.01, 0.02, 0.045), X);
      EXPECT_NEAR(o.volume, plane.volume, 1e-12 * plane.volume);
      EXPECT_LT(norm(o.centroid - plane.centroid), 1e-12 * 0.05);
      EXPECT_LT(norm(o.area - plane.area), 1e-12 * norm(plane.area));
      EXPECT_NEAR(o.second.xx, plane.second.xx, 1e-10 * plane.second.xx);
    }
  }
}

/// Closed surfaces have no vector area: what A's surface has in B, B's has in A.
TEST(OverlapFigures, BothSurfacesHaveOneVectorArea) {
  std::mt19937 random(9);
  const Geometry shapes[] = {make_sphere("sphere", 0.05, 2), cube(0.09), make_cylinder("cylinder", 0.04, 0.1, 12)};
  for (int i = 0; i < 60; ++i) {
    const Geometry &a = shapes[random() % 3], &b = shapes[random() % 3];
    const Transform<double> X_A = random_pose(random, 0.03), X_B = random_pose(random, 0.03);
    const PartOverlap o = Two(a, b).overlap(X_A, X_B), turned = Two(b, a).overlap(X_B, X_A);
    EXPECT_LE(norm(o.area + turned.area), 1e-13 * std::max(o.surface, 1e-3));
  }
}

TEST(OverlapFigures, MovedTogetherAndFarAwayAreTheSame) {
  std::mt19937 random(21);
  const Two two(make_sphere("sphere", 0.05, 2), cube(0.09));
  for (int i = 0; i < 20; ++i) {
    const Transform<double> X_A = random_pose(random, 0.02), X_B = random_pose(random, 0.02),
                            turn = random_pose(random, 1);
    const PartOverlap o = two.overlap(X_A, X_B), moved = two.overlap(product(turn, X_A), product(turn, X_B));
    EXPECT_NEAR(moved.volume, o.volume, 1e-12 * o.volume + 1e-18);
    const auto on_grid = [](Vec3d x) {  // of numbers that are exact far away too
      const auto round = [](double v) { return std::ldexp(std::nearbyint(std::ldexp(v, 30)), -30); };
      return Vec3d{round(x.x), round(x.y), round(x.z)};
    };
    Transform<double> near_a = X_A, near_b = X_B;
    near_a.translation = on_grid(X_A.translation), near_b.translation = on_grid(X_B.translation);
    Transform<double> far_a = near_a, far_b = near_b;
    const Vec3d far = {1 << 20, -(1 << 20), 1 << 20};
    far_a.translation = near_a.translation + far, far_b.translation = near_b.translation + far;
    EXPECT_EQ(two.overlap(far_a, far_b).volume, two.overlap(near_a, near_b).volume);
  }
}

/// A rigid body in a compliant half space floats as in a liquid: its wrench is that of the pressure field.
TEST(OverlapFigures, ByArchimedesTheWrenchIsThatOfThePressureField) {
  std::mt19937 random(10);
  std::normal_distribution<double> normal;
  const Geometry shapes[] = {make_sphere("sphere", 0.05, 2), cube(0.09), make_cylinder("cylinder", 0.04, 0.1, 12),
                             cut_box({0.1, 0.05, 0.08}, 3)};
  int compared = 0;
  for (int i = 0; i < 60; ++i) {
    SceneDescription scene = two_bodies(shapes[i % 4], make_half_space("liquid", 0.2));
    scene.bodies[0].rigid = true;
    scene.bodies[1].modulus = 3e5;
    if (i % 3 == 0) {  // of two parts, one beside the other
      Part& part = scene.bodies[0].parts.emplace_back();
      part.geometry = 0;
      scene.bodies[0].parts.push_back(part);
      scene.bodies[0].parts[1].pose = {0.2, 0, 0.01, 1, 0, 0, 0};
    }
    double q[4], square = 0;
    for (double& k : q) k = normal(random), square += k * k;
    std::array<double, 7> pose = {0.3 * normal(random), 0.3 * normal(random), 0.03 * normal(random), 0, 0, 0, 0};
    for (std::size_t k = 0; k < 4; ++k) pose[3 + k] = q[k] / std::sqrt(square);
    scene.bodies[0].pose = pose;
    std::array<std::vector<double>, 2> wrenches;
    std::uint32_t status = 0;
    for (const bool volumetric : {false, true}) {
      (*scene.pairs)[0].model = volumetric ? ContactModel::kVolumetric : ContactModel::kPressureField;
      const HostEvaluator evaluator(Scene(scene), {.precision = Precision::kDouble});
      const StateArrays states(scene, 1);
      wrenches[volumetric].resize(6);
      Results results;
      results.status = &status;
      results.pair_wrench = wrenches[volumetric].data();
      evaluator.evaluate(states.view(), results);
    }
    if ((status & kNoContactSurface) != 0) continue;  // a part is below the plane, and has no plate
    ++compared;
    const double force = std::hypot(wrenches[0][0], wrenches[0][1], wrenches[0][2]);
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_NEAR(wrenches[1][k], wrenches[0][k], 1e-12 * force) << i << ", " << k;
    }
  }
  EXPECT_GT(compared, 30);
}

/// A cube that is cut into cubes: force and moment are the whole one's, flat, deep and on an edge of one of them.
TEST(OverlapFigures, OfPartsAddUpToTheWhole) {
  for (const int cuts : {2, 3}) {
    const double size = 0.1 / cuts;
    std::array<std::array<double, 6>, 2> wrenches;
    for (const double tilt : {0.0, 0.01}) {
      for (const bool is_cut : {false, true}) {
        SceneDescription scene =
            two_bodies(is_cut ? make_box("piece", {size, size, size}) : cube(0.1), make_half_space("ground", 0.1));
        scene.bodies[0].rigid = scene.bodies[1].rigid = true;
        (*scene.pairs)[0].model = ContactModel::kVolumetric;
        (*scene.pairs)[0].stiffness = 1e6;
        for (int i = 0; is_cut && i < cuts * cuts * cuts; ++i) {
          Part part;
          part.geometry = 0;
          part.name = std::to_string(i);
          const auto place = [&](int at) { return size * (at - 0.5 * (cuts - 1)); };
          part.pose = {place(i % cuts), place(i / cuts % cuts), place(i / cuts / cuts), 1, 0, 0, 0};
          scene.bodies[0].parts.push_back(part);
        }
        scene.bodies[0].pose = {0.3, -0.2, 0.048, std::cos(tilt / 2), 0, std::sin(tilt / 2), 0};
        const HostEvaluator evaluator(Scene(scene), {.precision = Precision::kDouble});
        Results results;
        results.pair_wrench = wrenches[is_cut].data();
        evaluator.evaluate(StateArrays(scene, 1).view(), results);
      }
      // each plate presses along the normal of its own area, which a tilted one beside an edge shares with its sides
      const double force = std::hypot(wrenches[0][0], wrenches[0][1], wrenches[0][2]);
      for (std::size_t k = 0; k < 6; ++k) {
        EXPECT_NEAR(wrenches[1][k], wrenches[0][k], 1e-12 * force) << cuts << ", " << tilt << ", " << k;
      }
    }
  }
}

}  // namespace
}  // namespace isopatch::test
