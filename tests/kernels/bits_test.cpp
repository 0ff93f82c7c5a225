// SPDX-License-Identifier: Apache-2.0
//
// The GPU gives the bits of the CPU, for every output. The tests named GpuSmall are small enough for compute-sanitizer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "host/evaluation/backend_options.h"
#include "tests/support/compounds.h"
#include "tests/support/hash.h"
#include "tests/support/plates.h"
#include "tests/thin_walls/thin_scenes.h"

namespace isopatch::test {
namespace {

using detail::Outputs;

// An emulated device takes far longer.
#if defined(ISOPATCH_EMULATED)
constexpr bool kEmulated = true;
#else
constexpr bool kEmulated = false;
#endif

UnwrittenResults room_for(const Scene& scene, const Batch& batch, Outputs outputs, std::int32_t capacity,
                          bool part_pairs) {
  UnwrittenResults results(scene, batch.num_environments, outputs, capacity);
  if (outputs == Outputs::kPolygons) results.give_contacts(capacity);
  if (part_pairs) results.give_part_pairs();
  return results;
}

UnwrittenResults on_gpu(const Scene& scene, const Batch& batch, const detail::CudaOptions& options, Outputs outputs,
                        std::int32_t capacity, bool part_pairs = false) {
  UnwrittenResults results = room_for(scene, batch, outputs, capacity, part_pairs);
  HostEvaluator(detail::make_evaluator(scene, options)).evaluate(batch.state(), results.view());
  return results;
}

detail::CudaOptions on_device(Precision precision) { return {{Backend::kCuda, precision, 0}}; }

/// The ways to evaluate a pair: all in one kernel, in stages, and in stages with a list between them that is too short,
/// in one round and in several, and that has room for one pair of cells.
std::vector<detail::CudaOptions> ways(Precision precision, Outputs outputs) {
  using detail::PairStages;
  const detail::CudaOptions options = on_device(precision);
  if (outputs == Outputs::kPolygons) return {options};
  return {{options, PairStages::kOne},
          {options, PairStages::kSeveral},
          {options, PairStages::kSeveral, 5},
          {options, PairStages::kSeveral, 0, 200},
          {options, PairStages::kSeveral, 0, 1}};
}

void expect_same_bits(const Scene& scene, const Batch& batch, Precision precision, Outputs outputs = Outputs::kPolygons,
                      std::int32_t capacity = 4096, bool part_pairs = false) {
  UnwrittenResults cpu = room_for(scene, batch, outputs, capacity, part_pairs);
  Evaluator(scene, {Backend::kCpu, precision, 0}).evaluate(batch.state(), cpu.view());
  for (const std::int32_t needed : cpu.polygons_needed)
    ASSERT_LE(needed, capacity) << "which polygons are kept is open";
  for (const detail::CudaOptions& options : ways(precision, outputs)) {
    SCOPED_TRACE(::testing::Message() << "stages " << static_cast<int>(options.stages) << ", " << options.cells_per_pair
                                      << ", " << options.max_listed_cells);
    const UnwrittenResults gpu = on_gpu(scene, batch, options, outputs, capacity, part_pairs);
    EXPECT_EQ(gpu.status, cpu.status);
    EXPECT_EQ(gpu.polygon_count, cpu.polygon_count);
    for (std::size_t e = 0; e < cpu.status.size(); ++e) {
      ASSERT_EQ(environment_hash(gpu, e), environment_hash(cpu, e)) << "environment " << e;
    }
  }
}

struct GpuSmall : ::testing::TestWithParam<std::tuple<Precision, Outputs>> {
  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  }
};

TEST_P(GpuSmall, EveryKindOfPairHasTheBitsOfTheCpu) {
  const auto [precision, outputs] = GetParam();
  const Scene scene(mixed_scene());
  expect_same_bits(scene, random_batch(scene, 3, 21, 0.16, true), precision, outputs);
}

// Without part_pair_wrench several warps share a pair.
TEST_P(GpuSmall, BodiesOfSeveralPartsHaveTheBitsOfTheCpu) {
  const auto [precision, outputs] = GetParam();
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const Scene scene(random_compounds(seed, {.most_bodies = 3, .most_parts = 5, .coarse = true}));
    const Batch batch = compound_states(scene, 3, seed, seed % 2 == 0);
    for (const bool part_pairs : {false, true}) {
      expect_same_bits(scene, batch, precision, outputs, 4096, part_pairs);
    }
  }
}

// An area of more than a hundred times the radius squared needs a second pass on wider grids.
TEST_P(GpuSmall, FoldedSurfacesHaveTheBitsOfTheCpu) {
  const auto [precision, outputs] = GetParam();
  SceneDescription description =
      two_bodies(make_surface_mesh("plates", even_plates(64).mesh()), make_half_space("ground", 0.2));
  description.bodies[0].rigid = true;
  description.bodies[0].friction = description.bodies[1].friction = 0.5;
  const Scene scene(description);
  Batch batch = random_batch(scene, 2, 5, 0.001, false);
  batch.poses[2] -= 0.1;  // below the surface of the half space
  expect_same_bits(scene, batch, precision, outputs);
}

TEST_P(GpuSmall, HalfSpacesWithLayersHaveTheBitsOfTheCpu) {
  const auto [precision, outputs] = GetParam();
  for (const bool part_pairs : {false, true}) {
    const Scene scene(with_layers(mixed_scene()));
    expect_same_bits(scene, random_batch(scene, 4, 33, 0.12), precision, outputs, 4096, part_pairs);
  }
}

TEST_P(GpuSmall, BodiesInsideOthersHaveTheBitsOfTheCpu) {
  const auto [precision, outputs] = GetParam();
  for (const bool filter : {false, true}) {
    ContactOptions contact;
    contact.gradient_filter = filter;
    const Scene scene(balls_in_a_ball(contact));
    expect_same_bits(scene, random_batch(scene, 16, 32, 0.18), precision, outputs);
  }
}

TEST_P(GpuSmall, WallsThatArePressedThroughHaveTheBitsOfTheCpu) {
  const auto [precision, outputs] = GetParam();
  const Geometry ring = thin_ring({24, 3, 1});
  for (const bool one_sided : {false, true}) {
    const Scene scene(in_pad(ring, false, one_sided, 0.0));
    Batch batch(scene.description(), 3);
    for (std::size_t e = 0; e < 3; ++e) batch.poses[14 * e + 7] -= 0.003 + 0.0015 * static_cast<double>(e);
    const UnwrittenResults cpu = evaluate(scene, batch, {Backend::kCpu, precision, 0}, Outputs::kWrench);
    EXPECT_EQ(cpu.status, (std::vector<std::uint32_t>{kOk, kFarSide, kFarSide}));
    expect_same_bits(scene, batch, precision, outputs);
  }
}

INSTANTIATE_TEST_SUITE_P(Outputs, GpuSmall,
                         ::testing::Combine(::testing::Values(Precision::kFloat, Precision::kDouble),
                                            ::testing::Values(Outputs::kWrench, Outputs::kPatch, Outputs::kPolygons)));

TEST(GpuSmallStages, TakeThePairsOfWrenchesAndPatchesWhereTheyAreAskedFor) {
  if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  const Scene scene(mixed_scene());
  const Batch batch = random_batch(scene, 3, 21, 0.16, true);
  const auto in_stages = [&](detail::PairStages stages, Outputs outputs) {
    const std::int64_t before = detail::pairs_in_stages();
    on_gpu(scene, batch, {on_device(Precision::kFloat), stages}, outputs, 4096);
    return detail::pairs_in_stages() - before;
  };
  const std::int64_t pairs = 3 * scene.num_pairs();
  for (const Outputs outputs : {Outputs::kWrench, Outputs::kPatch}) {
    EXPECT_EQ(in_stages(detail::PairStages::kSeveral, outputs), pairs);
    EXPECT_EQ(in_stages(detail::PairStages::kOne, outputs), 0);
  }
  EXPECT_EQ(in_stages(detail::PairStages::kSeveral, Outputs::kPolygons), 0);
}

TEST(GpuSmallCounts, NeedNoBuffer) {
  if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  const Scene scene(mixed_scene());
  const Batch batch = random_batch(scene, 2, 77);
  std::vector<std::int32_t> counts[2][2];  // of polygons and contacts, on the CPU and on the GPU
  for (const Backend backend : {Backend::kCpu, Backend::kCuda}) {
    for (const bool of_contacts : {false, true}) {
      std::vector<std::int32_t>& count = counts[of_contacts ? 1 : 0][backend == Backend::kCuda ? 1 : 0];
      count.assign(2, -7);
      Results results;
      (of_contacts ? results.contacts_needed : results.polygons_needed) = count.data();
      HostEvaluator(scene, {backend, Precision::kFloat, 0}).evaluate(batch.state(), results);
    }
  }
  EXPECT_GT(counts[0][0][0], 0);
  for (const auto& of_one : counts) EXPECT_EQ(of_one[0], of_one[1]);
}

struct GpuBits : ::testing::TestWithParam<std::tuple<Quadrature, DissipationModel, Precision>> {
  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  }
};

TEST_P(GpuBits, AreThoseOfTheCpuForEveryOutputAndKindOfPair) {
  const auto [quadrature, model, precision] = GetParam();
  ContactOptions contact;
  contact.quadrature = quadrature;
  contact.dissipation_model = model;
  contact.gradient_filter = quadrature == Quadrature::kFan3;
  const Scene scene(mixed_scene(contact));
  unsigned seed = 200;
  for (const bool full : {false, true}) {
    for (const Outputs outputs : {Outputs::kWrench, Outputs::kPatch, Outputs::kPolygons}) {
      expect_same_bits(scene, random_batch(scene, kEmulated ? 3 : 33, seed++, 0.16, full), precision, outputs);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(ContactLaws, GpuBits,
                         ::testing::Combine(::testing::Values(Quadrature::kExact, Quadrature::kCentroid,
                                                              Quadrature::kFan3, Quadrature::kFan6),
                                            ::testing::Values(DissipationModel::kHuntCrossley, DissipationModel::kPfc),
                                            ::testing::Values(Precision::kFloat, Precision::kDouble)));

struct GpuBatch : ::testing::TestWithParam<Precision> {
  const Scene scene{boxes_on_ground()};

  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  }
};

TEST_P(GpuBatch, SizesThatStraddleAWarpAndABlock) {
  for (const int size : {0, 1, 2, 31, 32, 33, 127, 128, 129, 257}) {
    SCOPED_TRACE(size);
    if (size == 0) {
      EXPECT_NO_THROW(HostEvaluator(scene, {Backend::kCuda, GetParam(), 0}).evaluate(State(), Results()));
    } else {
      for (const Outputs outputs : {Outputs::kWrench, Outputs::kPolygons}) {
        expect_same_bits(scene, random_batch(scene, size, 81), GetParam(), outputs);
      }
    }
  }
}

TEST_P(GpuBatch, OfManyEnvironmentsIsTheSameEveryTime) {
  const Batch batch = random_batch(scene, kEmulated ? 64 : 4096, 82);
  const std::uint64_t hash = hash_of(on_gpu(scene, batch, on_device(GetParam()), Outputs::kPolygons, 256));
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(hash_of(on_gpu(scene, batch, on_device(GetParam()), Outputs::kPolygons, 256)), hash);
  expect_same_bits(scene, batch, GetParam(), Outputs::kPolygons, 256);
}

// In steps of 8 mm, with a margin of 20: some pairs have kept candidates, others make new ones. After a step of 1 mm
// only near ones are tested. A teleport, another geometry and another ratio of moduli need new ones at once.
TEST_P(GpuBatch, KeptCandidatesChangeNoBit) {
  detail::CudaOptions options = on_device(GetParam());
  options.stages = detail::PairStages::kSeveral;
  for (const Scene& moving : {scene, Scene(random_compounds(3, {.most_bodies = 3, .most_parts = 4, .coarse = true}))}) {
    const HostEvaluator keeping(detail::make_evaluator(moving, options));
    CandidateCache candidates = keeping.make_candidate_cache(9, 2e-2);
    const Evaluator cpu(moving, {Backend::kCpu, GetParam(), 0});
    const bool compounds = moving.num_parts() > moving.num_bodies();
    Batch batch = compounds ? compound_states(moving, 9, 91, true) : random_batch(moving, 9, 91, 0.16, true);
    const std::size_t row = 7 * static_cast<std::size_t>(moving.num_bodies());
    for (int step = 0; step < 8; ++step) {
      SCOPED_TRACE(step);
      const double length = step == 1 ? 1e-3 : 8e-3;
      for (std::size_t e = 0; e < 9; ++e) batch.poses[e * row + e % 3] += length * (step % 2 == 0 ? 1 : -0.5);
      if (step == 3) std::swap_ranges(batch.poses.begin(), batch.poses.begin() + 7, batch.poses.begin() + 7);
      if (step == 4) {  // of compounds, the choices of other environments
        std::rotate(batch.geometry_index.begin(), batch.geometry_index.begin() + (compounds ? moving.num_parts() : 1),
                    batch.geometry_index.end());
      }
      if (step == 5) batch.modulus[0] *= 1.5;
      if (step == 6) batch.poses[row + 1] = std::nan("");
      if (step == 7) candidates.reset();
      UnwrittenResults expected = room_for(moving, batch, Outputs::kPatch, 0, false);
      UnwrittenResults found = room_for(moving, batch, Outputs::kPatch, 0, false);
      cpu.evaluate(batch.state(), expected.view());
      keeping.evaluate(batch.state(), found.view(), candidates);
      EXPECT_EQ(found.status, expected.status);
      for (std::size_t e = 0; e < 9; ++e) {
        ASSERT_EQ(environment_hash(found, e), environment_hash(expected, e)) << "environment " << e;
      }
    }
  }
}

// A ball in half spaces that differ in nothing but the depth to which they are compliant. Its centre is below the
// surface: the thin one meets its upper tets, the thick one its lower ones.
TEST_P(GpuBatch, KeptCandidatesAreNotThoseOfAnotherHalfSpace) {
  SceneDescription description = two_bodies(make_sphere("ball", 0.1, 2), make_half_space("thin", 0.002));
  description.geometries.push_back(make_half_space("thick", 0.5));
  const Scene ground(description);
  detail::CudaOptions options = on_device(GetParam());
  options.stages = detail::PairStages::kSeveral;
  const HostEvaluator keeping(detail::make_evaluator(ground, options));
  CandidateCache candidates = keeping.make_candidate_cache(1, 1e-3);
  const Evaluator cpu(ground, {Backend::kCpu, GetParam(), 0});
  Batch batch = random_batch(ground, 1, 92);
  const double poses[] = {0, 0, -0.03, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
  std::copy_n(poses, 14, batch.poses.begin());
  std::vector<double> forces;
  for (const std::int32_t geometry : {1, 2, 1}) {
    batch.geometry_index = {0, geometry};
    UnwrittenResults expected = room_for(ground, batch, Outputs::kPatch, 0, false);
    UnwrittenResults found = room_for(ground, batch, Outputs::kPatch, 0, false);
    cpu.evaluate(batch.state(), expected.view());
    keeping.evaluate(batch.state(), found.view(), candidates);
    EXPECT_EQ(environment_hash(found, 0), environment_hash(expected, 0)) << "geometry " << geometry;
    forces.push_back(expected.pair_wrench[2]);
  }
  EXPECT_GT(std::abs(forces[1]), 0);
  EXPECT_NE(forces[0], forces[1]);
}

TEST_P(GpuBatch, FaultsStayInTheirEnvironments) {
  Batch batch = random_batch(scene, 64, 83, 0.16, true);
  batch.poses[21 * 17 + 1] = std::nan("");
  batch.poses[21 * 18 + 2] = INFINITY;
  std::fill_n(batch.poses.begin() + 21 * 19 + 3, 4, 0.0);
  batch.velocities[18 * 20] = std::nan("");
  batch.modulus[3 * 21] = -1;
  batch.geometry_index[3 * 22] = 99;
  for (const Outputs outputs : {Outputs::kPatch, Outputs::kPolygons}) {
    expect_same_bits(scene, batch, GetParam(), outputs);
  }
}

TEST_P(GpuBatch, TooFewPolygonsAreReportedAndChangeNoWrench) {
  const Batch batch = random_batch(scene, 64, 84);
  const UnwrittenResults ample = on_gpu(scene, batch, on_device(GetParam()), Outputs::kPolygons, 1024);
  const UnwrittenResults few = on_gpu(scene, batch, on_device(GetParam()), Outputs::kPolygons, 5);
  EXPECT_EQ(few.pair_wrench, ample.pair_wrench);
  EXPECT_EQ(few.body_wrench, ample.body_wrench);
  EXPECT_EQ(few.polygons_needed, ample.polygons_needed);
  for (std::size_t e = 0; e < few.status.size(); ++e) {
    const std::uint32_t status =
        (few.polygons_needed[e] > 5 ? kPolygonCapacity : kOk) | (few.contacts_needed[e] > 5 ? kContactCapacity : kOk);
    EXPECT_EQ(but_far_side(few.status[e]), status) << "environment " << e;
  }
}

// Large enough that the warps' stacks fill more than half; see FiberWarp.ADeepOverlapOfFineMeshesFitsTheStack.
TEST_P(GpuBatch, DeepOverlapsOfFineMeshes) {
  SceneDescription description;
  description.geometries = {make_sphere("ball", 0.1, kEmulated ? 3 : 4)};
  description.bodies.resize(2);
  description.bodies[0].name = "a";
  description.bodies[1].name = "b";
  description.bodies[1].modulus = 3e5;
  description.pairs = all_pairs(description);
  const Scene balls(description);
  Batch batch = random_batch(balls, kEmulated ? 1 : 4, 85, 0.12);
  expect_same_bits(balls, batch, GetParam(), Outputs::kPolygons, 20000);
}

INSTANTIATE_TEST_SUITE_P(Precisions, GpuBatch, ::testing::Values(Precision::kFloat, Precision::kDouble),
                         [](const auto& case_info) {
                           return case_info.param == Precision::kFloat ? "Float" : "Double";
                         });

}  // namespace
}  // namespace isopatch::test
