// SPDX-License-Identifier: Apache-2.0
//
// The parts of the extension module.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "host/python/arrays/array_rules.h"
#include "host/python/arrays/array_view.h"
#include "host/python/bindings/array_lists.h"
#include "host/threads/cancellation.h"
#include "isopatch/evaluator.h"

namespace isopatch::python {

/// Python's types of a kind of record.
struct RecordTypes {
  std::string name;    // of the next in the package
  nb::object dtype;    // of NumPy
  nb::object columns;  // a named tuple of the columns of such records, for other libraries
};

/// Python's types that the module makes objects of; isopatch/_src/results.py registers them.
struct RegisteredTypes {
  nb::object results, step_results, state;         // named tuples
  std::array<RecordTypes, kNumOutputs> of_output;  // of those that are records
};
RegisteredTypes& registered_types();

/// A named tuple of one of the registered types; takes the values.
nb::object make_named_tuple(const nb::object& type, nb::object* values, std::size_t count);

/// A number of at least 0 that Python gave. Throws TypeError that says what is `expected`, ValueError in which `range`.
int parse_int(const Argument& argument, nb::handle value, const std::string& expected, const std::string& range);

/// The same without a limit but that of the type.
std::int64_t parse_count(const Argument& argument, nb::handle value);

/// A number that Python gave, and a bool. Both throw TypeError for anything else.
double parse_number(const Argument& argument, nb::handle value);
bool parse_bool(const Argument& argument, nb::handle value);

/// Throws TypeError for what is no isopatch.Scene.
void check_scene(const char* call, nb::handle scene);

/// Python's arguments `device`, `precision` and `threads`.
struct ComputeOptions {
  EvaluatorOptions options;
  Placement placement;
  std::string device;  // "cpu", "cuda:0" or "reference"
};
ComputeOptions parse_compute_options(const char* call, nb::handle device, nb::handle precision, nb::handle threads,
                                     bool with_reference = true);

/// While it lives, Ctrl-C ends what this thread does, if it is Python's main thread. Made and destroyed with the
/// interpreter's lock, which need not be held between.
class SignalScope {
 public:
  SignalScope();

 private:
  const std::function<bool()> handles_;
  const isopatch::detail::CancellationScope scope_{handles_};
};

/// Lets Python handle Ctrl-C in a thread that does not hold the interpreter's lock: its main one, or this does nothing.
void check_signals();

struct PythonEvaluator;
struct PythonSimulator;

/// What the arrays of a call are like, for compilers that have to know it before there are any: a tuple of dictionaries
/// {name: (type, shape, rows)} of inputs and outputs, and before them of the state of a simulator. The type
/// is "real" if it may be float32 or float64; records have the type of their words. The shape is of one row,
/// and `rows` says how many there are: "N", "N + 1", or "" if the shape has that axis too. Arrays whose capacity is
/// not known, which is -1, are None.
nb::tuple describe_arrays(const PythonEvaluator& evaluator, const ArrayCounts& counts);
nb::tuple describe_arrays(const PythonSimulator& simulator);

void bind_scene(nb::module_& module);
void bind_meshes(nb::module_& module);
void bind_pictures(nb::module_& module);
void bind_contact_rows(nb::module_& module);
void bind_candidates(nb::module_& module);  // before what has the class in signatures
void bind_evaluator(nb::module_& module);
void bind_simulator(nb::module_& module);
void bind_patch_bounds(nb::module_& module);
#ifdef ISOPATCH_HAS_JAX
void bind_jax(nb::module_& module);
#endif

}  // namespace isopatch::python
