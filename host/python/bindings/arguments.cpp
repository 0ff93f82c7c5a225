// SPDX-License-Identifier: Apache-2.0
//
// Python's arguments that are no arrays, and what is said of wrong ones.
#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <charconv>
#include <chrono>
#include <limits>

#include "host/python/bindings/bindings.h"
#include "host/python/bindings/define.h"
#include "host/text/quote.h"
#include "host/text/suggestion.h"

#ifdef ISOPATCH_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

namespace isopatch::python {
namespace {

int current_cuda_device() {
  int device = 0;
#ifdef ISOPATCH_HAS_CUDA
  if (cudaGetDevice(&device) != cudaSuccess) device = 0;
#endif
  return device;
}

[[noreturn]] void no_device(const std::string& problem) {
  PyErr_SetString(PyExc_RuntimeError, isopatch::detail::message_text(problem).c_str());
  throw nb::python_error();
}

unsigned long main_thread() {
  nb::object thread = nb::module_::import_("threading").attr("main_thread")();
  return nb::cast<unsigned long>(thread.attr("ident"));
}

/// Lets Python handle Ctrl-C, which it does in its main thread only; what a handler raises ends the call. If another
/// thread runs, it may be 5 ms until it gives the interpreter's lock away, so this is not done too often.
bool handle_signals(unsigned long main_thread) {
  constexpr std::chrono::milliseconds kPause(80);
  if (PyThread_get_thread_ident() != main_thread) return false;
  static thread_local std::chrono::steady_clock::time_point last;
  const auto now = std::chrono::steady_clock::now();
  if (now - last < kPause) return false;
  last = now;
  const nb::gil_scoped_acquire acquired;
  if (PyErr_CheckSignals() == 0) return false;
  throw nb::python_error();
}

/// For EvaluatorOptions::is_cancelled.
std::function<bool()> signal_handler() {
  return [main = main_thread()] { return handle_signals(main); };
}

void require_cuda(const char* call, const std::string& device, int index) {
#ifndef ISOPATCH_HAS_CUDA
  no_device(fmt::format("{}: device \"{}\": this build has no CUDA code; use \"cpu\", or build with ISOPATCH_CUDA=ON",
                        call, device));
#endif
  const int devices = num_cuda_devices();
  if (devices == 0) no_device(fmt::format("{}: device \"{}\": {}; use \"cpu\"", call, device, cuda_problem()));
  if (index >= devices) {
    no_device(fmt::format("{}: device \"{}\": there are {} CUDA devices, from \"cuda:0\" on", call, device, devices));
  }
}

/// An integer of Python from 0 to `most`.
long long parse_integer(const Argument& argument, nb::handle value, long long most, const std::string& expected,
                        const std::string& range) {
  const nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number.is_valid()) {
    PyErr_Clear();
    argument.wrong_type("expected {}, found {}", expected, name_of_type(value));
  }
  int overflow = 0;
  const long long parsed = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0 || parsed < 0 || parsed > most) {
    argument.wrong_value("expected {}, found {}", range, text_of(number));
  }
  return parsed;
}

}  // namespace

int parse_int(const Argument& argument, nb::handle value, const std::string& expected, const std::string& range) {
  return static_cast<int>(parse_integer(argument, value, std::numeric_limits<int>::max(), expected, range));
}

std::int64_t parse_count(const Argument& argument, nb::handle value) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return parse_integer(argument, value, kMost, "an integer", fmt::format("an integer from 0 to {}", kMost));
}

double parse_number(const Argument& argument, nb::handle value) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    argument.wrong_type("expected a number, found {}", name_of_type(value));
  }
  return number;
}

bool parse_bool(const Argument& argument, nb::handle value) {
  if (!PyBool_Check(value.ptr())) argument.wrong_type("expected a bool, found {}", name_of_type(value));
  return value.is(Py_True);
}

void check_scene(const char* call, nb::handle scene) {
  if (nb::isinstance<Scene>(scene)) return;
  Argument{call, "scene"}.wrong_type(
      "expected an isopatch.Scene, found {}; isopatch.Scene(...) makes one of a file or a dictionary",
      name_of_type(scene));
}

ComputeOptions parse_compute_options(const char* call, nb::handle device, nb::handle precision, nb::handle threads,
                                     bool with_reference) {
  ComputeOptions parsed;
  parsed.device = text_of(device);
  const std::string& name = parsed.device;
  const std::string wanted = with_reference ? "expected \"cpu\", \"cuda\", \"cuda:0\" or \"reference\""
                                            : "expected \"cpu\", \"cuda\" or \"cuda:0\"";

  if (name == "cpu") {
    parsed.options.backend = Backend::kCpu;
  } else if (name == "reference" && with_reference) {
    parsed.options.backend = Backend::kReference;
  } else if (name.rfind("cuda", 0) == 0) {
    int index = -1;
    if (name.size() > 4) {
      const char* end = name.data() + name.size();
      const auto [stop, problem] = std::from_chars(name.data() + 5, end, index);
      if (name[4] != ':' || problem != std::errc() || stop != end || index < 0) {
        Argument{call, "device"}.wrong_value("{}, found \"{}\"", wanted, name);
      }
    }
    require_cuda(call, name, index);
    if (index < 0) index = current_cuda_device();
    parsed.options.backend = Backend::kCuda;
    parsed.options.device = index;
    parsed.placement = {true, index, nullptr};
    parsed.device = fmt::format("cuda:{}", index);
  } else {
    const char* const meant = name == "gpu"         ? "; a GPU is \"cuda\""
                              : name == "reference" ? ", which evaluates contact but does not step; use cpu"
                                                    : "";
    Argument{call, "device"}.wrong_value("{}, found \"{}\"{}", wanted, name, meant);
  }

  const Argument of_precision{call, "precision"};
  if (!PyUnicode_Check(precision.ptr())) {
    of_precision.wrong_type("expected \"float\" or \"double\", found {}", name_of_type(precision));
  }
  if (text_of(precision) == "double") {
    parsed.options.precision = Precision::kDouble;
  } else if (text_of(precision) != "float") {
    of_precision.wrong_value("expected \"float\" or \"double\", found \"{}\"", text_of(precision));
  }
  const std::string number = "0 for all cores or a positive number";
  parsed.options.num_threads = parse_int({call, "threads"}, threads, number, number);
  if (!parsed.placement.on_cuda) {
    parsed.options.is_cancelled = signal_handler();
  }
  return parsed;
}

void check_signals() {
  const nb::gil_scoped_acquire acquired;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

SignalScope::SignalScope() : handles_(signal_handler()) {}

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
