// SPDX-License-Identifier: Apache-2.0
//
// Points and cells of meshes: arrays that come in, and bytes of Python that go out, of which NumPy makes arrays.
#pragma once

#include <nanobind/nanobind.h>

#include <cstring>
#include <type_traits>
#include <vector>

#include "host/python/arrays/array_view.h"

namespace isopatch::python {

template <class Element>
requires std::is_trivially_copyable_v<Element> nb::bytes bytes_of(const std::vector<Element>& elements) {
  return nb::bytes(elements.data(), elements.size() * sizeof(Element));
}

template <class Element>
std::vector<Element> elements_of(const nb::bytes& bytes) {
  std::vector<Element> elements(bytes.size() / sizeof(Element));
  if (!elements.empty()) std::memcpy(elements.data(), bytes.data(), elements.size() * sizeof(Element));
  return elements;
}

/// A contiguous array of rows on the host, which isopatch/_src/meshes.py has made.
class Rows {
 public:
  Rows(const Argument& argument, nb::handle array, dlpack::DataType type, int width) {
    view_.read(array.ptr(), argument, {});
    const bool fits =
        view_.type == type && view_.ndim == (width == 1 ? 1 : 2) && (width == 1 || view_.shape[1] == width);
    if (!fits) argument.wrong_value("expected contiguous rows of {} numbers", width);
  }

  std::size_t size() const { return static_cast<std::size_t>(view_.shape[0]); }

  template <class Row>
  std::vector<Row> copied() const {
    const auto* rows = static_cast<const Row*>(view_.data);
    return std::vector<Row>(rows, rows + size());
  }

 private:
  ArrayView view_;
};

}  // namespace isopatch::python
