// SPDX-License-Identifier: Apache-2.0
//
// The arrays of calls as a table for people: docstrings, signatures and include/isopatch/INTERFACE.md are made of it.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "host/python/bindings/bindings.h"
#include "isopatch/arrays.h"

namespace isopatch::python {

/// What is said of an array; its name, shape, type and unit are in ArrayInfo.
struct ArrayDescription {
  const char* list;               // "inputs", "outputs", "state", "step_inputs" or "step_outputs"
  const char* name;               // of the array
  const char* text;               // what its values mean, without a full stop
  const char* missing = nullptr;  // of an input: what holds if it is not given; null: it must be given
};

/// The description of an array; of an input of a step that has none, the description of the input of an evaluation.
/// Null if there is none, which array_tables_test.py reports.
const ArrayDescription* description_of(const char* list, const char* name);

/// The arrays of "inputs" or "step_inputs" as the lines "name: [N, B, 7], float32 or float64, m. Text. None: at rest."
/// of a docstring, each line `indent` to the right. `leading` is the first axis.
std::string argument_lines(const char* list, const std::string& leading, int indent);

/// Registers the members of records by name, the outputs with a capacity, former names, and the table: for each list a
/// tuple of (name, axes, type, unit, group, whether there is a stride, text, what holds if it is missing).
void bind_array_table(nb::module_& module);

}  // namespace isopatch::python
