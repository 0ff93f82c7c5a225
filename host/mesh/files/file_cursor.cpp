// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/files/file_cursor.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace isopatch::detail {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_signed(ValueType type) {
  return type == ValueType::kI8 || type == ValueType::kI16 || type == ValueType::kI32 || type == ValueType::kI64;
}

/// Of a constant size, which compilers turn into one load.
template <std::size_t kSize>
std::uint64_t bits_of(const char* at, std::endian order) {
  std::uint64_t little = 0, big = 0;
  for (std::size_t i = 0; i < kSize; ++i) {
    little |= std::uint64_t{static_cast<unsigned char>(at[i])} << 8 * i;
    big = big << 8 | static_cast<unsigned char>(at[i]);
  }
  return order == std::endian::little ? little : big;
}

std::int64_t sign_extend(std::uint64_t bits, std::size_t size) {
  const unsigned shift = (64 - 8 * static_cast<unsigned>(size)) % 64;
  return static_cast<std::int64_t>(bits << shift) >> shift;
}

}  // namespace

std::size_t bytes_per_value(ValueType type) {
  constexpr std::array<std::size_t, 11> kBytes = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};  // in the order of ValueType
  return kBytes[static_cast<std::size_t>(type)];
}

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

std::string lower_case(std::string_view token) {
  std::string lower(token);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool split_words(std::string_view text, std::vector<std::string_view>& words) {
  for (std::size_t i = 0; i < text.size();) {
    if (is_space(text[i])) {
      ++i;
      continue;
    }
    if (words.size() == kMaxWords) return false;
    const std::size_t begin = i;
    while (i < text.size() && !is_space(text[i])) ++i;
    words.push_back(text.substr(begin, i - begin));
  }
  return true;
}

std::size_t text_begin(std::string_view bytes) { return bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0; }

FileCursor::FileCursor(std::string_view bytes, std::string source, std::size_t position)
    : bytes_(bytes), source_(std::move(source)), position_(position), last_(position) {}

void FileCursor::throw_at(std::size_t position, const std::string& message) const {
  if (binary_) throw_error("{}: byte {}: {}", source_, position, message);
  std::size_t line = 1;
  for (std::size_t i = 0; i < std::min(position, bytes_.size()); ++i) {
    if (bytes_[i] == '\n' || (bytes_[i] == '\r' && bytes_.substr(i + 1, 1) != "\n")) ++line;
  }
  throw_error("{}:{}: {}", source_, line, message);
}

std::string_view FileCursor::line() {
  counter_.add(1);
  last_ = position_;
  // kept from call to call, since a file of the old Mac has none
  if (next_feed_ <= position_) next_feed_ = std::min(bytes_.find('\n', position_), bytes_.size()) + 1;
  const std::size_t feed = next_feed_ - 1;
  std::string_view text = bytes_.substr(position_, feed - position_);
  position_ = std::min(next_feed_, bytes_.size());
  if (const std::size_t end = text.find('\r'); end != std::string_view::npos) {
    if (end + 1 < text.size()) position_ = last_ + end + 1;
    text = text.substr(0, end);
  }
  return text;
}

std::vector<std::string_view> FileCursor::words() {
  std::vector<std::string_view> found;
  while (found.empty() && !at_end()) {
    if (!split_words(line(), found)) fail("more than {} words in one line", kMaxWords);
  }
  return found;
}

std::string_view FileCursor::word() {
  counter_.add(1);
  while (!at_end() && is_space(bytes_[position_])) ++position_;
  last_ = position_;
  while (!at_end() && !is_space(bytes_[position_])) ++position_;
  return bytes_.substr(last_, position_ - last_);
}

void FileCursor::skip_past(std::string_view text, const char* what) {
  last_ = position_;
  const std::size_t found = bytes_.find(text, position_);
  if (found == std::string_view::npos) fail("the file ends without {}", what);
  position_ = found + text.size();
}

std::int64_t FileCursor::not_negative(std::int64_t value, const char* what) const {
  if (value < 0) fail("{} is {}; it must not be negative", what, value);
  return value;
}

std::int64_t FileCursor::count(std::string_view word, const char* what) const {
  std::int64_t value = 0;
  if (!parse_integer(word, value)) fail("{} is {}; a whole number is needed", what, in_quotes(word));
  return not_negative(value, what);
}

std::int64_t FileCursor::count(ValueType type, const char* what) { return not_negative(integer(type), what); }

void FileCursor::expect_values(ValueType type, std::int64_t count, std::int64_t components, const char* what) const {
  const std::size_t left = bytes_left();
  std::size_t room = (left + 1) / 2;  // in ASCII a value takes a digit and a space
  if (binary_) room = type == ValueType::kBit ? 8 * left : left / bytes_per_value(type);
  if (components == 0 || static_cast<std::uint64_t>(count) <= room / static_cast<std::uint64_t>(components)) return;
  fail("{} needs {} x {} values, but only {} bytes are left in the file", what, count, components, left);
}

std::uint64_t FileCursor::raw(std::size_t size) {
  counter_.add(1);
  last_ = position_;
  if (bytes_left() < size) fail("the file ends within its binary data");
  const char* const at = bytes_.data() + position_;
  position_ += size;
  if (size == 4) return bits_of<4>(at, order_);
  if (size == 8) return bits_of<8>(at, order_);
  return size == 2 ? bits_of<2>(at, order_) : bits_of<1>(at, order_);
}

double FileCursor::real(ValueType type) {
  if (binary_) {
    if (type == ValueType::kF64) return std::bit_cast<double>(raw(8));
    if (type == ValueType::kF32) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(raw(4))));
    const std::size_t size = bytes_per_value(type);
    const std::uint64_t bits = raw(size);
    return is_signed(type) ? static_cast<double>(sign_extend(bits, size)) : static_cast<double>(bits);
  }
  const std::string_view text = word();
  if (text.empty()) fail("the file ends where a number is expected");
  double value = 0;
  if (!parse_real(text, value)) fail("{} is not a number that a double can hold", in_quotes(text));
  return value;
}

double FileCursor::coordinate(ValueType type, std::size_t index) {
  const double value = real(type);
  if (!std::isfinite(value)) fail("point {} has the coordinate {}; coordinates must be finite", index, value);
  return value;
}

std::int64_t FileCursor::integer(ValueType type) {
  if (type == ValueType::kF32 || type == ValueType::kF64 || type == ValueType::kBit) {
    fail("a whole-number type is needed here");
  }
  if (binary_) {
    const std::size_t size = bytes_per_value(type);
    const std::uint64_t bits = raw(size);
    if (is_signed(type)) return sign_extend(bits, size);
    return static_cast<std::int64_t>(std::min<std::uint64_t>(bits, std::numeric_limits<std::int64_t>::max()));
  }
  const std::string_view text = word();
  if (text.empty()) fail("the file ends where a whole number is expected");
  std::int64_t value = 0;
  if (!parse_integer(text, value)) fail("{} is not a whole number", in_quotes(text));
  return value;
}

void FileCursor::skip_values(ValueType type, std::int64_t count, std::int64_t components, const char* what) {
  expect_values(type, count, components, what);
  const std::uint64_t total = static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(components);
  if (binary_) {
    position_ += type == ValueType::kBit ? (total + 7) / 8 : total * bytes_per_value(type);
    return;
  }
  for (std::uint64_t i = 0; i < total; ++i) real(type);
}

}  // namespace isopatch::detail
