// SPDX-License-Identifier: Apache-2.0
//
// Checks of the arrays of a call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/evaluation/strides.h"

namespace isopatch::detail {

/// Checks the arrays of one call, whose name begins every message. Takes time for a few dozen arrays, however many
/// environments there are.
class ArrayCheck {
 public:
  ArrayCheck(std::string call, std::int64_t environments) : call_(std::move(call)), environments_(environments) {}

  /// Fills in the stride of an array with rows of `row` elements, and checks its type, stride and address. A null array
  /// is right.
  template <class Array>
  void add(const std::string& name, Array& array, std::int64_t row, bool output) {
    if (array.data == nullptr) return;
    if constexpr (requires { array.type; }) check_type(name, array.type);
    array.stride = resolved_stride(array, row);
    check_stride(name, array.stride, row, output);
    add_rows(name, array.data, environments_, row, array.stride, element_size(array), output);
  }

  /// Checks the address of an array of `size` elements for the whole batch.
  template <class T>
  void add(const std::string& name, const BatchArray<T>& array, std::int64_t size) {
    if (array.data != nullptr) add_rows(name, array.data, 1, size, size, element_size(array), true);
  }

  /// Throws Error where an output shares bytes with another array. Only the contact state that is written may be the
  /// one that is read, with the same stride and type.
  void check_overlaps();

 private:
  /// The bytes of one array: `row` of them from `begin` on, repeated every `stride` bytes, up to `end`.
  struct Rows {
    std::string name;
    bool output;
    std::uint64_t begin, end, row, stride;

    bool is_contact_state() const { return name == "state.contact_state" || name == "results.contact_state"; }
    bool is_in_place(const Rows& other) const {
      return output != other.output && is_contact_state() && other.is_contact_state() && begin == other.begin &&
             end == other.end && row == other.row && stride == other.stride;
    }
  };

  void check_type(const std::string& name, ScalarType type) const;
  void check_stride(const std::string& name, std::int64_t stride, std::int64_t row, bool output) const;
  void add_rows(const std::string& name, const void* data, std::int64_t count, std::int64_t row, std::int64_t stride,
                std::int64_t size, bool output);
  static bool are_apart(const Rows& a, const Rows& b);

  std::string call_;
  std::int64_t environments_;
  std::vector<Rows> rows_;
};

}  // namespace isopatch::detail
