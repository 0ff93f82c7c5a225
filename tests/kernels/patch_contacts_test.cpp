// SPDX-License-Identifier: Apache-2.0
//
// Patch contacts of the GPU are those of the CPU, also where warps have too little room for the polygons of a pair.
#include <gtest/gtest.h>

#include "host/evaluation/backend_options.h"
#include "kernels/runtime/host_batch.h"
#include "tests/evaluator/patch_results.h"
#include "tests/support/compounds.h"
#include "tests/support/device_calls.h"

namespace isopatch::test {
namespace {

using detail::DeviceBuffer;

struct GpuPatchContacts : ::testing::TestWithParam<Precision> {
  const Scene scene{mixed_scene()};

  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  }
  EvaluatorOptions cpu() const { return {Backend::kCpu, GetParam(), 2}; }
  detail::CudaOptions cuda(std::int32_t room = 1 << 15) const {
    detail::CudaOptions options = {{Backend::kCuda, GetParam(), 0}};
    options.polygons_per_window = room;
    return options;
  }
  HostEvaluator on_gpu(const Scene& of, std::int32_t room = 1 << 15) const {
    return HostEvaluator(detail::make_evaluator(of, cuda(room)));
  }

  /// Not in stages; in stages with room for all polygons, for some, and for one; for some cells; in many rounds.
  std::vector<detail::CudaOptions> ways() const {
    using detail::PairStages;
    std::vector<detail::CudaOptions> all(6, cuda());
    for (detail::CudaOptions& options : all) options.stages = PairStages::kSeveral;
    all[0].stages = PairStages::kOne;
    all[2].max_listed_polygons = 70;
    all[3].max_listed_polygons = 1;
    all[4].cells_per_pair = 5;
    all[5].max_listed_cells = 200;
    return all;
  }

  /// Evaluates several batches with an evaluator of each kind: each time what is kept between calls is as it was.
  void expect_those_of_the_cpu_in_all_ways(const Scene& of, const std::vector<Batch>& batches, int clusters) const {
    std::vector<ResultArrays> expected;
    for (const Batch& batch : batches) {
      expected.push_back(patch_results(HostEvaluator(of, cpu()), batch, clusters));
      ASSERT_GT(num_patches(expected.back()), 1);
    }
    for (const detail::CudaOptions& options : ways()) {
      SCOPED_TRACE(::testing::Message() << "stages " << static_cast<int>(options.stages) << ", "
                                        << options.max_listed_polygons << " polygons, " << options.cells_per_pair
                                        << " cells a pair, " << options.max_listed_cells);
      const HostEvaluator evaluator(detail::make_evaluator(of, options));
      for (std::size_t i = 0; i < batches.size(); ++i) {
        expect_same_patches(patch_results(evaluator, batches[i], clusters), expected[i]);
      }
    }
  }
};

TEST_P(GpuPatchContacts, AreThoseOfTheCpu) {
  const Batch batch = random_batch(scene, 3, 821, 0.16, true);
  for (const int clusters : {1, 4}) {
    const ResultArrays expected = patch_results(HostEvaluator(scene, cpu()), batch, clusters);
    ASSERT_GT(num_patches(expected), 5);
    expect_same_patches(patch_results(on_gpu(scene), batch, clusters), expected);
  }
}

TEST_P(GpuPatchContacts, OfMorePolygonsThanThereIsRoomForAreThoseOfTheCpu) {
  const Scene boxes(boxes_on_ground());
  const Batch batch = random_batch(boxes, 2, 822, 0.16, true);
  const ResultArrays expected = patch_results(HostEvaluator(boxes, cpu()), batch, 2);
  ASSERT_GT(num_patches(expected), 2);
  for (const std::int32_t room : {2, 9}) {
    expect_same_patches(patch_results(on_gpu(boxes, room), batch, 2), expected);
  }
}

TEST_P(GpuPatchContacts, OfSeveralPartsAreThoseOfTheCpu) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Scene compounds(random_compounds(seed, {.most_bodies = 3, .most_parts = 5, .coarse = true}));
    const Batch batch = compound_states(compounds, 3, seed, seed % 2 == 0);
    const ResultArrays expected = patch_results(HostEvaluator(compounds, cpu()), batch, 4);
    ASSERT_GT(num_patches(expected), 0);
    for (const std::int32_t room : {1 << 15, 100}) {
      expect_same_patches(patch_results(on_gpu(compounds, room), batch, 4), expected);
    }
  }
}

TEST_P(GpuPatchContacts, OfStagesAreThoseOfTheCpuWhateverFitsTheirLists) {
  const Scene boxes(boxes_on_ground());
  expect_those_of_the_cpu_in_all_ways(boxes, {random_batch(boxes, 40, 829, 0.16, true), random_batch(boxes, 9, 830)},
                                      2);
  expect_those_of_the_cpu_in_all_ways(
      scene, {random_batch(scene, 3, 831, 0.16, true), random_batch(scene, 2, 832, 0.16, true)}, 1);
}

TEST_P(GpuPatchContacts, OfStagesAndSeveralPartsAreThoseOfTheCpu) {
  const Scene compounds(random_compounds(2, {.most_bodies = 3, .most_parts = 5, .coarse = true}));
  expect_those_of_the_cpu_in_all_ways(
      compounds, {compound_states(compounds, 5, 7, true), compound_states(compounds, 3, 8, false)}, 3);
}

TEST_P(GpuPatchContacts, OfFaultsAndFilteredPairsAreThoseOfTheCpu) {
  const Scene boxes(boxes_on_ground());
  Batch faulty = random_batch(boxes, 9, 823, 0.16, true);
  faulty.poses[21 * 4 + 1] = std::nan("");
  const ResultArrays expected = patch_results(HostEvaluator(boxes, cpu()), faulty, 2);
  EXPECT_EQ(expected.status[4] & kBadPose, kBadPose);
  ASSERT_GT(num_patches(expected), 5);
  expect_same_patches(patch_results(on_gpu(boxes), faulty, 2), expected);

  ContactOptions contact;
  contact.gradient_filter = true;
  const Scene balls(balls_in_a_ball(contact));
  const Batch inside = random_batch(balls, 16, 824, 0.18);
  expect_same_patches(patch_results(on_gpu(balls), inside, 1), patch_results(HostEvaluator(balls, cpu()), inside, 1));
}

// More warps than pairs, and fewer: each warp takes several.
TEST_P(GpuPatchContacts, OfAnyNumberOfEnvironmentsAreThoseOfTheCpu) {
  const Scene boxes(boxes_on_ground());
  const HostEvaluator on_device = on_gpu(boxes), on_host(boxes, cpu());
  for (const std::int64_t environments : {0, 1, 2, 33}) {
    const Batch batch = random_batch(boxes, environments, 825);
    expect_same_patches(patch_results(on_device, batch, 1), patch_results(on_host, batch, 1));
  }
}

// Any of the arrays may be asked for alone, and rows may have gaps between them.
TEST_P(GpuPatchContacts, MayBeAskedForOneByOneAndInChunks) {
  const Scene boxes(boxes_on_ground());
  const Batch batch = random_batch(boxes, 7, 826);
  const ResultArrays expected = patch_results(HostEvaluator(boxes, cpu()), batch, 2);
  const Evaluator made = detail::make_evaluator(boxes, cuda());
  const std::int64_t row = boxes.num_pairs() * 2 * 12, stride = row + 5;
  for (const std::size_t chunk_bytes : {std::size_t(1), std::size_t(1) << 20}) {
    detail::HostBatch host_batch(chunk_bytes);
    std::vector<double> points(static_cast<std::size_t>(7 * stride), 7);
    Results results;
    results.patch_point = {points.data(), stride};
    results.max_clusters = 2;
    host_batch.evaluate(
        boxes, batch.state(), results,
        [&](const State& s, const Results& r, std::int64_t, cudaStream_t stream) { made.evaluate(s, r, stream); });
    for (std::int64_t i = 0; i < 7 * stride; ++i) {
      const std::int64_t at = i % stride;
      ASSERT_EQ(points[static_cast<std::size_t>(i)],
                at < row ? expected.patch_point[static_cast<std::size_t>(i / stride * row + at)] : 7)
          << i;
    }
  }
}

TEST_P(GpuPatchContacts, OfAGraphAreThoseOfWhatTheArraysHoldThen) {
  const Scene boxes(boxes_on_ground());
  const Batch first = random_batch(boxes, 5, 827), second = random_batch(boxes, 5, 828);
  const Evaluator evaluator = detail::make_evaluator(boxes, cuda());
  DeviceBatch arrays(boxes, first);
  const DeviceBuffer<double> residual(static_cast<std::size_t>(5 * boxes.num_pairs() * 6));
  Results results = arrays.results();
  results.patch_residual = residual.data();
  const Stream stream(cudaStreamDefault);
  evaluator.reserve(5, 0, 0, true);
  const Graph graph(stream, [&] { evaluator.evaluate(arrays.state(), results, stream); });
  for (const Batch* batch : {&first, &second, &first}) {
    arrays.poses.upload(batch->poses.data(), batch->poses.size(), nullptr);
    graph.replay();
    std::vector<double> found(residual.size());
    residual.download(found.data(), found.size(), nullptr);
    EXPECT_EQ(found, patch_results(HostEvaluator(boxes, cpu()), *batch, 1).patch_residual);
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, GpuPatchContacts, ::testing::Values(Precision::kFloat, Precision::kDouble),
                         [](const auto& case_info) {
                           return case_info.param == Precision::kFloat ? "Float" : "Double";
                         });

}  // namespace
}  // namespace isopatch::test
