// SPDX-License-Identifier: Apache-2.0
#include "host/evaluation/array_check.h"

#include <fmt/format.h>

#include <string_view>

#include "isopatch/error.h"

namespace isopatch::detail {

void ArrayCheck::fail_type(ArrayName name, ScalarType type) const {
  const int found = static_cast<int>(type);
  throw Error(fmt::format("{}: type is {}; it must be one of ScalarType", location(name), found), ErrorKind::kInput,
              {location(name), fmt::format("type {}", found), "one of ScalarType"});
}

void ArrayCheck::fail_stride(ArrayName name, std::int64_t stride, std::int64_t row, bool output) const {
  const char* repeat = output ? "" : ", and 0 repeats one row";
  throw Error(fmt::format("{}: stride is {} elements; a row has {}{}", location(name), stride, row, repeat),
              ErrorKind::kInput,
              {location(name), fmt::format("a stride of {} elements", stride),
               fmt::format("a stride of at least {}{}", row, repeat)});
}

void ArrayCheck::fail_address(ArrayName name, const void* data, std::int64_t alignment) const {
  throw Error(fmt::format("{}: the address {} is not a multiple of {} bytes", location(name), data, alignment),
              ErrorKind::kInput,
              {location(name), fmt::format("the address {}", data), fmt::format("a multiple of {} bytes", alignment)});
}

void ArrayCheck::fail_size(ArrayName name, std::int64_t count, std::int64_t stride) const {
  const std::string found = fmt::format("{} rows with a stride of {} elements", count, stride);
  throw Error(fmt::format("{}: {} are more than can be addressed", location(name), found), ErrorKind::kInput,
              {location(name), found, {}});
}

void ArrayCheck::check_overlaps() const {
  // most calls have a handful of arrays: this takes less than to sort them
  for (const Rows *b = rows_.data(), *end = b + count_; b != end; ++b) {
    for (const Rows* a = rows_.data(); a != b; ++a) {
      if (a->begin < b->end && b->begin < a->end) a->begin <= b->begin ? check_overlap(*a, *b) : check_overlap(*b, *a);
    }
  }
}

/// Two arrays whose ranges of bytes overlap; a begins first.
void ArrayCheck::check_overlap(const Rows& a, const Rows& b) const {
  if ((!a.output && !b.output) || are_apart(a, b) || a.is_in_place(b)) return;
  throw Error(fmt::format("{} and {} share bytes; give each output memory of its own", location(a.name), b.name.text()),
              ErrorKind::kInput,
              {location(a.name), "bytes that are shared with " + b.name.text(), "memory of its own for each output"});
}

/// Whether the rows of b lie in the gaps between those of a, as columns of one table of records do. a begins first,
/// and their ranges of bytes overlap.
bool ArrayCheck::are_apart(const Rows& a, const Rows& b) {
  if (a.stride != b.stride) return false;
  const std::uint64_t offset = (b.begin - a.begin) % a.stride;
  return offset >= a.row && b.row <= a.stride - offset;
}

/// Whether one is the contact state that is read and the other the one that is written.
bool ArrayCheck::Rows::is_in_place(const Rows& other) const {
  constexpr std::string_view kName = "contact_state";
  return output != other.output && name.name == kName && other.name.name == kName && begin == other.begin &&
         end == other.end && row == other.row && stride == other.stride;
}

}  // namespace isopatch::detail
