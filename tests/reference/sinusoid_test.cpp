// SPDX-License-Identifier: Apache-2.0
//
// A rigid sinusoid pressed into a layer of unit thickness (PFC section VIII-A). The layer's pressure is E times the
// depth, so the force over that of a flat punch at the same depth d is the mean of max(0, d - eta (1 - cos theta)) / d
// over a period.
#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>

#include "tests/reference/oracle_helpers.h"

namespace isopatch::oracle {
namespace {

constexpr double kWavelength = 2 * std::numbers::pi / 3;
constexpr double kWidth = 0.5;
constexpr double kDepth = 0.4;
constexpr double kModulus = 1e5;

struct Sinusoid : Oracle {};

/// The unit cube as nx x ny x nz cells of six tets, mapped by `map`.
TetMesh grid(const std::array<std::int32_t, 3>& n, const std::function<Point3(Point3)>& map) {
  TetMesh mesh;
  for (std::int32_t i = 0; i <= n[0]; ++i) {
    for (std::int32_t j = 0; j <= n[1]; ++j) {
      for (std::int32_t k = 0; k <= n[2]; ++k)
        mesh.points.push_back(map({1. * i / n[0], 1. * j / n[1], 1. * k / n[2]}));
    }
  }
  const Triangle step{(n[1] + 1) * (n[2] + 1), n[2] + 1, 1};
  for (std::int32_t i = 0; i < n[0]; ++i) {
    for (std::int32_t j = 0; j < n[1]; ++j) {
      for (std::int32_t k = 0; k < n[2]; ++k) {
        Triangle order{0, 1, 2};
        do {
          Tet tet{i * step[0] + j * step[1] + k * step[2]};
          for (std::size_t c = 0; c < 3; ++c) tet[c + 1] = tet[c] + step[static_cast<std::size_t>(order[c])];
          mesh.tets.push_back(tet);
        } while (std::next_permutation(order.begin(), order.end()));
      }
    }
  }
  return mesh;
}

FieldOptions from_point_data() {
  FieldOptions options;
  options.kind = FieldOptions::Kind::kPointData;
  return options;
}

/// The layer from z = -1 to 0, wider than the punch, with the extent f(depth).
Geometry layer(int layers, const StrainMap& strain) {
  TetMesh mesh = grid({8, 2, layers}, [](Point3 p) {
    return Point3{-0.5 + (kWavelength + 1) * p[0], -0.5 + p[1], p[2] - 1};
  });
  for (const Point3& p : mesh.points) mesh.point_data["extent"].push_back(mapped_extent(strain, -p[2]));
  return make_tet_mesh("layer", mesh, from_point_data());
}

/// One wavelength of the rigid sinusoid, its lowest line at z = 0.
Geometry punch(double amplitude, int segments) {
  TetMesh mesh = grid({segments, 1, 1}, [amplitude](Point3 p) {
    const double bottom = amplitude * (1 - std::cos(2 * std::numbers::pi * p[0]));
    return Point3{kWavelength * p[0], kWidth * (p[1] - 0.5), bottom + p[2] * (2 - bottom)};
  });
  mesh.point_data["extent"].assign(mesh.points.size(), 1);  // not used: the punch is rigid
  return make_tet_mesh("punch", mesh, from_point_data());
}

double force(const Geometry& punch, const Geometry& layer, const BackendCase& backend) {
  SceneDescription scene = two_bodies(punch, layer);
  scene.bodies[0].rigid = true;
  scene.bodies[1].modulus = kModulus;
  set_pose(scene.bodies[0], {0, 0, -kDepth});
  return evaluate(scene, backend).force.z();
}

TEST_P(Sinusoid, PressedIntoALayer) {
  const Geometry soft = layer(2, {});
  const double flat = force(punch(0, 4), soft, GetParam());
  EXPECT_NEAR(flat, kModulus * kDepth * kWavelength * kWidth, 1e-12 * flat);

  for (const auto& [amplitude, expected] : {std::pair{0.166, 0.585}, std::pair{0.333, 0.354125}}) {
    double last = 0;
    for (const int segments : {16, 32, 64, 128}) {
      const double ratio = force(punch(amplitude, segments), soft, GetParam()) / flat;
      std::printf("  amplitude %.3f, %3d segments: %.7f, error %.2e\n", amplitude, segments, ratio, ratio - expected);
      if (amplitude < kDepth / 2) {
        // all of the sinusoid is in the layer: its mean depth is that of its corners
        EXPECT_NEAR(ratio, expected, 1e-12);
      } else if (segments == 128) {
        // the recorded value has six digits
        EXPECT_NEAR((4 * ratio - last) / 3, expected, 5e-6);
        EXPECT_NEAR(ratio, expected, 1e-4);
      }
      last = ratio;
    }
  }
}

// The first version of the PFC paper takes the true strain in this layer. Where the flat punch stops at a row of
// vertices, their pressure is that of the map.
TEST_P(Sinusoid, FlatPunchFeelsTheTrueStrain) {
  StrainMap strain;
  strain.kind = StrainMap::Kind::kTrue;
  strain.parameter = 0.9;
  const double expected = std::log(1 - 0.9 * kDepth) / std::log(1 - 0.9) * kModulus * kWavelength * kWidth;
  EXPECT_NEAR(force(punch(0, 4), layer(10, strain), GetParam()), expected, 1e-9 * expected);
}

ISOPATCH_INSTANTIATE_ORACLE(Sinusoid);

}  // namespace
}  // namespace isopatch::oracle
