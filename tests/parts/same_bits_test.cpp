// SPDX-License-Identifier: Apache-2.0
//
// The bits of bodies of several parts depend neither on the order of their parts nor on how they are computed.
#include <gtest/gtest.h>

#include <numeric>

#include "host/cpu/isa/kernels.h"
#include "tests/support/compounds.h"
#include "tests/support/fiber_evaluator.h"
#include "tests/support/same_bits.h"

namespace isopatch::test {
namespace {

using detail::CpuOptions;
using detail::Outputs;
using detail::Vectors;

constexpr std::int32_t kCapacity = 4096;

UnwrittenResults room_for(const Scene& scene, std::int64_t environments) {
  UnwrittenResults results(scene, environments, Outputs::kPolygons, kCapacity);
  results.give_contacts(kCapacity);
  results.give_part_pairs();
  return results;
}

CpuOptions cpu(Precision precision, Vectors vectors = Vectors::kBest, int threads = 1) {
  CpuOptions options;
  options.precision = precision;
  options.num_threads = threads;
  options.vectors = vectors;
  return options;
}

UnwrittenResults all_of(const Scene& scene, const Batch& batch, const CpuOptions& options) {
  UnwrittenResults results = room_for(scene, batch.num_environments);
  detail::make_evaluator(scene, options).evaluate(batch.state(), results.view());
  for (const std::int32_t needed : results.polygons_needed) EXPECT_LE(needed, kCapacity);
  return results;
}

int touching(const UnwrittenResults& results) {
  return static_cast<int>(
      std::count_if(results.polygon_count.begin(), results.polygon_count.end(), [](int n) { return n > 0; }));
}

struct Parts : ::testing::TestWithParam<Precision> {};

// ---- the order of the parts

/// A random order of the parts in each body, as numbers through the scene: part i is part order[i] of the original.
std::vector<int> random_order(const SceneDescription& scene, unsigned seed) {
  std::vector<int> order;
  std::mt19937_64 engine(seed);
  for (const Body& body : scene.bodies) {
    const auto first = static_cast<std::ptrdiff_t>(order.size());
    order.resize(order.size() + body.parts.size());
    std::iota(order.begin() + first, order.end(), static_cast<int>(first));
    std::shuffle(order.begin() + first, order.end(), engine);
  }
  return order;
}

SceneDescription reordered(const SceneDescription& scene, const std::vector<int>& order) {
  std::vector<Part> parts;
  for (const Body& body : scene.bodies) parts.insert(parts.end(), body.parts.begin(), body.parts.end());
  SceneDescription out = scene;
  std::size_t next = 0;
  for (Body& body : out.bodies) {
    for (Part& part : body.parts) part = parts[static_cast<std::size_t>(order[next++])];
  }
  return out;
}

Batch reordered(const Batch& batch, const std::vector<int>& order) {
  Batch out = batch;
  for_each_input(
      [&](const ArrayInfo& info, const auto& from, auto& to) {
        if (info.per != Per::kPart) return;
        for (std::size_t i = 0; i < from.size(); ++i) {
          const std::size_t row = i / order.size();
          to[i] = from[row * order.size() + static_cast<std::size_t>(order[i % order.size()])];
        }
      },
      batch, out);
  return out;
}

/// Results of a reordered scene with the numbers that the parts and part pairs have in the original.
UnwrittenResults renumbered(UnwrittenResults results, const Scene& reordered_scene, const Scene& original,
                            const std::vector<int>& order) {
  const auto number = [&](std::int32_t part) { return order[static_cast<std::size_t>(part)]; };
  for (Polygon& p : results.polygons) p.part_a = number(p.part_a), p.part_b = number(p.part_b);
  for (DiscreteContact& c : results.contacts) c.part_a = number(c.part_a), c.part_b = number(c.part_b);

  std::map<std::array<int, 3>, std::size_t> index;
  for (const PartPair& p : original.part_pairs()) index.insert({{p.pair, p.part_a, p.part_b}, index.size()});
  const std::vector<PartPair> pairs = reordered_scene.part_pairs();
  EXPECT_EQ(pairs.size(), index.size());
  const std::vector<double> from = results.part_pair_wrench;
  for (std::size_t i = 0; i < from.size() / 6; ++i) {
    const std::size_t row = i / pairs.size();
    const PartPair& p = pairs[i % pairs.size()];
    const std::size_t to = row * pairs.size() + index.at({p.pair, number(p.part_a), number(p.part_b)});
    std::copy_n(&from[6 * i], 6, &results.part_pair_wrench[6 * to]);
  }
  return results;
}

TEST_P(Parts, InAnyOrderGiveTheSameBits) {
  int pairs_touching = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene(random_compounds(seed, {.most_bodies = 3, .most_parts = 5}));
    const Batch batch = compound_states(scene, 2, 100 + seed, seed % 2 == 1);
    const UnwrittenResults expected = all_of(scene, batch, cpu(GetParam()));
    const std::vector<int> order = random_order(scene.description(), 200 + seed);
    const Scene other(reordered(scene.description(), order));
    const UnwrittenResults found = all_of(other, reordered(batch, order), cpu(GetParam()));
    EXPECT_EQ(first_difference(renumbered(found, other, scene, order), expected), "");
    pairs_touching += touching(expected);
  }
  EXPECT_GT(pairs_touching, 60);
}

// ---- environments, batches, threads

TEST_P(Parts, InAnyOrderOfEnvironmentsBatchesAndThreadsGiveTheSameBits) {
  constexpr std::int64_t kEnvironments = 130;
  for (unsigned seed = 300; seed < 303; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene(random_compounds(seed, {.most_bodies = 3, .most_parts = 4, .coarse = true}));
    const Batch batch = compound_states(scene, kEnvironments, seed, true);
    const UnwrittenResults expected = all_of(scene, batch, cpu(GetParam()));
    EXPECT_GT(touching(expected), 20);
    for (const int threads : {2, 3}) {
      EXPECT_EQ(first_difference(all_of(scene, batch, cpu(GetParam(), Vectors::kBest, threads)), expected), "")
          << threads << " threads";
    }

    std::vector<std::int64_t> order(kEnvironments);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
    const UnwrittenResults permuted = all_of(scene, batch.permuted(order), cpu(GetParam(), Vectors::kBest, 2));
    for (std::size_t i = 0; i < order.size(); ++i) {
      ASSERT_TRUE(same_environment(permuted, i, expected, static_cast<std::size_t>(order[i]))) << "environment " << i;
    }

    const Evaluator evaluator = detail::make_evaluator(scene, cpu(GetParam(), Vectors::kBest, 2));
    for (const std::int64_t size : {1, 7, 64}) {
      UnwrittenResults batches = room_for(scene, kEnvironments);
      for (std::int64_t begin = 0; begin < kEnvironments; begin += size) {
        evaluator.evaluate(batch.view(begin, std::min(size, kEnvironments - begin)), batches.view(begin));
      }
      EXPECT_EQ(first_difference(batches, expected), "") << "batches of " << size;
    }
  }
}

// ---- SIMD vectors, all cells, fibers

TEST_P(Parts, WithSimdAndWithoutTheHierarchyGiveTheBitsOfPlainArithmetic) {
  for (unsigned seed = 400; seed < 415; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene(random_compounds(seed, {.most_bodies = 3, .most_parts = 5}));
    const Batch batch = compound_states(scene, 1, seed, seed % 2 == 0);
    const UnwrittenResults plain = all_of(scene, batch, cpu(GetParam(), Vectors::kNone));
    for (const Vectors vectors : {Vectors::kBaseline, Vectors::kAvx512}) {
      try {
        if (detail::select_kernels(vectors) == nullptr) continue;
      } catch (const Error&) {
        continue;  // not on this machine
      }
      EXPECT_EQ(first_difference(all_of(scene, batch, cpu(GetParam(), vectors)), plain), "");
    }
    CpuOptions all_cells = cpu(GetParam(), Vectors::kNone);
    all_cells.brute_force = true;
    EXPECT_EQ(first_difference(all_of(scene, batch, all_cells), plain), "") << "all cells";
  }
}

/// Several shares write no part pairs.
template <class T>
UnwrittenResults with_fibers(const Scene& scene, const Batch& batch, int shares) {
  UnwrittenResults results = room_for(scene, batch.num_environments);
  if (shares > 1) results.part_pair_wrench.clear();
  FiberEvaluator<T, 32>(shares).evaluate(scene, batch.state(), results.view());
  return results;
}

TEST_P(Parts, On32LanesInOneShareOrFourGiveTheBitsOfTheCpu) {
  for (unsigned seed = 500; seed < 508; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene(random_compounds(seed, {.most_bodies = 3, .most_parts = 4, .coarse = true}));
    const Batch batch = compound_states(scene, 2, seed, seed % 2 == 0);
    UnwrittenResults expected = all_of(scene, batch, cpu(GetParam()));
    for (const int shares : {1, 4}) {
      if (shares > 1) expected.part_pair_wrench.clear();
      const UnwrittenResults found = GetParam() == Precision::kFloat ? with_fibers<float>(scene, batch, shares)
                                                                     : with_fibers<double>(scene, batch, shares);
      EXPECT_EQ(first_difference(found, expected), "") << shares << " shares";
    }
  }
}

// ---- part_pair_wrench

TEST_P(Parts, HaveTheSameBitsWhereTheirWrenchesAreNotAskedFor) {
  for (unsigned seed = 600; seed < 610; ++seed) {
    const Scene scene(random_compounds(seed, {.most_bodies = 3, .most_parts = 4}));
    const Batch batch = compound_states(scene, 2, seed);
    UnwrittenResults all = all_of(scene, batch, cpu(GetParam()));
    UnwrittenResults without = room_for(scene, 2);
    without.part_pair_wrench.clear();
    Evaluator(scene, cpu(GetParam())).evaluate(batch.state(), without.view());
    all.part_pair_wrench.clear();
    EXPECT_EQ(first_difference(without, all), "") << "scene " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, Parts, ::testing::Values(Precision::kFloat, Precision::kDouble),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace isopatch::test
