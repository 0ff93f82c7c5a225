// SPDX-License-Identifier: Apache-2.0
//
// Arrays, strides, types, masks and material rules, seen from the outside.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/hash.h"

namespace isopatch::test {
namespace {

using detail::Outputs;

const EvaluatorOptions kFloatCpu = {Backend::kCpu, Precision::kFloat, 2};
const EvaluatorOptions kDoubleCpu = {Backend::kCpu, Precision::kDouble, 2};

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Arrays, RowsMayBeFartherApartThanTheyAreLong) {
  const Scene scene(boxes_on_ground());
  constexpr std::size_t kCount = 9, kGap = 5;
  const Batch batch = random_batch(scene, kCount, 61);
  UnwrittenResults contiguous = evaluate(scene, batch, kDoubleCpu, Outputs::kPatch);

  constexpr std::size_t kPoseRow = 21 + kGap, kWrenchRow = 18 + kGap, kAreaRow = 3 + kGap;
  std::vector<double> poses(kCount * kPoseRow, std::nan("")), wrench(kCount * kWrenchRow, 777),
      area(kCount * kAreaRow, 777);
  for (std::size_t e = 0; e < kCount; ++e) std::copy_n(batch.poses.data() + 21 * e, 21, poses.data() + e * kPoseRow);
  State state = batch.state();
  state.poses = {poses.data(), kPoseRow};
  Results results;
  results.pair_wrench = {wrench.data(), kWrenchRow};
  results.area = {area.data(), kAreaRow};
  Evaluator(scene, kDoubleCpu).evaluate(state, results);
  for (std::size_t e = 0; e < kCount; ++e) {
    for (std::size_t i = 0; i < kWrenchRow; ++i) {
      EXPECT_EQ(wrench[e * kWrenchRow + i], i < 18 ? contiguous.pair_wrench[18 * e + i] : 777) << e << ", " << i;
    }
    for (std::size_t i = 0; i < kAreaRow; ++i) {
      EXPECT_EQ(area[e * kAreaRow + i], i < 3 ? contiguous.area[3 * e + i] : 777) << e << ", " << i;
    }
  }
}

TEST(Arrays, FloatInputsAreTheirValuesInDouble) {
  const Scene scene(boxes_on_ground());
  Batch batch = random_batch(scene, 20, 62, 0.16, true);
  std::vector<std::vector<float>> floats;
  for (std::vector<double>* array :
       {&batch.poses, &batch.velocities, &batch.modulus, &batch.dissipation, &batch.friction}) {
    floats.emplace_back();
    for (double& value : *array) {
      floats.back().push_back(static_cast<float>(value));
      value = static_cast<double>(floats.back().back());
    }
  }
  const UnwrittenResults expected = evaluate(scene, batch, kDoubleCpu);
  State state = batch.state();
  state.poses = {floats[0].data()};
  state.velocities = {floats[1].data()};
  state.modulus = {floats[2].data()};
  state.dissipation = {floats[3].data()};
  state.friction = {floats[4].data()};
  UnwrittenResults r(scene, 20, Outputs::kPolygons, 1024);
  Evaluator(scene, kDoubleCpu).evaluate(state, r.view());
  EXPECT_EQ(hash_of(r), hash_of(expected));
}

TEST(Arrays, FloatOutputsAreRoundedDoubles) {
  const Scene scene(boxes_on_ground());
  const Batch batch = random_batch(scene, 20, 63);
  const UnwrittenResults expected = evaluate(scene, batch, kDoubleCpu);
  std::vector<float> wrench(20 * 18, -1), energy(20 * 3, -1), center(20 * 9, -1);
  Results results;
  results.pair_wrench = {wrench.data()};
  results.energy = {energy.data()};
  results.center_of_pressure = {center.data()};
  Evaluator(scene, kDoubleCpu).evaluate(batch.state(), results);
  for (std::size_t i = 0; i < wrench.size(); ++i)
    EXPECT_EQ(wrench[i], static_cast<float>(expected.pair_wrench[i])) << i;
  for (std::size_t i = 0; i < energy.size(); ++i) EXPECT_EQ(energy[i], static_cast<float>(expected.energy[i])) << i;
  for (std::size_t i = 0; i < center.size(); ++i)
    EXPECT_EQ(center[i], static_cast<float>(expected.center_of_pressure[i])) << i;
}

TEST(Arrays, AnyOneOutputAloneHasTheBitsOfAllTogether) {
  const Scene scene(boxes_on_ground());
  const Batch batch = random_batch(scene, 10, 64);
  UnwrittenResults all = evaluate(scene, batch, kFloatCpu);
  const Evaluator evaluator(scene, kFloatCpu);
  evaluator.evaluate(batch.state(), Results());
  OutputArray Results::*members[] = {&Results::pair_wrench, &Results::area,         &Results::center_of_pressure,
                                     &Results::mean_normal, &Results::max_pressure, &Results::friction_force,
                                     &Results::energy};
  for (const auto member : members) {
    UnwrittenResults one(scene, 10);
    Results only;
    only.*member = one.view().*member;
    evaluator.evaluate(batch.state(), only);
    const auto* found = static_cast<const double*>((only.*member).data);
    const auto* expected = static_cast<const double*>((all.view().*member).data);
    const auto size = static_cast<std::size_t>(10 * (only.*member).stride);
    EXPECT_TRUE(std::equal(found, found + size, expected)) << "member " << (&member - members);
  }
}

TEST(Arrays, NoEnvironmentsIsNoWork) {
  const Scene scene(boxes_on_ground());
  for (const EvaluatorOptions& options : {kFloatCpu, kDoubleCpu}) {
    EXPECT_NO_THROW(Evaluator(scene, options).evaluate(State(), Results()));
  }
}

TEST(Arrays, BadCallsSayWhatIsWrong) {
  const Scene scene(boxes_on_ground());
  const Evaluator evaluator(scene, kFloatCpu);
  const Batch batch = random_batch(scene, 1, 65);
  UnwrittenResults r(scene, 1);
  const auto with = [&](const auto& change) {
    return message_of([&] {
      State state = batch.state();
      Results results = r.view();
      change(state, results);
      evaluator.evaluate(state, results);
    });
  };
  EXPECT_EQ(with([](State&, Results&) {}), "no error");
  EXPECT_NE(with([](State& s, Results&) {
              s.num_environments = 0;
            }).find("state.num_environments is 0; give the number of environments that state.poses has"),
            std::string::npos);
  EXPECT_NE(with([](State& s, Results&) { s.num_environments = -1; }).find("num_environments is -1"),
            std::string::npos);
  for (const double step : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_NE(with([step](State& s, Results&) { s.time_step = step; }).find("state.time_step is "), std::string::npos);
  }
  EXPECT_NE(with([](State& s, Results&) { s.poses = {}; }).find("state.poses is null"), std::string::npos);
  EXPECT_NE(with([](State& s, Results&) { s.poses.stride = 20; }).find("stride is 20 elements; a row has 21"),
            std::string::npos);
  EXPECT_NE(with([](State&, Results& o) { o.pair_wrench = {}; }).find("results.pair_wrench, which is null"),
            std::string::npos);
  EXPECT_NE(with([](State&, Results& o) { o.polygons_needed = nullptr; }).find("polygons_needed"), std::string::npos);
  EXPECT_NE(message_of([&] {
              Evaluator(scene, {Backend::kCpu, Precision::kFloat, -2});
            }).find("num_threads is -2"),
            std::string::npos);
}

TEST(Arrays, WithoutCudaTheBackendSaysSo) {
  if (cuda_available()) GTEST_SKIP() << "there is a device";
  const std::string message = message_of([] { Evaluator(Scene(boxes_on_ground()), {Backend::kCuda, {}, 0, false}); });
  EXPECT_EQ(message.rfind("backend cuda: ", 0), 0u) << message;
  EXPECT_NE(message.find("use cpu"), std::string::npos) << message;
}

TEST(PairMask, LeavesAPairOutAndChangesNoOther) {
  const Scene scene(mixed_scene());
  Batch batch = random_batch(scene, 6, 66);
  const UnwrittenResults all = evaluate(scene, batch, kFloatCpu);
  const std::size_t pairs = all.num_pairs;
  batch.pair_mask.assign(6 * pairs, 1);
  EXPECT_EQ(hash_of(evaluate(scene, batch, kFloatCpu)), hash_of(all));
  for (std::size_t i = 0; i < 6 * pairs; ++i) batch.pair_mask[i] = i % 3 == 0 ? 0 : 255;
  const UnwrittenResults masked = evaluate(scene, batch, kFloatCpu);
  for (std::size_t i = 0; i < 6 * pairs; ++i) {
    EXPECT_EQ(masked.area[i], i % 3 == 0 ? 0 : all.area[i]) << "pair " << i;
    EXPECT_EQ(masked.energy[i], i % 3 == 0 ? 0 : all.energy[i]) << "pair " << i;
    for (std::size_t k = 6 * i; k < 6 * i + 6; ++k)
      EXPECT_EQ(masked.pair_wrench[k], i % 3 == 0 ? 0 : all.pair_wrench[k]);
  }
}

// --- materials ----------------------------------------------------------------------------------------------------

constexpr double kMaterialTolerance = 1e-11;  // of quotients of forces good to 1e-12

/// A cube pressed on a block. Beside a rigid block the contact is one plane, and without turning damping and friction
/// are the same all over it, so the wrench tells the coefficients.
struct Pressed {
  SceneDescription description;

  Pressed() {
    description.geometries = {make_box("cube", {0.1, 0.1, 0.1})};
    description.bodies.resize(2);
    description.bodies[0] = {"a", 0, false, false, false, 2e5, 0.8, 0.9, {}, {0, 0, 0, 1, 0, 0, 0}, {}};
    description.bodies[1] = {"b", 0, false, false, false, 6e5, 0.4, 0.3, {}, {0, 0, 0, 1, 0, 0, 0}, {}};
    description.pairs = {{0, 1, {}, {}}};
    description.contact.slip_tolerance = 1e-9;
  }

  using Velocity = std::array<double, 3>;

  std::vector<double> wrench(Velocity velocity, const std::vector<double>& dissipations = {},
                             const std::vector<double>& frictions = {}) const {
    Batch batch = Batch::of_two_bodies(1);
    batch.poses = {0, 0, 0.09, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    batch.velocities.assign(12, 0);
    std::copy(velocity.begin(), velocity.end(), batch.velocities.begin());
    batch.dissipation = dissipations;
    batch.friction = frictions;
    return evaluate(Scene(description), batch, kDoubleCpu).pair_wrench;
  }

  /// What a rigid block shows.
  void expect(double dissipation, double friction, const std::vector<double>& dissipations = {},
              const std::vector<double>& frictions = {}) const {
    constexpr double kSpeed = 0.25;
    const double resting = wrench({0, 0, 0}, dissipations, frictions)[2];
    const double approaching = wrench({0, 0, -kSpeed}, dissipations, frictions)[2];
    EXPECT_NEAR((approaching / resting - 1) / kSpeed, dissipation, kMaterialTolerance);
    EXPECT_NEAR(-wrench({kSpeed, 0, 0}, dissipations, frictions)[0] / resting, friction, kMaterialTolerance);
  }

  /// The combined values give what the same values give when the pair has them as its own.
  void expect_as_own(double dissipation, double friction) const {
    Pressed own = *this;
    (*own.description.pairs)[0].dissipation = dissipation;
    (*own.description.pairs)[0].friction = friction;
    const Velocity velocity = {0.1, -0.2, -0.3};
    const std::vector<double> found = wrench(velocity), expected = own.wrench(velocity);
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(found[i], expected[i], kMaterialTolerance * std::fabs(expected[2])) << "component " << i;
    }
  }
};

TEST(Materials, DissipationIsWeighedByTheOthersModulusAndFrictionIsTheHarmonicMean) {
  Pressed().expect_as_own((6e5 * 0.8 + 2e5 * 0.4) / 8e5, 2 * 0.9 * 0.3 / 1.2);
}

TEST(Materials, NoFrictionOnEitherBodyIsNoFriction) {
  Pressed p;
  p.description.bodies[0].friction = 0;
  p.expect_as_own((6e5 * 0.8 + 2e5 * 0.4) / 8e5, 0);
  p.description.bodies[1].friction = 0;
  p.expect_as_own((6e5 * 0.8 + 2e5 * 0.4) / 8e5, 0);
}

TEST(Materials, ARigidBodyLeavesDissipationToTheOther) {
  Pressed p;
  p.description.bodies[1].rigid = true;
  p.expect(0.8, 2 * 0.9 * 0.3 / 1.2);
}

TEST(Materials, APairsOwnValuesReplaceTheCombination) {
  Pressed p;
  p.description.bodies[1].rigid = true;
  (*p.description.pairs)[0].dissipation = 1.5;
  (*p.description.pairs)[0].friction = 0.05;
  p.expect(1.5, 0.05);
}

TEST(Materials, AnEnvironmentsValuesReplaceAPairsOwn) {
  Pressed p;
  p.description.bodies[1].rigid = true;
  (*p.description.pairs)[0].dissipation = 1.5;
  (*p.description.pairs)[0].friction = 0.05;
  p.expect(0.1, 0.5, {0.1, 0.9}, {0.5, 0.5});
  p.expect(0.1, 0.05, {0.1, 0.9});  // only dissipation is given for the environment
}

// The relative speed decides: turning the pair round exchanges the roles and negates the wrench.
TEST(Materials, ExchangingTheBodiesNegatesTheForce) {
  Pressed p, exchanged;
  exchanged.description.pairs = {{1, 0, {}, {}}};
  const std::vector<double> one = p.wrench({0.1, -0.2, -0.3}), other = exchanged.wrench({0.1, -0.2, -0.3});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(one[i], -other[i], kMaterialTolerance * std::fabs(one[2]));
}

// --- invariance -----------------------------------------------------------------------------------------------------

// A coordinate at 1e4 m is rounded by 1e-12 m, 1e-9 of the contacts' depth of about a millimetre or more.
TEST(Wrench, IsTheSameFarFromTheOrigin) {
  const Scene scene(boxes_on_ground());
  Batch batch = random_batch(scene, 50, 67);
  const UnwrittenResults here = evaluate(scene, batch, kDoubleCpu);
  for (std::size_t i = 0; i < batch.poses.size(); i += 7) {
    batch.poses[i] += 1e4;
    batch.poses[i + 1] -= 2e4;
  }
  const UnwrittenResults there = evaluate(scene, batch, kDoubleCpu);
  for (std::size_t pair = 0; pair < here.area.size(); ++pair) {
    double force = 0, error = 0;
    for (std::size_t i = 6 * pair; i < 6 * pair + 3; ++i) {
      force += std::fabs(here.pair_wrench[i]);
      error += std::fabs(here.pair_wrench[i] - there.pair_wrench[i]);
      error += 10 * std::fabs(here.pair_wrench[i + 3] - there.pair_wrench[i + 3]);  // arms of 0.1 m
    }
    EXPECT_LE(error, 1e-7 * force + 1e-9) << "pair " << pair;
  }
}

// A floor's own origin may be anywhere on it: here kilometres from a ball that is 20 um deep, which in float is a few
// hundred times less than a coordinate's rounding.
TEST(Wrench, DoesNotDependOnWhereOnItsPlaneAHalfSpaceHasItsOrigin) {
  SceneDescription description;
  description.geometries = {make_sphere("ball", 0.002, 3), make_half_space("floor", 0.1)};
  description.bodies.resize(2);
  description.bodies[0].name = "ball";
  description.bodies[1].name = "floor";
  description.bodies[1].geometry = 1;
  description.pairs = {{0, 1, {}, {}}};
  for (const bool rigid : {false, true}) {
    description.bodies[1].rigid = rigid;
    const Scene scene(description);
    std::vector<double> force;
    for (const double away : {0.0, 1e4, -1.3e4, 1.7e4, -2.3e4, 3.1e4}) {
      // the floor leans by 0.8 rad about x: its z axis is (0, -sin, cos), its y axis (0, cos, sin)
      const double s = std::sin(0.8), c = std::cos(0.8), w = std::cos(0.4), x = std::sin(0.4), height = 0.00195;
      const std::vector<double> poses = {0, -s * height, c * height, 1, 0, 0, 0, away, away * c, away * s, w, x, 0, 0};
      std::vector<double> wrench(6);
      Results results;
      results.pair_wrench = wrench.data();
      State state;
      state.num_environments = 1;
      state.poses = poses.data();
      Evaluator(scene).evaluate(state, results);
      force.push_back(std::hypot(wrench[0], wrench[1], wrench[2]));
    }
    EXPECT_GT(force[0], 0);
    for (const double f : force) EXPECT_NEAR(f, force[0], 1e-5 * force[0]) << (rigid ? "rigid" : "compliant");
  }
}

TEST(Wrench, OfABodyIsTheSumOverItsPairsAboutItsOrigin) {
  const Scene scene(mixed_scene());
  const Batch batch = random_batch(scene, 20, 68);
  const UnwrittenResults r = evaluate(scene, batch, kFloatCpu);
  const std::vector<Pair>& pairs = scene.pairs();
  for (std::size_t e = 0; e < 20; ++e) {
    std::vector<double> sum(6 * r.num_bodies, 0), size(r.num_bodies, 0);
    for (std::size_t p = 0; p < static_cast<std::size_t>(r.num_pairs); ++p) {
      const double* w = r.pair_wrench.data() + 6 * (e * r.num_pairs + p);
      for (const bool first : {true, false}) {
        const auto body = static_cast<std::size_t>(first ? pairs[p].a : pairs[p].b);
        const double* from = batch.poses.data() + 7 * (e * r.num_bodies + static_cast<std::size_t>(pairs[p].a));
        const double* to = batch.poses.data() + 7 * (e * r.num_bodies + body);
        const double arm[3] = {from[0] - to[0], from[1] - to[1], from[2] - to[2]}, sign = first ? 1 : -1;
        for (std::size_t i = 0; i < 3; ++i) {
          const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
          sum[6 * body + i] += sign * w[i];
          sum[6 * body + 3 + i] += sign * (w[3 + i] + arm[j] * w[k] - arm[k] * w[j]);
          size[body] += std::fabs(w[i]) + std::fabs(w[3 + i]);
        }
      }
    }
    for (std::size_t i = 0; i < sum.size(); ++i) {
      EXPECT_NEAR(r.body_wrench[6 * r.num_bodies * e + i], sum[i], 1e-13 * size[i / 6])
          << "environment " << e << ", " << i;
    }
  }
}

}  // namespace
}  // namespace isopatch::test
