// SPDX-License-Identifier: Apache-2.0
//
// The velocities after steps of a Simulator in pours of polygons, against the problem that the reference makes of the
// same bodies: its relations hold, and the cost is nearly always the least.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "host/reference/polytope/nearest_velocity.h"
#include "tests/reference/polytope/step_bodies.h"
#include "tests/simulator/polytope/polytope_pour.h"

namespace isopatch::reference::polytope {
namespace {

/// The bodies of a pour without those that wait far away, which come after the others.
class ReferencePour {
 public:
  explicit ReferencePour(const test::Rollout& rollout) {
    const SceneDescription& scene = rollout.simulator.scene().description();
    const Real h = rollout.time_step();
    for (int i = 0; i < static_cast<int>(scene.bodies.size()); ++i) {
      const Body& body = scene.bodies[static_cast<std::size_t>(i)];
      const test::Vector p = rollout.position(i), v = rollout.velocity(i);
      if (std::abs(p[0]) > 50) continue;
      const auto q = rollout.orientation(i);
      const Transform pose = placed({0, 0, 1}, 2 * std::atan2(Real{q[3]}, Real{q[0]}), {p[0], p[1], p[2]});
      std::vector<Vector3> corners;
      for (const auto& corner : scene.geometries[static_cast<std::size_t>(body.geometry)].mesh.points) {
        corners.emplace_back(corner[0], corner[1], 0);
      }
      bodies.push_back(body.fixed ? fixed(polygon(corners), pose)
                                  : thrown_polygon(polygon(corners), pose,
                                                   {v[0], v[1] - h * 9.81L, rollout.angular_velocity(i)[2]}));
      indices.push_back(i);
    }
    settings.margin = 0.01L;
    settings.time_step = h;
    std::vector<BodyPair> pairs;
    for (int b = 1; b < static_cast<int>(bodies.size()); ++b) {
      for (int a = 0; a < b; ++a) {
        if (bodies[static_cast<std::size_t>(a)].mass > 0 || bodies[static_cast<std::size_t>(b)].mass > 0) {
          pairs.push_back({a, b});
        }
      }
    }
    problem = step_problem(bodies, pairs, settings);
    for (const Relation& relation : problem.relations) {  // of parts that overlap, what separates them most
      if (relation.members.size() > 1) continue;
      StepContact& contact = problem.contacts[static_cast<std::size_t>(relation.members[0])];
      contact.b += std::max(-*settings.margin - contact.contact.gap, Real{0}) / settings.time_step;
    }
  }

  /// The velocities after a step.
  VectorX velocities(const test::Rollout& rollout) const {
    VectorX v(problem.num_dofs());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (bodies[i].mass == 0) continue;
      const test::Vector linear = rollout.velocity(indices[i]), angular = rollout.angular_velocity(indices[i]);
      v.segment<3>(problem.first_dofs[i]) = Vector3(linear[0], linear[1], angular[2]);
    }
    return v;
  }

  std::vector<StepBody> bodies;
  std::vector<int> indices;
  PairSettings settings;
  StepProblem problem;
};

TEST(PolytopeDescent, IsAMinimumWithAllRelations) {
  for (const double step : {0.01, 0.02, 0.04}) {
    int problems = 0, costlier = 0;
    double worst = 1;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      test::PourOptions options;
      options.seed = seed;
      options.step = step;
      options.integrator = Integrator::kMidpoint;
      test::Pour pour(options);
      for (int i = 0; i < pour.num_steps(); ++i) {
        const ReferencePour before(*pour.rollout);
        ASSERT_TRUE(pour.step()) << step << ", seed " << seed << ", step " << i;
        if (i % static_cast<int>(std::lround(options.every / step)) == 0) continue;  // a body has come in
        const VectorX v = before.velocities(*pour.rollout);
        const StepProblem& problem = before.problem;
        Real least = 1, free_least = 1;
        for (const Relation& relation : problem.relations) {
          least = std::min(least, problem.gap_rate(relation, v));
          free_least = std::min(free_least, problem.gap_rate(relation, problem.free_velocity));
        }
        if ((pour.rollout->state.status[0] & kHeld) != 0) continue;
        EXPECT_GT(static_cast<double>(least), -1e-9) << step << ", seed " << seed << ", step " << i;
        if (free_least >= 0) {
          EXPECT_LT(static_cast<double>(problem.cost(v)), 1e-18);
          continue;
        }
        const auto global = global_step(problem);
        ASSERT_TRUE(global.has_value());
        ++problems;
        const auto ratio = static_cast<double>(problem.cost(v) / global->cost);
        EXPECT_GT(ratio, 1 - 1e-8) << step << ", seed " << seed << ", step " << i;
        costlier += ratio > 1.001 ? 1 : 0;
        worst = std::max(worst, ratio);
      }
    }
    std::printf("%g s: %d problems, %d cost more than the least by over 1/1000, at worst %.2f times\n", step, problems,
                costlier, worst);
    EXPECT_GT(problems, 100);
    // the longer the step, the more corners are within it that a descent does not pass
    EXPECT_LT(costlier, (step < 0.02 ? 0.06 : 0.4) * problems);
  }
}

}  // namespace
}  // namespace isopatch::reference::polytope
