// SPDX-License-Identifier: Apache-2.0
#include "host/evaluation/array_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "isopatch/error.h"

namespace isopatch::detail {

void ArrayCheck::check_type(const std::string& name, ScalarType type) const {
  if (type == ScalarType::kFloat64 || type == ScalarType::kFloat32) return;
  throw Error(fmt::format("{}: {}: type is {}; it must be one of ScalarType", call_, name, static_cast<int>(type)),
              ErrorKind::kInput,
              {call_ + ": " + name, fmt::format("type {}", static_cast<int>(type)), "one of ScalarType"});
}

void ArrayCheck::check_stride(const std::string& name, std::int64_t stride, std::int64_t row, bool output) const {
  const bool repeats = stride == 0 && !output;
  if (stride >= row || repeats) return;
  const char* repeat = output ? "" : ", and 0 repeats one row";
  throw Error(fmt::format("{}: {}: stride is {} elements; a row has {}{}", call_, name, stride, row, repeat),
              ErrorKind::kInput,
              {call_ + ": " + name, fmt::format("a stride of {} elements", stride),
               fmt::format("a stride of at least {}{}", row, repeat)});
}

void ArrayCheck::check_overlaps() {
  std::sort(rows_.begin(), rows_.end(), [](const Rows& a, const Rows& b) { return a.begin < b.begin; });
  for (auto a = rows_.begin(); a != rows_.end(); ++a) {
    for (auto b = a + 1; b != rows_.end() && b->begin < a->end; ++b) {
      if ((!a->output && !b->output) || are_apart(*a, *b) || a->is_in_place(*b)) continue;
      throw Error(
          fmt::format("{}: {} and {} share bytes; give each output memory of its own", call_, a->name, b->name),
          ErrorKind::kInput,
          {call_ + ": " + a->name, "bytes that are shared with " + b->name, "memory of its own for each output"});
    }
  }
}

void ArrayCheck::add_rows(const std::string& name, const void* data, std::int64_t count, std::int64_t row,
                          std::int64_t stride, std::int64_t size, bool output) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const std::int64_t alignment = size == 8 ? 8 : std::min<std::int64_t>(size, 4);
  if (begin % static_cast<std::uintptr_t>(alignment) != 0) {
    throw Error(
        fmt::format("{}: {}: the address {} is not a multiple of {} bytes", call_, name, data, alignment),
        ErrorKind::kInput,
        {call_ + ": " + name, fmt::format("the address {}", data), fmt::format("a multiple of {} bytes", alignment)});
  }
  if (count == 0 || row == 0) return;
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max() / 4;  // bytes; no machine addresses so many
  const auto room = static_cast<std::uint64_t>(std::numeric_limits<std::uintptr_t>::max()) - begin;
  const std::int64_t most = static_cast<std::int64_t>(std::min<std::uint64_t>(room, kMax)) / size;  // elements
  if (row > most || (count > 1 && stride > (most - row) / (count - 1))) {
    throw Error(fmt::format("{}: {}: {} rows with a stride of {} elements are more than can be addressed", call_, name,
                            count, stride),
                ErrorKind::kInput,
                {call_ + ": " + name, fmt::format("{} rows with a stride of {} elements", count, stride), {}});
  }
  const auto bytes = [&](std::int64_t elements) { return static_cast<std::uint64_t>(elements * size); };
  const std::uint64_t length = bytes((count - 1) * stride + row);
  rows_.push_back(
      {name, output, begin, begin + length, bytes(row), count == 1 || stride == 0 ? length : bytes(stride)});
}

/// Whether the rows of b lie in the gaps between those of a, as columns of one table of records do. a begins first,
/// and their ranges of bytes overlap.
bool ArrayCheck::are_apart(const Rows& a, const Rows& b) {
  if (a.stride != b.stride) return false;
  const std::uint64_t offset = (b.begin - a.begin) % a.stride;
  return offset >= a.row && b.row <= a.stride - offset;
}

}  // namespace isopatch::detail
