// SPDX-License-Identifier: Apache-2.0
//
// Contacts and relations of scenes by the evaluator on the CPU against the reference, which shares no code with it.
// ISOPATCH_POLYTOPE_STATES says how many random states of each scene; more than the default are for runs by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "tests/polytope/relation_names.h"
#include "tests/polytope/relation_scenes.h"

namespace isopatch::test {
namespace {

// m: 1e-12 of bodies of 0.1 m: rounding of separations, and of the numbers that contacts have in float
constexpr double kRounding = 1e-13;

// of numbers that are rounded to float from values which differ by some rounding
constexpr double kFloat = 0x1p-23;

// m, and of quaternions, velocities and the time step: what differs by less may be decided either way
constexpr double kTie = 1e-13;

constexpr double kMostTimeStep = 0.05;  // s

int num_states() {
  const char* const wanted = std::getenv("ISOPATCH_POLYTOPE_STATES");
  return wanted == nullptr ? 200 : std::atoi(wanted);
}

/// One environment of a batch many times, each with everything a little elsewhere.
Batch nearly(const Batch& batch, std::int64_t environment, std::int64_t copies, bool is_planar, Random& random) {
  Batch result = batch;
  result.num_environments = copies;
  result.poses.clear();
  result.velocities.clear();
  result.geometry_index.clear();
  const auto bodies = static_cast<std::size_t>(batch.num_bodies), row = static_cast<std::size_t>(environment);
  for (std::int64_t copy = 0; copy < copies; ++copy) {
    const auto geometries = batch.geometry_index.begin();
    if (!batch.geometry_index.empty()) {
      result.geometry_index.insert(result.geometry_index.end(), geometries + environment * batch.num_parts,
                                   geometries + (environment + 1) * batch.num_parts);
    }
    for (std::size_t i = 0; i < 7 * bodies; ++i) {
      const bool stays = is_planar && (i % 7 == 2 || i % 7 == 4 || i % 7 == 5);
      result.poses.push_back(batch.poses[7 * bodies * row + i] + (stays ? 0 : random.uniform(-kTie, kTie)));
    }
    for (std::size_t i = 0; i < 6 * bodies; ++i) {
      result.velocities.push_back(batch.velocities[6 * bodies * row + i] * (1 + random.uniform(-kTie, kTie)));
    }
  }
  return result;
}

/// Of what two evaluations differ in: whether one of them finds it as the other does once everything has changed by
/// less than what decides. Part pairs do not depend on each other.
class TieSearch {
 public:
  TieSearch(const Scene& scene, const Batch& batch, std::int64_t environment, bool is_planar, double time_step)
      : scene_(scene), batch_(batch), environment_(environment), is_planar_(is_planar), time_step_(time_step) {}

  bool explains(const Names& found, const Names& expected) {
    std::set<PartPairName> different;
    for (const Names* names : {&found, &expected}) {
      for (const auto& [name, list] : names->part_pairs) {
        if (!(part_of(found, name) == part_of(expected, name))) different.insert(name);
      }
    }
    bool is_open = found.status != expected.status;
    const auto try_all = [&](Backend backend, int tries, const Names& wanted) {
      if (different.empty() && !is_open) return;
      const Batch others = nearly(batch_, environment_, tries, is_planar_, random_);
      const ResultArrays results = evaluate(scene_, others, time_step_, backend);
      for (int k = 0; k < tries; ++k) {
        const Names names = names_of(results, k);
        std::erase_if(different,
                      [&](const PartPairName& name) { return part_of(names, name) == part_of(wanted, name); });
        is_open = is_open && names.status != wanted.status;
      }
    };
    try_all(Backend::kCpu, 2000, expected);
    try_all(Backend::kReference, 200, found);
    return different.empty() && !is_open;
  }

 private:
  static PartPairNames part_of(const Names& names, const PartPairName& name) {
    const auto at = names.part_pairs.find(name);
    return at == names.part_pairs.end() ? PartPairNames{} : at->second;
  }

  const Scene& scene_;
  const Batch& batch_;
  std::int64_t environment_;
  bool is_planar_;
  double time_step_;
  Random random_{7};
};

struct Comparison {
  int states = 0, contacts = 0, relations = 0, members = 0, crossed = 0, reversed = 0, deep = 0, wrong = 0;
  std::vector<std::int64_t> ties;
  double separation = 0, overlap = 0, gap = 0, point = 0, normal = 0, applicability = 0;
};

/// By how much numbers in float differ, beyond their rounding.
double difference(float found, float expected, double scale = 0) {
  const double rounding = kFloat * std::max<double>(std::fabs(expected), scale);
  return std::max(0.0, std::fabs(static_cast<double>(found) - static_cast<double>(expected)) - rounding);
}

void compare_contact(const PotentialContact& found, const PotentialContact& expected, Comparison& to) {
  double dot = 0;
  for (int i = 0; i < 3; ++i) dot += static_cast<double>(found.normal[i]) * static_cast<double>(expected.normal[i]);
  // two edges that are as little applicable either way round have either normal
  const float sign = dot < 0 ? -1.0F : 1.0F;
  if (dot < 0) {
    ++to.reversed;
    EXPECT_EQ(expected.kind, kEdgeOnEdge);
    EXPECT_LT(expected.applicability, 0);
  }
  to.gap = std::max(to.gap, difference(sign * found.gap, expected.gap));
  to.applicability = std::max(to.applicability, difference(found.applicability, expected.applicability));
  for (int i = 0; i < 3; ++i) {
    to.normal = std::max(to.normal, difference(sign * found.normal[i], expected.normal[i]));
    // where lines that are nearly parallel are closest is known less well than how far they are apart
    to.point = std::max(to.point, difference(found.point[i], expected.point[i], 1));
  }
}

void compare(const RelationScene& scene, const Scene& made, int states, Random& random, Comparison& to) {
  constexpr int kStatesOfACall = 10;
  for (int done = 0; done < states; done += kStatesOfACall) {
    const int n = std::min(kStatesOfACall, states - done);
    const double time_step = random.below(4) == 0 ? 0 : random.uniform(0, kMostTimeStep);
    const Batch batch = relation_states(scene, made, n, random);
    const ResultArrays cpu = evaluate(made, batch, time_step, Backend::kCpu),
                       truth = evaluate(made, batch, time_step, Backend::kReference);
    for (std::size_t i = 0; i < cpu.separation.size(); ++i) {
      to.separation = std::max(to.separation, std::fabs(cpu.separation[i] - truth.separation[i]));
      to.overlap = std::max(to.overlap, std::fabs(cpu.overlap[i] - truth.overlap[i]));
    }
    for (int e = 0; e < n; ++e) {
      ++to.states;
      const Names names = names_of(cpu, e), expected = names_of(truth, e);
      if (!(names == expected)) {
        if (TieSearch(made, batch, e, scene.is_planar, time_step).explains(names, expected)) {
          to.ties.push_back(done + e);
        } else if (++to.wrong <= 3) {
          ADD_FAILURE() << scene.name << ", state " << done + e << ", time step " << time_step << ": status "
                        << names.status << ", by the reference " << expected.status << differences(names, expected);
        }
        continue;
      }
      to.deep += (names.status & kOverlap) != 0 ? 1 : 0;
      for (const auto& [name, part_pair] : names.part_pairs) {
        to.relations += static_cast<int>(part_pair.relations.size());
        for (const auto& [kind, members] : part_pair.relations) {
          to.members += static_cast<int>(members.size());
          to.crossed += kind == kCrossRelation ? 1 : 0;
        }
      }
      const auto row = static_cast<std::size_t>(e);
      const auto contacts = static_cast<std::size_t>(cpu.relations_needed[3 * row]);
      to.contacts += static_cast<int>(contacts);
      for (std::size_t c = 0; c < contacts; ++c) {
        compare_contact(
            cpu.potential_contacts[row * static_cast<std::size_t>(cpu.counts()[Per::kPotentialContactCapacity]) + c],
            truth
                .potential_contacts[row * static_cast<std::size_t>(truth.counts()[Per::kPotentialContactCapacity]) + c],
            to);
      }
    }
  }
}

void report(const std::string& name, const Comparison& found) {
  std::printf("%s: %d states, %d deep, %d contacts, %d relations (%d X), %d members; %d wrong, %zu ties", name.c_str(),
              found.states, found.deep, found.contacts, found.relations, found.crossed, found.members, found.wrong,
              found.ties.size());
  for (const std::int64_t state : found.ties) std::printf(" %lld", static_cast<long long>(state));
  std::printf(
      "; normals reversed %d\n  worst: separation %.2g, overlap %.2g; of floats beyond their "
      "rounding: gap %.2g, "
      "point %.2g, normal %.2g, applicability %.2g\n",
      found.reversed, found.separation, found.overlap, found.gap, found.point, found.normal, found.applicability);
}

class PolytopeEvaluators : public testing::TestWithParam<std::size_t> {};

TEST_P(PolytopeEvaluators, HaveTheContactsRelationsAndMembersOfTheReference) {
  RelationScene scene = relation_scenes()[GetParam()];
  constexpr const char* kModes[] = {"exact", "lnc", "unilateral", "separating"};
  for (int mode = 0; mode < 4; ++mode) {
    scene.description.contact.polytope.relations = static_cast<ContactRelations>(mode);
    Random random(100 + static_cast<unsigned>(mode));
    Comparison found;
    const int states = mode == 0 ? num_states() : num_states() / 10;
    compare(scene, Scene(scene.description), states, random, found);
    report(scene.name + ", " + kModes[mode], found);
    EXPECT_EQ(found.wrong, 0);
    EXPECT_LE(found.ties.size(), static_cast<std::size_t>(1 + states / 20));
    EXPECT_GT(found.relations, states / 10);
    EXPECT_LT(found.separation, kRounding);
    EXPECT_LT(found.overlap, kRounding * 1e-2);  // m^3 or m^2: of faces or sides below 1e-2 m^2 and m
    EXPECT_LT(found.gap, kRounding);
    EXPECT_LT(found.normal, 1e-10);  // of edges whose sine is at least 1e-6
    EXPECT_LT(found.applicability, 1e-10);
    EXPECT_LT(found.point, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, PolytopeEvaluators, testing::Range<std::size_t>(0, 8));

}  // namespace
}  // namespace isopatch::test
