// SPDX-License-Identifier: Apache-2.0
//
// Sets of arrays take the device memory that they say they take, and no more.
#include "kernels/memory/device_arena.h"

#include <gtest/gtest.h>

#include "isopatch/error.h"
#include "kernels/batch_arrays.h"
#include "kernels/memory/stream.h"
#include "kernels/pressure_field/device_call_memory.h"
#include "kernels/rollout/step_call.h"
#include "tests/emulator/runtime/observe.h"

namespace isopatch::emulator {
namespace {

/// Each number of the size differs from the others.
template <class Size>
Size size_from(std::size_t first) {
  auto numbers = detail::numbers_of(Size());
  for (std::size_t& number : numbers) number = first++;
  return std::bit_cast<Size>(numbers);
}

template <class Arrays>
void expect_memory_as_counted() {
  using Size = typename Arrays::Size;
  const detail::Stream stream;
  ISOPATCH_CUDA_CHECK(cudaDeviceSynchronize());
  const std::size_t before = used_memory(0);
  for (const Size& size : {Size(), size_from<Size>(1), size_from<Size>(40)}) {
    const detail::DeviceArena<Arrays> arrays(size, stream);
    EXPECT_GT(detail::DeviceArena<Arrays>::bytes(size_from<Size>(1)), 0u);
    EXPECT_EQ(used_memory(0) - before, detail::DeviceArena<Arrays>::bytes(size));
  }
  EXPECT_EQ(used_memory(0), before);
}

TEST(EmulatedArenas, TakeTheBytesThatTheyCount) {
  expect_memory_as_counted<detail::BatchArrays>();
  expect_memory_as_counted<detail::StepMemory>();
  expect_memory_as_counted<detail::PressureFieldArrays>();
}

TEST(EmulatedArenas, ShrinkToWhatTheDeviceHasMemoryFor) {
  using Arena = detail::DeviceArena<detail::PressureFieldArrays>;
  const detail::Stream stream;
  ISOPATCH_CUDA_CHECK(cudaDeviceSynchronize());
  detail::PressureFieldSize wanted = size_from<detail::PressureFieldSize>(100), without_list = wanted;
  EXPECT_TRUE(without_list.shrink());
  detail::PressureFieldSize without_stages = without_list;
  EXPECT_TRUE(without_stages.shrink());
  detail::PressureFieldSize least = without_stages;
  EXPECT_FALSE(least.shrink());
  for (const detail::PressureFieldSize& affordable : {wanted, without_list, without_stages}) {
    set_memory(0, used_memory(0) + Arena::bytes(affordable));
    const Arena arena(wanted, stream);
    EXPECT_EQ(detail::numbers_of(arena->size()), detail::numbers_of(affordable));
  }
  set_memory(0, used_memory(0) + Arena::bytes(without_stages) - 1);
  EXPECT_THROW(Arena(wanted, stream), Error);
  set_memory(0, std::size_t(16) << 30);
}

TEST(EmulatedArenas, HaveRoomForEachOfTwoSizesIfJoined) {
  const detail::BatchSize one = {3, 7}, other = {5, 2}, both = detail::joined(one, other);
  EXPECT_EQ(detail::numbers_of(both), detail::numbers_of(detail::BatchSize{5, 7}));
  EXPECT_TRUE(detail::fits(one, both));
  EXPECT_TRUE(detail::fits(other, both));
  EXPECT_FALSE(detail::fits(one, other));
  EXPECT_FALSE(detail::fits(other, one));
}

}  // namespace
}  // namespace isopatch::emulator
