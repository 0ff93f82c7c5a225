// SPDX-License-Identifier: Apache-2.0
//
// What does not change contacts and relations of scenes: where and how turned all bodies are together, which body of a
// pair is first, and in which order parts are listed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <set>

#include "tests/polytope/relation_names.h"
#include "tests/polytope/relation_scenes.h"

namespace isopatch::test {
namespace {

constexpr int kStates = 200;
constexpr double kTimeStep = 0.02;  // s

/// Relations whatever the order of contacts and parts: of each two parts the contacts, and kinds with sets of members.
struct Unordered {
  using ContactName = std::tuple<int, int, int>;
  std::set<ContactName> contacts;
  std::multiset<std::pair<int, std::set<ContactName>>> relations;

  bool operator==(const Unordered&) const = default;
};

using ByParts = std::map<std::pair<int, int>, Unordered>;

/// With the parts named by `part_name`; `swapped` names each contact as its body b sees it.
ByParts by_parts(const Names& names, const std::vector<int>& part_name, bool swapped) {
  ByParts result;
  for (const auto& [name, part_pair] : names.part_pairs) {
    const int a = part_name[static_cast<std::size_t>(std::get<1>(name))];
    const int b = part_name[static_cast<std::size_t>(std::get<2>(name))];
    Unordered& to = result[swapped ? std::pair(b, a) : std::pair(a, b)];
    std::vector<Unordered::ContactName> contacts;
    for (const auto& [kind, feature_a, feature_b] : part_pair.contacts) {
      const int mirrored = kind == kEdgeOnEdge ? kind : kVertexOnFace + kFaceUnderVertex - kind;
      contacts.push_back(swapped ? std::tuple(mirrored, feature_b, feature_a) : std::tuple(kind, feature_a, feature_b));
    }
    to.contacts.insert(contacts.begin(), contacts.end());
    for (const auto& [kind, members] : part_pair.relations) {
      std::set<Unordered::ContactName> own;
      for (const int member : members) own.insert(contacts[static_cast<std::size_t>(member)]);
      to.relations.emplace(kind, own);
    }
  }
  return result;
}

std::vector<int> same_names(const Scene& scene) {
  std::vector<int> names(static_cast<std::size_t>(scene.num_parts()));
  std::iota(names.begin(), names.end(), 0);
  return names;
}

Batch states_of(const RelationScene& scene, const Scene& made) {
  Random random(31);
  return relation_states(scene, made, kStates, random);
}

/// States that lie exactly in some direction may be decided either way after rounding; all others are the same.
void expect_few(int different) { EXPECT_LE(different, kStates / 50); }

/// All bodies and their velocities moved by one motion.
Batch moved(const Batch& batch, const RigidPose& motion) {
  Batch result = batch;
  for (std::size_t i = 0; i < batch.poses.size() / 7; ++i) {
    const double* p = &batch.poses[7 * i];
    const RigidPose pose = {{p[0], p[1], p[2]}, Eigen::Quaterniond(p[3], p[4], p[5], p[6]).normalized()};
    const std::array<double, 7> numbers = (motion * pose).numbers();
    std::copy(numbers.begin(), numbers.end(), result.poses.begin() + static_cast<std::ptrdiff_t>(7 * i));
    for (const std::size_t at : {6 * i, 6 * i + 3}) {
      const double* v = &batch.velocities[at];
      const Eigen::Vector3d turned = motion.turn * Eigen::Vector3d(v[0], v[1], v[2]);
      for (int k = 0; k < 3; ++k) result.velocities[at + static_cast<std::size_t>(k)] = turned[k];
    }
  }
  return result;
}

TEST(PolytopeFrames, ThatAreMovedTogetherChangeNoRelation) {
  for (const RelationScene& scene : relation_scenes()) {
    SCOPED_TRACE(scene.name);
    const Scene made(scene.description);
    const Batch batch = states_of(scene, made);
    const ResultArrays here = evaluate(made, batch, kTimeStep, Backend::kCpu);
    struct Motion {
      double distance, of_gaps;
    };
    for (const Motion& motion : {Motion{1, 1e-14}, Motion{1e6, 1e-9}}) {
      const Eigen::Vector3d axis = scene.is_planar ? Eigen::Vector3d(0, 0, 1) : Eigen::Vector3d(1, 2, 3);
      const Eigen::Vector3d way = motion.distance * Eigen::Vector3d(0.6, -0.8, scene.is_planar ? 0 : 0.5);
      const ResultArrays there = evaluate(made, moved(batch, pose_turned(axis, 1.1, way)), kTimeStep, Backend::kCpu);
      int different = 0;
      double worst = 0, of_contacts = 0;
      for (int e = 0; e < kStates; ++e) different += names_of(here, e) == names_of(there, e) ? 0 : 1;
      for (std::size_t i = 0; i < here.separation.size(); ++i) {
        worst = std::max(worst, std::fabs(here.separation[i] - there.separation[i]));
      }
      for (std::size_t e = 0; e < kStates; ++e) {
        if (!(names_of(here, static_cast<int>(e)) == names_of(there, static_cast<int>(e)))) continue;
        for (std::int32_t c = 0; c < here.relations_needed[3 * e]; ++c) {
          const auto at = static_cast<std::int64_t>(c) +
                          static_cast<std::int64_t>(e) * here.counts()[Per::kPotentialContactCapacity];
          const auto also = static_cast<std::int64_t>(c) +
                            static_cast<std::int64_t>(e) * there.counts()[Per::kPotentialContactCapacity];
          const double one = here.potential_contacts[static_cast<std::size_t>(at)].gap,
                       other = there.potential_contacts[static_cast<std::size_t>(also)].gap;
          of_contacts = std::max(of_contacts, std::fabs(one - other) - 0x1p-23 * std::fabs(one));
        }
      }
      std::printf(
          "%s, moved by %g m: %d of %d states differ; separations by at most %.2g m, gaps by %.2g m beyond "
          "their rounding\n",
          scene.name.c_str(), motion.distance, different, kStates, worst, of_contacts);
      expect_few(different);
      EXPECT_LT(worst, motion.of_gaps);
      EXPECT_LT(of_contacts, motion.of_gaps);
    }
  }
}

TEST(PolytopeFrames, OfAPairWithItsBodiesExchangedHaveMirroredContacts) {
  for (const RelationScene& scene : relation_scenes()) {
    SCOPED_TRACE(scene.name);
    SceneDescription description = scene.description;
    const Scene made(description);
    description.pairs = made.description().pairs;
    for (Pair& pair : *description.pairs) std::swap(pair.a, pair.b);
    const Scene other(description);
    const Batch batch = states_of(scene, made);
    const ResultArrays one = evaluate(made, batch, kTimeStep, Backend::kCpu),
                       two = evaluate(other, batch, kTimeStep, Backend::kCpu);
    int different = 0;
    for (int e = 0; e < kStates; ++e) {
      const bool same =
          by_parts(names_of(one, e), same_names(made), false) == by_parts(names_of(two, e), same_names(made), true);
      different += same ? 0 : 1;
    }
    std::printf("%s, exchanged: %d of %d states differ\n", scene.name.c_str(), different, kStates);
    expect_few(different);
    for (std::size_t i = 0; i < one.separation.size(); ++i) {
      EXPECT_NEAR(one.separation[i], two.separation[i], 1e-15);
      EXPECT_NEAR(one.overlap[i], two.overlap[i], 1e-17);
    }
  }
}

TEST(PolytopeFrames, OfPartsInAnotherOrderHaveTheSameRelations) {
  for (const RelationScene& scene : relation_scenes()) {
    SCOPED_TRACE(scene.name);
    if (!scene.geometries.empty()) continue;  // geometries by part
    SceneDescription description = scene.description;
    std::vector<int> names;  // of the parts of the other scene, those here
    for (Body& body : description.bodies) {
      const int first = static_cast<int>(names.size()), count = std::max(1, static_cast<int>(body.parts.size()));
      for (int i = count; i > 0; --i) names.push_back(first + i - 1);
      std::reverse(body.parts.begin(), body.parts.end());
    }
    const Scene made(scene.description), other(description);
    const Batch batch = states_of(scene, made);
    const ResultArrays one = evaluate(made, batch, kTimeStep, Backend::kCpu),
                       two = evaluate(other, batch, kTimeStep, Backend::kCpu);
    int different = 0;
    for (int e = 0; e < kStates; ++e) {
      const bool same = by_parts(names_of(one, e), same_names(made), false) == by_parts(names_of(two, e), names, false);
      different += same ? 0 : 1;
    }
    std::printf("%s, parts in another order: %d of %d states differ\n", scene.name.c_str(), different, kStates);
    expect_few(different);
    EXPECT_EQ(one.separation, two.separation);
  }
}

}  // namespace
}  // namespace isopatch::test
