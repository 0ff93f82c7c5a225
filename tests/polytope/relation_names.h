// SPDX-License-Identifier: Apache-2.0
//
// What an evaluation says of the contacts and relations of each part pair, to be compared with what another says.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/scenes.h"

namespace isopatch::test {

/// Pair, part of a, part of b.
using PartPairName = std::tuple<int, int, int>;

/// Kind and features of contacts, and kind and members of relations, all in their order.
struct PartPairNames {
  std::vector<std::tuple<int, int, int>> contacts;
  std::vector<std::pair<int, std::vector<int>>> relations;  // members are indices of these contacts

  bool operator==(const PartPairNames&) const = default;
};

struct Names {
  std::map<PartPairName, PartPairNames> part_pairs;
  std::uint32_t status = 0;

  bool operator==(const Names&) const = default;
};

/// What an environment has of each part pair, which must be in order.
inline Names names_of(const ResultArrays& results, std::int64_t environment) {
  const auto row = static_cast<std::size_t>(environment);
  Names names;
  names.status = results.status[row];
  const std::int32_t* needed = &results.relations_needed[3 * row];
  const PotentialContact* contacts =
      &results.potential_contacts[row * static_cast<std::size_t>(results.counts()[Per::kPotentialContactCapacity])];
  const Relation* relations =
      &results.relations[row * static_cast<std::size_t>(results.counts()[Per::kRelationCapacity])];
  const std::int32_t* members =
      &results.relation_members[row * static_cast<std::size_t>(results.counts()[Per::kMemberCapacity])];
  const auto part_pair = [&](std::int32_t i) {
    return PartPairName(contacts[i].pair, contacts[i].part_a, contacts[i].part_b);
  };
  std::map<PartPairName, std::int32_t> first;
  for (std::int32_t i = 0; i < needed[0]; ++i) {
    const PotentialContact& c = contacts[i];
    first.try_emplace(part_pair(i), i);
    names.part_pairs[part_pair(i)].contacts.emplace_back(c.kind, c.feature_a, c.feature_b);
    const auto key = [&](std::int32_t k) {
      return std::tuple(part_pair(k), contacts[k].kind, contacts[k].feature_a, contacts[k].feature_b);
    };
    EXPECT_TRUE(i == 0 || key(i - 1) < key(i));
  }
  std::int32_t next = 0;
  PartPairName last{-1, -1, -1};
  for (std::int32_t i = 0; i < needed[1]; ++i) {
    const PartPairName of = part_pair(members[relations[i].first]);
    EXPECT_EQ(relations[i].pair, std::get<0>(of));
    EXPECT_LE(last, of);
    EXPECT_EQ(relations[i].first, next);
    auto& [kind, list] = names.part_pairs[of].relations.emplace_back(relations[i].kind, std::vector<int>());
    for (std::int32_t k = 0; k < relations[i].count; ++k) {
      EXPECT_EQ(part_pair(members[next + k]), of);
      list.push_back(members[next + k] - first.at(of));
    }
    next += relations[i].count;
    last = of;
  }
  EXPECT_EQ(next, needed[2]);
  return names;
}

/// With room for everything.
inline ResultArrays evaluate(const Scene& scene, const Batch& batch, double time_step, Backend backend) {
  EvaluatorOptions options;
  options.backend = backend;
  const HostEvaluator evaluator(scene, options);
  State state = batch.state();
  state.time_step = time_step;
  ResultArrays counting(scene, batch.num_environments, {.capacity = {{"relations", 1}}});
  Results counts = counting.view();
  counts.relations = {};
  evaluator.evaluate(state, counts);
  std::array<std::int32_t, 3> most{1, 1, 1};
  for (std::size_t i = 0; i < counting.relations_needed.size(); ++i) {
    most[i % 3] = std::max(most[i % 3], counting.relations_needed[i]);
  }
  ResultArrays results(
      scene, batch.num_environments,
      {.distances = true,
       .capacity = {{"potential_contacts", most[0]}, {"relations", most[1]}, {"relation_members", most[2]}}});
  evaluator.evaluate(state, results.view());
  EXPECT_EQ(results.relations_needed, counting.relations_needed);
  return results;
}

/// The part pairs in which two evaluations differ, each with its relations by both.
inline std::string differences(const Names& found, const Names& expected) {
  std::ostringstream text;
  const auto write = [&](const Names& names, const PartPairName& name, const char* by) {
    const auto at = names.part_pairs.find(name);
    text << "\n" << by << " pair " << std::get<0>(name) << ", parts " << std::get<1>(name) << " " << std::get<2>(name);
    if (at == names.part_pairs.end()) return;
    for (const auto& [kind, members] : at->second.relations) {
      text << "\n  "
           << "UIX"[kind];
      for (const int member : members) {
        const auto& [type, a, b] = at->second.contacts[static_cast<std::size_t>(member)];
        text << " (" << type << " " << a << " " << b << ")";
      }
    }
  };
  for (const Names* names : {&found, &expected}) {
    for (const auto& entry : names->part_pairs) {
      const auto one = found.part_pairs.find(entry.first), other = expected.part_pairs.find(entry.first);
      const bool in_both = one != found.part_pairs.end() && other != expected.part_pairs.end();
      if (in_both && (names == &expected || one->second == other->second)) continue;
      write(found, entry.first, "found");
      write(expected, entry.first, "expected");
    }
  }
  return text.str();
}

}  // namespace isopatch::test
