// SPDX-License-Identifier: Apache-2.0
//
// Points of shapes as CAD programs and mesh generators make them, as made, turned at random, and rounded to float.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "host/mesh/math/point_math.h"
#include "isopatch/geometry/mesh.h"

namespace isopatch::testing {

using Points = std::vector<Point3>;

inline Points& operator+=(Points& points, const Points& others) {
  points.insert(points.end(), others.begin(), others.end());
  return points;
}

/// A regular polygon about the z axis.
inline Points ring(double radius, double z, int count) {
  Points points;
  for (int i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * i / count;
    points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
  }
  return points;
}

/// Rings at [radius, z], of which those of radius 0 are one point.
inline Points turned(const std::vector<std::array<double, 2>>& profile, int count) {
  Points points;
  for (const auto& [radius, z] : profile) points += radius == 0 ? Points{{0, 0, z}} : ring(radius, z, count);
  return points;
}

inline Points ball_by_latitudes(double radius, int count) {
  std::vector<std::array<double, 2>> profile;
  for (int i = 0; i <= count / 2; ++i) {
    const double angle = 2 * std::numbers::pi * i / count;
    profile.push_back({i == 0 || 2 * i == count ? 0 : radius * std::sin(angle), radius * std::cos(angle)});
  }
  return turned(profile, count);
}

inline Points box_corners(const Point3& size) {
  Points corners;
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5}) {
      for (const double z : {-0.5, 0.5}) corners.push_back({x * size[0], y * size[1], z * size[2]});
    }
  }
  return corners;
}

/// The same points at each of the places.
inline Points at_each(const Points& places, const Points& points) {
  using namespace detail;
  Points all;
  for (const Point3& place : places) {
    for (const Point3& p : points) all.push_back(place + p);
  }
  return all;
}

inline Points torus(double large, double small, int count) {
  Points points;
  for (int i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * i / count;
    points += ring(large + small * std::cos(angle), small * std::sin(angle), 2 * count);
  }
  return points;
}

inline Points gear_blank() {
  Points points;
  for (int tooth = 0; tooth < 20; ++tooth) {
    for (const auto& [along, radius] : {std::pair{0.0, 0.045}, {0.06, 0.05}, {0.16, 0.05}, {0.22, 0.045}}) {
      const double angle = 2 * std::numbers::pi * tooth / 20 + along;
      for (const double z : {-0.01, 0.01}) points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
  }
  return points;
}

inline Points random_points(int count, unsigned seed, const Point3& scale = {1, 1, 1}) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  Points points;
  for (int i = 0; i < count; ++i) {
    points.push_back({scale[0] * unit(random), scale[1] * unit(random), scale[2] * unit(random)});
  }
  return points;
}

inline Points scaled(Points points, const Point3& factors) {
  for (Point3& p : points) p = {factors[0] * p[0], factors[1] * p[1], factors[2] * p[2]};
  return points;
}

/// 19 families of shapes, m.
inline std::vector<std::pair<std::string, Points>> hull_shapes() {
  const Points icosphere = make_sphere_mesh(0.05, 2).points;
  Points subdivided;  // a box with points on its faces and edges
  for (int i = 0; i < 125; ++i) {
    const int row = i / 5 % 5, layer = i / 25;
    subdivided.push_back({0.02 * (i % 5), 0.015 * row, 0.0125 * layer});
  }
  Points bolt = turned({{0.01, -0.01}, {0.01, 0}}, 6);
  bolt += turned({{0.005, 0.03}, {0.004, 0.031}}, 24);
  std::vector<std::array<double, 2>> bowl;
  for (int i = 0; i <= 8; ++i) {
    const double angle = std::numbers::pi / 16 * i;
    bowl.push_back({i == 0 ? 0 : 0.06 * std::sin(angle), -0.06 * std::cos(angle)});
  }
  return {
      {"ball by latitudes", ball_by_latitudes(0.05, 16)},
      {"ball by icosphere", icosphere},
      {"ellipsoid", scaled(ball_by_latitudes(1, 16), {0.06, 0.04, 0.02})},
      {"box", box_corners({0.1, 0.06, 0.04})},
      {"subdivided box", subdivided},
      {"rounded box", at_each(box_corners({0.08, 0.06, 0.04}), scaled(make_sphere_mesh(1, 1).points, {.01, .01, .01}))},
      {"cylinder", turned({{0.03, -0.06}, {0.03, 0.06}}, 32)},
      {"can", turned({{0.03, -0.05}, {0.033, -0.045}, {0.033, 0.045}, {0.028, 0.05}}, 24)},
      {"cone", turned({{0.05, 0}, {0, 0.1}}, 16)},
      {"cup", turned({{0.03, 0}, {0.04, 0.1}, {0.037, 0.1}, {0.027, 0.003}}, 32)},
      {"capsule", at_each({{0, 0, 0.03}, {0, 0, -0.03}}, ball_by_latitudes(0.02, 16))},
      {"torus", torus(0.04, 0.015, 12)},
      {"bolt", bolt},
      {"prism", turned({{0.05, -0.04}, {0.05, 0.04}}, 6)},
      {"pyramid", {{-.05, -.05, 0}, {.05, -.05, 0}, {.05, .05, 0}, {-.05, .05, 0}, {0, 0, .07}}},
      {"plate", box_corners({0.2, 0.15, 0.0002})},
      {"disk", turned({{0.1, -0.0001}, {0.1, 0.0001}}, 24)},
      {"bowl", turned(bowl, 32)},
      {"wedge", {{0, 0, 0}, {.1, 0, 0}, {.1, .06, 0}, {0, .06, 0}, {0, 0, .04}, {0, .06, .04}}},
      {"gear blank", gear_blank()},
      {"random points", random_points(100, 5, {0.05, 0.05, 0.05})},
      {"random plate", random_points(60, 6, {0.1, 0.1, 0.001})},
  };
}

/// The rows of a rotation matrix.
using Rotation = std::array<Point3, 3>;

inline Rotation no_rotation() { return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; }

inline Rotation random_rotation(std::mt19937_64& random) {
  using namespace detail;
  std::normal_distribution<double> normal;
  const auto draw = [&] { return Point3{normal(random), normal(random), normal(random)}; };
  Point3 u = draw();
  u = (1 / norm(u)) * u;
  Point3 v = cross(u, draw());
  v = (1 / norm(v)) * v;
  return {u, v, cross(u, v)};
}

inline Point3 rotated(const Rotation& rotation, const Point3& p) {
  using namespace detail;
  return {dot(rotation[0], p), dot(rotation[1], p), dot(rotation[2], p)};
}

inline Points rotated(const Rotation& rotation, Points points) {
  for (Point3& p : points) p = rotated(rotation, p);
  return points;
}

inline Points in_float(Points points) {
  for (Point3& p : points) {
    for (double& x : p) x = static_cast<float>(x);
  }
  return points;
}

}  // namespace isopatch::testing
