// SPDX-License-Identifier: Apache-2.0
//
// What is known of a type of arrays, found out once for each type.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "host/python/arrays/dlpack.h"

namespace isopatch::python {

namespace nb = nanobind;

/// str(object) in UTF-8. What has no UTF-8, as half of a surrogate pair, is escaped.
std::string text_of(nb::handle object);

std::string name_of_type(nb::handle object);

struct ArrayType {
  const dlpack::ExchangeTable* table = nullptr;  // null if the type has none of version 1
  bool is_numpy = false;
  bool is_immutable = false;        // JAX
  bool has_requires_grad = false;   // torch
  bool has_record_stream = false;   // torch: it has to be told of streams other than its current one
  bool is_warp = false;             // whose arrays have at most four axes, of vectors too
  bool has_columns = false;         // torch, JAX, CuPy: records are arrays of numbers there, one for each member
  PyObject* from_dlpack = nullptr;  // the function of the library that takes memory over; null if there is none
  PyObject* library = nullptr;      // its module
};

/// The type of an object, which need not be an array. Types that were seen are kept for good.
const ArrayType& array_type_of(PyObject* object);

/// A name that is looked up often: made and interned in the first call, kept for good.
#define ISOPATCH_INTERNED(text)                               \
  ([]() -> PyObject* {                                        \
    static PyObject* name = PyUnicode_InternFromString(text); \
    return name;                                              \
  }())

}  // namespace isopatch::python
