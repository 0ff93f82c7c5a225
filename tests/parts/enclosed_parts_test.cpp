// SPDX-License-Identifier: Apache-2.0
//
// Where a pair of bodies has no polygon in any part pair and parts overlap, the status says so.
#include <gtest/gtest.h>

#include "tests/support/compounds.h"
#include "tests/support/fiber_evaluator.h"

namespace isopatch::test {
namespace {

using detail::CpuOptions;
using detail::Outputs;
using detail::Vectors;

constexpr double kFar = 0.5;

/// Body a has a big ball and one far away; body b a small ball at `inner` and one more at `other`. Without `soft`, the
/// small ball is the stiffer one.
SceneDescription balls(const Point3& inner, const Point3& other, bool soft = true) {
  SceneDescription scene = two_bodies(make_sphere("big", 0.1, 1), make_sphere("small", 0.02, 0));
  const auto part = [](int geometry, const Point3& at, double modulus) {
    Part p;
    p.geometry = geometry;
    p.pose = {at[0], at[1], at[2], 1, 0.1, -0.2, 0.15};
    p.modulus = modulus;
    return p;
  };
  scene.bodies[0].parts = {part(1, {0, kFar, 0}, 1e7), part(0, {0, 0, 0}, soft ? 1e7 : 1e5)};
  scene.bodies[1].parts = {part(1, inner, soft ? 1e4 : 1e7), part(1, other, 1e4)};
  return scene;
}

struct Finding {
  std::uint32_t status;
  bool touches;
};

bool operator==(const Finding& a, const Finding& b) { return a.status == b.status && a.touches == b.touches; }

std::ostream& operator<<(std::ostream& out, const Finding& f) {
  return out << status_text(f.status) << (f.touches ? ", touches" : ", apart");
}

template <class T>
Finding with_fibers(const Scene& scene, const Batch& batch, int shares) {
  UnwrittenResults results(scene, 1);
  FiberEvaluator<T, 32>(shares).evaluate(scene, batch.state(), results.view());
  return {results.status[0], results.polygon_count[0] > 0};
}

/// What all ways to evaluate agree on, with the bodies in either order.
Finding found(SceneDescription description) {
  Finding first = {12345, false};
  for (int order = 0; order < 2; ++order) {
    const Scene scene(description);
    const Batch batch(description, 1);
    std::vector<Finding> all;
    for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
      for (const Vectors vectors : {Vectors::kNone, Vectors::kBest}) {
        for (const bool brute_force : {false, true}) {
          for (const Outputs outputs : {Outputs::kWrench, Outputs::kPolygons}) {
            CpuOptions options;
            options.precision = precision;
            options.num_threads = 1;
            options.vectors = vectors;
            options.brute_force = brute_force;
            const UnwrittenResults r = evaluate_with(detail::make_evaluator(scene, options), batch, outputs);
            all.push_back({r.status[0], r.polygon_count[0] > 0});
          }
        }
      }
    }
    for (const int shares : {1, 4}) {
      all.push_back(with_fibers<float>(scene, batch, shares));
      all.push_back(with_fibers<double>(scene, batch, shares));
    }
    const UnwrittenResults r = evaluate(scene, batch, {Backend::kReference, Precision::kDouble, 1});
    all.push_back({r.status[0], r.polygon_count[0] > 0});
    if (order == 0) first = all[0];
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], first) << "order " << order << ", way " << i;
    std::swap((*description.pairs)[0].a, (*description.pairs)[0].b);
  }
  first.status = but_far_side(first.status);
  return first;
}

SceneDescription filtered(SceneDescription scene) {
  scene.contact.gradient_filter = true;
  return scene;
}

constexpr Finding kEnclosed = {kNoContactSurface, false}, kTouches = {kOk, true}, kNothing = {kOk, false};
const Point3 kInside = {0.03, 0.02, -0.01}, kAway = {kFar, 0, 0}, kThrough = {0.1, 0, 0};

TEST(EnclosedPart, IsReportedWhereNoPartPairHasAPolygon) {
  EXPECT_EQ(found(balls(kInside, kAway)), kEnclosed);
  EXPECT_EQ(found(balls(kAway, kInside)), kEnclosed);
  EXPECT_EQ(found(filtered(balls(kInside, kAway))), kEnclosed);
}

TEST(EnclosedPart, IsNotReportedWhereAnotherPartPairHasAPolygon) {
  EXPECT_EQ(found(balls(kInside, kThrough)), kTouches);
  EXPECT_EQ(found(balls(kThrough, kInside)), kTouches);
  EXPECT_EQ(found(filtered(balls(kInside, kThrough))), kTouches);
}

TEST(EnclosedPart, IsNotReportedOfPartsApart) { EXPECT_EQ(found(balls({0.15, 0, 0}, kAway)), kNothing); }

// Where the pressure is equal, both fall outwards: the filter drops every polygon, and there is a surface all the same.
TEST(EnclosedPart, IsNotReportedWhereTheGradientFilterDropsTheSurface) {
  const SceneDescription scene = balls({0, 0, 0}, kAway, false);
  EXPECT_EQ(found(scene), kTouches);
  EXPECT_EQ(found(filtered(scene)), kNothing);
}

// The surface that the filter dropped is in another part pair than the overlap without one.
TEST(EnclosedPart, IsNotReportedBesideADroppedSurfaceOfAnotherPartPair) {
  SceneDescription scene = balls({0, 0, 0}, kInside, false);
  scene.bodies[1].parts[1].modulus = 1;  // inside, and too soft for a surface
  EXPECT_EQ(found(filtered(scene)), kNothing);
}

TEST(EnclosedPart, IsReportedBelowAHalfSpaceAmongParts) {
  SceneDescription scene = balls({0, 0, -1}, kAway);
  scene.geometries.push_back(make_half_space("ground", 0.1));
  Part& ground = scene.bodies[0].parts.emplace_back();
  ground.geometry = 2;
  ground.pose = {0, 0, -0.5, 1, 0, 0, 0};
  ground.rigid = true;
  EXPECT_EQ(found(scene), kEnclosed);
  scene.bodies[1].parts[1].pose[2] = -0.5;
  EXPECT_EQ(found(scene), kTouches);
}

TEST(EnclosedPart, OfOnePairIsReportedBesideAnotherThatTouches) {
  SceneDescription scene = balls(kInside, kAway);
  Body touching = scene.bodies[1];
  touching.name = "c";
  for (Part& part : touching.parts) part.pose[0] = 0.1;
  scene.bodies.push_back(touching);
  scene.pairs = {{0, 1, {}, {}}, {0, 2, {}, {}}};
  const UnwrittenResults r = evaluate(Scene(scene), Batch(scene, 1), {});
  EXPECT_EQ(status_text(r.status[0]), "no_contact_surface");
  EXPECT_EQ(r.polygon_count[0], 0);
  EXPECT_GT(r.polygon_count[1], 0);
}

}  // namespace
}  // namespace isopatch::test
