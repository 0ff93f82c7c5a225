// SPDX-License-Identifier: Apache-2.0
//
// Pairs of rigid polytopes on a GPU have the bits of the CPU: separations, overlaps, contacts and relations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/runtime/host_batch.h"
#include "tests/polytope/polytope_scenes.h"
#include "tests/support/device_calls.h"

namespace isopatch::test {
namespace {

constexpr double kTimeStep = 0.01;  // s

State state_of(const Batch& batch) {
  State state = batch.state();
  state.time_step = kTimeStep;
  return state;
}

PolytopeResults evaluated(const Scene& scene, const Batch& batch, Backend backend, const RelationRoom& room = {}) {
  PolytopeResults results(scene, batch.num_environments, room);
  HostEvaluator(scene, {.backend = backend}).evaluate(state_of(batch), results.view());
  return results;
}

/// Returns what the CPU finds.
PolytopeResults expect_bits_of_the_cpu(const Scene& scene, const Batch& batch, const RelationRoom& room = {}) {
  PolytopeResults cpu = evaluated(scene, batch, Backend::kCpu, room);
  EXPECT_EQ(different_array(cpu, evaluated(scene, batch, Backend::kCuda, room)), "");
  return cpu;
}

struct GpuPolytopePairs : ::testing::Test {
  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  }
};

TEST_F(GpuPolytopePairs, HaveTheBitsOfTheCpuWithAllRelations) {
  const ContactRelations all[] = {ContactRelations::kExact, ContactRelations::kLnc, ContactRelations::kUnilateral,
                                  ContactRelations::kSeparating};
  for (const ContactRelations relations : all) {
    SCOPED_TRACE(static_cast<int>(relations));
    for (SceneDescription description : {solid_polytopes(), finger_and_boxes(), flat_polytopes()}) {
      SCOPED_TRACE(description.bodies[0].name);
      description.contact.polytope.relations = relations;
      const Scene scene(description);
      const PolytopeResults cpu = expect_bits_of_the_cpu(scene, batch_of_polytopes(scene, 7, 91), {});
      EXPECT_GT(*std::max_element(cpu.overlap.begin(), cpu.overlap.end()), 0);
      EXPECT_GT(*std::max_element(cpu.separation.begin(), cpu.separation.end()), 0);
      std::int32_t found = 0;
      for (std::size_t e = 0; e < 7; ++e) found += cpu.relations_needed[3 * e + 1];
      EXPECT_GT(found, 20);
    }
  }
}

TEST_F(GpuPolytopePairs, ContactsComeInTheOrderOfPairs) {
  const Scene scene(finger_and_boxes());
  const Batch batch = batch_of_polytopes(scene, 12, 92);
  const PolytopeResults cuda = evaluated(scene, batch, Backend::kCuda);
  int with_both = 0;
  for (std::size_t e = 0; e < 12; ++e) {
    const PotentialContact* const first = &cuda.potential_contacts[e * 200];
    const PotentialContact* const end = first + cuda.relations_needed[3 * e];
    EXPECT_TRUE(std::is_sorted(first, end, [](const auto& x, const auto& y) { return x.pair < y.pair; }));
    with_both += end > first && first->pair < 2 && (end - 1)->pair == 2;
  }
  EXPECT_GT(with_both, 0);
}

TEST_F(GpuPolytopePairs, FillBuffersAsTheCpuDoesAndNoFurther) {
  const Scene scene(solid_polytopes());
  const Batch batch = batch_of_polytopes(scene, 5, 93);
  for (const RelationRoom& room : {RelationRoom{3, 200, 800}, RelationRoom{200, 3, 800}, RelationRoom{200, 200, 3},
                                   RelationRoom{0, 7, 30}, RelationRoom{9, 0, 0}, RelationRoom{0, 0, 0}}) {
    SCOPED_TRACE(testing::Message() << room.contacts << " " << room.relations << " " << room.members);
    const PolytopeResults cpu = expect_bits_of_the_cpu(scene, batch, room);
    const bool any = std::any_of(cpu.status.begin(), cpu.status.end(),
                                 [](std::uint32_t status) { return (status & kRelationCapacity) != 0; });
    EXPECT_EQ(any, room.contacts + room.relations + room.members > 0);
  }
}

TEST_F(GpuPolytopePairs, HaveTheBitsOfTheCpuBesideMasksFaultsAndOtherGeometries) {
  const Scene scene(solid_polytopes());
  Batch batch = batch_of_polytopes(scene, 6, 94);
  for (int i = 0; i < 6 * scene.num_pairs(); ++i) batch.pair_mask.push_back(i % 3 != 1);
  for (int e = 0; e < 6; ++e) {
    for (const int geometry : {e % 3, (e + 1) % 3, e % 2 == 0 ? 2 : 0, 1, (e + 2) % 3, 3}) {
      batch.geometry_index.push_back(geometry);
    }
  }
  batch.poses[0] = std::nan("");
  batch.geometry_index[6] = 9;  // of environment 1
  const PolytopeResults cpu = expect_bits_of_the_cpu(scene, batch);
  EXPECT_EQ(cpu.status[0], kBadPose);
  EXPECT_EQ(cpu.status[1], kBadGeometry);
  EXPECT_EQ(cpu.relations_needed[1], 0);
  EXPECT_GT(cpu.relations_needed[3 * 2 + 1], 0);
}

TEST_F(GpuPolytopePairs, HaveTheSameBitsInAnyBatchAndForAnyOutputs) {
  const Scene scene(solid_polytopes());
  const Batch batch = batch_of_polytopes(scene, 16, 95);
  const PolytopeResults all = expect_bits_of_the_cpu(scene, batch);
  const std::vector<std::int64_t> order = {15, 3, 0, 8, 1, 2, 9, 14, 13, 12, 11, 10, 7, 6, 5, 4};
  const PolytopeResults permuted = evaluated(scene, batch.permuted(order), Backend::kCuda);
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(environment_hash(permuted, i), environment_hash(all, static_cast<std::size_t>(order[i]))) << i;
  }
  const HostEvaluator evaluator(scene, {.backend = Backend::kCuda});
  for (const bool has_separation : {true, false}) {
    for (const bool has_overlap : {true, false}) {
      for (const bool has_needed : {true, false}) {
        PolytopeResults some(scene, 16);
        if (!has_separation) some.separation.clear();
        if (!has_overlap) some.overlap.clear();
        some.potential_contacts.clear();
        some.relations.clear();
        some.relation_members.clear();
        if (!has_needed) some.relations_needed.clear();
        evaluator.evaluate(state_of(batch), some.view());
        if (has_separation) {
          EXPECT_EQ(some.separation, all.separation);
        }
        if (has_overlap) {
          EXPECT_EQ(some.overlap, all.overlap);
        }
        if (has_needed) {
          EXPECT_EQ(some.relations_needed, all.relations_needed);
        }
        EXPECT_EQ(some.status, all.status);
      }
    }
  }
}

TEST_F(GpuPolytopePairs, OfChunksHaveTheBitsOfTheCpu) {
  const Scene scene(solid_polytopes());
  const Batch batch = batch_of_polytopes(scene, 5, 96);
  PolytopeResults cpu = evaluated(scene, batch, Backend::kCpu);
  const Evaluator made(scene, {.backend = Backend::kCuda, .device = 0});
  for (const std::size_t chunk_bytes : {1, 40000}) {
    detail::HostBatch host_batch(chunk_bytes);
    PolytopeResults cuda(scene, 5);
    int chunks = 0;
    host_batch.evaluate(scene, state_of(batch), cuda.view(),
                        [&](const State& s, const Results& r, std::int64_t, cudaStream_t stream) {
                          ++chunks;
                          made.evaluate(s, r, stream);
                        });
    EXPECT_GT(chunks, 1);
    EXPECT_EQ(different_array(cpu, cuda), "");
  }
}

/// The arrays of a call in device memory.
struct PolytopesOnDevice {
  ResultArrays unwritten;
  detail::DeviceBuffer<double> poses, separation;
  detail::DeviceBuffer<PotentialContact> contacts;
  detail::DeviceBuffer<Relation> relations;
  detail::DeviceBuffer<std::int32_t> members, needed;

  PolytopesOnDevice(const Scene& scene, const Batch& batch)
      : poses(batch.poses.size()),
        separation(static_cast<std::size_t>(batch.num_environments * scene.num_pairs())),
        needed(static_cast<std::size_t>(3 * batch.num_environments)) {
    PolytopeResults full(scene, batch.num_environments);
    unwritten.num_environments = batch.num_environments;
    unwritten.separation = full.separation;
    unwritten.potential_contacts = full.potential_contacts;
    unwritten.relations = full.relations;
    unwritten.relation_members = full.relation_members;
    unwritten.relations_needed = full.relations_needed;
    contacts = detail::DeviceBuffer<PotentialContact>(full.potential_contacts.size());
    relations = detail::DeviceBuffer<Relation>(full.relations.size());
    members = detail::DeviceBuffer<std::int32_t>(full.relation_members.size());
  }

  void upload(const Batch& batch) {
    poses.upload(batch.poses.data(), batch.poses.size(), nullptr);
    contacts.upload(unwritten.potential_contacts.data(), contacts.size(), nullptr);
    relations.upload(unwritten.relations.data(), relations.size(), nullptr);
    members.upload(unwritten.relation_members.data(), members.size(), nullptr);
  }

  State state() const {
    State state;
    state.num_environments = unwritten.num_environments;
    state.poses = static_cast<const double*>(poses.data());
    return state;
  }

  Results results() const {
    Results results;
    results.separation = separation.data();
    const ArrayCounts counts = unwritten.counts();
    const auto room = [&](Per per) { return static_cast<std::int32_t>(counts[per]); };
    results.potential_contacts = {contacts.data(), room(Per::kPotentialContactCapacity)};
    results.relations = {relations.data(), room(Per::kRelationCapacity)};
    results.relation_members = {members.data(), room(Per::kMemberCapacity)};
    results.relations_needed = needed.data();
    return results;
  }

  ResultArrays fetch() const {
    ResultArrays host = unwritten;
    separation.download(host.separation.data(), host.separation.size(), nullptr);
    contacts.download(host.potential_contacts.data(), contacts.size(), nullptr);
    relations.download(host.relations.data(), relations.size(), nullptr);
    members.download(host.relation_members.data(), members.size(), nullptr);
    needed.download(host.relations_needed.data(), needed.size(), nullptr);
    return host;
  }
};

TEST_F(GpuPolytopePairs, OfAGraphAreThoseOfThePosesThatItIsReplayedOn) {
  const Scene scene(finger_and_boxes());
  const std::int64_t n = 4;
  const Batch first = batch_of_polytopes(scene, n, 97), second = batch_of_polytopes(scene, n, 98);
  const Evaluator evaluator(scene, {.backend = Backend::kCuda, .device = 0});
  PolytopesOnDevice arrays(scene, first);
  evaluator.reserve(n);
  const Stream stream(cudaStreamDefault);
  const Graph graph(stream, [&] { evaluator.evaluate(arrays.state(), arrays.results(), stream); });
  for (const Batch* batch : {&first, &second, &first}) {
    arrays.upload(*batch);
    graph.replay();
    State state;
    state.num_environments = n;
    state.poses = batch->poses.data();
    PolytopeResults cpu(scene, n);
    Evaluator(scene).evaluate(state, cpu.view());
    EXPECT_EQ(different_array(arrays.fetch(), cpu), "");
    EXPECT_GT(cpu.relations_needed[1], 0);
  }
}

}  // namespace
}  // namespace isopatch::test
