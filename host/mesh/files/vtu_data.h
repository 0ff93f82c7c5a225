// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a <DataArray> of VTK's XML files: inline or appended, base64 or raw, compressed by zlib or not.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "host/mesh/files/file_cursor.h"

namespace isopatch::detail {

/// How a file stores its binary data.
struct VtuEncoding {
  std::endian order = std::endian::little;
  ValueType header = ValueType::kU32;  // of the numbers before the data
  bool compressed = false;
};

/// Bytes of a text, taken one piece after another.
class VtuBytes {
 public:
  /// `offset` is that of the text's array in the file, for errors.
  VtuBytes(std::string_view text, bool base64, const FileCursor& in, std::size_t offset)
      : text_(text), base64_(base64), in_(in), offset_(offset) {}

  /// The next `count` bytes. Pieces that were encoded one by one, each with an end of its own, are joined.
  std::string take(std::uint64_t count);
  /// No more bytes than these are left.
  std::uint64_t most() const { return text_.size() - at_ + pending_.size(); }
  [[noreturn]] void fail(const std::string& message) const { in_.fail_at(offset_, message); }

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

/// One array: its sizes, then its data, decompressed, for which `visit` is called a piece at a time. It must be
/// `expected` bytes long.
void read_vtu_array(VtuBytes& bytes, const VtuEncoding& encoding, std::uint64_t expected, const VtuVisit& visit);

}  // namespace isopatch::detail
