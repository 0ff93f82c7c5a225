// SPDX-License-Identifier: Apache-2.0
//
// The layout of an array's rows, for all types of arrays.
#pragma once

#include <cstdint>

#include "isopatch/results.h"

namespace isopatch::detail {

/// Bytes of an element.
template <class Array>
std::int64_t element_size(const Array& array) {
  if constexpr (requires { array.type; }) {
    return array.type == ScalarType::kFloat64 ? sizeof(double) : sizeof(float);
  } else {
    return sizeof(*array.data);
  }
}

/// An array with a stride.
template <class Array>
concept HasRows = requires(Array array) {
  array.stride;
};

/// A buffer, not what has a row for each of its records.
template <class Array>
concept HasCapacity = requires(Array array) {
  array.capacity;
};

/// Elements from one environment's row to the next, for rows of `row` elements.
template <class Array>
std::int64_t resolved_stride(const Array& array, std::int64_t row) {
  return array.stride == kContiguous ? row : array.stride;
}

/// Elements from the beginning of the first to the end of the last of `environments` rows.
template <class Array>
std::int64_t extent_of(const Array& array, std::int64_t row, std::int64_t environments) {
  return environments == 0 ? 0 : (environments - 1) * resolved_stride(array, row) + row;
}

/// Moves the array on by this many elements.
template <class Array>
void advance(Array& array, std::int64_t elements) {
  const auto offset = static_cast<std::uintptr_t>(elements * element_size(array));
  array.data = reinterpret_cast<decltype(array.data)>(reinterpret_cast<std::uintptr_t>(array.data) + offset);
}

}  // namespace isopatch::detail
