// SPDX-License-Identifier: Apache-2.0
//
// A geometry at an offset is that geometry with its points moved in double.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/support/compounds.h"
#include "tests/support/same_bits.h"

namespace isopatch::test {
namespace {

using detail::Outputs;

constexpr std::int64_t kEnvironments = 8;
constexpr std::int32_t kCapacity = 2048;

UnwrittenResults all_of(const Scene& scene, const Batch& batch, Precision precision = Precision::kDouble) {
  UnwrittenResults results(scene, batch.num_environments, Outputs::kPolygons, kCapacity);
  results.give_contacts(kCapacity);
  results.give_part_pairs();
  Evaluator(scene, {Backend::kCpu, precision, 1}).evaluate(batch.state(), results.view());
  EXPECT_GT(*std::max_element(results.area.begin(), results.area.end()), 0);
  return results;
}

TetMesh moved(TetMesh mesh, const std::array<double, 7>& pose) {
  const detail::Transform<double> X = detail::transform_of(pose);
  for (Point3& p : mesh.points) {
    const detail::Vec3d x = apply(X, detail::Vec3d{p[0], p[1], p[2]});
    p = {x.x, x.y, x.z};
  }
  return mesh;
}

/// A cylinder whose extents are stated point by point.
TetMesh cylinder_with_extents() {
  const Geometry cylinder = make_cylinder("cylinder", 0.03, 0.07, 8);
  TetMesh mesh = cylinder.mesh;
  mesh.point_data["extent"] = cylinder.extent;
  return mesh;
}

FieldOptions given() {
  FieldOptions options;
  options.kind = FieldOptions::Kind::kPointData;
  return options;
}

/// A body with this geometry at an offset, and a ball.
SceneDescription on_a_ball(const Geometry& geometry, const std::array<double, 7>& offset, bool in_parts) {
  SceneDescription scene = two_bodies(geometry, make_sphere("ball", 0.05, 1));
  scene.bodies[0].friction = scene.bodies[1].friction = 0.4;
  scene.bodies[0].dissipation = 0.7;
  if (in_parts) {
    Part& part = scene.bodies[0].parts.emplace_back();
    part.geometry = 0;
    part.pose = offset;
  } else {
    scene.bodies[0].offset = offset;
  }
  return scene;
}

constexpr std::array<double, 7> kNone = {0, 0, 0, 1, 0, 0, 0};

TEST(Offset, OfAMeshWithGivenExtentsHasTheBitsOfAMovedMesh) {
  Random random(1);
  for (int i = 0; i < 10; ++i) {
    const auto offset = random_pose(random, 0.06);
    const Geometry own = make_tet_mesh("own", cylinder_with_extents(), given());
    const Geometry placed = make_tet_mesh("moved", moved(cylinder_with_extents(), offset), given());
    for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
      const Scene expected_scene(on_a_ball(placed, kNone, false));
      const Batch batch = compound_states(expected_scene, kEnvironments, 10 + i);
      const UnwrittenResults expected = all_of(expected_scene, batch, precision);
      for (const bool in_parts : {false, true}) {
        const Scene scene(on_a_ball(own, offset, in_parts));
        EXPECT_EQ(first_difference(all_of(scene, batch, precision), expected), "") << "offset " << i;
      }
    }
  }
}

/// The largest deviation of the pairs' wrenches, in units of the largest wrench.
double deviation(const UnwrittenResults& a, const UnwrittenResults& b) {
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < a.pair_wrench.size(); ++i) {
    worst = std::max(worst, std::fabs(a.pair_wrench[i] - b.pair_wrench[i]));
    largest = std::max(largest, std::fabs(a.pair_wrench[i]));
  }
  return worst / largest;
}

// The distances are computed before the move with an offset, and after it without.
TEST(Offset, OfAMeshWithComputedExtentsIsAMovedMeshButForRounding) {
  constexpr double kRounding = 1e-12;
  Random random(2);
  for (int i = 0; i < 10; ++i) {
    const auto offset = random_pose(random, 0.06);
    const TetMesh mesh = make_cylinder_mesh(0.03, 0.07, 8);
    const Scene moved_scene(on_a_ball(make_tet_mesh("moved", moved(mesh, offset)), kNone, false));
    const Batch batch = compound_states(moved_scene, kEnvironments, 30 + i);
    const Scene scene(on_a_ball(make_tet_mesh("own", mesh), offset, i % 2 == 0));
    EXPECT_LE(deviation(all_of(scene, batch), all_of(moved_scene, batch)), kRounding) << "offset " << i;
  }
}

// ---- half spaces

SceneDescription ball_on_ground(const std::array<double, 7>& offset) {
  SceneDescription scene = two_bodies(make_sphere("ball", 0.05, 1), make_half_space("ground", 0.1));
  scene.bodies[1].offset = offset;
  return scene;
}

// The rotations only exchange axes and turn their signs, and positions are multiples of 2^-10 m: nothing is rounded.
TEST(Offset, OfAHalfSpaceHasTheBitsOfItsPoseInTheWorld) {
  constexpr std::array<double, 7> kOffset = {0.0625, -0.125, 0.03125, 1, 1, 1, 1};
  const Scene scene(ball_on_ground(kOffset)), plain(ball_on_ground(kNone));
  Batch batch = compound_states(scene, kEnvironments, 50), in_world = batch;
  for (std::size_t e = 0; e < kEnvironments; ++e) {
    const double ground[] = {0.5, 0.25 + 0.0009765625 * static_cast<double>(e), -1, 0, 0, 1, 0};
    std::copy_n(ground, 7, &batch.poses[14 * e + 7]);
    batch.velocities[12 * e + 6] = batch.velocities[12 * e + 7] = batch.velocities[12 * e + 8] = 0;
    for (std::size_t i = 9; i < 12; ++i) batch.velocities[12 * e + i] = 0;
    const auto X_WG = pose_in_world(ground, kOffset);
    std::copy_n(X_WG.begin(), 7, &in_world.poses[14 * e + 7]);
    const double ball[] = {X_WG[0], X_WG[1] + 0.0390625, X_WG[2], 1, e % 2 == 0 ? 0.0 : 1.0, 0, 0};
    std::copy_n(ball, 7, &batch.poses[14 * e]);
    if (e % 2 == 1) batch.poses[14 * e + 3] = 0;
    std::copy_n(&batch.poses[14 * e], 7, &in_world.poses[14 * e]);
  }
  in_world.velocities = batch.velocities;
  const UnwrittenResults with_offset = all_of(scene, batch);
  UnwrittenResults expected = all_of(plain, in_world);
  expected.body_wrench = with_offset.body_wrench;  // the ground's is about another point
  EXPECT_EQ(first_difference(with_offset, expected), "");
}

TEST(Offset, OfAHalfSpaceIsItsPoseInTheWorldButForRounding) {
  constexpr double kRounding = 1e-14;  // of positions of 0.1 m, in depths of a few mm
  Random random(3);
  double worst = 0;
  for (int i = 0; i < 10; ++i) {
    const auto offset = random_pose(random, 0.1);
    const Scene scene(ball_on_ground(offset)), plain(ball_on_ground(kNone));
    Batch batch = compound_states(scene, kEnvironments, 60 + i), in_world = batch;
    batch.velocities.clear();
    in_world.velocities.clear();
    for (std::size_t e = 0; e < kEnvironments; ++e) {
      const auto X_WG = pose_in_world(&batch.poses[14 * e + 7], offset);
      std::copy_n(X_WG.begin(), 7, &in_world.poses[14 * e + 7]);
    }
    const double found = deviation(all_of(scene, batch), all_of(plain, in_world));
    worst = std::max(worst, found);
    EXPECT_LE(found, kRounding) << "offset " << i;
  }
  std::cout << "  wrenches: at most " << worst << "\n";
}

// Poses are formed relative to the other body before they are placed: positions are multiples of 2^-20 m.
TEST(Offset, FarFromTheWorldsOriginCostsNoDigits) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Scene scene(random_compounds(seed, {.most_bodies = 3, .most_parts = 4}));
    Batch near = compound_states(scene, 2, seed), far = near;
    for (std::size_t i = 0; i < near.poses.size(); ++i) {
      if (i % 7 > 2) continue;
      near.poses[i] = std::ldexp(std::round(std::ldexp(near.poses[i], 20)), -20);
      far.poses[i] = near.poses[i] + (i % 7 == 0 ? 0x1p20 : -0x1p21);
    }
    const auto evaluated = [&](const Batch& batch) {
      UnwrittenResults results(scene, 2, Outputs::kPatch);
      results.give_part_pairs();
      Evaluator(scene, {Backend::kCpu, Precision::kDouble, 1}).evaluate(batch.state(), results.view());
      return results;
    };
    const UnwrittenResults expected = evaluated(near), found = evaluated(far);
    EXPECT_EQ(found.pair_wrench, expected.pair_wrench) << "scene " << seed;
    EXPECT_EQ(found.part_pair_wrench, expected.part_pair_wrench) << "scene " << seed;
    EXPECT_EQ(found.area, expected.area) << "scene " << seed;
    EXPECT_EQ(found.max_pressure, expected.max_pressure) << "scene " << seed;
    EXPECT_EQ(found.energy, expected.energy) << "scene " << seed;
  }
}

// ---- alternatives

/// A compound of a box and a part with a choice of `geometry`, on a ball.
SceneDescription with_choice(int geometry, bool with_alternatives) {
  SceneDescription scene = two_bodies(make_box("box", {0.04, 0.05, 0.06}), make_sphere("ball", 0.05, 1));
  scene.geometries.push_back(make_cylinder("cylinder", 0.03, 0.07, 8));
  scene.geometries.push_back(make_sphere("other", 0.02, 0));
  scene.bodies[0].parts.resize(2);
  scene.bodies[0].parts[0].pose = {-0.03, 0, 0, 1, 0, 0, 0};
  Part& part = scene.bodies[0].parts[1];
  part.pose = {0.03, 0.01, 0, 1, 0.2, 0.3, -0.4};
  part.geometry = geometry;
  if (with_alternatives) part.alternatives = {2};
  return scene;
}

/// A row of geometries in every environment.
Batch with_geometries(Batch batch, const std::vector<std::int32_t>& row) {
  batch.geometry_index.clear();
  for (std::int64_t e = 0; e < batch.num_environments; ++e) {
    batch.geometry_index.insert(batch.geometry_index.end(), row.begin(), row.end());
  }
  return batch;
}

TEST(Alternative, OfABodyOfOnePartHasTheBitsOfAPartWithThatGeometry) {
  const Geometry box = make_box("box", {0.04, 0.05, 0.06}), cylinder = make_cylinder("cylinder", 0.03, 0.07, 8);
  constexpr std::array<double, 7> kOffset = {0.03, 0.01, 0, 1, 0.2, 0.3, -0.4};
  for (const bool in_parts : {false, true}) {
    SceneDescription description = on_a_ball(box, kOffset, in_parts);
    description.geometries.push_back(cylinder);
    (in_parts ? description.bodies[0].parts[0].alternatives : description.bodies[0].alternatives) = {2};
    const Scene scene(description), plain(on_a_ball(cylinder, kOffset, in_parts));
    const Batch batch = compound_states(scene, kEnvironments, 69);
    for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
      const UnwrittenResults found = all_of(scene, with_geometries(batch, {2, 1}), precision);
      EXPECT_EQ(first_difference(found, all_of(plain, batch, precision)), "");
      EXPECT_NE(first_difference(found, all_of(scene, batch, precision)), "");
      EXPECT_EQ(
          first_difference(all_of(scene, with_geometries(batch, {0, 1}), precision), all_of(scene, batch, precision)),
          "");
    }
  }
}

// The torque of a body of several parts is summed about the middle of the geometries that the scene gives them, so its
// rounding is not that of a scene with others.
TEST(Alternative, OfAPartGivesTheResultsOfItsGeometryUpToRounding) {
  constexpr double kRounding = 1e-14;
  const Scene scene(with_choice(0, true)), plain(with_choice(2, false));
  const Batch batch = compound_states(scene, kEnvironments, 70);
  const UnwrittenResults found = all_of(scene, with_geometries(batch, {0, 2, 1})), expected = all_of(plain, batch);
  EXPECT_LE(deviation(found, expected), kRounding);
  EXPECT_EQ(found.area, expected.area);
  EXPECT_EQ(found.polygon_count, expected.polygon_count);
  EXPECT_EQ(found.status, expected.status);
  EXPECT_EQ(first_difference(all_of(scene, with_geometries(batch, {0, 0, 1})), all_of(scene, batch)), "");
}

TEST(Alternative, OtherGeometriesAreAFaultOfTheirEnvironmentAlone) {
  const Scene scene(with_choice(0, true));
  const Batch batch = with_geometries(compound_states(scene, kEnvironments, 71), {0, 2, 1});
  const UnwrittenResults sound = all_of(scene, batch);
  for (const std::int32_t geometry : {3, 1, -1, 4}) {
    Batch faulty = batch;
    faulty.geometry_index[3 * 5 + 1] = geometry;
    const UnwrittenResults found = all_of(scene, faulty);
    for (std::size_t e = 0; e < kEnvironments; ++e) {
      if (e == 5) continue;
      EXPECT_TRUE(same_environment(found, e, sound, e)) << "environment " << e;
    }
    EXPECT_EQ(found.status[5], kBadGeometry);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(found.pair_wrench[6 * 5 + i], 0);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(found.part_pair_wrench[12 * 5 + i], 0);
    EXPECT_EQ(found.polygons_needed[5], 0);
  }
}

// The mesh of a part that is not moved needs no place of its own.
TEST(Alternative, AtTheIdentityMayBeAnyGeometry) {
  SceneDescription description = with_choice(0, false);
  description.bodies[0].parts[1].pose = kNone;
  const Scene scene(description);
  Batch batch = compound_states(scene, 1, 72);
  for (const std::int32_t geometry : {0, 1, 2, 3}) {
    batch.geometry_index = {0, geometry, 1};
    EXPECT_EQ(all_of(scene, batch).status[0] & kBadGeometry, 0u) << "geometry " << geometry;
  }
}

}  // namespace
}  // namespace isopatch::test
