// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of calls, of which there are none yet.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "host/python/arrays/array_view.h"

namespace isopatch::python {

/// Throws ValueError for an array of which a library wants a derivative. All calls in C++ and Python that find such an
/// array come here, so a rule for derivatives takes the place of this function. `reason` says how it was found, as "it
/// requires a gradient", and `instead` what to pass; the argument's name is null if it is not known.
[[noreturn]] void refuse_derivative(const Argument& argument, const char* reason, const std::string& instead);

void bind_derivatives(nb::module_& module);

}  // namespace isopatch::python
