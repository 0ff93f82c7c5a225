// SPDX-License-Identifier: Apache-2.0
//
// New arrays for results, in the library that the poses of a call are of.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <span>

#include "host/python/arrays/array_view.h"

namespace isopatch::python {

/// Memory on the host that a library can take over by DLPack; aligned as JAX wants it.
class HostMemory;

/// An array that is being made: memory first, so that JAX, whose arrays never change, gets it when it is filled.
class NewArray {
 public:
  NewArray() = default;

  /// An array of the library of `like`, uninitialised, on the device of `like`.
  NewArray(const ArrayView& like, dlpack::DataType type, std::span<const std::int64_t> shape, const Argument& argument);

  void* data() const { return data_; }

  /// The array, once it is filled.
  nb::object take();

 private:
  nb::object object_;
  void* data_ = nullptr;
  std::shared_ptr<HostMemory> memory_;  // of an array that is yet to be made
  PyObject* from_dlpack_ = nullptr;     // by this
};

/// A NumPy array of the given dtype.
nb::object new_numpy_array(std::span<const std::int64_t> shape, nb::handle dtype);

/// Registers the type of what libraries take memory from.
void bind_host_memory(nb::module_& module);

}  // namespace isopatch::python
