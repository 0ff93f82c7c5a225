// SPDX-License-Identifier: Apache-2.0
#include <lzma.h>

#include <cstdint>

#include "host/mesh/files/vtk/decompress.h"

namespace isopatch::detail {

const bool kHasLzma = true;

bool decompress_lzma(std::string_view block, std::string& content) {
  // the largest dictionary of the presets takes 64 MiB
  std::uint64_t memory = std::uint64_t{1} << 27;
  std::size_t in = 0, out = 0;
  const lzma_ret result =
      lzma_stream_buffer_decode(&memory, 0, nullptr, reinterpret_cast<const std::uint8_t*>(block.data()), &in,
                                block.size(), reinterpret_cast<std::uint8_t*>(content.data()), &out, content.size());
  return result == LZMA_OK && out == content.size();
}

}  // namespace isopatch::detail
