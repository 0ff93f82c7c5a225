// SPDX-License-Identifier: Apache-2.0
//
// Contact polygons for a time step, against what an Evaluator says of the same poses.
#include "isopatch/detail/pressure_field/search_for_solver.h"

#include <gtest/gtest.h>

#include <set>

#include "host/scene/scene_data.h"
#include "tests/support/compounds.h"
#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

using detail::PointDirections;
using detail::SolverContact;
using detail::Vec3d;

struct Found {
  Vec3d force = {0, 0, 0}, torque = {0, 0, 0};  // on A, torque about its origin
  double size = 0;                              // sum of the sizes of the forces, N
  double stiffness = 0, least_force = 0;
  std::set<std::uint64_t> keys;
  std::int32_t polygons = 0;
};

Vec3d to_double(const detail::Vec3<double>& x) { return x; }
Vec3d to_double(const detail::Vec3f& x) { return detail::cast<double>(x); }

/// What the points of a pair add up to.
template <class T>
Found find(const Scene& scene, const State& state, std::int64_t environment, int pair, ContactPoints points) {
  const detail::SceneView& view = scene.data().view;
  const detail::Transform<double> X_WA = detail::read_pose(state, environment, view.pairs[pair].a);
  const Vec3d origin_W = X_WA.translation + Vec3d{0.03, -0.02, 0.05};
  detail::SerialWarp warp;
  detail::Workspace<1> work;
  Found found;
  const auto append = [&](const SolverContact<T>& p) {
    for (int k = 0; k < PointDirections::kPoints; ++k) {
      const double x = PointDirections::x(k), y = PointDirections::y(k);
      const double force =
          static_cast<double>(p.force) + x * static_cast<double>(p.change[0]) + y * static_cast<double>(p.change[1]);
      const Vec3d arm = to_double(p.centroid) + x * to_double(p.arm[0]) + y * to_double(p.arm[1]);
      const Vec3d push = force * to_double(p.normal);
      found.force = found.force + push;
      found.torque = found.torque + cross(arm + (origin_W - X_WA.translation), push);
      found.size += std::fabs(force);
      found.stiffness += static_cast<double>(p.stiffness);
      found.least_force = std::min(found.least_force, force);
    }
    found.keys.insert(p.key);
    ++found.polygons;
  };
  begin_pair(warp, work.pair, view, state, environment, pair);
  for (int frame = 0; frame < num_frames(view.pairs[pair]); ++frame) {
    for_each_part_pair(warp, work.pair, view, state, environment, pair, frame, [&](int part_pair) {
      detail::SolverContactVisitor<T, detail::SerialWarp, decltype(append)> visitor = {
          {work.pair.context}, {part_pair, points, origin_W, work.pair.bounds.force, append}};
      traverse(warp, work.traversal, hierarchies_of(work.pair.context), visitor);
    });
  }
  return found;
}

/// Returns how many pairs were compared.
template <class T>
int compare(const Scene& scene, double tolerance) {
  Batch batch = random_batch(scene, 40, 7);
  batch.velocities.clear();
  const EvaluatorOptions options = {Backend::kCpu, Precision::kDouble, 0};
  UnwrittenResults results = evaluate(scene, batch, options, detail::Outputs::kPatch);
  int compared = 0;
  for (std::int64_t e = 0; e < batch.num_environments; ++e) {
    for (int pair = 0; pair < scene.num_pairs(); ++pair) {
      SCOPED_TRACE(testing::Message() << "environment " << e << ", pair " << pair);
      const Found found = find<T>(scene, batch.state(), e, pair, ContactPoints::kMatched);
      const std::size_t at = static_cast<std::size_t>(e * scene.num_pairs() + pair);
      EXPECT_EQ(found.polygons, results.polygon_count[at]);
      EXPECT_EQ(found.keys.size(), static_cast<std::size_t>(found.polygons));
      if (found.polygons == 0) continue;
      const double* wrench = results.pair_wrench.data() + 6 * at;
      EXPECT_NEAR(found.force.x, wrench[0], tolerance * found.size);
      EXPECT_NEAR(found.force.y, wrench[1], tolerance * found.size);
      EXPECT_NEAR(found.force.z, wrench[2], tolerance * found.size);
      EXPECT_NEAR(found.torque.x, wrench[3], tolerance * found.size);
      EXPECT_NEAR(found.torque.y, wrench[4], tolerance * found.size);
      EXPECT_NEAR(found.torque.z, wrench[5], tolerance * found.size);
      EXPECT_GT(found.stiffness, 0);
      EXPECT_GE(found.least_force, -tolerance * found.size);
      ++compared;
    }
  }
  return compared;
}

TEST(ContactPolygons, HaveTheForceAndMomentOfThePatch) {
  EXPECT_GT(compare<double>(Scene(mixed_scene()), 2e-12), 100);
  EXPECT_GT(compare<float>(Scene(mixed_scene()), 2e-6), 100);
}

TEST(ContactPolygons, OfSeveralPartsHaveTheForceAndMomentOfThePatch) {
  int compared = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    compared +=
        compare<double>(Scene(random_compounds(seed, {.most_bodies = 4, .most_parts = 4, .coarse = true})), 2e-12);
  }
  EXPECT_GT(compared, 100);
}

/// At centroids, they are the discrete contacts of an evaluation.
TEST(ContactPolygons, AtCentroidsAreDiscreteContacts) {
  const Scene scene(mixed_scene());
  const Batch batch = random_batch(scene, 40, 8);
  UnwrittenResults results(scene, 40, detail::Outputs::kPolygons, 2048);
  results.give_contacts(2048);
  Evaluator(scene, {Backend::kCpu, Precision::kDouble, 0}).evaluate(batch.state(), results.view());
  int compared = 0;
  for (std::size_t e = 0; e < 40; ++e) {
    for (int pair = 0; pair < scene.num_pairs(); ++pair) {
      double stiffness = 0, force = 0;
      int contacts = 0;
      for (std::int32_t i = 0; i < results.contacts_needed[e]; ++i) {
        const DiscreteContact& contact = results.contacts[e * 2048 + static_cast<std::size_t>(i)];
        if (contact.pair != pair) continue;
        stiffness += static_cast<double>(contact.stiffness);
        force += static_cast<double>(contact.area) * static_cast<double>(contact.pressure);
        ++contacts;
      }
      const Found found =
          find<double>(scene, batch.state(), static_cast<std::int64_t>(e), pair, ContactPoints::kCentroid);
      ASSERT_EQ(found.polygons, contacts);
      EXPECT_NEAR(found.stiffness, stiffness, 1e-6 * stiffness);
      EXPECT_NEAR(found.size, force, 1e-6 * force);
      compared += contacts;
    }
  }
  EXPECT_GT(compared, 1000);
}

}  // namespace
}  // namespace isopatch::test
