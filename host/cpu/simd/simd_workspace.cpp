// SPDX-License-Identifier: Apache-2.0
#include "host/cpu/simd/simd_workspace.h"

#include <cstddef>

namespace isopatch::detail {

SimdTraversalMemory::SimdTraversalMemory(std::int32_t wide_nodes) {
  const std::size_t of_both = 2 * static_cast<std::size_t>(wide_nodes);
  transformed =
      std::make_unique_for_overwrite<TransformedWideNode[]>(of_both);  // pages that no pair touches take no memory
  opener = std::make_unique_for_overwrite<std::int32_t[]>(of_both);
  index_of = std::make_unique<std::int32_t[]>(of_both);
}

}  // namespace isopatch::detail
