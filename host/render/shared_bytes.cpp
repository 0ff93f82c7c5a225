// SPDX-License-Identifier: Apache-2.0
#include "host/render/page.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unordered_map>

namespace isopatch::detail {
namespace {

constexpr std::size_t kAlignment = 4;  // of the arrays in a picture
constexpr std::size_t kBlock = 256;    // of which the first bytes are looked up; shorter parts are not shared
constexpr std::size_t kKey = 8;

std::uint64_t key_at(std::string_view bytes, std::size_t at) {
  std::uint64_t key = 0;
  std::memcpy(&key, bytes.data() + at, kKey);
  return key;
}

void append_number(std::string& out, std::size_t number) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(number >> shift & 255);
}

}  // namespace

std::string without_shared(std::string_view bytes, std::string_view first) {
  std::unordered_map<std::uint64_t, std::size_t> blocks;
  for (std::size_t at = 0; at + kBlock <= first.size(); at += kBlock) blocks.emplace(key_at(first, at), at);

  std::string out;
  std::size_t from = 0, shared = 0, own = 0;  // of the piece that is not written yet; where its own bytes begin
  const auto write_piece = [&](std::size_t end) {
    for (const std::size_t number : {from, shared, end - own}) append_number(out, number);
    out += bytes.substr(own, end - own);
  };
  for (std::size_t at = 0; at + kBlock <= bytes.size();) {
    const auto block = blocks.find(key_at(bytes, at));
    std::size_t length = 0;
    if (block != blocks.end()) {
      const std::string_view there = first.substr(block->second), here = bytes.substr(at);
      const std::size_t most = std::min(there.size(), here.size());
      while (length < most && there[length] == here[length]) ++length;
      length -= length % kAlignment;
    }
    if (length < kBlock) {
      at += kAlignment;
      continue;
    }
    std::size_t begin = at, there = block->second;
    while (begin > own && there > 0 && bytes[begin - 1] == first[there - 1]) --begin, --there;
    write_piece(begin);
    from = there;
    shared = at + length - begin;
    own = at += length;
  }
  write_piece(bytes.size());
  return out;
}

}  // namespace isopatch::detail
