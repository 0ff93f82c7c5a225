// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/python/bindings/output_arrays.h"
#include "host/text/quote.h"
#include "host/text/suggestion.h"

namespace isopatch::python {

OutputNames::OutputNames(std::span<const char* const> names) : size_(names.size()) {
  for (std::size_t i = 0; i < size_; ++i) {
    names_.at(i) = names[i];
    interned_[i] = PyUnicode_InternFromString(names[i]);
  }
}

std::size_t OutputNames::index_of(const char* call, const char* argument, PyObject* name) const {
  for (std::size_t i = 0; i < size_; ++i) {
    if (interned_[i] == name) return i;
  }
  if (!PyUnicode_Check(name)) {
    Argument{call, argument}.wrong_type(fmt::format("expected names of outputs, found {}", text_of(nb::repr(name))));
  }
  for (std::size_t i = 0; i < size_; ++i) {
    if (PyUnicode_CompareWithASCIIString(name, names_[i]) == 0) return i;
  }
  const std::vector<std::string> known(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(size_));
  const std::string text = text_of(name);
  Argument{call, argument}.wrong_value(fmt::format("expected names of outputs, found {}{}",
                                                   isopatch::detail::in_quotes(text, '"'),
                                                   isopatch::detail::suggestion(text, known)));
}

std::uint64_t OutputNames::parse(const char* call, nb::handle outputs) const {
  const Argument argument{call, "outputs"};
  if (PyUnicode_Check(outputs.ptr())) {
    argument.wrong_type(fmt::format("expected a tuple of names, as (\"{}\",), found the string {}", names_[0],
                                    isopatch::detail::in_quotes(text_of(outputs), '"')));
  }
  if (!PyTuple_Check(outputs.ptr()) && !PyList_Check(outputs.ptr())) {
    argument.wrong_type(fmt::format("expected a tuple of names, as (\"{}\",), found {}", names_[0],
                                    isopatch::detail::in_quotes(text_of(nb::repr(outputs)))));
  }
  std::uint64_t bits = 0;
  for (const nb::handle name : nb::borrow<nb::sequence>(outputs)) {
    const std::uint64_t bit = std::uint64_t{1} << index_of(call, "outputs", name.ptr());
    if ((bits & bit) != 0) {
      argument.wrong_value(fmt::format("\"{}\" stands there twice; name each output once", text_of(name)));
    }
    bits |= bit;
  }
  return bits;
}

}  // namespace isopatch::python
