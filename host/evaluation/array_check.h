// SPDX-License-Identifier: Apache-2.0
//
// Checks of the arrays of a call.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "host/evaluation/output_table.h"
#include "host/evaluation/strides.h"
#include "isopatch/arrays.h"

namespace isopatch::detail {

/// "state." and "poses". A call makes no text of them unless something is wrong.
struct ArrayName {
  const char *owner, *name;
  std::string text() const { return std::string(owner) + name; }
};

/// Checks the arrays of one call, whose name begins every message. Takes time for a few dozen arrays, however many
/// environments there are.
class ArrayCheck {
 public:
  /// An evaluation has the most arrays.
  static constexpr std::size_t kMaxArrays = count_arrays([](const auto& visit) {
    for_each_input(visit);
    for_each_output(visit);
  });

  ArrayCheck(const char* call, std::int64_t environments) : call_(call), environments_(environments) {}

  /// Fills in the stride of an array that has rows, and checks its type, stride and address. A null array is right.
  template <class Array>
  void add(const char* owner, const ArrayInfo& info, Array& array, const ArrayCounts& counts, bool output) {
    if (array.data == nullptr) return;
    add_rows({owner, info.name}, array, HasRows<Array> ? counts.row(info) : counts.size(info, environments_), output);
  }

  /// Throws Error where an output shares bytes with another array. Only the contact state that is written may be the
  /// one that is read, with the same stride and type.
  void check_overlaps() const;

  /// Where an array is, as messages say it: "evaluate: state.poses".
  std::string location(ArrayName name) const { return std::string(call_) + ": " + name.text(); }

 private:
  /// The bytes of one array: `row` of them from `begin` on, repeated every `stride` bytes, up to `end`.
  struct Rows {
    ArrayName name;
    std::uint64_t begin, end, row, stride;
    bool output;

    bool is_in_place(const Rows& other) const;
  };

  // one copy for each type of array, not for each array
  template <class Array>
  __attribute__((noinline)) void add_rows(ArrayName name, Array& array, std::int64_t row, bool output) {
    std::int64_t count = 1, stride = row;
    if constexpr (requires { array.type; }) {
      if (array.type != ScalarType::kFloat64 && array.type != ScalarType::kFloat32) fail_type(name, array.type);
    }
    if constexpr (HasRows<Array>) {
      count = environments_;
      stride = array.stride = resolved_stride(array, row);
      if (stride < row && (stride != 0 || output)) fail_stride(name, stride, row, output);
    }
    const std::int64_t size = element_size(array), alignment = size == 8 ? 8 : std::min<std::int64_t>(size, 4);
    const auto begin = reinterpret_cast<std::uintptr_t>(array.data);
    if ((begin & static_cast<std::uintptr_t>(alignment - 1)) != 0) fail_address(name, array.data, alignment);
    if (count == 0 || row == 0) return;
    constexpr auto kMax = std::uint64_t{1} << 61;  // bytes; no machine addresses so many
    std::int64_t elements = 0, bytes = 0;
    if (__builtin_mul_overflow(count - 1, stride, &elements) || __builtin_add_overflow(elements, row, &elements) ||
        __builtin_mul_overflow(elements, size, &bytes) ||
        static_cast<std::uint64_t>(bytes) >= std::min<std::uint64_t>(-begin, kMax)) {
      fail_size(name, count, stride);
    }
    const std::uint64_t row_bytes = row * size, period = count == 1 || stride == 0 ? bytes : stride * size;
    rows_[count_++] = {name, begin, begin + bytes, row_bytes, period, output};
  }

  [[noreturn]] void fail_type(ArrayName name, ScalarType type) const;
  [[noreturn]] void fail_stride(ArrayName name, std::int64_t stride, std::int64_t row, bool output) const;
  [[noreturn]] void fail_address(ArrayName name, const void* data, std::int64_t alignment) const;
  [[noreturn]] void fail_size(ArrayName name, std::int64_t count, std::int64_t stride) const;
  void check_overlap(const Rows& a, const Rows& b) const;
  static bool are_apart(const Rows& a, const Rows& b);

  const char* call_;
  std::int64_t environments_;
  std::size_t count_ = 0;
  std::array<Rows, kMaxArrays> rows_;  // the first `count_`
};

}  // namespace isopatch::detail
