// SPDX-License-Identifier: Apache-2.0
//
// Any failing allocation becomes an exception in the caller.
#include <gtest/gtest.h>

#include <functional>
#include <new>
#include <optional>
#include <string>

#include "host/threads/parallel_for.h"
#include "isopatch/error.h"
#include "tests/support/hash.h"
#include "tests/threads/child.h"
#include "tests/threads/failing_memory.h"

namespace isopatch::test {

using namespace detail;

namespace {

/// `work` as the n-th allocation fails, for every n until none does; as all from the n-th on fail, too. Returns n.
std::int64_t fail_each(const std::function<void()>& work) {
  for (std::int64_t n = 0;; ++n) {
    bool all_done = true;
    for (const bool all : {false, true}) {
      const FailingMemory failing(n, all);
      try {
        work();
      } catch (const std::bad_alloc&) {
      } catch (const Error&) {
      }
      all_done = all_done && !failing.has_failed();
    }
    if (all_done) return n;
  }
}

constexpr Parallelism kSharedFrom16 = {.threads = 3, .alone = 16};

TEST(FailingMemory, EndsTheMakingOfGeometriesInTheCaller) {
  const ParallelismScope shared(kSharedFrom16);
  const std::vector<Point3> points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  FieldOptions laplace;
  laplace.kind = FieldOptions::Kind::kLaplace;
  const std::vector<std::function<void()>> makers = {[] { make_sphere("a", 0.1, 1); },
                                                     [] {
                                                       make_box("a", {0.1, 0.2, 0.3});
                                                     },
                                                     [] { make_capsule("a", 0.1, 0.1, 8); },
                                                     [&] { make_convex_hull("a", points); },
                                                     [&] { make_tet_mesh("a", make_sphere_mesh(0.1, 1), laplace); }};
  for (std::size_t i = 0; i < makers.size(); ++i) EXPECT_GT(fail_each(makers[i]), 10) << "maker " << i;
}

/// Boxes, a hull and a body of two parts, all rigid, near each other.
SceneDescription polytopes() {
  SceneDescription scene;
  scene.geometries = {make_box("box", {0.1, 0.08, 0.06}),
                      make_convex_hull("hull", {{0.05, 0, 0}, {-0.03, 0.04, 0}, {-0.03, -0.04, 0}, {0, 0, 0.07}})};
  for (int i = 0; i < 4; ++i) {
    Body body;
    body.name = std::to_string(i);
    body.geometry = i == 3 ? 1 : 0;
    body.rigid = true;
    body.pose = {0.1 * i, 0, 0, 1, 0, 0, 0};
    if (i == 2) {
      body.parts.resize(2);
      for (Part& part : body.parts) part.geometry = 0;
      body.parts[1].pose = {0, 0.1, 0, 1, 0, 0, 0};
    }
    scene.bodies.push_back(body);
  }
  scene.contact.model = ContactModel::kPolytope;
  scene.contact.polytope.margin = 0.02;
  return scene;
}

// Buffers are the caller's, and a thread keeps what it works in.
TEST(FailingMemory, IsNotAskedForByPolytopesAfterTheFirstCall) {
  constexpr std::int64_t kEnvironments = 30;
  const Scene scene(polytopes());
  const Evaluator evaluator(scene, {.num_threads = 1});
  const Batch first = random_batch(scene, kEnvironments, 39, 0.2), later = random_batch(scene, kEnvironments, 40, 0.2);
  ResultArrays results(
      scene, kEnvironments,
      {.distances = true, .capacity = {{"potential_contacts", 512}, {"relations", 512}, {"relation_members", 2048}}});
  evaluator.evaluate(first.state(), results.view());
  const Results view = results.view();
  const FailingMemory failing(0, true);
  evaluator.evaluate(later.state(), view);
  EXPECT_FALSE(failing.has_failed());
  EXPECT_GT(results.relations_needed[1], 0);
}

struct FailingMemoryOf : ::testing::Test {
  static constexpr std::int64_t kEnvironments = 40;
  const Scene scene{boxes_on_ground()};
  const Batch batch = random_batch(scene, kEnvironments, 37, 0.4);
  const std::uint64_t expected = bits(Evaluator(scene, {.num_threads = 1}));

  std::uint64_t bits(const Evaluator& evaluator) const {
    UnwrittenResults results(scene, kEnvironments, detail::Outputs::kPolygons, 96);
    evaluator.evaluate(batch.state(), results.view());
    return hash_of(results);
  }
};

TEST_F(FailingMemoryOf, AScenesConstructionEndsInTheCaller) {
  const ParallelismScope shared(kSharedFrom16);
  const SceneDescription description = two_bodies(make_sphere("a", 0.1, 1), make_box("b", {0.1, 0.2, 0.3}));
  std::optional<Scene> made;
  EXPECT_GT(fail_each([&] { made.emplace(description); }), 100);
  ASSERT_TRUE(made);
  EXPECT_EQ(bits(Evaluator(scene, {.num_threads = 2})), expected);
}

TEST_F(FailingMemoryOf, AnEvaluatorsConstructionAndItsFirstCallEndInTheCaller) {
  UnwrittenResults results(scene, kEnvironments, detail::Outputs::kPolygons, 96);
  for (const Backend backend : {Backend::kCpu, Backend::kReference}) {
    const Batch few = random_batch(scene, backend == Backend::kCpu ? kEnvironments : 2, 38, 0.4);
    EXPECT_GT(fail_each([&] {
                Evaluator(scene, {.backend = backend, .num_threads = 3}).evaluate(few.state(), results.view());
              }),
              2);
  }
  EXPECT_EQ(bits(Evaluator(scene, {.num_threads = 2})), expected);
}

TEST_F(FailingMemoryOf, AnEvaluationLeavesTheEvaluatorAsItWas) {
  UnwrittenResults results(scene, kEnvironments, detail::Outputs::kPolygons, 96);
  std::int64_t failed = 0;
  for (std::int64_t n = 0; n < 8; ++n) {
    const Evaluator evaluator(scene, {.num_threads = 3});
    try {
      const FailingMemory failing(n);
      evaluator.evaluate(batch.state(), results.view());
      failed += failing.has_failed() ? 1 : 0;
    } catch (const std::bad_alloc&) {
      ++failed;
    }
    EXPECT_EQ(bits(evaluator), expected) << "after allocation " << n;
  }
  EXPECT_GT(failed, 0);
}

// Each child starts its threads anew, so that those allocations fail too.
TEST_F(FailingMemoryOf, AProcessThatHasNoThreadsYetEndsInTheCallerOrGoesOnWithout) {
  bool failed = true;
  for (std::int64_t n = 0; failed; ++n) {
    failed = false;
    for (const bool all : {false, true}) {
      UnwrittenResults results(scene, kEnvironments, detail::Outputs::kPolygons, 96);
      const Evaluator evaluator(scene, {.num_threads = 3});
      const auto first_call = [&] {
        {
          const FailingMemory failing(n, all);
          evaluator.evaluate(batch.state(), results.view());
          if (!failing.has_failed()) _exit(3);
        }
        return hash_of(results) == expected;
      };
      const std::string ended = in_child([&] {
        try {
          return first_call();
        } catch (const std::bad_alloc&) {
        }
        return bits(evaluator) == expected;
      });
      failed = failed || ended != "code 3";
      EXPECT_TRUE(ended == "code 3" || ended == "right") << "allocation " << n << ": " << ended;
    }
    ASSERT_LT(n, 100);
  }
}

}  // namespace
}  // namespace isopatch::test
