// SPDX-License-Identifier: Apache-2.0
#include "host/python/arrays/torch_tensor.h"

#include <fmt/format.h>

#include "host/python/arrays/array_type.h"

namespace isopatch::python {
namespace {

/// What is used of torch.
struct Torch {
  explicit Torch(nb::handle torch)
      : tensor(torch.attr("Tensor")),
        forward_mode(nb::module_::import_("torch.autograd.forward_ad").attr("__dict__")),
        unpack_dual(forward_mode["unpack_dual"]),
        increment_version(nb::module_::import_("torch.autograd.graph").attr("increment_version")) {
    // the function below the public one calls nothing of Python; older versions take single tensors only
    const nb::object below = nb::getattr(torch.attr("_C"), "_increment_version", nb::none());
    if (below.is_none()) return;
    PyObject* done = PyObject_CallFunctionObjArgs(below.ptr(), nb::list().ptr(), nullptr);
    if (done == nullptr) {
      PyErr_Clear();
      return;
    }
    Py_DECREF(done);
    increment_version = below;
    takes_lists = true;
  }

  nb::object tensor;      // the type
  nb::dict forward_mode;  // of the module
  nb::object unpack_dual;
  nb::object increment_version;
  bool takes_lists = false;
};

/// Made when the first tensor is seen, and never freed. It is no static variable of a function: a thread that holds the
/// interpreter's lock would wait there for another thread's initialisation, which needs that lock.
const Torch* known = nullptr;

/// Null if the array is no tensor.
const Torch* torch_of(nb::handle array) {
  if (!array_type_of(array.ptr()).has_requires_grad) return nullptr;
  if (known == nullptr) {
    const nb::object module = nb::steal(PyImport_GetModule(ISOPATCH_INTERNED("torch")));
    if (!module.is_valid()) {
      PyErr_Clear();
      return nullptr;
    }
    known = new Torch(module);
  }
  const auto* type = reinterpret_cast<PyTypeObject*>(known->tensor.ptr());
  return PyType_IsSubtype(Py_TYPE(array.ptr()), const_cast<PyTypeObject*>(type)) != 0 ? known : nullptr;
}

/// Goes through a list again and again: a new iterator each time would be an object each time.
struct Cycle {
  nb::object list;
  Py_ssize_t next = 0;
};

PyObject* next_of_cycle(PyObject* self) {
  Cycle& cycle = *nb::inst_ptr<Cycle>(self);
  if (cycle.next == PyList_Size(cycle.list.ptr())) {
    cycle.next = 0;
    return nullptr;
  }
  PyObject* item = PyList_GetItem(cycle.list.ptr(), cycle.next++);
  Py_INCREF(item);
  return item;
}

nb::object checked(PyObject* result) {
  if (result == nullptr) throw nb::python_error();
  return nb::steal(result);
}

/// Whether tensors can have tangents now; true too if this version of torch does not say.
bool is_in_forward_mode(const Torch& torch) {
  PyObject* level = PyDict_GetItemWithError(torch.forward_mode.ptr(), ISOPATCH_INTERNED("_current_level"));
  return level == nullptr || !PyLong_Check(level) || PyLong_AsLong(level) >= 0;
}

void tell(const Torch& torch, nb::handle tensors) {
  if (torch.takes_lists) {
    checked(PyObject_CallFunctionObjArgs(torch.increment_version.ptr(), tensors.ptr(), nullptr));
    return;
  }
  for (const nb::handle tensor : tensors) torch.increment_version(tensor);
}

}  // namespace

void check_tensor(nb::handle array, const Argument& argument) {
  const Torch* torch = torch_of(array);
  if (torch == nullptr) return;
  const nb::object is_negative = checked(PyObject_CallMethodObjArgs(array.ptr(), ISOPATCH_INTERNED("is_neg"), nullptr));
  if (is_negative.ptr() == Py_True) {
    argument.wrong_type(
        "expected a tensor whose values are those in its memory, found one with the negative bit; pass "
        "{}.resolve_neg()",
        argument.name);
  }
  if (is_in_forward_mode(*torch) && !torch->unpack_dual(array)[1].is_none()) {
    refuse_derivative(argument, "it has a tangent", fmt::format("{}.detach()", argument.name));
  }
}

void record_stream(nb::handle array, const Placement& placement) {
  if (!placement.on_cuda || placement.is_current_stream) return;
  const ArrayType& type = array_type_of(array.ptr());
  if (!type.has_record_stream || type.library == nullptr) return;
  const nb::object cuda = nb::handle(type.library).attr("cuda");
  const auto address = reinterpret_cast<std::uintptr_t>(placement.stream);
  const nb::object stream = address <= 1 ? cuda.attr("default_stream")(placement.index)  // which has two addresses
                                         : cuda.attr("ExternalStream")(address, placement.index);
  array.attr("record_stream")(stream);
}

void WrittenTensors::add(nb::handle array) {
  if (torch_of(array) == nullptr) return;
  if (!tensors_.is_valid()) tensors_ = nb::list();
  if (PyList_Append(tensors_.ptr(), array.ptr()) != 0) throw nb::python_error();
}

void WrittenTensors::tell() const {
  if (tensors_.is_valid()) python::tell(*known, tensors_);
}

void WrittenTensors::keep() {
  if (tensors_.is_valid()) tensors_ = nb::cast(Cycle{tensors_});
}

void mark_written(nb::handle state) {
  const Torch* torch = torch_of(state[0]);
  if (torch != nullptr) tell(*torch, state);
}

void bind_written_tensors(nb::module_& module) {
  static PyType_Slot slots[] = {{Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
                                {Py_tp_iternext, reinterpret_cast<void*>(next_of_cycle)},
                                {0, nullptr}};
  const nb::class_<Cycle> type(module, "_Cycle", nb::type_slots(slots), "Tensors that a call writes each time.");
  module.def("mark_written", &mark_written, nb::arg("state"));
}

}  // namespace isopatch::python
