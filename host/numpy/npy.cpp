// SPDX-License-Identifier: Apache-2.0
//
// The .npy part of npz.h. Format: numpy.lib.format, versions 1 to 3.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <limits>
#include <string_view>

#include "host/numpy/npz.h"
#include "host/text/quote.h"
#include "isopatch/error.h"

namespace isopatch::detail {

namespace {

static_assert(std::endian::native == std::endian::little, "arrays are copied as they are");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeader = 1 << 16;
constexpr std::size_t kMaxDimensions = 8;

struct TypeInfo {
  DType type;
  std::string_view descr;
  std::string_view name;
  std::size_t bytes;
};

constexpr std::array<TypeInfo, 6> kTypes = {{{DType::kFloat32, "<f4", "float32", 4},
                                             {DType::kFloat64, "<f8", "float64", 8},
                                             {DType::kInt32, "<i4", "int32", 4},
                                             {DType::kInt64, "<i8", "int64", 8},
                                             {DType::kUint8, "|u1", "uint8", 1},
                                             {DType::kUint32, "<u4", "uint32", 4}}};

const TypeInfo& info(DType type) {
  return *std::find_if(kTypes.begin(), kTypes.end(), [type](const TypeInfo& entry) { return entry.type == type; });
}

/// The header is a Python dictionary literal with three known keys.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& source) : rest_(text), source_(source) {}

  NpyArray parse() {
    NpyArray array;
    bool have_type = false, have_order = false, have_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr" && !have_type) {
        array.type = type();
        have_type = true;
      } else if (key == "fortran_order" && !have_order) {
        if (boolean()) fail("is in Fortran order; save numpy.ascontiguousarray(array)");
        have_order = true;
      } else if (key == "shape" && !have_shape) {
        array.shape = shape();
        have_shape = true;
      } else {
        fail("has an unexpected key in its header");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!have_type || !have_order || !have_shape) fail("has an incomplete header");
    return array;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const { throw Error(source_ + ": " + problem); }

  void skip_space() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front()))) rest_.remove_prefix(1);
  }

  bool accept(char token) {
    skip_space();
    if (rest_.empty() || rest_.front() != token) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char token) {
    if (!accept(token)) fail(fmt::format("has a header that is no dictionary: expected '{}'", token));
  }

  std::string_view string() {
    skip_space();
    const char quote = !rest_.empty() && rest_.front() == '"' ? '"' : '\'';
    expect(quote);
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) fail("has a header with a string that does not end");
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool boolean() {
    skip_space();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    fail("has a header with neither True nor False for fortran_order");
  }

  DType type() {
    skip_space();
    if (rest_.starts_with('[')) fail("has a structured dtype; plain arrays only");
    const std::string_view descr = string();
    if (descr == "|b1") return DType::kUint8;
    for (const TypeInfo& entry : kTypes) {
      if (entry.descr == descr) return entry.type;
    }
    fail(fmt::format("has dtype {}; use little-endian float32, float64, int32, int64, uint32, uint8 or bool",
                     in_quotes(descr)));
  }

  std::vector<std::int64_t> shape() {
    std::vector<std::int64_t> shape;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::int64_t length = -1;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), length);
      if (error != std::errc() || length < 0) fail("has a header with a bad shape");
      if (shape.size() == kMaxDimensions) fail(fmt::format("has more than {} dimensions", kMaxDimensions));
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      shape.push_back(length);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  std::string_view rest_;
  const std::string& source_;
};

/// Bytes of an array, or the largest size_t if they do not fit one.
std::size_t byte_count(const NpyArray& array) {
  constexpr std::size_t kTooMany = std::numeric_limits<std::size_t>::max();
  if (std::find(array.shape.begin(), array.shape.end(), 0) != array.shape.end()) return 0;
  std::size_t bytes = info(array.type).bytes;
  for (const std::int64_t length : array.shape) {
    if (bytes > kTooMany / static_cast<std::size_t>(length)) return kTooMany;
    bytes *= static_cast<std::size_t>(length);
  }
  return bytes;
}

}  // namespace

std::int64_t NpyArray::size() const { return static_cast<std::int64_t>(byte_count(*this) / info(type).bytes); }

std::string dtype_name(DType type) { return std::string(info(type).name); }

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0]) : fmt::format("({})", fmt::join(shape, ", "));
}

NpyHeader parse_npy_header(std::string_view bytes, std::size_t total, const std::string& source) {
  const auto byte = [&bytes](std::size_t index) { return static_cast<unsigned char>(bytes[index]); };
  if (bytes.size() < 12 || bytes.compare(0, kMagic.size(), kMagic) != 0) throw Error(source + ": not a .npy array");

  // version 1 has a 2-byte header length, 2 and 3 have 4 bytes
  const int version = byte(6);
  if (version < 1 || version > 3) throw Error(fmt::format("{}: .npy version {} is not supported", source, version));
  const std::size_t start = version == 1 ? 10 : 12;
  std::size_t length = 0;
  for (std::size_t i = start; i-- > 8;) length = length << 8 | byte(i);
  if (length > kMaxHeader || length > bytes.size() - start) {
    throw Error(source + ": the .npy header is cut off or too long");
  }

  NpyArray array = HeaderParser(std::string_view(bytes).substr(start, length), source).parse();
  const std::size_t found = total - start - length;
  if (byte_count(array) != found) {
    throw Error(fmt::format("{}: {} bytes of data, but shape {} of {} needs a different number", source, found,
                            shape_text(array.shape), dtype_name(array.type)));
  }
  return {array.type, std::move(array.shape), start + length, found};
}

NpyArray parse_npy(const std::string& bytes, const std::string& source) {
  NpyHeader header = parse_npy_header(bytes, bytes.size(), source);
  return {header.type, std::move(header.shape), bytes.substr(header.begin)};
}

std::string npy_bytes(const NpyArray& array) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", info(array.type).descr,
                                   shape_text(array.shape));
  constexpr std::size_t kAlignment = 64, kPreamble = 10;
  header.append(kAlignment - (kPreamble + header.size() + 1) % kAlignment, ' ');
  header += '\n';

  std::string bytes(kMagic);
  bytes += {'\1', '\0', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  return bytes + header + array.bytes;
}

}  // namespace isopatch::detail
