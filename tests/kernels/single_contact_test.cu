// SPDX-License-Identifier: Apache-2.0
//
// A thread of a device computes a single contact, and what it is made of, with the bits of the CPU.
#include <gtest/gtest.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "isopatch/detail/force_law/damping_matrix.h"
#include "isopatch/detail/force_law/evaluate_law.h"
#include "isopatch/detail/force_law/restitution.h"
#include "isopatch/detail/single_contact/distances.h"
#include "isopatch/evaluator.h"
#include "kernels/memory/cuda_check.h"

namespace isopatch::test {
namespace {

using namespace detail;

struct Given {
  LawNumbers law;
  OverlapMoments overlap;
  RelativeMotion motion;
  ContactState state;
  double time_step, restitution, exponent;
  Vec3d point;
};

struct Found {
  LawForces forces;
  ContactState next;
  DampingMatrix damping;
  double decay, power, impact_factor;
  Distance box, cylinder, capsule;
};

ISOPATCH_HD Found find(const Given& g) {
  Found found;
  found.impact_factor = impact_factor(g.restitution);
  LawNumbers law = g.law;
  law.impact_factor = found.impact_factor;
  const LawResult result = evaluate_law(law, contact_patch(g.overlap, false), g.motion, g.state, g.time_step);
  found.forces = result.forces;
  found.next = result.next;
  found.damping = damping_matrix(result.step, result.forces, g.motion);
  found.decay = decay(g.time_step * 1e4);
  found.power = power(g.overlap.volume, g.exponent);
  found.box = box_distance(g.point, {0.5, 0.4, 0.3});
  found.cylinder = cylinder_distance(g.point, 0.5, 0.4);
  found.capsule = capsule_distance(g.point, 0.3, 0.4);
  return found;
}

constexpr int kBlock = 64;

__global__ void __launch_bounds__(kBlock) find_kernel(const Given* given, int count, Found* found) {
  const int i = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
  if (i < count) found[i] = find(given[i]);
}

std::vector<Given> random_contacts(int count) {
  std::mt19937_64 random(1);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto size = [&](double low, double high) { return std::exp(between(std::log(low), std::log(high))); };
  const auto vector = [&](double length) {
    return Vec3d{between(-length, length), between(-length, length), between(-length, length)};
  };
  std::vector<Given> contacts;
  for (int i = 0; i < count; ++i) {
    Given g = {};
    LawNumbers& law = g.law;
    law.stiffness = 1e7;
    law.exponent = 1;
    law.dissipation = 0.1;
    law.small_speed = 1e-3;
    law.relaxation_time = i % 2 == 0 ? 0 : size(1e-2, 1);
    law.friction = between(0, 1);
    law.slip_tolerance = size(1e-5, 1e-2);
    law.spin_radius = 1;
    law.has_bristles = i % 4 != 0;
    law.flows_always = i % 7 < 3;
    law.latches_largest = i % 3 == 0;
    law.bristle = {size(1e4, 1e6), size(10, 1e3), 0.01, size(1e-4, 1e-1), i % 5 == 0 ? 0 : size(1e-2, 1),
                   between(1, 2)};
    const Vec3d n = vector(1);
    const double radius = size(1e-2, 1), depth = radius * size(1e-3, 1.9);
    g.overlap = ball_overlap(vector(1), radius, (1 / norm(n)) * n, depth);
    g.overlap.area = g.overlap.area + vector(0.2 * radius * depth);
    g.motion = {vector(size(1e-6, 1)), vector(size(1e-4, 10)), vector(10)};
    if (i % 6 != 0) {
      g.state = {size(1e-3, 1),        0.3 * g.overlap.volume, vector(1e-5),
                 between(-1e-3, 1e-3), between(0, 1),          between(0, 9)};
    }
    g.time_step = size(1e-6, 1e-1);
    g.restitution = i % 7 == 0 ? 1 : between(0.01, 1);
    g.exponent = between(1, 4);
    g.point = vector(1);
    contacts.push_back(g);
  }
  return contacts;
}

struct GpuSingleContact : ::testing::Test {
  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  }
};

TEST_F(GpuSingleContact, HasTheBitsOfTheCpu) {
  constexpr int kContacts = 3000;
  const std::vector<Given> given = random_contacts(kContacts);
  const thrust::device_vector<Given> from = given;
  thrust::device_vector<Found> to(given.size());
  find_kernel<<<(kContacts + kBlock - 1) / kBlock, kBlock>>>(thrust::raw_pointer_cast(from.data()), kContacts,
                                                             thrust::raw_pointer_cast(to.data()));
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
  std::vector<Found> found(given.size());
  thrust::copy(to.begin(), to.end(), found.begin());
  static_assert(sizeof(Found) % sizeof(double) == 0);
  constexpr std::size_t kNumbers = sizeof(Found) / sizeof(double);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Found expected = find(given[i]);
    std::uint64_t own[kNumbers], other[kNumbers];
    std::memcpy(own, &found[i], sizeof(Found));
    std::memcpy(other, &expected, sizeof(Found));
    for (std::size_t k = 0; k < kNumbers; ++k) ASSERT_EQ(own[k], other[k]) << i << ", number " << k;
    ASSERT_TRUE(std::isfinite(expected.forces.normal));
  }
}

}  // namespace
}  // namespace isopatch::test
