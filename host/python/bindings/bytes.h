// SPDX-License-Identifier: Apache-2.0
//
// Arrays as bytes of Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstring>
#include <vector>

namespace isopatch::python {

namespace nb = nanobind;

template <class Element>
nb::bytes bytes_of(const std::vector<Element>& elements) {
  return nb::bytes(elements.data(), elements.size() * sizeof(Element));
}

template <class Element>
std::vector<Element> elements_of(const nb::bytes& bytes) {
  std::vector<Element> elements(bytes.size() / sizeof(Element));
  if (!elements.empty()) std::memcpy(elements.data(), bytes.data(), elements.size() * sizeof(Element));
  return elements;
}

}  // namespace isopatch::python
