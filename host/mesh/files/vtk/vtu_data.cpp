// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/files/vtk/vtu_data.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "host/mesh/files/vtk/decompress.h"

namespace isopatch::detail {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 15;

/// zlib cannot compress by more than about this factor, and LZ4 not by so much, so a larger size is false.
constexpr std::uint64_t kMaxCompression = 1100;

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

std::uint64_t read_size(VtuBytes& bytes, const VtuEncoding& encoding) {
  const std::string raw = bytes.take(bytes_per_value(encoding.header));
  FileCursor number(raw, "");
  number.set_binary(true);
  number.set_byte_order(encoding.order);
  return static_cast<std::uint64_t>(number.integer(encoding.header));
}

/// Inflates `block` to `length` bytes and passes them to `visit` piece by piece.
void inflate_block(const VtuBytes& bytes, const std::string& block, std::uint64_t length, const VtuVisit& visit) {
  std::uint64_t left = length;
  z_stream stream = {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(block.data()));  // zlib does not write there
  stream.avail_in = static_cast<uInt>(block.size());
  int result = inflateInit(&stream);
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  std::array<char, kPiece> piece;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = kPiece;
    result = inflate(&stream, Z_NO_FLUSH);
    const std::size_t found = kPiece - stream.avail_out;
    if (found > left) break;
    left -= found;
    visit(std::string_view(piece.data(), found));
  }
  if (result != Z_STREAM_END || left != 0) bytes.fail("a block is not {} bytes compressed by zlib", length);
}

void decompress_block(const VtuBytes& bytes, VtuCompressor compressor, const std::string& block, std::uint64_t length,
                      const VtuVisit& visit) {
  if (compressor == VtuCompressor::kZlib) return inflate_block(bytes, block, length, visit);
  const bool lz4 = compressor == VtuCompressor::kLz4;
  std::string content(static_cast<std::size_t>(length), '\0');
  if (!(lz4 ? decompress_lz4(block, content) : decompress_lzma(block, content))) {
    bytes.fail("a block is not {} bytes compressed by {}", length, lz4 ? "LZ4" : "LZMA");
  }
  visit(content);
}

/// The array consists of: the count of blocks, the size of a block, the size of the last block if it is smaller, the
/// compressed sizes, the blocks.
void read_compressed(VtuBytes& bytes, const VtuEncoding& encoding, std::uint64_t expected, const VtuVisit& visit) {
  const VtuCompressor compressor = encoding.compressor;
  if (compressor == VtuCompressor::kLz4 ? !kHasLz4 : compressor == VtuCompressor::kLzma && !kHasLzma) {
    bytes.fail(
        "the array is compressed by {}, whose library this build was made without; in Python, "
        "pyvista.read('in.vtu').save('out.vtu') compresses by zlib",
        compressor == VtuCompressor::kLz4 ? "LZ4" : "LZMA");
  }
  const std::uint64_t blocks = read_size(bytes, encoding), size = read_size(bytes, encoding);
  const std::uint64_t last = read_size(bytes, encoding);
  const std::uint64_t full = last == 0 || blocks == 0 ? blocks : blocks - 1, rest = blocks == 0 ? 0 : last;
  if (blocks > bytes.most() || (full > 0 && size > expected / full) || full * size + rest != expected) {
    bytes.fail("the array has {} blocks of {} bytes, the last of {}; its values take {}", blocks, size,
               last == 0 ? size : last, expected);
  }
  if (compressor != VtuCompressor::kLzma && expected > kMaxCompression * bytes.most()) {
    bytes.fail("{} bytes cannot have been compressed into {}", expected, bytes.most());
  }

  std::vector<std::uint64_t> compressed;
  for (std::uint64_t i = 0; i < blocks; ++i) compressed.push_back(read_size(bytes, encoding));
  for (std::uint64_t i = 0; i < blocks; ++i) {
    decompress_block(bytes, compressor, bytes.take(compressed[i]), i < full ? size : rest, visit);
  }
}

}  // namespace

/// Four characters make three bytes; '=' ends a piece, and another piece may follow. False at the end of the text.
bool VtuBytes::decode_group() {
  std::array<int, 4> digits{};
  std::size_t count = 0, padding = 0;
  while (count < 4) {
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    if (at_ == text_.size()) {
      if (count == 0) return false;
      fail("base64 data that does not come in groups of four characters");
    }
    const char c = text_[at_++];
    const int digit = c == '=' ? 0 : base64_digit(c);
    if (digit < 0 || (padding > 0 && c != '=')) {
      fail("the character {} in base64 data", in_quotes(std::string_view(&c, 1)));
    }
    padding += c == '=' ? 1 : 0;
    digits[count++] = digit;
  }
  if (padding > 2) fail("base64 data with more than two '=' at an end");
  const int bits = digits[0] << 18 | digits[1] << 12 | digits[2] << 6 | digits[3];
  for (std::size_t i = 0; i < 3 - padding; ++i) pending_ += static_cast<char>(bits >> (16 - 8 * i) & 0xff);
  return true;
}

std::string VtuBytes::take(std::uint64_t count) {
  if (count > most()) fail("{} bytes where the file has at most {} left", count, most());
  const auto size = static_cast<std::size_t>(count);
  if (!base64_) {
    at_ += size;
    return std::string(text_.substr(at_ - size, size));
  }
  std::string taken = std::exchange(pending_, "");
  while (taken.size() < size) {
    if (!decode_group()) fail("base64 data ends {} bytes before the array does", size - taken.size());
    taken += std::exchange(pending_, "");
  }
  pending_ = taken.substr(size);
  taken.resize(size);
  return taken;
}

void read_vtu_array(VtuBytes& bytes, const VtuEncoding& encoding, std::uint64_t expected, const VtuVisit& visit) {
  if (encoding.compressor != VtuCompressor::kNone) return read_compressed(bytes, encoding, expected, visit);
  const std::uint64_t length = read_size(bytes, encoding);
  if (length != expected) bytes.fail("the array has {} bytes; its values take {}", length, expected);
  if (expected > bytes.most()) bytes.fail("{} bytes where the file has at most {} left", expected, bytes.most());
  for (std::uint64_t left = expected; left > 0;) {
    const std::uint64_t count = std::min<std::uint64_t>(left, kPiece);
    visit(bytes.take(count));
    left -= count;
  }
}

}  // namespace isopatch::detail
