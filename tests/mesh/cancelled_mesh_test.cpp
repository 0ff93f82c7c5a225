// SPDX-License-Identifier: Apache-2.0
//
// What makes a scene can be given up too: meshes, fields, cuts, checks, hierarchies and warnings.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include "host/mesh/checks/geometry_check.h"
#include "host/mesh/topology/cuts.h"
#include "host/scene/scene_warnings.h"
#include "host/threads/cancellation.h"
#include "tests/support/scenes.h"

namespace isopatch::test {

using namespace detail;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBefore(200);
constexpr double kSoon = 1;  // s

struct GivenUp {};

/// Expects that a call, which takes longer than a second, ends soon after it is given up.
void expect_cancelled_soon(const std::function<void()>& call) {
  const Clock::time_point begin = Clock::now();
  const std::function<bool()> is_cancelled = [&]() -> bool {
    if (Clock::now() - begin < kBefore) return false;
    throw GivenUp{};
  };
  const CancellationScope scope(is_cancelled);
  EXPECT_THROW(call(), GivenUp);
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - begin - kBefore).count(), kSoon);
}

/// A cube of small cubes, of six tets each.
TetMesh cube_of_tets(int layers) {
  TetMesh mesh;
  const auto at = [&](int x, int y, int z) {
    return static_cast<std::int32_t>((x * (layers + 1) + y) * (layers + 1) + z);
  };
  for (int x = 0; x <= layers; ++x) {
    for (int y = 0; y <= layers; ++y) {
      for (int z = 0; z <= layers; ++z) {
        mesh.points.push_back({x / double(layers), y / double(layers), z / double(layers)});
      }
    }
  }
  constexpr int kOrders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int x = 0; x < layers; ++x) {
    for (int y = 0; y < layers; ++y) {
      for (int z = 0; z < layers; ++z) {
        for (const auto& order :
             kOrders) {  // the tets along the six ways from a corner of the cube to the opposite one
          int corner[3] = {x, y, z};
          Tet tet;
          tet[0] = at(x, y, z);
          for (std::size_t k = 0; k < 3; ++k) {
            ++corner[order[k]];
            tet[k + 1] = at(corner[0], corner[1], corner[2]);
          }
          mesh.tets.push_back(tet);
        }
      }
    }
  }
  return mesh;
}

TEST(CancelledMesh, EndsALaplaceField) {
  const TetMesh mesh = cube_of_tets(56);
  FieldOptions options;
  options.kind = FieldOptions::Kind::kLaplace;
  expect_cancelled_soon([&] { make_tet_mesh("cube", mesh, options); });
}

TEST(CancelledMesh, EndsACutAtLevels) {
  const Geometry sphere = make_sphere("sphere", 0.05, 6);
  StrainMap map;
  map.kind = StrainMap::Kind::kPower;
  map.parameter = 3;
  map.tolerance = 1e-3;
  expect_cancelled_soon([&] { with_strain(sphere, map); });
}

TEST(CancelledMesh, EndsTheRefinementOfASurface) {
  const Geometry sphere = make_sphere("sphere", 0.05, 3);
  TriangleMesh surface = {sphere.mesh.points, sphere.surface, {}};
  expect_cancelled_soon([&] { refine(surface, 2e-4, "sphere"); });
}

TEST(CancelledMesh, EndsTheChecksOfASurface) {
  const Geometry sphere = make_sphere("sphere", 0.05, 6);
  TriangleMesh spheres;
  for (int i = 0; i < 12; ++i) {
    const auto first = static_cast<std::int32_t>(spheres.points.size());
    for (const Point3& p : sphere.mesh.points) spheres.points.push_back({p[0] + 0.2 * i, p[1], p[2]});
    for (const auto& [a, b, c] : sphere.surface) spheres.triangles.push_back({a + first, b + first, c + first});
  }
  expect_cancelled_soon([&] { make_surface_mesh("spheres", spheres); });
}

/// A body of many spheres of 81 920 tets, each at an offset.
SceneDescription many_spheres(int count) {
  SceneDescription description = two_bodies(make_sphere("sphere", 0.05, 6), make_half_space("ground", 0.1));
  for (int i = 0; i < count; ++i) {
    Part& part = description.bodies[0].parts.emplace_back();
    part.name = std::to_string(i);
    part.geometry = 0;
    part.pose[0] = 1e-3 * i;
  }
  return description;
}

TEST(CancelledScene, EndsWhileItIsBuilt) {
  const SceneDescription description = many_spheres(7);
  expect_cancelled_soon([&] { Scene{description}; });
}

TEST(CancelledScene, EndsItsWarnings) {
  SceneDescription description = many_spheres(0);
  description.geometries[0] = make_sphere("sphere", 0.05, 3);
  for (int i = 0; i < 64; ++i) {
    Part& part = description.bodies[0].parts.emplace_back();
    part.name = std::to_string(i);
    part.geometry = 0;
    part.pose[0] = 1e-5 * i;
  }
  const Scene scene(description);
  expect_cancelled_soon([&] { overlap_warnings(scene); });
}

TEST(CancelledFile, EndsItsReader) {
  std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  text.reserve(std::size_t{200} << 20);
  while (text.size() < (std::size_t{190} << 20)) text += "v 0.123456789 0.234567891 0.345678912\n";
  expect_cancelled_soon([&] { parse_obj(text, "points.obj"); });
}

}  // namespace
}  // namespace isopatch::test
