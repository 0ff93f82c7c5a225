// SPDX-License-Identifier: Apache-2.0
#include "host/python/arrays/derivatives.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>

namespace isopatch::python {

void refuse_derivative(const Argument& argument, const char* reason, const std::string& instead) {
  const std::string name = argument.name == nullptr ? "" : fmt::format("{}: ", argument.name);
  throw nb::value_error(
      fmt::format("{}: {}{}, and there is no derivative yet; pass {}", argument.call, name, reason, instead).c_str());
}

void bind_derivatives(nb::module_& module) {
  module.def(
      "refuse_derivative",
      [](const std::string& call, const std::optional<std::string>& name, const std::string& reason,
         const std::string& instead) {
        refuse_derivative({call.c_str(), name ? name->c_str() : nullptr}, reason.c_str(), instead);
      },
      nb::arg("call"), nb::arg("name").none(), nb::arg("reason"), nb::arg("instead"),
      "Raises ValueError for an array of which a derivative is wanted.",
      nb::sig("def refuse_derivative(call: str, name: str | None, reason: str, instead: str) -> typing.NoReturn"));
}

}  // namespace isopatch::python
