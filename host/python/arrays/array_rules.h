// SPDX-License-Identifier: Apache-2.0
//
// What an array must be like to be an input or an output of the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "host/python/arrays/array_view.h"
#include "isopatch/arrays.h"

namespace isopatch::python {

/// What the arrays of a call have in common.
struct CallShape {
  const ArrayCounts& counts;
  std::int64_t environments;  // N; -1: any, for the array that says it
};

/// Whether arrays of T are of records. All their members have 4 bytes, so a record is also a row of words.
template <class T>
constexpr bool kIsRecord = !kRecordFields<T>.empty();

/// An array of records as one of their words; any other as it is.
template <class T>
constexpr ArrayInfo as_words(ArrayInfo info) {
  if constexpr (kIsRecord<T>) {
    info.width = sizeof(T) / 4;
    info.type = "int32";
  }
  return info;
}

/// What the elements of an array are, a member of State, Results, RolloutInput or RolloutOutput.
template <class Array>
using ElementOf = std::remove_const_t<std::remove_pointer_t<decltype(Array::data)>>;

/// The elements of an array; floating-point arrays of the library may be of either type.
enum class Element : std::uint8_t { kReal, kFloat64, kInt32, kUint32, kInt64, kMask };

/// Whether an array has the elements, or an nb::type_error.
void check_element(const ArrayView& view, const Argument& argument, Element element);

/// Checks the shape, and that rows are contiguous. Returns the elements from one environment to the next: 0 for one row
/// that holds in all.
std::int64_t check_layout(const ArrayView& view, const Argument& argument, const ArrayInfo& info,
                          const CallShape& shape);

/// Checks that an array can be written.
void check_writable(const ArrayView& view, const Argument& argument);

constexpr int kPointsOfCluster = 4;  // an array of their coordinates has an axis for them

/// The axes that an array has before the axes of its rows: as symbols, and as words.
struct RowAxes {
  const char* symbols[3];  // null after the last
  const char* words;
};
const RowAxes& row_axes(const ArrayInfo& info);

/// How many axes an array has.
constexpr int num_dimensions(const ArrayInfo& info) {
  const int rows = info.is_packed() || info.per == Per::kEnvironment ? 1 : info.per == Per::kCluster ? 3 : 2;
  return rows + (info.width == kPointsOfCluster * 3 ? 2 : info.width != 1 ? 1 : 0);
}

/// The shape that an array has with N environments; returns num_dimensions().
int shape_of(const ArrayInfo& info, const CallShape& shape, std::int64_t (&dimensions)[ArrayView::kMaxDimensions]);

/// The elements of an array of T; void stands for numbers of either floating-point type.
template <class T>
constexpr Element element_of() {
  using Value = std::remove_const_t<T>;
  if constexpr (std::is_void_v<Value>) return Element::kReal;
  if constexpr (std::is_same_v<Value, std::int32_t> || kIsRecord<Value>) return Element::kInt32;
  if constexpr (std::is_same_v<Value, std::uint32_t>) return Element::kUint32;
  if constexpr (std::is_same_v<Value, std::int64_t>) return Element::kInt64;
  if constexpr (std::is_same_v<Value, double>) return Element::kFloat64;
  if constexpr (std::is_same_v<Value, std::uint8_t>) return Element::kMask;
}

/// The type of a new array of T, which is no mask.
template <class T>
constexpr dlpack::DataType kTypeOf = std::is_same_v<T, double>         ? dlpack::kFloat64
                                     : std::is_same_v<T, std::int64_t> ? dlpack::kInt64
                                     : std::is_same_v<T, std::int32_t> ? dlpack::kInt32
                                                                       : dlpack::kUint32;

/// Fills in an array of State, Results, RolloutInput or RolloutOutput.
template <class Array>
void set_array(Array& array, const ArrayView& view, const Argument& argument, const ArrayInfo& info,
               const CallShape& shape) {
  check_element(view, argument, element_of<std::remove_pointer_t<decltype(array.data)>>());
  array.stride = check_layout(view, argument, info, shape);
  array.data = static_cast<decltype(array.data)>(view.data);
  if constexpr (requires { array.type; }) {
    array.type = view.type.bits == 64 ? ScalarType::kFloat64 : ScalarType::kFloat32;
  }
}

/// The argument `mask` of a reset: which environments, or None for all.
class ResetMask {
 public:
  ResetMask(nb::handle mask, const Placement& placement, const CallShape& shape);

  const std::uint8_t* data() const { return rows_.data; }  // null for all

 private:
  ArrayView view_;
  TypedArray<const std::uint8_t> rows_;
};

}  // namespace isopatch::python
