// SPDX-License-Identifier: Apache-2.0
#include "host/render/color_map_png.h"

#include <zlib.h>

#include <string_view>

#include "host/pictures/color_map.h"
#include "isopatch/error.h"

namespace isopatch::detail {
namespace {

constexpr int kPixels = 256;

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::string chunk(std::string_view type, std::string_view data) {
  const std::string body = std::string(type) + std::string(data);
  const uLong checksum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(static_cast<std::uint32_t>(checksum));
}

}  // namespace

std::string color_map_png() {
  std::string row(1, '\0');  // no filter
  for (int i = 0; i < kPixels; ++i) {
    for (const std::uint8_t channel : viridis(i / (kPixels - 1.0))) row += static_cast<char>(channel);
  }
  uLongf size = compressBound(row.size());
  std::string packed(size, '\0');
  if (compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(row.data()),
               row.size()) != Z_OK) {
    throw Error("the picture of the colour map cannot be compressed");
  }
  packed.resize(size);
  const std::string header = big_endian(kPixels) + big_endian(1) + std::string("\x08\x02\0\0\0", 5);  // RGB of 8 bits
  return std::string("\x89PNG\r\n\x1a\n") + chunk("IHDR", header) + chunk("IDAT", packed) + chunk("IEND", "");
}

}  // namespace isopatch::detail
