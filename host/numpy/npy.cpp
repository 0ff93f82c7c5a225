// SPDX-License-Identifier: Apache-2.0
//
// The .npy part of npz.h. Format: numpy.lib.format, versions 1 to 3.
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "host/numpy/npz.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"

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

constexpr std::array<TypeInfo, 7> kTypes = {{{DType::kFloat32, "<f4", "float32", 4},
                                             {DType::kFloat64, "<f8", "float64", 8},
                                             {DType::kInt32, "<i4", "int32", 4},
                                             {DType::kInt64, "<i8", "int64", 8},
                                             {DType::kUint8, "|u1", "uint8", 1},
                                             {DType::kUint32, "<u4", "uint32", 4},
                                             {DType::kRecord, "", "records", 0}}};

const TypeInfo& info(DType type) {
  return *std::find_if(kTypes.begin(), kTypes.end(), [type](const TypeInfo& entry) { return entry.type == type; });
}

/// A Python literal of dictionaries, tuples, strings, numbers and truth values as JSON; discarded if it is none.
nlohmann::json as_json(std::string_view literal) {
  std::string text;
  for (const char c : literal) {
    if (c == ')' || c == '}') {  // JSON has no comma before it
      const std::size_t last = text.find_last_not_of(" \n");
      if (last != std::string::npos && text[last] == ',') text[last] = ' ';
    }
    text += c == '(' ? '[' : c == ')' ? ']' : c == '\'' ? '"' : c;
  }
  for (const auto& [python, json] : {std::pair{"True", "true"}, {"False", "false"}}) {
    if (const std::size_t at = text.find(python); at != std::string::npos) text.replace(at, std::strlen(python), json);
  }
  return nlohmann::json::parse(text, nullptr, false);
}

/// An element of an array.
struct Element {
  DType type;
  std::size_t bytes;
};

/// A list of members with a name, a type and perhaps a shape each.
Element record_of(const nlohmann::json& descr, const std::string& source) {
  constexpr std::size_t kMaxMembers = 64;
  constexpr std::int64_t kMaxLength = 1024;
  const auto fail = [&source] {
    throw Error(source + ": has a structured dtype with other members than int32 and float32; plain arrays only");
  };
  if (!descr.is_array() || descr.empty() || descr.size() > kMaxMembers) fail();
  std::size_t bytes = 0;
  for (const nlohmann::json& member : descr) {
    if (!member.is_array() || member.size() < 2 || member.size() > 3 || (member[1] != "<i4" && member[1] != "<f4")) {
      fail();
    }
    std::size_t size = 4;
    if (member.size() == 3 && (!member[2].is_array() || member[2].size() > kMaxDimensions)) fail();
    for (const nlohmann::json& length : member.size() == 3 ? member[2] : nlohmann::json::array()) {
      if (!length.is_number_integer() || length < 1 || length > kMaxLength || size > kMaxHeader) fail();
      size *= length.get<std::size_t>();
    }
    bytes += size;
  }
  return {DType::kRecord, bytes};
}

Element element_of(const nlohmann::json& descr, const std::string& source) {
  if (!descr.is_string()) return record_of(descr, source);
  const auto name = descr.get<std::string>();
  if (name == "|b1") return {DType::kUint8, 1};
  for (const TypeInfo& entry : kTypes) {
    if (entry.descr == name && entry.bytes > 0) return {entry.type, entry.bytes};
  }
  throw_error("{}: has dtype {}; use little-endian float32, float64, int32, int64, uint32, uint8 or bool", source,
              in_quotes(name));
}

std::vector<std::int64_t> shape_of(const nlohmann::json& lengths, const std::string& source) {
  std::vector<std::int64_t> shape;
  for (const nlohmann::json& length : lengths) {
    if (!length.is_number_integer() || length.get<std::int64_t>() < 0) {
      throw Error(source + ": has a header with a bad shape");
    }
    shape.push_back(length.get<std::int64_t>());
  }
  if (shape.size() > kMaxDimensions) throw_error("{}: has more than {} dimensions", source, kMaxDimensions);
  return shape;
}

/// What the header says, a dictionary of three known keys.
struct Dictionary {
  Element element;
  std::vector<std::int64_t> shape;
};

Dictionary parse_dictionary(std::string_view literal, const std::string& source) {
  const nlohmann::json header = as_json(literal);
  if (!header.is_object() || header.size() != 3 || !header.contains("descr") ||
      !header.value("fortran_order", nlohmann::json()).is_boolean() ||
      !header.value("shape", nlohmann::json()).is_array()) {
    throw Error(source + ": has a header that is not a dictionary of descr, fortran_order and shape");
  }
  const Element element = element_of(header["descr"], source);
  if (header["fortran_order"]) throw Error(source + ": is in Fortran order; save numpy.ascontiguousarray(array)");
  return {element, shape_of(header["shape"], source)};
}

/// Bytes of an array, or the largest size_t if they do not fit one.
std::size_t byte_count(const Dictionary& array) {
  constexpr std::size_t kTooMany = std::numeric_limits<std::size_t>::max();
  if (std::find(array.shape.begin(), array.shape.end(), 0) != array.shape.end()) return 0;
  std::size_t bytes = array.element.bytes;
  for (const std::int64_t length : array.shape) {
    if (bytes > kTooMany / static_cast<std::size_t>(length)) return kTooMany;
    bytes *= static_cast<std::size_t>(length);
  }
  return bytes;
}

}  // namespace

std::string dtype_name(DType type) { return std::string(info(type).name); }

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0]) : fmt::format("({})", fmt::join(shape, ", "));
}

NpyHeader parse_npy_header(std::string_view bytes, std::size_t total, const std::string& source) {
  const auto byte = [&bytes](std::size_t index) { return static_cast<unsigned char>(bytes[index]); };
  if (bytes.size() < 12 || bytes.compare(0, kMagic.size(), kMagic) != 0) throw Error(source + ": not a .npy array");

  // version 1 has a 2-byte header length, 2 and 3 have 4 bytes
  const int version = byte(6);
  if (version < 1 || version > 3) throw_error("{}: .npy version {} is not supported", source, version);
  const std::size_t start = version == 1 ? 10 : 12;
  std::size_t length = 0;
  for (std::size_t i = start; i-- > 8;) length = length << 8 | byte(i);
  if (length > kMaxHeader || length > bytes.size() - start) {
    throw Error(source + ": the .npy header is cut off or too long");
  }

  Dictionary array = parse_dictionary(bytes.substr(start, length), source);
  const std::size_t found = total - start - length;
  if (byte_count(array) != found) {
    throw_error("{}: {} bytes of data, but shape {} of {} needs a different number", source, found,
                shape_text(array.shape), dtype_name(array.element.type));
  }
  return {array.element.type, std::move(array.shape), start + length, found};
}

std::string record_text(std::span<const RecordField> fields) {
  std::string text;
  for (const RecordField& field : fields) {
    const char* type = std::strcmp(field.type, "int32") == 0 ? "<i4" : "<f4";
    fmt::format_to(std::back_inserter(text), "{}('{}', '{}'", text.empty() ? "" : ", ", field.name, type);
    std::vector<std::int64_t> shape;
    for (const int length : {field.rows, field.width}) {
      if (length > 1) shape.push_back(length);
    }
    text += shape.empty() ? ")" : ", " + shape_text(shape) + ")";
  }
  return '[' + text + ']';
}

std::string npy_bytes(const NpyArray& array) {
  if (array.type == DType::kRecord && array.record.empty()) {
    throw Error("npy: records without the text of their members cannot be written");
  }
  const std::string descr = array.type == DType::kRecord ? array.record : fmt::format("'{}'", info(array.type).descr);
  std::string header =
      fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': {}, }}", descr, shape_text(array.shape));
  constexpr std::size_t kAlignment = 64, kPreamble = 10;
  header.append(kAlignment - (kPreamble + header.size() + 1) % kAlignment, ' ');
  header += '\n';

  std::string bytes(kMagic);
  bytes += {'\1', '\0', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  return bytes + header + array.bytes;
}

}  // namespace isopatch::detail
