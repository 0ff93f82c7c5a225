// SPDX-License-Identifier: Apache-2.0
//
// The outputs of a call: which were asked for, where they are written, and the named tuple of them.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/python/arrays/array_rules.h"
#include "host/python/arrays/new_array.h"
#include "host/python/bindings/bindings.h"
#include "host/python/bindings/streams.h"

namespace isopatch::python {

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

/// The names of a list of arrays.
template <const auto& kArrays>
const ArrayNames& names_of() {
  static const ArrayNames names(kArrays);
  return names;
}

/// The arrays of one call's outputs. Those that `out` has are written; others that are wanted are made.
template <std::size_t kCount>
class OutputArrays {
  static_assert(kCount <= 64, "those that were made are the bits of an integer");

 public:
  /// Finds the arrays in `out`: None, a dictionary of arrays by name, or a named tuple of an earlier call.
  void find(const char* call, const ArrayNames& names, const nb::object& type, nb::handle out) {
    if (out.is_none()) return;
    if (Py_TYPE(out.ptr()) == reinterpret_cast<PyTypeObject*>(type.ptr())) {
      for (std::size_t i = 0; i < kCount; ++i) {
        PyObject* array = PyTuple_GetItem(out.ptr(), static_cast<Py_ssize_t>(i));
        if (array != Py_None) given_[i] = array;
      }
      return;
    }
    if (!PyDict_Check(out.ptr())) {
      Argument{call, "out"}.wrong_type("expected a dictionary of arrays by name, or the results of an earlier call");
    }
    PyObject *name = nullptr, *array = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(out.ptr(), &position, &name, &array) != 0) {
      if (array != Py_None) given_[names.index_of(call, "out", name)] = array;
    }
  }

  bool is_given(std::size_t i) const { return given_[i] != nullptr; }
  PyObject* given(std::size_t i) const { return given_[i]; }

  /// Takes an array of `out`.
  template <class Array>
  void use_given(std::size_t i, Array& array, const Argument& argument, const ArrayInfo& info, const CallShape& shape,
                 const Placement& placement) {
    ArrayView& view = views_[i];
    view.read(given_[i], argument, placement);
    check_writable(view, argument);
    if constexpr (requires { array.stride; }) {
      set_array(array, view, argument, info, shape);
      const bool is_empty = std::find(view.shape, view.shape + view.ndim, 0) != view.shape + view.ndim;
      if (array.stride == 0 && shape.environments > 1 && !is_empty) {
        argument.wrong_value("expected memory for every environment, found one row for all; give an array of its own");
      }
    } else {
      check_element(view, argument, element_of<std::remove_pointer_t<decltype(array.data)>>());
      if (check_layout(view, argument, info, shape) > 1) {
        argument.wrong_value("expected contiguous elements, found some with gaps; give an array of its own");
      }
      array.data = static_cast<decltype(array.data)>(view.data);
    }
    objects_[i] = nb::borrow(given_[i]);
  }

  /// Makes an array of the library of `like`, on whose current stream the call must be.
  template <class Array>
  void make(std::size_t i, Array& array, const Argument& argument, const ArrayInfo& info, const CallShape& shape,
            const ArrayView& like, dlpack::DataType type, const Placement& placement) {
    require_current_stream(placement, argument);
    std::int64_t dimensions[ArrayView::kMaxDimensions] = {};
    const int count = shape_of(info, shape, dimensions);
    made_[i] = NewArray(like, type, {dimensions, static_cast<std::size_t>(count)}, argument);
    array.data = static_cast<decltype(array.data)>(made_[i].data());
    if constexpr (requires { array.type; }) {
      array.type = type.bits == 64 ? ScalarType::kFloat64 : ScalarType::kFloat32;
    }
    pending_ |= std::uint64_t{1} << i;
  }

  ArrayView& view(std::size_t i) { return views_[i]; }
  nb::handle object(std::size_t i) const { return objects_[i]; }
  void set(std::size_t i, nb::object object) { objects_[i] = std::move(object); }

  /// Takes the arrays that were made; once the call has filled them.
  void take_made() {
    for (std::size_t i = 0; pending_ != 0; ++i, pending_ >>= 1) {
      if ((pending_ & 1) != 0) objects_[i] = made_[i].take();
    }
  }

  /// The named tuple of all arrays; once the call has filled them.
  nb::object results(const nb::object& type) {
    take_made();
    return make_named_tuple(type, objects_.data(), kCount);
  }

 private:
  std::array<PyObject*, kCount> given_{};
  std::array<ArrayView, kCount> views_;
  std::array<NewArray, kCount> made_;
  std::array<nb::object, kCount> objects_;
  std::uint64_t pending_ = 0;  // bits of those made
};

}  // namespace isopatch::python
