// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/runtime/fat_binary.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace isopatch::emulator {

namespace {

/// What the host code registers.
struct Registered {
  static constexpr std::uint32_t kMagic = 0x466243b1;

  std::uint32_t magic, version;
  const std::byte* fat_binary;
};

/// The beginning of a fat binary.
struct Header {
  static constexpr std::uint32_t kMagic = 0xba55ed50;

  std::uint32_t magic;
  std::uint16_t version, bytes;  // of this header
  std::uint64_t total;           // bytes behind it
};

/// The beginning of each entry.
struct Entry {
  static constexpr std::uint16_t kPtx = 1;
  static constexpr std::uint64_t kCompressed = 0xa000;  // by LZ4 or Zstandard

  std::uint16_t kind, version;
  std::uint32_t bytes;  // of this header
  std::uint64_t size;   // of the code behind it
  std::uint32_t unused[3];
  std::uint32_t architecture;
  std::uint32_t source_name[2];
  std::uint64_t flags;
};
static_assert(sizeof(Header) == 16 && offsetof(Entry, architecture) == 28 && offsetof(Entry, flags) == 40);

template <class T>
T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

}  // namespace

std::string ptx_of(const void* registered) {
  const auto handle = read<Registered>(static_cast<const std::byte*>(registered));
  if (handle.magic != Registered::kMagic || read<Header>(handle.fat_binary).magic != Header::kMagic) {
    throw std::runtime_error("a fat binary of a format that is not known");
  }
  const auto header = read<Header>(handle.fat_binary);
  const std::byte* at = handle.fat_binary + header.bytes;
  const std::byte* const end = at + header.total;

  std::string ptx;
  std::uint32_t newest = 0;
  while (at < end) {
    const auto entry = read<Entry>(at);
    if (entry.kind == Entry::kPtx && entry.architecture >= newest) {
      if ((entry.flags & Entry::kCompressed) != 0) {
        throw std::runtime_error("the PTX is compressed: compile with nvcc's --no-compress");
      }
      const auto* text = reinterpret_cast<const char*>(at + entry.bytes);
      ptx.assign(text, ::strnlen(text, entry.size));  // zeros fill it up
      newest = entry.architecture;
    }
    at += entry.bytes + entry.size;
  }
  return ptx;
}

std::string source_of(const std::string& ptx) {
  const auto at = ptx.find("\n.file");
  const auto begin = at == std::string::npos ? at : ptx.find('"', at);
  if (begin == std::string::npos) return "";
  return std::filesystem::path(ptx.substr(begin + 1, ptx.find('"', begin + 1) - begin - 1)).filename().string();
}

}  // namespace isopatch::emulator
