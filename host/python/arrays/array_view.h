// SPDX-License-Identifier: Apache-2.0
//
// An array of any library, as an argument of a call: where its memory is and what is in it.
//
// They are read by hand because nb::ndarray of nanobind 3.1 does not know DLPack's exchange table: by its capsules a
// tensor of torch takes 4.4 us, here 0.8 us with all checks, in calls of a few microseconds. Nor does it pass a stream
// to `__dlpack__`, or take structured types of NumPy or `__cuda_array_interface__`; and it gives arrays of JAX, which
// never change, to be written.
#pragma once

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <utility>

#include "host/python/arrays/array_type.h"
#include "host/python/arrays/dlpack.h"

namespace isopatch::python {

/// The device on which a call computes, and the stream on which it will.
struct Placement {
  bool on_cuda = false;
  std::int32_t index = 0;         // of the CUDA device
  void* stream = nullptr;         // of CUDA; null: the default stream
  bool is_current_stream = true;  // of the library of the poses
};

/// Throws TypeError or ValueError; a message is made as short as the library's are.
[[noreturn]] void throw_type_error(const std::string& message);
[[noreturn]] void throw_value_error(const std::string& message);

/// Which argument of which call an array is, for messages, which may be formats of fmt.
struct Argument {
  const char* call;
  const char* name;

  [[noreturn]] void wrong_type(const std::string& problem) const;   // TypeError
  [[noreturn]] void wrong_value(const std::string& problem) const;  // ValueError

  template <class... Values>
  [[noreturn]] void wrong_type(fmt::format_string<Values...> problem, Values&&... values) const {
    wrong_type(fmt::format(problem, std::forward<Values>(values)...));
  }
  template <class... Values>
  [[noreturn]] void wrong_value(fmt::format_string<Values...> problem, Values&&... values) const {
    wrong_value(fmt::format(problem, std::forward<Values>(values)...));
  }
};

/// Throws ValueError for an array of which a library wants a derivative. All calls in C++ and Python that find such an
/// array come here, so a rule for derivatives takes the place of this function. `reason` says how it was found, as "it
/// requires a gradient", and `instead` what to pass; the argument's name is null if it is not known.
[[noreturn]] void refuse_derivative(const Argument& argument, const char* reason, const std::string& instead);

/// As NumPy writes a type: "float64"; empty for what it has no name for here.
std::string name_of(dlpack::DataType type);

/// A view of an array's memory, which holds on to it. Nothing is copied.
class ArrayView {
 public:
  static constexpr int kMaxDimensions = 6;

  ArrayView() noexcept {}
  ~ArrayView() { release(); }
  ArrayView(const ArrayView&) = delete;
  ArrayView& operator=(const ArrayView&) = delete;

  /// Takes the array by the first way that it offers: DLPack's exchange table, the buffer protocol, `__dlpack__`,
  /// `__cuda_array_interface__`. Throws TypeError for what is no array, ValueError for a tensor that requires a
  /// gradient and an array on another kind of device.
  void read(PyObject* object, const Argument& argument, const Placement& placement);

  /// As numpy would write it: "float64", or the array's own name for its type.
  std::string type_name() const;

  PyObject* object = nullptr;  // borrowed
  void* data = nullptr;
  dlpack::DataType type{};  // lanes are 1; 0 for a type that DLPack has no code for
  dlpack::Device device{};
  int ndim = 0;
  std::int64_t shape[kMaxDimensions];    // of at most so many
  std::int64_t strides[kMaxDimensions];  // in elements
  bool read_only = false;

 private:
  enum class Held : std::uint8_t { kNothing, kBorrowed, kBuffer, kTensor, kVersionedTensor };

  bool read_table(const Argument& argument, const dlpack::ExchangeTable& table);
  bool read_buffer(const Argument& argument);
  bool read_dlpack(const Argument& argument, const Placement& placement);
  bool read_cuda_interface(const Argument& argument, const Placement& placement);
  void take(const dlpack::Tensor& tensor);
  void set_contiguous();  // the strides, of the shape
  void check_device(const Argument& argument, const Placement& placement) const;
  void release() noexcept;

  Held held_ = Held::kNothing;
  union {
    Py_buffer buffer_;
    dlpack::ManagedTensor* tensor_;
    dlpack::VersionedTensor* versioned_;
  };
};

/// Throws the error that a function of a library has set, or one that says that it has set none.
[[noreturn]] void throw_error_of(const char* call);

/// "cpu", "cuda:1"
std::string device_name(const dlpack::Device& device);

}  // namespace isopatch::python
