// SPDX-License-Identifier: Apache-2.0
//
// Discrete contacts: a polygon's area, pressure and slope at its centroid.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/hash.h"

namespace isopatch::test {
namespace {

using detail::Outputs;

UnwrittenResults with_contacts(const Scene& scene, const Batch& batch, Precision precision, std::int32_t capacity) {
  UnwrittenResults results(scene, batch.num_environments, Outputs::kWrench);
  results.give_contacts(capacity);
  Evaluator(scene, {Backend::kCpu, precision, 0}).evaluate(batch.state(), results.view());
  return results;
}

/// Two cubes of 0.1 m, moduli 1e6 and 3e6 Pa, the upper one 2 mm into the lower, at rest.
Scene cubes(bool rigid) {
  SceneDescription description;
  description.geometries = {make_box("cube", {0.1, 0.1, 0.1})};
  description.bodies.resize(2);
  description.bodies[0] = {.name = "upper", .modulus = 1e6, .dissipation = 2, .friction = 0.5};
  description.bodies[1] = {.name = "lower", .rigid = rigid, .modulus = 3e6, .dissipation = 1, .friction = 0.3};
  description.pairs = {{0, 1, {}, {}}};
  return Scene(description);
}

Batch stacked(double overlap) {
  Batch batch = Batch::of_two_bodies(1);
  batch.poses = {0.003, 0.004, 0.1 - overlap, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
  return batch;
}

// p = E depth / H with H = 0.05 m, so g_A = E_A / H and g_B = E_B / H; at the middle p0 = g overlap.
TEST(DiscreteContacts, OfStackedCubesHaveTheClosedFormsStiffness) {
  for (const bool rigid : {false, true}) {
    SCOPED_TRACE(rigid ? "rigid" : "compliant");
    const UnwrittenResults r = with_contacts(cubes(rigid), stacked(0.002), Precision::kDouble, 64);
    const double slope = rigid ? 1e6 / 0.05 : 1e6 * 3e6 / 4e6 / 0.05;
    double stiffness = 0, force = 0, deepest = 0;
    ASSERT_EQ(r.status[0], kOk);
    for (std::int32_t i = 0; i < r.contacts_needed[0]; ++i) {
      const DiscreteContact& c = r.contacts[static_cast<std::size_t>(i)];
      EXPECT_NEAR(c.stiffness * c.distance, -c.area * c.pressure, 1e-5 * c.area * c.pressure);
      EXPECT_FLOAT_EQ(c.dissipation, rigid ? 2.0f : static_cast<float>((3 * 2 + 1 * 1) / 4.0));
      EXPECT_FLOAT_EQ(c.friction, 2 * 0.5f * 0.3f / 0.8f);
      force += static_cast<double>(c.area) * static_cast<double>(c.pressure) * static_cast<double>(c.normal[2]);
      if (c.normal[2] > 0.999f) {
        stiffness += static_cast<double>(c.stiffness);
        EXPECT_NEAR(c.stiffness, static_cast<double>(c.area) * slope, 1e-5 * slope * static_cast<double>(c.area));
        deepest = std::min(deepest, static_cast<double>(c.distance));
      }
    }
    // the plane between the cubes: it covers all but the 3 and 4 mm by which they are shifted, and a rim no wider than
    // the overlap
    EXPECT_GT(stiffness, slope * (0.097 - 4e-3) * (0.096 - 4e-3));
    EXPECT_LT(stiffness, slope * 0.097 * 0.096);
    EXPECT_NEAR(deepest, -0.002, 1e-6);
    // beside a rigid plane the pressure of the cube's side tets does not rise along the normal
    if (!rigid) {
      EXPECT_NEAR(force, r.pair_wrench[2], 1e-6 * force);
    }
  }
}

// p is linear, so area x pressure at the centroid is its integral: at rest the contacts carry the static force.
TEST(DiscreteContacts, AtRestCarryTheWholeForce) {
  const Scene scene(mixed_scene());
  Batch batch = random_batch(scene, 20, 301);
  batch.velocities.clear();
  const UnwrittenResults r = with_contacts(scene, batch, Precision::kDouble, 8192);
  int compared = 0;
  for (std::size_t e = 0; e < r.status.size(); ++e) {
    ASSERT_EQ(but_far_side(r.status[e]), kOk);
    std::vector<double> sum(6 * r.num_pairs, 0.0), scale(r.num_pairs, 0.0);
    std::vector<std::int32_t> count(r.num_pairs, 0);
    for (std::int32_t i = 0; i < r.contacts_needed[e]; ++i) {
      const DiscreteContact& c = r.contacts[e * 8192 + static_cast<std::size_t>(i)];
      const auto pair = static_cast<std::size_t>(c.pair);
      const double force = static_cast<double>(c.area) * static_cast<double>(c.pressure);
      scale[pair] += force;
      ++count[pair];
      for (std::size_t k = 0; k < 3; ++k) sum[6 * pair + k] += force * static_cast<double>(c.normal[k]);
    }
    for (std::size_t p = 0; p < static_cast<std::size_t>(r.num_pairs); ++p) {
      if (count[p] != r.polygon_count[e * r.num_pairs + p]) continue;  // some polygons do not resist
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(sum[6 * p + k], r.pair_wrench[6 * (e * r.num_pairs + p) + k], 1e-6 * scale[p]) << "pair " << p;
      }
      compared += scale[p] > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(compared, 5);
}

// Both list the contacts of an environment in an order of their own: they are matched by pair and nearest point. Values
// are stored in float, so agree to a few of its roundings of the largest of their kind.
TEST(DiscreteContacts, AreThoseOfTheReference) {
  for (const DissipationModel model : {DissipationModel::kHuntCrossley, DissipationModel::kPfc}) {
    ContactOptions options;
    options.dissipation_model = model;
    const Scene scene(mixed_scene(options));
    const Batch batch = random_batch(scene, 3, 304);
    const UnwrittenResults found = with_contacts(scene, batch, Precision::kDouble, 8192);
    UnwrittenResults truth(scene, batch.num_environments, Outputs::kWrench);
    truth.give_contacts(8192);
    Evaluator(scene, {.backend = Backend::kReference}).evaluate(batch.state(), truth.view());
    EXPECT_EQ(found.contacts_needed, truth.contacts_needed);
    EXPECT_EQ(found.status, truth.status);
    int compared = 0;
    for (std::size_t e = 0; e < found.status.size(); ++e) {
      for (std::int32_t i = 0; i < found.contacts_needed[e]; ++i) {
        const DiscreteContact& c = found.contacts[8192 * e + static_cast<std::size_t>(i)];
        const DiscreteContact* nearest = nullptr;
        double least = 1e300;
        for (std::int32_t k = 0; k < truth.contacts_needed[e]; ++k) {
          const DiscreteContact& t = truth.contacts[8192 * e + static_cast<std::size_t>(k)];
          if (t.pair != c.pair) continue;
          // coordinates are about 0.1 m; two polygons may share a centroid but not an area and a normal too
          double apart = std::fabs(static_cast<double>(t.area - c.area)) * 1e3;
          for (std::size_t j = 0; j < 3; ++j) {
            apart += std::fabs(static_cast<double>(t.point[j] - c.point[j]));
            apart += 0.1 * std::fabs(static_cast<double>(t.normal[j] - c.normal[j]));
          }
          if (apart < least) least = apart, nearest = &t;
        }
        ASSERT_NE(nearest, nullptr);
        constexpr double kRounding = 0x1p-23;
        const auto expect_near = [&](float value, float expected, const char* what) {
          EXPECT_NEAR(value, expected, 4 * kRounding * std::fabs(static_cast<double>(expected))) << what;
        };
        if (nearest->area < 1e-9f) continue;  // slivers of the rounding of both
        EXPECT_LT(least, 1e-6);
        expect_near(c.area, nearest->area, "area");
        expect_near(c.stiffness, nearest->stiffness, "stiffness");
        expect_near(c.dissipation, nearest->dissipation, "dissipation");
        expect_near(c.friction, nearest->friction, "friction");
        ++compared;
      }
    }
    EXPECT_GT(compared, 100);
  }
}

TEST(DiscreteContacts, TooManyAreReportedAndChangeNoWrench) {
  const Scene scene(mixed_scene());
  const Batch batch = random_batch(scene, 6, 302);
  const UnwrittenResults ample = with_contacts(scene, batch, Precision::kFloat, 8192);
  const UnwrittenResults few = with_contacts(scene, batch, Precision::kFloat, 3);
  EXPECT_EQ(few.pair_wrench, ample.pair_wrench);
  EXPECT_EQ(few.contacts_needed, ample.contacts_needed);
  for (std::size_t e = 0; e < few.status.size(); ++e) {
    EXPECT_EQ(but_far_side(few.status[e]), few.contacts_needed[e] > 3 ? kContactCapacity : kOk);
    EXPECT_EQ(but_far_side(ample.status[e]), kOk);
  }
  EXPECT_GT(*std::max_element(few.contacts_needed.begin(), few.contacts_needed.end()), 3);
}

TEST(HostEvaluator, PartsOfABatchAreItsRows) {
  const Scene scene(boxes_on_ground());
  const Batch batch = random_batch(scene, 9, 303, 0.16, true);
  const UnwrittenResults whole = evaluate(scene, batch, {}, Outputs::kPatch);
  UnwrittenResults parts(scene, 9, Outputs::kPatch);
  const HostEvaluator evaluator(scene);
  for (const auto& [begin, count] : {std::pair<std::int64_t, std::int64_t>{0, 2}, {2, 6}, {8, 1}}) {
    evaluator.evaluate(part_of(batch.state(), scene, begin, count), part_of(parts.view(), scene, begin));
  }
  EXPECT_EQ(hash_of(parts), hash_of(whole));
}

}  // namespace
}  // namespace isopatch::test
