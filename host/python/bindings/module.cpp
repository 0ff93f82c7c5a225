// SPDX-License-Identifier: Apache-2.0
//
// The extension module isopatch._core. What users see is listed in isopatch/*.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/cli/program/run_command.h"
#include "host/cli/program/version_text.h"
#include "host/files/output_file.h"
#include "host/python/arrays/new_array.h"
#include "host/python/bindings/array_lists.h"
#include "host/python/bindings/array_table.h"
#include "host/python/bindings/bindings.h"
#include "host/python/bindings/define.h"
#include "host/text/quote.h"
#include "isopatch/error.h"
#include "isopatch/status.h"

namespace isopatch::python {
namespace {

/// OSError, of which Python makes FileNotFoundError and so on by the number of the error.
void set_file_error(const Error& error) {
  std::string problem = error.what(), path = error.parts().where;
  constexpr std::size_t kAround = 20;                                            // "[Errno 2] ", quotes
  if (problem.size() + path.size() + kAround > isopatch::detail::kMaxMessage) {  // both have the path
    problem = error.parts().found;
    path = isopatch::detail::in_quotes(path);
    path = path.substr(1, path.size() - 2);
  }
  const nb::object arguments = nb::make_tuple(error.parts().code, nb::str(problem.c_str()), nb::str(path.c_str()));
  PyErr_SetObject(PyExc_OSError, arguments.ptr());
}

/// The one place where the library's errors become Python's.
void translate_error(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Error& error) {
    switch (error.kind()) {
      case ErrorKind::kInput:
        return PyErr_SetString(PyExc_ValueError, error.what());
      case ErrorKind::kFile:
        return set_file_error(error);
      case ErrorKind::kDevice:
        return PyErr_SetString(PyExc_RuntimeError, error.what());
      case ErrorKind::kMemory:
        return PyErr_SetString(PyExc_MemoryError, error.what());
      case ErrorKind::kCancelled:  // by a signal's handler
        return PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  }
}

// Whether a macro is defined: it is then no longer its own name.
#define ISOPATCH_TEXT_OF(macro) #macro
#define ISOPATCH_IS_DEFINED(macro) (std::string_view(ISOPATCH_TEXT_OF(macro)) != #macro)

nb::dict build_info() {
  nb::dict info;
  info["version"] = ISOPATCH_VERSION;
  info["cuda"] = ISOPATCH_IS_DEFINED(ISOPATCH_HAS_CUDA);
  info["jax"] = ISOPATCH_IS_DEFINED(ISOPATCH_HAS_JAX);
  info["render"] = ISOPATCH_IS_DEFINED(ISOPATCH_HAS_RENDER);
  info["compiler"] = __VERSION__;
  info["stable_abi"] = ISOPATCH_IS_DEFINED(Py_LIMITED_API);
  return info;
}

/// Whether a named tuple has a field for each array, in their order.
bool has_fields(const nb::object& type, std::span<const ArrayInfo> arrays) {
  nb::list names;
  for (const ArrayInfo& info : arrays) names.append(info.name);
  return nb::tuple(names).equal(type.attr("_fields"));
}

/// `records` are (name of the type of NumPy, that, named tuple) by the names of records.
void register_types(nb::object results, nb::object step_results, nb::object state, const nb::dict& records) {
  if (!has_fields(results, kOutputs) || !has_fields(step_results, kStepOutputs) || !has_fields(state, kState)) {
    throw nb::import_error(
        "isopatch: the fields of Results, StepResults or SimulatorState are not the arrays of the extension module; "
        "scripts/array_tables.py --update writes them");
  }
  registered_types() = {std::move(results), std::move(step_results), std::move(state), {}};
  std::size_t i = 0;
  Results none;
  for_each_output(
      [&](const ArrayInfo& info, auto& array) {
        RecordTypes& types = registered_types().of_output[i++];
        if constexpr (kIsRecord<ElementOf<std::remove_reference_t<decltype(array)>>>) {
          const nb::handle record = records[info.type];
          types = {nb::cast<std::string>(record[0]), record[1], record[2]};
        }
      },
      none);
}

using isopatch::detail::OutputFile;

/// The command, and the files that Python writes as it does.
void bind_program(nb::module_& module) {
  module.def(
      "run_command",
      [](std::vector<std::string> arguments) {
        std::vector<char*> argv;
        for (std::string& argument : arguments) argv.push_back(argument.data());
        argv.push_back(nullptr);
        const nb::gil_scoped_release released;
        return cli::run_command(static_cast<int>(arguments.size()), argv.data(), &cli::version_text);
      },
      nb::arg("arguments"),
      "Runs the command isopatch, for isopatch/__main__.py, whose process ends with it: signals are handled for it, "
      "too.\n\n"
      "Args:\n    arguments: As a shell gives them, first the program's name.\n\nReturns the exit status.");
  module.def(
      "_write_file",
      [](const std::string& path, const nb::bytes& bytes) {
        isopatch::detail::write_output_file(path, {static_cast<const char*>(bytes.data()), bytes.size()});
      },
      nb::arg("path"), nb::arg("bytes"));
  nb::class_<OutputFile>(module, "_OutputFile", "A file that comes piece by piece, and is whole or not there.")
      .def(
          "__init__",
          [](OutputFile* self, const std::string& what, const std::string& path, const std::string& extension) {
            isopatch::detail::check_output(what, path, {extension});
            new (self) OutputFile(path);
          },
          nb::arg("what"), nb::arg("path"), nb::arg("extension"))
      .def("fileno", &OutputFile::descriptor)
      .def("finish", &OutputFile::finish);
}

}  // namespace

RegisteredTypes& registered_types() {
  static auto* types = new RegisteredTypes;  // outlives the interpreter, which frees its objects itself
  return *types;
}

nb::object make_named_tuple(const nb::object& type, nb::object* values, std::size_t count) {
  auto* const of = reinterpret_cast<PyTypeObject*>(type.ptr());
  nb::object tuple = nb::steal(PyType_GenericAlloc(of, static_cast<Py_ssize_t>(count)));
  if (!tuple.is_valid()) nb::raise_python_error();
  for (std::size_t i = 0; i < count; ++i) {
    PyObject* value = values[i].is_valid() ? values[i].release().ptr() : nb::none().release().ptr();
    PyTuple_SetItem(tuple.ptr(), static_cast<Py_ssize_t>(i), value);
  }
  return tuple;
}

NB_MODULE(_core, module) {
  module.doc() = "The compiled part of isopatch.";
#ifdef NDEBUG
  nb::set_leak_warnings(false);  // what a program still holds when it ends is no leak of the package
#endif
  nb::register_exception_translator(translate_error);
  module.def("cuda_available", &cuda_available,
             "Whether this build has CUDA code and there is a device and a driver that it can use.");
  module.def(
      "cuda_problem",
      [] {
        const std::string problem = cuda_problem();
        return problem.empty() ? std::optional<std::string>() : problem;
      },
      "Why there is no CUDA device that this build can use; None if there is one.");
  module.def("num_cuda_devices", &num_cuda_devices, "The number of CUDA devices that this build can use.");
  module.def("build_info", &build_info, "What this build is made of: version, compiler, and whether it has CUDA.",
             nb::sig("def build_info() -> dict[str, str | bool]"));
  module.def("status_text", &status_text, nb::arg("status"), "The names of the bits, or \"ok\".");
  module.def(
      "message_text", [](nb::handle text) { return isopatch::detail::message_text(text_of(text)); }, nb::arg("text"),
      "A message as the library's are: one line of at most 300 printable characters.");
  module.def("refuse_unknown", &refuse_unknown, nb::arg("call"), nb::arg("name"), nb::arg("known"),
             "Raises TypeError for an argument whose name is none of `known`, with the one that was meant.",
             nb::sig("def refuse_unknown(call: str, name: str, known: list[str]) -> typing.NoReturn"));
  module.def("_register_types", &register_types);
  bind_array_table(module);
  module.def(
      "refuse_derivative",
      [](const std::string& call, const std::optional<std::string>& name, const std::string& reason,
         const std::string& instead) {
        refuse_derivative({call.c_str(), name ? name->c_str() : nullptr}, reason.c_str(), instead);
      },
      nb::arg("call"), nb::arg("name").none(), nb::arg("reason"), nb::arg("instead"),
      "Raises ValueError for an array of which a derivative is wanted.",
      nb::sig("def refuse_derivative(call: str, name: str | None, reason: str, instead: str) -> typing.NoReturn"));
  bind_host_memory(module);
  bind_scene(module);
  bind_meshes(module);
  bind_pictures(module);
  bind_program(module);
  bind_contact_rows(module);
  bind_candidates(module);
  bind_evaluator(module);
  bind_simulator(module);
  bind_patch_bounds(module);
#ifdef ISOPATCH_HAS_JAX
  bind_jax(module);
#endif
}

}  // namespace isopatch::python
