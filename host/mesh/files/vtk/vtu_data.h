// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a <DataArray> of VTK's XML files: inline or appended, base64 or raw, compressed by zlib, LZ4 or LZMA, or
// not.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "host/mesh/files/file_cursor.h"

namespace isopatch::detail {

enum class VtuCompressor : std::uint8_t { kNone, kZlib, kLz4, kLzma };

/// How a file stores its binary data.
struct VtuEncoding {
  std::endian order = std::endian::little;
  ValueType header = ValueType::kU32;  // of the sizes before the data
  VtuCompressor compressor = VtuCompressor::kNone;
};

/// The bytes of a text, taken piece by piece.
class VtuBytes {
 public:
  /// `offset` is the array's offset in the file, for errors.
  VtuBytes(std::string_view text, bool base64, const FileCursor& in, std::size_t offset)
      : text_(text), base64_(base64), in_(in), offset_(offset) {}

  /// The next `count` bytes. Joins pieces that were encoded one by one, each with its own padding.
  std::string take(std::uint64_t count);
  /// At most this many bytes are left.
  std::uint64_t most() const { return text_.size() - at_ + pending_.size(); }
  template <class... Values>
  [[noreturn]] void fail(fmt::format_string<Values...> message, Values&&... values) const {
    in_.fail_at(offset_, message, std::forward<Values>(values)...);
  }

 private:
  bool decode_group();

  std::string_view text_;
  bool base64_;
  const FileCursor& in_;
  std::size_t offset_;
  std::size_t at_ = 0;
  std::string pending_;  // decoded, but not taken
};

using VtuVisit = std::function<void(std::string_view)>;

/// Reads one array: its sizes, then its data, which is decompressed and passed to `visit` piece by piece. It must be
/// `expected` bytes long.
void read_vtu_array(VtuBytes& bytes, const VtuEncoding& encoding, std::uint64_t expected, const VtuVisit& visit);

}  // namespace isopatch::detail
