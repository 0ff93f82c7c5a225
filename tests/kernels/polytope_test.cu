// SPDX-License-Identifier: Apache-2.0
//
// A warp of a device finds the contacts and relations of polytopes, and their overlap, to the bits of one CPU thread.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <vector>

#include "isopatch/detail/polytope/overlap.h"
#include "isopatch/evaluator.h"
#include "kernels/memory/cuda_check.h"
#include "kernels/memory/device_buffer.h"
#include "kernels/runtime/cuda_warp.cuh"
#include "tests/polytope/polytope_fixture.h"

namespace isopatch::test {
namespace {

using namespace detail;

struct DevicePair {
  PolytopeView a, b;
  Transform<double> X_WA, X_WB;
  RelationOptions options;
  RelationArrays arrays;
  char* memory;
  OverlapMemory* overlap_memory;
};

struct DeviceNumbers {
  RelationCounts counts;
  double separation, overlap;
};

__global__ void __launch_bounds__(CudaWarp::kSize) find_pair(DevicePair call, DeviceNumbers* numbers) {
  CudaWarp warp;
  const PolytopePair pair = polytope_pair(call.a, call.b, call.X_WA, call.X_WB);
  const FeatureMemory memory = feature_memory(pair.a, pair.b, call.memory);
  RelationCounts counts{0, 0, 0};
  const Separation separation =
      find_relations(warp, pair, memory, call.options, call.X_WA, {3, 5, 7}, call.arrays, counts);
  if (warp.lane() == 0) *numbers = {counts, separation.value, overlap_size(pair, *call.overlap_memory)};
}

template <class T>
std::vector<T> copy_of(const T* from, int count) {
  return from == nullptr ? std::vector<T>() : std::vector<T>(from, from + count);
}

/// The arrays of a shape on the device.
struct DeviceShape {
  DeviceBuffer<Vec3d> vertices;
  DeviceBuffer<ShapeFace> faces;
  DeviceBuffer<FaceSide> sides;
  DeviceBuffer<ShapeEdge> edges;
  DeviceBuffer<std::int32_t> vertex_begin, vertex_faces;
  DeviceBuffer<Spoke> spokes;
  PolytopeView view;

  explicit DeviceShape(const PolytopeView& host)
      : vertices(copy_of(host.vertices, host.num_vertices), nullptr),
        faces(copy_of(host.faces, host.num_faces), nullptr),
        sides(copy_of(host.sides, host.faces[host.num_faces - 1].end), nullptr),
        edges(copy_of(host.edges, host.num_edges), nullptr),
        vertex_begin(copy_of(host.vertex_begin, host.num_vertices + 1), nullptr),
        vertex_faces(copy_of(host.vertex_faces, host.vertex_begin[host.num_vertices]), nullptr),
        spokes(copy_of(host.spokes, host.vertex_begin[host.num_vertices]), nullptr),
        view(host) {
    view.vertices = vertices.data();
    view.faces = faces.data();
    view.sides = sides.data();
    view.edges = edges.data();
    view.vertex_begin = vertex_begin.data();
    view.vertex_faces = vertex_faces.data();
    view.spokes = spokes.data();
  }
};

template <class Row>
bool is_same(const DeviceBuffer<Row>& on_device, const std::vector<Row>& expected) {
  std::vector<Row> found(expected.size());
  on_device.download(found.data(), found.size(), nullptr);
  return expected.empty() || std::memcmp(found.data(), expected.data(), expected.size() * sizeof(Row)) == 0;
}

void expect_bits_of_the_cpu(const Placed& a, const Placed& b, const RelationOptions& options) {
  const Found expected = find(a, b, options);
  const DeviceShape shape_a(a.shape->view()), shape_b(b.shape->view());
  const DeviceBuffer<PotentialContact> contacts(expected.contacts.size());
  const DeviceBuffer<Relation> relations(expected.relations.size());
  const DeviceBuffer<std::int32_t> members(expected.members.size());
  const DeviceBuffer<char> memory(feature_memory_size(shape_a.view, shape_b.view));
  const DeviceBuffer<OverlapMemory> overlap_memory(1);
  const DeviceBuffer<DeviceNumbers> numbers(1);
  const RelationCounts size{static_cast<std::int32_t>(contacts.size()), static_cast<std::int32_t>(relations.size()),
                            static_cast<std::int32_t>(members.size())};
  find_pair<<<1, CudaWarp::kSize>>>({shape_a.view,
                                     shape_b.view,
                                     a.X,
                                     b.X,
                                     options,
                                     {contacts.data(), relations.data(), members.data(), size},
                                     memory.data(),
                                     overlap_memory.data()},
                                    numbers.data());
  ISOPATCH_CUDA_CHECK(cudaGetLastError());

  DeviceNumbers found;
  numbers.download(&found, 1, nullptr);
  EXPECT_EQ(found.counts.contacts, size.contacts);
  EXPECT_EQ(found.counts.relations, size.relations);
  EXPECT_EQ(found.counts.members, size.members);
  EXPECT_TRUE(is_same(contacts, expected.contacts));
  EXPECT_TRUE(is_same(relations, expected.relations));
  EXPECT_TRUE(is_same(members, expected.members));
  std::vector<OverlapMemory> room(1);
  const double overlap = overlap_size(expected.pair, room[0]);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(found.separation), std::bit_cast<std::uint64_t>(expected.separation.value));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(found.overlap), std::bit_cast<std::uint64_t>(overlap));
}

TEST(GpuPolytopes, GpuRelationsHaveTheBitsOfTheCpu) {
  if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  PolytopeRandom random(51);
  const ConvexShape box = ConvexShape::box({0.5, 0.4, 0.3}), cube = ConvexShape::box({0.5, 0.5, 0.5});
  for (int k = 0; k < 100; ++k) {
    const bool planar = k % 4 == 0;
    const ConvexShape shape_a = k % 4 == 1 ? box : k % 8 == 2 ? random.thin_shape(planar, 8) : random.shape(planar, 8);
    const ConvexShape shape_b = k % 8 == 1 ? cube : k % 4 == 3 ? random.round_shape(24, 1) : random.shape(planar, 8);
    Placed a{&shape_a, at({0, 0, 0})}, b{&shape_b, at({0, 0, 0})};
    const Vec3d along = k % 8 == 1 ? Vec3d{0, 0, 1} : random.direction(planar);
    a.X.translation = translation_for_gap(DenseDirections(a, b), along, random.uniform(-0.02, 0.05)) * along;
    const auto mode = static_cast<RelationMode>(k / 8 % 5);
    expect_bits_of_the_cpu(a, b, options(random.uniform(0.05, 0.3), mode, 0.01));
  }
  const ConvexShape ground = ConvexShape::half_space();
  expect_bits_of_the_cpu({&cube, turned({1, 2, 3}, 0.2, {0, 0, 0.7})}, {&ground, at({0, 0, 0})}, options(0.2));
}

}  // namespace
}  // namespace isopatch::test
