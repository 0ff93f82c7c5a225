// SPDX-License-Identifier: Apache-2.0
//
// Packed arrays of the GPU are those of the CPU: the same rows at the same places, also where not all fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "host/evaluation/backend_options.h"
#include "kernels/runtime/host_batch.h"
#include "tests/support/compounds.h"
#include "tests/support/device_calls.h"
#include "tests/support/packed_rows.h"

namespace isopatch::test {
namespace {

using detail::DeviceBuffer;

constexpr PackedRoom kAmple = {20'000, 20'000};
constexpr std::int32_t kCapacity = 1024;

PackedResults evaluated(const HostEvaluator& evaluator, const Batch& batch, PackedRoom room) {
  PackedResults results(evaluator.scene(), batch.num_environments, room, kCapacity);
  evaluator.evaluate(batch.state(), results.view());
  return results;
}

/// Every kind of pair, in turn in one of the models whose contacts are rows.
SceneDescription pairs_of_several_models() {
  SceneDescription scene = mixed_scene();
  const auto is_ball = [&](int body) {
    const int geometry = scene.bodies[static_cast<std::size_t>(body)].geometry;
    return scene.geometries[static_cast<std::size_t>(geometry)].primitive.kind == PrimitiveKind::kSphere;
  };
  int next = 0;
  for (Pair& pair : *scene.pairs) {
    const int turn = next++ % 3;
    if (turn == 0) continue;
    pair.model = turn == 1 || !(is_ball(pair.a) || is_ball(pair.b)) ? ContactModel::kVolumetric : ContactModel::kPoint;
    pair.stiffness = 1e7;
  }
  return scene;
}

struct GpuPackedRows : ::testing::TestWithParam<Precision> {
  const Scene scene{boxes_on_ground()};

  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  }
  EvaluatorOptions cuda() const { return {Backend::kCuda, GetParam(), 0}; }
  EvaluatorOptions cpu() const { return {Backend::kCpu, GetParam(), 2}; }

  /// Whose lists have room for so many rows more than the arrays.
  HostEvaluator with_spare_rows(const Scene& of, std::int64_t rows) const {
    detail::CudaOptions options;
    static_cast<EvaluatorOptions&>(options) = cuda();
    options.min_spare_rows = options.max_spare_rows = rows;
    return HostEvaluator(detail::make_evaluator(of, options));
  }
};

TEST_P(GpuPackedRows, AreThoseOfTheCpu) {
  const Scene mixed(mixed_scene());
  const Batch batch = random_batch(mixed, 3, 721, 0.16, true);
  const PackedResults all = evaluated(HostEvaluator(mixed, cpu()), batch, kAmple);
  ASSERT_GT(all_rows(all).contacts, 20);
  const HostEvaluator evaluator(mixed, cuda());
  expect_first_rows(evaluated(evaluator, batch, kAmple), all);
}

TEST_P(GpuPackedRows, ThatDoNotFitAreCountedAndReported) {
  const Batch batch = random_batch(scene, 19, 722);
  const PackedResults all = evaluated(HostEvaluator(scene, cpu()), batch, kAmple);
  ASSERT_GT(all_rows(all).contacts, 50);
  const HostEvaluator evaluator(scene, cuda());
  for (const PackedRoom& room : rooms(all)) {
    SCOPED_TRACE(testing::Message() << room.polygons << " and " << room.contacts);
    expect_first_rows(evaluated(evaluator, batch, room), all);
  }
}

// Lists that are filled again, with all rows of the last environment that has room or only the first.
TEST_P(GpuPackedRows, OfListsThatAreTooShortAreThoseOfTheCpu) {
  const Batch batch = random_batch(scene, 19, 722);
  const PackedResults all = evaluated(HostEvaluator(scene, cpu()), batch, kAmple);
  for (const std::int64_t spare : {0, 1, 40}) {
    const HostEvaluator evaluator = with_spare_rows(scene, spare);
    for (const PackedRoom& room : rooms(all)) {
      SCOPED_TRACE(testing::Message() << spare << " spare, " << room.polygons << " and " << room.contacts);
      expect_first_rows(evaluated(evaluator, batch, room), all);
    }
  }
}

TEST_P(GpuPackedRows, OfSeveralPartsAreThoseOfTheCpu) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Scene compounds(random_compounds(seed, {.most_bodies = 3, .most_parts = 5, .coarse = true}));
    const Batch batch = compound_states(compounds, 3, seed, seed % 2 == 0);
    const PackedResults all = evaluated(HostEvaluator(compounds, cpu()), batch, kAmple);
    const auto [polygons, contacts] = all_rows(all);
    for (const HostEvaluator& evaluator : {HostEvaluator(compounds, cuda()), with_spare_rows(compounds, 0)}) {
      for (const PackedRoom& room : {kAmple, PackedRoom{polygons / 2, contacts / 3}}) {
        expect_first_rows(evaluated(evaluator, batch, room), all);
      }
    }
  }
}

// Pairs that several warps share, of meshes with many cells. A warp, a block in shared memory and a block in global
// memory put the rows of one environment each in order.
TEST_P(GpuPackedRows, OfSeveralModelsAreThoseOfTheCpu) {
  const Scene several(pairs_of_several_models());
  const Batch batch = random_batch(several, 5, 729, 0.16, true);
  const PackedResults all = evaluated(HostEvaluator(several, cpu()), batch, kAmple);
  const auto [polygons, contacts] = all_rows(all);
  ASSERT_GT(contacts, 200);
  const HostEvaluator ample(several, cuda()), short_lists = with_spare_rows(several, 0);
  for (std::int64_t room = 1; room < contacts; room += 1 + contacts / 23) {
    SCOPED_TRACE(room);
    for (const HostEvaluator* evaluator : {&ample, &short_lists}) {
      expect_first_rows(evaluated(*evaluator, batch, {polygons / 2, room}), all);
    }
  }
  expect_first_rows(evaluated(ample, batch, kAmple), all);
}

TEST_P(GpuPackedRows, OfLargeMeshesAreThoseOfTheCpu) {
  const Scene balls(two_bodies(make_sphere("ball", 0.1, 3), make_sphere("other", 0.1, 3)));
  Batch batch = random_batch(balls, 5, 723, 0.01);  // more than the emulated device has blocks, which then have several
  const double distances[] = {0.16, 0.18, 0.195, 1, 1};
  for (std::size_t e = 0; e < 5; ++e) batch.poses[14 * e] += distances[e];
  const PackedResults all = evaluated(HostEvaluator(balls, cpu()), batch, kAmple);
  const auto rows_of = [&](std::size_t e) { return all.polygon_offsets[e + 1] - all.polygon_offsets[e]; };
  ASSERT_GT(rows_of(0), 511);
  ASSERT_TRUE(rows_of(1) > 127 && rows_of(1) <= 511) << rows_of(1);
  ASSERT_TRUE(rows_of(2) > 0 && rows_of(2) <= 127) << rows_of(2);
  const auto [polygons, contacts] = all_rows(all);
  for (const HostEvaluator& evaluator : {HostEvaluator(balls, cuda()), with_spare_rows(balls, 0)}) {
    for (const PackedRoom& room : {kAmple, PackedRoom{polygons / 3, contacts - 1}}) {
      expect_first_rows(evaluated(evaluator, batch, room), all);
    }
  }
}

TEST_P(GpuPackedRows, OfFaultsAndFilteredPairsAreThoseOfTheCpu) {
  Batch faulty = random_batch(scene, 9, 724, 0.16, true);
  faulty.poses[21 * 4 + 1] = std::nan("");
  expect_first_rows(evaluated(HostEvaluator(scene, cuda()), faulty, kAmple),
                    evaluated(HostEvaluator(scene, cpu()), faulty, kAmple));
  ContactOptions contact;
  contact.gradient_filter = true;
  const Scene balls(balls_in_a_ball(contact));
  const Batch inside = random_batch(balls, 16, 725, 0.18);
  expect_first_rows(evaluated(HostEvaluator(balls, cuda()), inside, kAmple),
                    evaluated(HostEvaluator(balls, cpu()), inside, kAmple));
}

TEST_P(GpuPackedRows, OffsetsMayBeAskedForAlone) {
  const Batch batch = random_batch(scene, 33, 726);
  const PackedResults all = evaluated(HostEvaluator(scene, cpu()), batch, kAmple);
  for (const bool of_contacts : {false, true}) {
    std::vector<std::int64_t> offsets(34, -7);
    std::vector<std::uint32_t> status(33, 7);
    Results results;
    results.status = status.data();
    (of_contacts ? results.contact_offsets : results.polygon_offsets) = offsets.data();
    HostEvaluator(scene, cuda()).evaluate(batch.state(), results);
    EXPECT_EQ(offsets, of_contacts ? all.contact_offsets : all.polygon_offsets);
    EXPECT_EQ(status, all.status);
  }
}

// Each chunk of a few environments. Small ones have too little room for their rows at first, and are evaluated again.
TEST_P(GpuPackedRows, OfChunksAreThoseOfTheCpu) {
  const Batch batch = random_batch(scene, 13, 727, 0.16, true);
  const PackedResults all = evaluated(HostEvaluator(scene, cpu()), batch, kAmple);
  const Evaluator made(scene, cuda());
  const auto [polygons, contacts] = all_rows(all);
  for (const std::size_t chunk_bytes : {1, 3000, 400'000, 2'000'000}) {
    detail::HostBatch host_batch(chunk_bytes);
    for (const PackedRoom& room : {kAmple, PackedRoom{polygons / 2, contacts - 1}, PackedRoom{0, 1}, kAmple}) {
      SCOPED_TRACE(testing::Message() << chunk_bytes << " bytes, room for " << room.polygons);
      PackedResults found(scene, 13, room, kCapacity);
      host_batch.evaluate(
          scene, batch.state(), found.view(),
          [&](const State& s, const Results& r, std::int64_t, cudaStream_t stream) { made.evaluate(s, r, stream); });
      expect_first_rows(found, all);
    }
    std::vector<std::int64_t> offsets(14, -7);  // after calls with rows
    Results results;
    results.contact_offsets = offsets.data();
    host_batch.evaluate(
        scene, batch.state(), results,
        [&](const State& s, const Results& r, std::int64_t, cudaStream_t stream) { made.evaluate(s, r, stream); });
    EXPECT_EQ(offsets, all.contact_offsets);
  }
}

TEST_P(GpuPackedRows, OfSeveralDevicesAreThoseOfTheCpu) {
  if (num_cuda_devices() < 2) GTEST_SKIP() << "fewer than two CUDA devices";
  const Batch batch = random_batch(scene, 9, 728);
  const PackedResults all = evaluated(HostEvaluator(scene, cpu()), batch, kAmple);
  EvaluatorOptions options = cuda();
  options.device = -1;
  const HostEvaluator evaluator(scene, options);
  ASSERT_GT(evaluator.num_devices(), 1);
  for (const PackedRoom& room : rooms(all)) expect_first_rows(evaluated(evaluator, batch, room), all);
  const Batch one = random_batch(scene, 1, 728);  // fewer environments than devices
  expect_first_rows(evaluated(evaluator, one, kAmple), evaluated(HostEvaluator(scene, cpu()), one, kAmple));
}

TEST_P(GpuPackedRows, OfNoEnvironmentsAreNone) {
  std::int64_t offset = -7;
  Results results;
  results.polygon_offsets = &offset;
  HostEvaluator(scene, cuda()).evaluate(State(), results);
  EXPECT_EQ(offset, 0);

  const DeviceBuffer<std::int64_t> on_device(1);
  results.polygon_offsets = on_device.data();
  Evaluator(scene, cuda()).evaluate(State(), results);
  offset = -7;
  on_device.download(&offset, 1, nullptr);
  EXPECT_EQ(offset, 0);
}

/// Poses in, packed polygons out, in device memory.
struct DevicePolygons {
  std::int64_t environments;
  DeviceBuffer<double> poses;
  DeviceBuffer<Polygon> rows;
  DeviceBuffer<std::int64_t> offsets;
  DeviceBuffer<std::int32_t> of_rows;

  DevicePolygons(std::int64_t environments_, const Batch& batch, std::int64_t room)
      : environments(environments_),
        poses(batch.poses, nullptr),
        rows(static_cast<std::size_t>(room)),
        offsets(static_cast<std::size_t>(environments + 1)),
        of_rows(static_cast<std::size_t>(room)) {}

  State state() const {
    State s;
    s.num_environments = environments;
    s.poses = static_cast<const double*>(poses.data());
    return s;
  }
  Results results() const {
    Results r;
    r.packed_polygons = {rows.data(), static_cast<std::int64_t>(rows.size())};
    r.polygon_offsets = offsets.data();
    r.polygon_environments = of_rows.data();
    return r;
  }
  /// Expects the first rows of `all`.
  void expect(const PackedResults& all) const {
    std::vector<std::int64_t> found_offsets(offsets.size());
    offsets.download(found_offsets.data(), found_offsets.size(), nullptr);
    ASSERT_EQ(found_offsets, all.polygon_offsets);
    const auto count =
        static_cast<std::size_t>(std::min<std::int64_t>(found_offsets.back(), static_cast<std::int64_t>(rows.size())));
    std::vector<Polygon> found(count);
    std::vector<std::int32_t> found_environments(count);
    rows.download(found.data(), count, nullptr);
    of_rows.download(found_environments.data(), count, nullptr);
    expect_first_rows(found, found_environments, static_cast<std::int64_t>(count), all.packed_polygons,
                      all.polygon_offsets);
  }
};

// One batch has more rows than fit, the other less; the graph does not know which it will be.
TEST_P(GpuPackedRows, OfAGraphAreThoseOfWhatTheArraysHoldThen) {
  const Batch many = random_batch(scene, 12, 729), few = random_batch(scene, 12, 730, 0.4);
  const PackedResults all_many = evaluated(HostEvaluator(scene, cpu()), many, kAmple);
  const PackedResults all_few = evaluated(HostEvaluator(scene, cpu()), few, kAmple);
  const std::int64_t room = (all_rows(all_many).polygons + all_rows(all_few).polygons) / 2;
  ASSERT_LT(all_rows(all_few).polygons, room);
  ASSERT_GT(all_rows(all_many).polygons, room);
  const Evaluator evaluator(scene, cuda());
  const DevicePolygons arrays(12, many, room);
  const Stream stream(cudaStreamDefault);
  evaluator.reserve(12, room);
  const Graph graph(stream, [&] { evaluator.evaluate(arrays.state(), arrays.results(), stream); });
  DeviceBuffer<double> poses;
  for (int turn = 0; turn < 4; ++turn) {
    const Batch& batch = turn % 2 == 0 ? many : few;
    ISOPATCH_CUDA_CHECK(cudaMemcpy(arrays.poses.data(), batch.poses.data(), batch.poses.size() * sizeof(double),
                                   cudaMemcpyHostToDevice));
    ISOPATCH_CUDA_CHECK(cudaDeviceSynchronize());
    graph.replay();
    arrays.expect(turn % 2 == 0 ? all_many : all_few);
  }
  evaluator.evaluate(arrays.state(), arrays.results(), stream);  // a call beside the graph
  ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream));
  arrays.expect(all_few);
}

TEST_P(GpuPackedRows, ArraysInHostMemoryAreRefused) {
  const Evaluator evaluator(scene, cuda());
  const Batch batch = random_batch(scene, 2, 731);
  const DevicePolygons arrays(2, batch, 10);
  std::vector<std::int64_t> offsets(3);
  Results results = arrays.results();
  results.polygon_offsets = offsets.data();
  try {
    evaluator.evaluate(arrays.state(), results);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).rfind("evaluate: results.polygon_offsets points to host memory", 0), 0u)
        << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, GpuPackedRows, ::testing::Values(Precision::kFloat, Precision::kDouble),
                         [](const auto& case_info) {
                           return case_info.param == Precision::kFloat ? "Float" : "Double";
                         });

}  // namespace
}  // namespace isopatch::test
