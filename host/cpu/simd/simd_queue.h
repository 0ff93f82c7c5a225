// SPDX-License-Identifier: Apache-2.0
//
// Queues of items that wait until there are enough for a SIMD vector.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/cpu/simd/simd.h"

namespace isopatch::detail {
namespace {

/// The items that one round works on, one for each lane.
template <int lanes>
struct Round {
  int first;  // index in the queue
  Mask<lanes> active;
};

/// Takes the last `lanes` items of a queue of pairs of cells; if there are fewer, the other lanes repeat the first one
/// and are masked.
template <int lanes, class Queue>
Round<lanes> take(Queue& queue, int& waiting) {
  const int count = waiting < lanes ? waiting : lanes;
  const int first = waiting - count;
  for (int i = waiting; i < first + lanes; ++i) {
    queue.m[i] = queue.m[first];
    queue.s[i] = queue.s[first];
  }
  waiting = first;
  return {first, Mask<lanes>(hn::FirstN(Tag<float, lanes>(), static_cast<std::size_t>(count)))};
}

/// Writes the items of the lanes in `mask` to `queue`; what lies beyond them is overwritten.
template <class T>
void append(Simd<T, kFloatLanes> items, Mask<kFloatLanes> mask, T* queue) {
  const Tag<T, kFloatLanes> tag;
  hn::StoreU(hn::Compress(items.low, hn::RebindMask(tag, mask.m)), tag, queue);
}

}  // namespace
}  // namespace isopatch::detail
