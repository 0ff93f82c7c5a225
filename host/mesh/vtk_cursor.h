// SPDX-License-Identifier: Apache-2.0
//
// Reads the lines and numbers of a legacy VTK file. Every read is checked against the bytes left, and every error
// names the place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace isopatch {

enum class VtkType : std::uint8_t { kBit, kU8, kI8, kU16, kI16, kU32, kI32, kU64, kI64, kF32, kF64 };

/// `token` in lower case, as VTK compares keywords.
std::string lower_case(std::string_view token);

/// `token` for an error message: in quotes, at most 40 characters, without control characters.
std::string in_quotes(std::string_view token);

class VtkCursor {
 public:
  /// `bytes` must outlive the cursor; `source` names them in errors.
  VtkCursor(std::string_view bytes, std::string source);

  void set_binary(bool binary) { binary_ = binary; }
  bool binary() const { return binary_; }
  bool at_end() const { return position_ >= bytes_.size(); }

  /// The next line, without its end.
  std::string_view line();
  /// The words of the next line that has any; none at the end of the file.
  std::vector<std::string_view> words();

  /// A count or a type that was read as a word of the last line.
  std::int64_t count(std::string_view word, const char* what) const;
  VtkType type(std::string_view word) const;

  /// Throws unless the bytes left can hold `count` x `components` values: call it before allocating for them.
  void expect_values(VtkType type, std::int64_t count, std::int64_t components, const char* what) const;
  double real(VtkType type);
  std::int64_t integer(VtkType type);
  void skip_values(VtkType type, std::int64_t count, std::int64_t components, const char* what);

  /// Throws Error with `message` after the name of the source and the place of the last line or value read.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  std::string_view word();
  std::uint64_t big_endian(std::size_t size);

  std::string_view bytes_;
  std::string source_;
  std::size_t position_ = 0;
  std::size_t last_ = 0;  // where the last line or value begins
  bool binary_ = false;
};

}  // namespace isopatch
