// SPDX-License-Identifier: Apache-2.0
//
// The names of the arrays of one kind of call, as Python gives them.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isopatch/arrays.h"

namespace isopatch::python {

namespace nb = nanobind;

/// Names in the order of their list, which is the order of a named tuple too.
class ArrayNames {
 public:
  explicit ArrayNames(std::span<const ArrayInfo> arrays);

  std::size_t size() const { return names_.size(); }
  const char* operator[](std::size_t i) const { return names_[i]; }

  /// The index of a name, also of a former one; size() if it is unknown or no string.
  std::size_t find(PyObject* name) const;

  /// "; did you mean ...?" with the known name that is like this one, or all of them.
  std::string suggestion(const std::string& name) const;

  /// The index of a name of an output, which is a Python string. Throws ValueError for an unknown one, with what there
  /// is.
  std::size_t index_of(const char* call, const char* argument, PyObject* name) const;

  /// The bits of the names of outputs in a tuple or list. Throws TypeError for anything else, ValueError for a name
  /// that is unknown or stands there twice.
  std::uint64_t parse(const char* call, nb::handle outputs) const;

 private:
  std::vector<const char*> names_;
  std::vector<PyObject*> interned_;
};

}  // namespace isopatch::python
