// SPDX-License-Identifier: Apache-2.0
#include <lz4.h>

#include <limits>

#include "host/mesh/files/vtk/decompress.h"

namespace isopatch::detail {

const bool kHasLz4 = true;

bool decompress_lz4(std::string_view block, std::string& content) {
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (block.size() > kMost || content.size() > kMost) return false;
  const auto size = static_cast<int>(content.size());
  return LZ4_decompress_safe(block.data(), content.data(), static_cast<int>(block.size()), size) == size;
}

}  // namespace isopatch::detail
