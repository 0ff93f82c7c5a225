// SPDX-License-Identifier: Apache-2.0
#include "host/python/bindings/output_arrays.h"

#include <algorithm>
#include <string_view>

#include "host/python/arrays/array_view.h"
#include "host/rollout/former_names.h"
#include "host/text/quote.h"
#include "host/text/suggestion.h"

namespace isopatch::python {

ArrayNames::ArrayNames(std::span<const ArrayInfo> arrays) {
  for (const ArrayInfo& info : arrays) {
    names_.push_back(info.name);
    interned_.push_back(PyUnicode_InternFromString(info.name));
  }
}

std::size_t ArrayNames::find(PyObject* name) const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (interned_[i] == name) return i;
  }
  if (PyUnicode_Check(name)) {
    for (std::size_t i = 0; i < size(); ++i) {
      if (PyUnicode_CompareWithASCIIString(name, names_[i]) == 0) return i;
    }
    for (const auto& [former, present] : isopatch::detail::kFormerNames) {
      if (PyUnicode_CompareWithASCIIString(name, former) != 0) continue;
      return static_cast<std::size_t>(std::ranges::find(names_, std::string_view(present)) - names_.begin());
    }
  }
  return size();
}

std::string ArrayNames::suggestion(const std::string& name) const {
  return isopatch::detail::suggestion(name, {names_.begin(), names_.end()});
}

std::size_t ArrayNames::index_of(const char* call, const char* argument, PyObject* name) const {
  const std::size_t found = find(name);
  if (found < size()) return found;
  if (!PyUnicode_Check(name)) {
    Argument{call, argument}.wrong_type("expected names of outputs, found {}", text_of(nb::repr(name)));
  }
  const std::string text = text_of(name);
  Argument{call, argument}.wrong_value("expected names of outputs, found {}{}", isopatch::detail::in_quotes(text, '"'),
                                       suggestion(text));
}

std::uint64_t ArrayNames::parse(const char* call, nb::handle outputs) const {
  const Argument argument{call, "outputs"};
  if (PyUnicode_Check(outputs.ptr())) {
    argument.wrong_type("expected a tuple of names, as (\"{}\",), found the string {}", names_[0],
                        isopatch::detail::in_quotes(text_of(outputs), '"'));
  }
  if (!PyTuple_Check(outputs.ptr()) && !PyList_Check(outputs.ptr())) {
    argument.wrong_type("expected a tuple of names, as (\"{}\",), found {}", names_[0],
                        isopatch::detail::in_quotes(text_of(nb::repr(outputs))));
  }
  std::uint64_t bits = 0;
  for (const nb::handle name : nb::borrow<nb::sequence>(outputs)) {
    const std::uint64_t bit = std::uint64_t{1} << index_of(call, "outputs", name.ptr());
    if ((bits & bit) != 0) argument.wrong_value("\"{}\" stands there twice; name each output once", text_of(name));
    bits |= bit;
  }
  return bits;
}

}  // namespace isopatch::python
