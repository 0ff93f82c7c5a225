// SPDX-License-Identifier: Apache-2.0
//
// The working memory that a call has whatever the contact models.
#pragma once

#include <string>

#include "isopatch/detail/overlap/part_overlap.h"
#include "kernels/memory/device_arena.h"
#include "kernels/scene/call.h"

namespace isopatch::detail {

struct BatchSize {
  std::size_t pairs = 0, geometries = 0, overlaps = 0;  // of all environments

  std::string need() const {
    return "the list of " + std::to_string(pairs) + " pairs of bodies (environments times pairs) needs";
  }
};

struct BatchArrays : ArraysOf<BatchSize> {
  using ArraysOf::ArraysOf;

  std::int64_t* list = array(size().pairs);
  CallCounters* counters = array(1);
  std::int32_t* geometries = array(size().geometries);
  PartOverlap* overlaps = array(size().overlaps);
};

}  // namespace isopatch::detail
