// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/pack_kernels.h"
#include "isopatch/detail/begin_environment.h"
#include "isopatch/detail/traverse.h"

namespace isopatch {

/// What one CPU thread works in.
struct ThreadWorkspace {
  detail::Workspace<1> traversal;
  PackWorkspace packs;
  detail::BodyBounds bounds[detail::kMaxBodies];
  std::int64_t items[detail::kMaxPairs];
};

}  // namespace isopatch
