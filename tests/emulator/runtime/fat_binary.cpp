// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/runtime/fat_binary.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#ifdef ISOPATCH_HAS_ZSTD
#include <zstd.h>
#endif

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
  static constexpr std::uint64_t kLz4 = 0x2000, kZstandard = 0x8000;

  std::uint16_t kind, version;
  std::uint32_t bytes;             // of this header
  std::uint64_t size;              // of the code behind it, with zeros that fill it up
  std::uint32_t compressed_bytes;  // of compressed code, without these zeros
  std::uint32_t unused[2];
  std::uint32_t architecture;
  std::uint32_t source_name[2];
  std::uint64_t flags;
  std::uint64_t unused_too;
  std::uint64_t code_bytes;  // of compressed code, when it is not
};
static_assert(sizeof(Header) == 16 && offsetof(Entry, architecture) == 28 && offsetof(Entry, flags) == 40 &&
              offsetof(Entry, code_bytes) == 56 && sizeof(Entry) == 64);

template <class T>
T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

std::string text_of(const Entry& entry, const std::byte* code) {
  if ((entry.flags & Entry::kZstandard) != 0) {
#ifdef ISOPATCH_HAS_ZSTD
    std::string text(entry.code_bytes, '\0');
    const std::size_t bytes = ZSTD_decompress(text.data(), text.size(), code, entry.compressed_bytes);
    if (ZSTD_isError(bytes) != 0 || bytes != text.size()) throw std::runtime_error("the PTX cannot be decompressed");
    text.resize(::strnlen(text.data(), text.size()));
    return text;
#endif
  }
  if ((entry.flags & (Entry::kZstandard | Entry::kLz4)) != 0) {
    throw std::runtime_error("the PTX is compressed: compile with nvcc's --no-compress");
  }
  const auto* text = reinterpret_cast<const char*>(code);
  return {text, ::strnlen(text, entry.size)};
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
      ptx = text_of(entry, at + entry.bytes);
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
