// SPDX-License-Identifier: Apache-2.0
//
// Distances against a search over the surface: its flat and round pieces as they are parametrised, nearest first on a
// grid, then by halving the steps.
#include "isopatch/detail/single_contact/distances.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <sstream>
#include <vector>

namespace isopatch::detail {
namespace {

constexpr double kPi = 3.14159265358979324;

/// A piece of a surface over parameters u and v in [0, 1].
struct Piece {
  std::function<Vec3d(double, double)> point;
  bool is_round;  // v goes on beyond 1 as from 0
};

/// The distance of x to a piece. The steps of a grid find the neighbourhood of the minimum, and steps that are halved
/// find its value, which is flat there.
double search(const Piece& piece, Vec3d x) {
  constexpr int kGrid = 8;
  double best_u = 0, best_v = 0, best = HUGE_VAL;
  const auto look = [&](double u, double v) {
    const double d = norm(piece.point(u, v) - x);
    if (!(d < best)) return false;
    best = d;
    best_u = u;
    best_v = v;
    return true;
  };
  for (int i = 0; i < kGrid; ++i) {  // not at poles, where v says nothing
    for (int j = 0; j < kGrid; ++j) look((i + 0.5) / kGrid, (j + 0.5) / kGrid);
  }
  for (double step = 0.5 / kGrid; step > 1e-13;) {
    const double u = best_u, v = best_v;
    bool moved = false;
    for (const auto& [du, dv] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
      const double next_u = std::fmin(std::fmax(u + du * step, 0), 1), next_v = v + dv * step;
      moved = look(next_u, piece.is_round ? next_v : std::fmin(std::fmax(next_v, 0), 1)) || moved;
    }
    if (!moved) step *= 0.5;
  }
  return best;
}

struct Shape {
  const char* name;
  std::function<Distance(Vec3d)> distance;
  std::vector<Piece> pieces;
  std::function<bool(Vec3d)> contains;
};

constexpr Vec3d kHalf = {0.05, 0.08, 0.12};
constexpr double kRadius = 0.07, kHalfHeight = 0.1;

Piece ball_piece(double radius, double z, double first, double last) {
  return {[=](double u, double v) {
            const double polar = (first + (last - first) * u) * kPi, around = 2 * kPi * v;
            return Vec3d{radius * std::sin(polar) * std::cos(around), radius * std::sin(polar) * std::sin(around),
                         z + radius * std::cos(polar)};
          },
          true};
}

Piece tube_piece(double radius, double half) {
  return {[=](double u, double v) {
            return Vec3d{radius * std::cos(2 * kPi * v), radius * std::sin(2 * kPi * v), half * (2 * u - 1)};
          },
          true};
}

Piece disk_piece(double radius, double z) {
  return {[=](double u, double v) {
            return Vec3d{radius * u * std::cos(2 * kPi * v), radius * u * std::sin(2 * kPi * v), z};
          },
          true};
}

std::vector<Piece> box_pieces() {
  std::vector<Piece> pieces;
  for (const double side : {-1.0, 1.0}) {
    pieces.push_back({[=](double u, double v) {
                        return Vec3d{side * kHalf.x, kHalf.y * (2 * u - 1), kHalf.z * (2 * v - 1)};
                      },
                      false});
    pieces.push_back({[=](double u, double v) {
                        return Vec3d{kHalf.x * (2 * u - 1), side * kHalf.y, kHalf.z * (2 * v - 1)};
                      },
                      false});
    pieces.push_back({[=](double u, double v) {
                        return Vec3d{kHalf.x * (2 * u - 1), kHalf.y * (2 * v - 1), side * kHalf.z};
                      },
                      false});
  }
  return pieces;
}

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"sphere",
       [](Vec3d x) { return sphere_distance(x, kRadius); },
       {ball_piece(kRadius, 0, 0, 1)},
       [](Vec3d x) { return norm(x) < kRadius; }},
      {"box", [](Vec3d x) { return box_distance(x, kHalf); }, box_pieces(),
       [](Vec3d x) { return abs(x).x < kHalf.x && abs(x).y < kHalf.y && abs(x).z < kHalf.z; }},
      {"cylinder",
       [](Vec3d x) { return cylinder_distance(x, kRadius, kHalfHeight); },
       {tube_piece(kRadius, kHalfHeight), disk_piece(kRadius, kHalfHeight), disk_piece(kRadius, -kHalfHeight)},
       [](Vec3d x) { return std::hypot(x.x, x.y) < kRadius && std::fabs(x.z) < kHalfHeight; }},
      {"capsule",
       [](Vec3d x) { return capsule_distance(x, kRadius, kHalfHeight); },
       {tube_piece(kRadius, kHalfHeight), ball_piece(kRadius, kHalfHeight, 0, 0.5),
        ball_piece(kRadius, -kHalfHeight, 0.5, 1)},
       [](Vec3d x) {
         return norm(Vec3d{x.x, x.y, x.z - std::fmin(std::fmax(x.z, -kHalfHeight), kHalfHeight)}) < kRadius;
       }},
      {"half_space",
       half_space_distance,
       {{[](double u, double v) {
           return Vec3d{2 * u - 1, 2 * v - 1, 0};
         },
         false}},
       [](Vec3d x) { return x.z < 0; }}};
  return all;
}

std::vector<Vec3d> points_about(int count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> coordinate(-0.3, 0.3);
  std::vector<Vec3d> points;
  for (int i = 0; i < count; ++i) points.push_back({coordinate(random), coordinate(random), coordinate(random)});
  return points;
}

/// A search is slow: ISOPATCH_DISTANCE_POINTS asks for more points a shape.
int num_searched() {
  const char* asked = std::getenv("ISOPATCH_DISTANCE_POINTS");
  return asked == nullptr ? 400 : std::atoi(asked);
}

TEST(Distances, AreThoseToTheNearestPointOfTheSurface) {
  constexpr double kTolerance = 1e-12;
  for (const Shape& shape : shapes()) {
    double worst = 0;
    for (const Vec3d x : points_about(num_searched(), 1)) {
      double expected = HUGE_VAL;
      for (const Piece& piece : shape.pieces) expected = std::fmin(expected, search(piece, x));
      if (shape.contains(x)) expected = -expected;
      const double error = std::fabs(shape.distance(x).value - expected);
      worst = std::fmax(worst, error);
      EXPECT_LE(error, kTolerance) << shape.name << " at " << x.x << ' ' << x.y << ' ' << x.z;
    }
    std::ostringstream figure;
    figure << worst;
    RecordProperty(shape.name, figure.str());
  }
}

TEST(Distances, HaveUnitGradientsThatAreTheirSlopes) {
  constexpr double kStep = 1e-6, kRounding = 1e-9;  // of a central difference, and its curvature
  for (const Shape& shape : shapes()) {
    for (const Vec3d x : points_about(20000, 2)) {
      const Vec3d g = shape.distance(x).gradient;
      EXPECT_NEAR(norm(g), 1, 4e-16) << shape.name;
      const auto slope = [&](Vec3d step) {
        return (shape.distance(x + step).value - shape.distance(x - step).value) / (2 * kStep);
      };
      // beside the medial set, where the slope has a kink, the two ends have other gradients
      const auto turns = [&](Vec3d step) {
        return norm(shape.distance(x + step).gradient - shape.distance(x - step).gradient) > 0.01;
      };
      const Vec3d steps[] = {{kStep, 0, 0}, {0, kStep, 0}, {0, 0, kStep}};
      const double parts[] = {g.x, g.y, g.z};
      for (int i = 0; i < 3; ++i) {
        if (turns(steps[i])) continue;
        EXPECT_NEAR(slope(steps[i]), parts[i], kRounding + 20 * kStep) << shape.name << ' ' << i;
      }
    }
  }
}

TEST(Distances, HaveGradientsThatTurnSmoothlyOverEdges) {
  // from outside one face over the edge to outside the next, and over a corner, at a distance of 0.01
  constexpr int kSteps = 10000;
  constexpr double kAway = 0.01;
  const auto largest_turn = [&](const auto& distance, const auto& path) {
    double largest = 0;
    Vec3d before = distance(path(0.0)).gradient;
    for (int i = 1; i <= kSteps; ++i) {
      const Vec3d g = distance(path(i / double{kSteps})).gradient;
      largest = std::fmax(largest, norm(g - before));
      before = g;
    }
    return largest;
  };
  const auto box = [](Vec3d x) { return box_distance(x, kHalf); };
  const auto around_edge = [&](double t) {
    const double angle = (2 * t - 0.5) * kPi / 2;  // also before and after the quarter turn
    return Vec3d{kHalf.x + kAway * std::cos(angle), kHalf.y + kAway * std::sin(angle), 0.01};
  };
  const auto over_corner = [&](double t) {
    const double angle = t * kPi / 2;
    return Vec3d{kHalf.x + kAway * std::cos(angle), kHalf.y + kAway * std::sin(angle), kHalf.z + kAway * (t - 0.5)};
  };
  const auto cylinder = [](Vec3d x) { return cylinder_distance(x, kRadius, kHalfHeight); };
  const auto around_rim = [&](double t) {
    const double angle = (2 * t - 0.5) * kPi / 2;
    return Vec3d{kRadius + kAway * std::cos(angle), 0, kHalfHeight + kAway * std::sin(angle)};
  };
  const double step = 2.5 * kPi / kSteps;  // a gradient turns no faster than the path about the edge
  EXPECT_LT(largest_turn(box, around_edge), step);
  EXPECT_LT(largest_turn(box, over_corner), step);
  EXPECT_LT(largest_turn(cylinder, around_rim), step);
}

void expect_same(const Distance& found, double value, Vec3d gradient) {
  EXPECT_DOUBLE_EQ(found.value, value);
  EXPECT_EQ(found.gradient.x, gradient.x);
  EXPECT_EQ(found.gradient.y, gradient.y);
  EXPECT_EQ(found.gradient.z, gradient.z);
}

TEST(Distances, OnTheMedialSetLeadToTheLowestAxis) {
  expect_same(sphere_distance({0, 0, 0}, 2), -2, {1, 0, 0});
  expect_same(box_distance({0, 0, 0}, {1, 1, 1}), -1, {1, 0, 0});
  expect_same(box_distance({0.5, -0.5, 0.5}, {1, 1, 1}), -0.5, {1, 0, 0});
  expect_same(box_distance({0, -0.5, 0.5}, {1, 1, 1}), -0.5, {0, -1, 0});
  expect_same(box_distance({0, 0, 0}, {3, 2, 1}), -1, {0, 0, 1});
  expect_same(cylinder_distance({0, 0, 0}, 1, 1), -1, {1, 0, 0});
  expect_same(cylinder_distance({0, 0, 0}, 2, 1), -1, {0, 0, 1});
  expect_same(cylinder_distance({0, 0, -1.5}, 1, 2), -0.5, {0, 0, -1});
  expect_same(capsule_distance({0, 0, -0.5}, 2, 1), -2, {1, 0, 0});
}

TEST(Distances, OfAHoleAreOnTheOtherSide) {
  expect_same(hole_distance(cylinder_distance({0.75, 0, 0}, 1, 5)), 0.25, {-1, 0, 0});
}

TEST(BallContact, IsAtTheDeepestPointOfTheBall) {
  const BallContact contact = ball_contact({0, 0, 0.75}, 1, half_space_distance({0, 0, 0.75}));
  EXPECT_DOUBLE_EQ(contact.depth, 0.25);
  EXPECT_DOUBLE_EQ(contact.point.z, -0.25);
  EXPECT_EQ(contact.normal.z, 1);
}

TEST(HertzStiffness, IsThatOfTheEffectiveModulusAndRadius) {
  EXPECT_DOUBLE_EQ(hertz_stiffness(1 / 2e5, 0, 0.04, 0), 4.0 / 3 * 2e5 * 0.2);
  EXPECT_DOUBLE_EQ(hertz_stiffness(1 / 2e5, 1 / 2e5, 0.08, 0.08), 4.0 / 3 * 1e5 * 0.2);
}

}  // namespace
}  // namespace isopatch::detail
