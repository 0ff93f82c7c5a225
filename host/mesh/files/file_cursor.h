// SPDX-License-Identifier: Apache-2.0
//
// Reads the lines, words and values of a mesh file, text or binary. Every read is checked against the bytes left, and
// every error names the position.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/text/quote.h"
#include "host/text/throw_error.h"
#include "host/threads/work_counter.h"

namespace isopatch::detail {

enum class ValueType : std::uint8_t { kBit, kU8, kI8, kU16, kI16, kU32, kI32, kU64, kI64, kF32, kF64 };

std::size_t bytes_per_value(ValueType type);

/// `token` in lower case, for keywords that are compared that way.
std::string lower_case(std::string_view token);

/// The most words of a line. No valid line that is read word by word has more, and a list of words takes many times the
/// memory of the line.
constexpr std::size_t kMaxWords = 4096;

/// Appends the words of `text`; false if there are more than kMaxWords in all.
bool split_words(std::string_view text, std::vector<std::string_view>& words);

/// Where a text begins: after the byte order mark of UTF-8, if there is one.
std::size_t text_begin(std::string_view bytes);

class FileCursor {
 public:
  /// `bytes` must outlive the cursor; `source` names them in errors. Reading begins at `position`.
  FileCursor(std::string_view bytes, std::string source, std::size_t position = 0);

  void set_binary(bool binary) { binary_ = binary; }
  bool binary() const { return binary_; }
  /// The byte order of binary values; big-endian unless set.
  void set_byte_order(std::endian order) { order_ = order; }
  bool at_end() const { return position_ >= bytes_.size(); }
  std::size_t position() const { return position_; }
  std::size_t bytes_left() const { return bytes_.size() - position_; }

  /// The next line, without its end, which is a line feed, a carriage return or both.
  std::string_view line();
  /// The words of the next line that has any; none at the end of the file.
  std::vector<std::string_view> words();
  /// The next word, on this line or a later one; empty at the end of the file.
  std::string_view word();
  /// Moves past the next `text`, or fails with what is missing.
  void skip_past(std::string_view text, const char* what);

  /// The count in a word of the last line.
  std::int64_t count(std::string_view word, const char* what) const;

  /// Throws unless the bytes left can hold `count` x `components` values: call it before allocating for them.
  void expect_values(ValueType type, std::int64_t count, std::int64_t components, const char* what) const;
  double real(ValueType type);
  /// real() for a coordinate of point `index`, which must be finite.
  double coordinate(ValueType type, std::size_t index);
  std::int64_t integer(ValueType type);
  /// integer() for a count, which must not be negative.
  std::int64_t count(ValueType type, const char* what);
  void skip_values(ValueType type, std::int64_t count, std::int64_t components, const char* what);

  /// Throws Error with a message that fmt makes, after the name of the source and the position of the last line or
  /// value read.
  template <class... Values>
  [[noreturn]] void fail(fmt::format_string<Values...> message, Values&&... values) const {
    fail_at(last_, message, std::forward<Values>(values)...);
  }
  template <class... Values>
  [[noreturn]] void fail_at(std::size_t position, fmt::format_string<Values...> message, Values&&... values) const {
    throw_at(position, fmt::format(message, std::forward<Values>(values)...));
  }

 private:
  [[noreturn]] void throw_at(std::size_t position, const std::string& message) const;
  std::uint64_t raw(std::size_t size);
  std::int64_t not_negative(std::int64_t value, const char* what) const;

  std::string_view bytes_;
  std::string source_;
  std::size_t position_ = 0;
  std::size_t last_ = 0;       // where the last line or value begins
  std::size_t next_feed_ = 0;  // what follows the next line feed, once position_ has passed the one before
  WorkCounter counter_;        // of lines, words and values
  bool binary_ = false;
  std::endian order_ = std::endian::big;
};

/// Reads all of `word` as a real or an integer; false if it is none, or does not fit. A real that is too small for a
/// double becomes zero or subnormal.
bool parse_real(std::string_view word, double& value);
bool parse_integer(std::string_view word, std::int64_t& value);

}  // namespace isopatch::detail
