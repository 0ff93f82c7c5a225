// SPDX-License-Identifier: Apache-2.0
#include "mesh/vtk_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "isopatch/error.h"

namespace isopatch {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

struct TypeName {
  const char* name;
  VtkType type;
};

// Legacy files store vtkIdType as a 32-bit int.
constexpr TypeName kTypeNames[] = {{"bit", VtkType::kBit},
                                   {"unsigned_char", VtkType::kU8},
                                   {"char", VtkType::kI8},
                                   {"signed_char", VtkType::kI8},
                                   {"unsigned_short", VtkType::kU16},
                                   {"short", VtkType::kI16},
                                   {"unsigned_int", VtkType::kU32},
                                   {"int", VtkType::kI32},
                                   {"vtkidtype", VtkType::kI32},
                                   {"unsigned_long", VtkType::kU64},
                                   {"long", VtkType::kI64},
                                   {"vtktypeuint64", VtkType::kU64},
                                   {"vtktypeint64", VtkType::kI64},
                                   {"float", VtkType::kF32},
                                   {"double", VtkType::kF64}};

std::size_t bytes_per_value(VtkType type) {
  switch (type) {
    case VtkType::kBit:
    case VtkType::kU8:
    case VtkType::kI8:
      return 1;
    case VtkType::kU16:
    case VtkType::kI16:
      return 2;
    case VtkType::kU32:
    case VtkType::kI32:
    case VtkType::kF32:
      return 4;
    case VtkType::kU64:
    case VtkType::kI64:
    case VtkType::kF64:
      return 8;
  }
  return 8;
}

bool is_signed(VtkType type) {
  return type == VtkType::kI8 || type == VtkType::kI16 || type == VtkType::kI32 || type == VtkType::kI64;
}

std::int64_t sign_extend(std::uint64_t raw, std::size_t size) {
  const unsigned shift = 64 - 8 * static_cast<unsigned>(size);
  return static_cast<std::int64_t>(raw << shift) >> shift;
}

/// Parses all of `word`; a magnitude too small for double becomes zero or subnormal, too large fails.
bool parse_real(std::string_view word, double& value) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size()) return false;
  if (error == std::errc::result_out_of_range) {
    value = std::strtod(std::string(word).c_str(), nullptr);
    return std::isfinite(value);
  }
  return error == std::errc{};
}

bool parse_integer(std::string_view word, std::int64_t& value) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc{} && end == word.data() + word.size();
}

}  // namespace

std::string lower_case(std::string_view token) {
  std::string lower(token);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string in_quotes(std::string_view token) {
  constexpr std::size_t kLongest = 40;
  std::string text = "'";
  for (const char c : token.substr(0, kLongest)) text += c >= ' ' && c <= '~' ? c : '?';
  return text + (token.size() > kLongest ? "...'" : "'");
}

VtkCursor::VtkCursor(std::string_view bytes, std::string source) : bytes_(bytes), source_(std::move(source)) {}

void VtkCursor::fail(const std::string& message) const {
  if (binary_) throw Error(fmt::format("{}: byte {}: {}", source_, last_, message));
  const std::string_view before = bytes_.substr(0, std::min(last_, bytes_.size()));
  throw Error(fmt::format("{}:{}: {}", source_, 1 + std::count(before.begin(), before.end(), '\n'), message));
}

std::string_view VtkCursor::line() {
  last_ = position_;
  const std::size_t end = std::min(bytes_.find('\n', position_), bytes_.size());
  std::string_view text = bytes_.substr(position_, end - position_);
  position_ = std::min(end + 1, bytes_.size());
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> VtkCursor::words() {
  std::vector<std::string_view> found;
  while (found.empty() && !at_end()) {
    const std::string_view text = line();
    for (std::size_t i = 0; i < text.size();) {
      if (is_space(text[i])) {
        ++i;
        continue;
      }
      const std::size_t begin = i;
      while (i < text.size() && !is_space(text[i])) ++i;
      found.push_back(text.substr(begin, i - begin));
    }
  }
  return found;
}

std::string_view VtkCursor::word() {
  while (!at_end() && is_space(bytes_[position_])) ++position_;
  last_ = position_;
  while (!at_end() && !is_space(bytes_[position_])) ++position_;
  return bytes_.substr(last_, position_ - last_);
}

std::int64_t VtkCursor::count(std::string_view word, const char* what) const {
  std::int64_t value = 0;
  if (!parse_integer(word, value)) fail(fmt::format("{} is {}; a whole number is needed", what, in_quotes(word)));
  if (value < 0) fail(fmt::format("{} is {}; it must not be negative", what, value));
  return value;
}

VtkType VtkCursor::type(std::string_view word) const {
  const std::string lower = lower_case(word);
  for (const TypeName& known : kTypeNames) {
    if (lower == known.name) return known.type;
  }
  fail(fmt::format("unsupported data type {}; a numeric type such as float, double or int is needed", in_quotes(word)));
}

void VtkCursor::expect_values(VtkType type, std::int64_t count, std::int64_t components, const char* what) const {
  const std::size_t left = bytes_.size() - position_;
  std::size_t room = (left + 1) / 2;  // in ASCII a value takes a digit and a space
  if (binary_) room = type == VtkType::kBit ? 8 * left : left / bytes_per_value(type);
  if (components == 0 || static_cast<std::uint64_t>(count) <= room / static_cast<std::uint64_t>(components)) return;
  fail(fmt::format("{} needs {} x {} values, but only {} bytes are left in the file", what, count, components, left));
}

std::uint64_t VtkCursor::big_endian(std::size_t size) {
  last_ = position_;
  if (bytes_.size() - position_ < size) fail("the file ends within its binary data");
  std::uint64_t raw = 0;
  for (std::size_t i = 0; i < size; ++i) raw = raw << 8 | static_cast<unsigned char>(bytes_[position_ + i]);
  position_ += size;
  return raw;
}

double VtkCursor::real(VtkType type) {
  if (binary_) {
    if (type == VtkType::kF64) return std::bit_cast<double>(big_endian(8));
    if (type == VtkType::kF32)
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(big_endian(4))));
    const std::size_t size = bytes_per_value(type);
    const std::uint64_t raw = big_endian(size);
    return is_signed(type) ? static_cast<double>(sign_extend(raw, size)) : static_cast<double>(raw);
  }
  const std::string_view text = word();
  if (text.empty()) fail("the file ends where a number is expected");
  double value = 0;
  if (!parse_real(text, value)) fail(in_quotes(text) + " is not a number that a double can hold");
  return value;
}

std::int64_t VtkCursor::integer(VtkType type) {
  if (type == VtkType::kF32 || type == VtkType::kF64 || type == VtkType::kBit)
    fail("a whole-number type is needed here");
  if (binary_) {
    const std::size_t size = bytes_per_value(type);
    const std::uint64_t raw = big_endian(size);
    if (is_signed(type)) return sign_extend(raw, size);
    return static_cast<std::int64_t>(std::min<std::uint64_t>(raw, std::numeric_limits<std::int64_t>::max()));
  }
  const std::string_view text = word();
  if (text.empty()) fail("the file ends where a whole number is expected");
  std::int64_t value = 0;
  if (!parse_integer(text, value)) fail(in_quotes(text) + " is not a whole number");
  return value;
}

void VtkCursor::skip_values(VtkType type, std::int64_t count, std::int64_t components, const char* what) {
  expect_values(type, count, components, what);
  const std::uint64_t total = static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(components);
  if (binary_) {
    position_ += type == VtkType::kBit ? (total + 7) / 8 : total * bytes_per_value(type);
    return;
  }
  for (std::uint64_t i = 0; i < total; ++i) real(type);
}

}  // namespace isopatch
