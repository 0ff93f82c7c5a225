// SPDX-License-Identifier: Apache-2.0
#include "host/python/bindings/define.h"

#include <fmt/format.h>

#include "host/python/arrays/array_view.h"
#include "host/text/quote.h"
#include "host/text/suggestion.h"

namespace isopatch::python {

nb::handle not_given() {
  static PyObject* object = PyObject_CallNoArgs(reinterpret_cast<PyObject*>(&PyBaseObject_Type));
  return object;
}

void refuse_unknown(const char* call, nb::handle name, const std::vector<std::string>& known) {
  const std::string text = text_of(name);
  throw_type_error(fmt::format("{}: {}: unknown argument{}", call, text,
                               known.empty() ? "; expected none" : isopatch::detail::suggestion(text, known)));
}

void refuse_arguments(const char* call, const Parameter* parameters, std::size_t count, std::size_t positional,
                      nb::handle given, std::size_t self, nb::handle unknown) {
  const std::vector<Parameter> all(parameters, parameters + count);
  PyObject *name = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  if (PyDict_Next(unknown.ptr(), &position, &name, &value) != 0) {
    std::vector<std::string> known;
    for (const Parameter& parameter : all) known.emplace_back(parameter.name);
    refuse_unknown(call, name, known);
  }
  const auto found = static_cast<std::size_t>(PyTuple_Size(given.ptr())) - self;
  if (found > positional) {
    throw_type_error(
        fmt::format("{}: expected at most {} arguments without a name, found {}", call, positional, found));
  }
  for (std::size_t i = found; i < count; ++i) {
    if (!all[i].otherwise.is_valid()) Argument{call, all[i].name}.wrong_type("expected an argument, found none");
  }
  throw_type_error(fmt::format("{}: expected each argument once, found one by its name and by its position", call));
}

void refuse_self(const char* call, nb::handle type, nb::handle given) {
  const bool is_own = given.is_valid() && PyObject_IsInstance(given.ptr(), type.ptr()) == 1;
  const std::string found = !given.is_valid() ? "nothing" : name_of_type(given);
  Argument{call, "self"}.wrong_type("expected an isopatch.{}, found {}{}", text_of(type.attr("__name__")), found,
                                    is_own ? " that was not initialised" : "");
}

}  // namespace isopatch::python
