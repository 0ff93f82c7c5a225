// SPDX-License-Identifier: Apache-2.0
//
// A cache of candidates: what it is asked for and what it refuses, and that kept candidates change no bit of the cpu
// backend. tests/kernels/bits_test.cpp has the same for a device.
#include "isopatch/candidate_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "host/cpu/pressure_field/kept_candidates.h"
#include "isopatch/error.h"
#include "tests/support/compounds.h"
#include "tests/support/hash.h"
#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

template <class Call>
std::string message(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

struct CandidateCaches : ::testing::Test {
  Scene scene = Scene(two_bodies(make_sphere("ball", 0.05, 1), make_box("box", {0.1, 0.08, 0.2})));
  Evaluator evaluator{scene};
  Batch batch = random_batch(scene, 3, 701);
  ResultArrays results{scene, 3};
};

TEST_F(CandidateCaches, SayHowMuchMemoryTheyTake) {
  CandidateCache candidates = evaluator.make_candidate_cache(4, 1e-3);
  // room for 4 candidates a cell of the larger mesh and 64 more, in rows of two indices with the ends of vectors
  const auto& geometries = scene.description().geometries;
  const std::size_t cells = std::max(geometries[0].mesh.tets.size(), geometries[1].mesh.tets.size());
  EXPECT_EQ(candidates.bytes(), 4 * (sizeof(detail::KeptList) + 2 * sizeof(std::int32_t) * (4 * cells + 64 + 32)));
}

TEST_F(CandidateCaches, ChangeNoBitOfPosesThatStay) {
  CandidateCache candidates = evaluator.make_candidate_cache(4, 1e-3);
  EXPECT_EQ(candidates.num_environments(), 4);
  EXPECT_EQ(candidates.margin(), 1e-3);
  ResultArrays without(scene, 3);
  evaluator.evaluate(batch.state(), without.view());
  for (int call = 0; call < 2; ++call) {
    evaluator.evaluate(batch.state(), results.view(), candidates);
    EXPECT_EQ(results.pair_wrench, without.pair_wrench);
    candidates.reset();
  }
}

TEST_F(CandidateCaches, AreForgottenByEnvironment) {
  CandidateCache candidates = evaluator.make_candidate_cache(3, 1e-3);
  const auto& store = static_cast<detail::CpuCandidates&>(candidates.implementation()).store;
  // the first call does not know how fast the bodies are, the second finds candidates, and the third has them
  const auto times_found = [&](int calls) {
    for (int call = 0; call < calls; ++call) evaluator.evaluate(batch.state(), results.view(), candidates);
    return store.times_found();
  };
  const std::int64_t all = times_found(2);
  EXPECT_GE(all, 2);
  EXPECT_EQ(times_found(3), all);
  const std::uint8_t none[] = {0, 0, 0}, first_two[] = {1, 1, 0}, last[] = {0, 0, 1};
  candidates.reset(none);
  EXPECT_EQ(times_found(3), all);
  candidates.reset(first_two);
  const std::int64_t of_two = times_found(3) - all;
  candidates.reset(last);
  EXPECT_EQ(times_found(3), 2 * all);
  EXPECT_GT(of_two, 0);
  candidates.reset();
  EXPECT_EQ(times_found(3), 3 * all);
}

TEST_F(CandidateCaches, AreRefusedForTooManyEnvironmentsAndByAnotherEvaluator) {
  CandidateCache candidates = evaluator.make_candidate_cache(2, 1e-3);
  EXPECT_EQ(message([&] { evaluator.evaluate(batch.state(), results.view(), candidates); }),
            "evaluate: the candidate cache has room for 2 environments; the state has 3");
  const Evaluator other(scene);
  EXPECT_EQ(message([&] { other.evaluate(batch.state(), results.view(), candidates); }),
            "evaluate: the candidate cache is of another evaluator; make one with make_candidate_cache() of this one");
  const CandidateCache moved_to = std::move(candidates);
  EXPECT_EQ(message([&] { candidates.reset(); }),  // NOLINT(bugprone-use-after-move): which it refuses
            "candidate cache: it was moved from; use the one that it was moved to");
}

TEST_F(CandidateCaches, OfTooManyEnvironmentsDoNotFitIntoMemory) {
  EXPECT_EQ(message([&] { evaluator.make_candidate_cache(std::int64_t{1} << 52, 1e-3); }),
            "make_candidate_cache: there is too little memory for the candidates of 4503599627370496 environments");
}

TEST_F(CandidateCaches, NeedAMarginAboveZeroAndANumberThatIsNotNegative) {
  EXPECT_EQ(message([&] { evaluator.make_candidate_cache(1, 0); }),
            "make_candidate_cache: margin is 0; give a margin in m, above 0 and at most 1000000000000");
  EXPECT_NE(message([&] { evaluator.make_candidate_cache(-1, 1e-3); }).find("num_environments"), std::string::npos);
}

// --- random walks ---

/// Turns and shifts a body by about `length` times each.
void move(double* pose, Random& random, double length) {
  for (int k = 0; k < 3; ++k) pose[k] += random.uniform(-length, length);
  for (int k = 4; k < 7; ++k) pose[k] += 10 * random.uniform(-length, length) * std::abs(pose[3]);
}

/// Walks of environments with all kinds of steps: at rest, slow and fast ones that go on for a while, jumps, other
/// moduli, other geometries and faults.
class RandomWalk {
 public:
  RandomWalk(const Batch& start, unsigned seed) : batch_(start), start_(start.poses), random_(seed), speed_(count()) {
    directions_.resize(batch_.poses.size());
  }

  const Batch& batch() const { return batch_; }

  void step() {
    const std::size_t row = batch_.poses.size() / count();
    for (std::size_t e = 0; e < count(); ++e) {
      if (random_.below(20) == 0) {  // another speed: m a step
        speed_[e] = random_.below(4) == 0 ? 0 : std::exp(random_.uniform(std::log(1e-7), std::log(5e-3)));
        for (std::size_t i = e * row; i < (e + 1) * row; ++i) directions_[i] = random_.uniform(-1, 1);
        if (random_.below(2) == 0) std::copy_n(&start_[e * row], row, &batch_.poses[e * row]);  // not to drift apart
      }
      for (std::size_t i = e * row; i < (e + 1) * row; ++i) {
        batch_.poses[i] += speed_[e] * (i % 7 < 3 ? 1 : i % 7 == 3 ? 0 : 10) * directions_[i];
      }
      if (random_.below(60) == 0) move(&batch_.poses[e * row], random_, 0.03);
      if (random_.below(200) == 0) move(&batch_.poses[e * row], random_, 2e-3);
      if (random_.below(100) == 0 && !batch_.modulus.empty()) batch_.modulus[e] *= random_.uniform(0.5, 2);
    }
    if (random_.below(50) == 0 && !batch_.geometry_index.empty()) {
      const std::size_t parts = batch_.geometry_index.size() / count();
      const std::size_t a = parts * index(), b = parts * index();
      for (std::size_t i = 0; i < parts; ++i) std::swap(batch_.geometry_index[a + i], batch_.geometry_index[b + i]);
    }
  }

 private:
  std::size_t count() const { return static_cast<std::size_t>(batch_.num_environments); }
  std::size_t index() { return static_cast<std::size_t>(random_.below(static_cast<int>(count()))); }

  Batch batch_;
  std::vector<double> start_;
  Random random_;
  std::vector<double> speed_, directions_;
};

struct CandidateWalks : ::testing::TestWithParam<Precision> {
  /// Returns how often candidates were found, in searches of all part pairs.
  static double walk(const Scene& scene, const Batch& start, int steps, unsigned seed) {
    const Evaluator evaluator(scene, {Backend::kCpu, GetParam(), 1});
    CandidateCache candidates = evaluator.make_candidate_cache(start.num_environments, 1.0);
    RandomWalk walk(start, seed);
    const detail::Outputs outputs = seed % 2 == 0 ? detail::Outputs::kPatch : detail::Outputs::kWrench;
    UnwrittenResults expected(scene, start.num_environments, outputs), found = expected;
    const auto without_energy = [](UnwrittenResults& results) {  // it takes long, and is not searched with candidates
      Results view = results.view();
      view.energy = {};
      return view;
    };
    std::int64_t polygons = 0;
    for (int i = 0; i < steps; ++i, walk.step()) {
      if (i == steps / 2) candidates.reset();
      evaluator.evaluate(walk.batch().state(), without_energy(expected));
      evaluator.evaluate(walk.batch().state(), without_energy(found), candidates);
      for (std::size_t e = 0; e < static_cast<std::size_t>(start.num_environments); ++e) {
        if (environment_hash(found, e) != environment_hash(expected, e)) {
          ADD_FAILURE() << "step " << i << ", environment " << e;
          return 0;
        }
      }
      for (const std::int32_t count : expected.polygon_count) polygons += std::max(count, 0);
    }
    EXPECT_GT(polygons, 4 * steps);
    const auto& store = static_cast<detail::CpuCandidates&>(candidates.implementation()).store;
    return static_cast<double>(store.times_found());
  }
};

constexpr int kWalkers = 16;

TEST_P(CandidateWalks, OfAllKindsOfPairsHaveTheSameBits) {
  const Scene mixed(mixed_scene());
  EXPECT_GT(walk(mixed, random_batch(mixed, kWalkers, 31, 0.16, true), 150, 1), 400);
  EXPECT_GT(walk(mixed, random_batch(mixed, kWalkers, 32), 150, 2), 400);
  const Scene layers(with_layers(boxes_on_ground()));
  EXPECT_GT(walk(layers, random_batch(layers, kWalkers, 33, 0.12, true), 300, 3), 400);
  const Scene compounds(random_compounds(3, {.most_bodies = 3, .most_parts = 4, .coarse = true}));
  EXPECT_GT(walk(compounds, compound_states(compounds, kWalkers, 34, true), 200, 4), 400);
}

TEST_P(CandidateWalks, OfFineMeshesHaveTheSameBits) {
  for (const bool rigid : {false, true}) {
    SceneDescription description = two_bodies(make_sphere("ball", 0.05, 2), make_sphere("other", 0.06, 2));
    description.bodies[1].rigid = rigid;
    description.bodies[0].modulus = rigid ? 1e5 : 1e7;
    const Scene balls(description);
    EXPECT_GT(walk(balls, random_batch(balls, kWalkers, 35, 0.1), 400, rigid ? 5 : 6), 100);
  }
}

INSTANTIATE_TEST_SUITE_P(All, CandidateWalks, ::testing::Values(Precision::kFloat, Precision::kDouble),
                         [](const auto& test) { return test.param == Precision::kFloat ? "Float" : "Double"; });

}  // namespace
}  // namespace isopatch::test
