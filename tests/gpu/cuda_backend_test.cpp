// SPDX-License-Identifier: Apache-2.0
//
// The cuda backend on a device: the bits of the cpu backend. Names with GpuSmall are small enough for compute-sanitizer.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "host/device_batch.h"
#include "support/hash.h"

namespace isopatch::test {
namespace {

void expect_bits_of_the_cpu(const Scene& scene, const Batch& batch, Precision precision, detail::Outputs outputs) {
  if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  constexpr std::int32_t kCapacity = 512;
  const ResultArrays expected = evaluate(scene, batch, {Backend::kCpu, precision, 0, false}, outputs, kCapacity);
  ResultArrays found(scene, batch.environments, outputs, kCapacity);
  evaluate_on_device(Evaluator(scene, {Backend::kCuda, precision, 0, false}), batch.state(), found.view());
  EXPECT_GT(std::accumulate(expected.area.begin(), expected.area.end(), 0.0), 0.0);
  for (std::size_t e = 0; e < expected.environments; ++e) {
    ASSERT_EQ(environment_hash(found, e), environment_hash(expected, e)) << "environment " << e;
  }
}

class GpuSmall : public ::testing::TestWithParam<std::tuple<Precision, detail::Outputs>> {};

TEST_P(GpuSmall, EveryKindOfPairHasTheBitsOfTheCpu) {
  const Scene scene(mixed_scene());
  expect_bits_of_the_cpu(scene, random_batch(scene, 3, 21, 0.16, true), std::get<0>(GetParam()),
                         std::get<1>(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Outputs, GpuSmall,
                         ::testing::Combine(::testing::Values(Precision::kFloat, Precision::kDouble),
                                            ::testing::Values(detail::Outputs::kWrench, detail::Outputs::kPatch,
                                                              detail::Outputs::kPolygons)));

class GpuSuite : public ::testing::TestWithParam<Precision> {};

TEST_P(GpuSuite, SizesAroundAWarpAndABlock) {
  const Scene scene(boxes_on_ground());
  for (const std::int64_t size : {1, 2, 31, 32, 33, 127, 128, 129, 257, 4096}) {
    expect_bits_of_the_cpu(scene, random_batch(scene, size, 30), GetParam(), detail::Outputs::kPatch);
  }
}

TEST_P(GpuSuite, FaultsStayInTheirEnvironment) {
  const Scene scene(boxes_on_ground());
  Batch batch = random_batch(scene, 64, 31);
  std::fill_n(batch.poses.begin() + 17 * 21 + 3, 4, 0.0);
  batch.poses[40 * 21] = std::numeric_limits<double>::infinity();
  expect_bits_of_the_cpu(scene, batch, GetParam(), detail::Outputs::kPatch);
}

TEST_P(GpuSuite, AllContactLaws) {
  for (const Quadrature quadrature : {Quadrature::kCentroid, Quadrature::kFan3, Quadrature::kFan6}) {
    for (const DissipationModel model : {DissipationModel::kHuntCrossley, DissipationModel::kPfc}) {
      const Scene scene(mixed_scene({model, quadrature, 1e-4, quadrature == Quadrature::kFan3}));
      expect_bits_of_the_cpu(scene, random_batch(scene, 64, 32), GetParam(), detail::Outputs::kPatch);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, GpuSuite, ::testing::Values(Precision::kFloat, Precision::kDouble),
                         [](const auto& instance) { return instance.param == Precision::kFloat ? "Float" : "Double"; });

TEST(CudaBackend, WithoutADeviceSaysWhatToUse) {
  if (cuda_available()) GTEST_SKIP() << "there is a device";
  try {
    Evaluator(Scene(boxes_on_ground()), {Backend::kCuda, Precision::kFloat, 0, false});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("backend cuda: no usable device"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace isopatch::test
