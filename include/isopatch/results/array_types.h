// SPDX-License-Identifier: Apache-2.0
//
// The arrays of a call: their first element, their stride and their type. All memory belongs to the caller.
//
// An array's address is a multiple of its element's size: 8 bytes for double, 4 for float, the integers, Polygon and
// DiscreteContact. No byte of an output is one of an input or of another output. Arrays may be columns of one table of
// records: two with the same stride in bytes may lie in each other's gaps. The stride of a null array does not matter.
#pragma once

#include <cstdint>

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

}  // namespace isopatch
