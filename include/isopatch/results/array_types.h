// SPDX-License-Identifier: Apache-2.0
//
// The arrays of a call: their first element, their stride and their type. All memory belongs to the caller.
//
// An array's address is a multiple of its element's size: 8 bytes for double, 4 for float, the integers, Polygon and
// DiscreteContact. No byte of an output is one of an input or of another output. Arrays may be columns of one table of
// records: two with the same stride in bytes may lie in each other's gaps. The stride of a null array does not matter.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

namespace isopatch {

/// The type of the elements of an InputArray or an OutputArray.
enum class ScalarType : std::uint8_t { kFloat32, kFloat64 };

/// The stride of rows that follow each other without a gap.
inline constexpr std::int64_t kContiguous = -1;

/// A read-only array of float or double, whatever the computing precision, with the environment as first index.
/// `stride` is the distance between environments in elements: kContiguous, a row's length or more, or 0 for one row
/// that holds in every environment.
struct InputArray {
  const void* data = nullptr;              ///< first element of environment 0, or null
  std::int64_t stride = kContiguous;       ///< from one environment to the next, in elements
  ScalarType type = ScalarType::kFloat64;  ///< of the elements

  InputArray() = default;
  /// An array of double.
  InputArray(const double* values, std::int64_t stride_ = kContiguous) : data(values), stride(stride_) {}
  /// An array of float.
  InputArray(const float* values, std::int64_t stride_ = kContiguous)
      : data(values), stride(stride_), type(ScalarType::kFloat32) {}
};

/// The same for results, where a stride of 0 is an error.
struct OutputArray {
  void* data = nullptr;                    ///< first element of environment 0, or null
  std::int64_t stride = kContiguous;       ///< from one environment to the next, in elements; not 0
  ScalarType type = ScalarType::kFloat64;  ///< of the elements

  OutputArray() = default;
  /// An array of double.
  OutputArray(double* values, std::int64_t stride_ = kContiguous) : data(values), stride(stride_) {}
  /// An array of float.
  OutputArray(float* values, std::int64_t stride_ = kContiguous)
      : data(values), stride(stride_), type(ScalarType::kFloat32) {}
};

/// The same for elements of one type; const T for inputs.
template <class T>
struct TypedArray {
  T* data = nullptr;                  ///< first element of environment 0, or null
  std::int64_t stride = kContiguous;  ///< from one environment to the next, in elements; 0 for inputs only

  TypedArray() = default;
  /// An array that begins at `values`.
  TypedArray(T* values, std::int64_t stride_ = kContiguous) : data(values), stride(stride_) {}
};

/// An array of the whole batch. It has no stride: rows follow one another without gaps, however many an environment
/// has.
template <class T>
struct BatchArray {
  T* data = nullptr;  ///< first element, or null

  BatchArray() = default;
  /// An array that begins at `values`.
  BatchArray(T* values) : data(values) {}
};

/// A row of records for each environment, which has the first `capacity` of those that there are.
template <class T>
struct RowBuffer : TypedArray<T> {
  std::int32_t capacity = 0;  ///< records that a row has room for

  RowBuffer() = default;
  /// A buffer that begins at `rows`.
  RowBuffer(T* rows, std::int32_t capacity_, std::int64_t stride_ = kContiguous)
      : TypedArray<T>(rows, stride_), capacity(capacity_) {}
};

/// The records of the whole batch, one environment after another.
template <class T>
struct PackedBuffer : BatchArray<T> {
  std::int64_t capacity = 0;  ///< records that there is room for

  PackedBuffer() = default;
  /// A buffer that begins at `rows`.
  PackedBuffer(T* rows, std::int64_t capacity_) : BatchArray<T>(rows), capacity(capacity_) {}
};

// Groups of arrays are declared once for all kinds of members. A Kind says what a member of T is.

/// In place of T: numbers whose type the caller chooses, float or double.
struct AnyReal {};

/// Arrays of the caller that a call reads.
struct InputViews {
  template <class T>
  using Array = std::conditional_t<std::is_same_v<T, AnyReal>, InputArray, TypedArray<const T>>;  ///< for T
};

/// Arrays of the caller that a call writes.
struct OutputViews {
  template <class T>
  using Array = std::conditional_t<std::is_same_v<T, AnyReal>, OutputArray, TypedArray<T>>;  ///< for T
};

/// Contiguous arrays of the caller.
struct Pointers {
  template <class T>
  using Array = T*;  ///< for T
};

/// Contiguous arrays that own their memory, on the host.
struct Owners {
  template <class T>
  using Array = std::vector<std::conditional_t<std::is_same_v<T, AnyReal>, double, T>>;  ///< for T
};

template <class Kind, class T>
using ArrayOf = typename Kind::template Array<T>;  ///< a row for each environment
template <class Kind, class T, template <class> class View>
using OwnedOr = std::conditional_t<std::is_same_v<Kind, Owners>, std::vector<T>, View<T>>;  ///< a view, or its owner
template <class Kind, class T>
using BatchOf = OwnedOr<Kind, T, BatchArray>;  ///< of the whole batch
template <class Kind, class T>
using BufferOf = OwnedOr<Kind, T, RowBuffer>;  ///< a row of records for each environment
template <class Kind, class T>
using PackedOf = OwnedOr<Kind, T, PackedBuffer>;  ///< records of the whole batch

}  // namespace isopatch
