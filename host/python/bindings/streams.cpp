// SPDX-License-Identifier: Apache-2.0
#include "host/python/bindings/streams.h"

#include "host/evaluation/cuda_streams.h"
#include "host/python/arrays/array_type.h"

namespace isopatch::python {
namespace {

/// The address that a library has of a stream.
void* address_in(nb::handle stream, const char* attribute) {
  void* address = PyLong_AsVoidPtr(nb::object(stream.attr(attribute)).ptr());
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return address;
}

/// The current stream of the library of an array; of libraries without one, the default stream, on which their arrays
/// say that they are ready. Throws TypeError for a tensor of a torch that does not say.
void* current_stream(nb::handle array, int device) {
  const ArrayType& type = array_type_of(array.ptr());
  if (type.table != nullptr && type.table->current_stream != nullptr) {
    void* current = nullptr;
    if (type.table->current_stream(dlpack::kCuda, device, &current) != 0) throw_error_of("current_work_stream()");
    return current;
  }
  if (type.library == nullptr) return nullptr;
  if (type.is_warp) {
    return address_in(nb::handle(type.library).attr("get_stream")(fmt::format("cuda:{}", device)), "cuda_stream");
  }
  const nb::object cuda = nb::getattr(type.library, "cuda", nb::none());
  const auto has = [&](const char* name) { return PyObject_HasAttrString(cuda.ptr(), name) != 0; };
  if (has("get_current_stream")) return address_in(cuda.attr("get_current_stream")(device), "ptr");  // CuPy
  if (has("current_stream"))
    return address_in(cuda.attr("current_stream")(device), "cuda_stream");  // torch before 2.10
  if (type.has_requires_grad) {
    throw_type_error(fmt::format(
        "the module of {} does not say its current stream, on which its tensors are; torch does", name_of_type(array)));
  }
  return nullptr;
}

/// The default stream has two addresses.
bool is_same_stream(void* a, void* b) {
  const auto number = [](void* stream) { return reinterpret_cast<std::uintptr_t>(stream); };
  return a == b || (number(a) <= 1 && number(b) <= 1);
}

void* address_of(const Argument& argument, nb::handle stream) {
  nb::object number = nb::borrow(stream);
  for (const char* attribute : {"cuda_stream", "ptr"}) {
    if (!PyLong_Check(number.ptr()) && PyObject_HasAttrString(stream.ptr(), attribute) != 0) {
      number = stream.attr(attribute);
    }
  }
  if (!PyLong_Check(number.ptr())) {
    argument.wrong_type("expected a stream's address as an integer, or a stream of torch, CuPy or Warp");
  }
  void* address = PyLong_AsVoidPtr(number.ptr());
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return address;
}

}  // namespace

Placement with_stream(const Placement& placement, const Argument& argument, nb::handle stream, nb::handle poses) {
  if (!placement.on_cuda) {
    if (!stream.is_none()) argument.wrong_value("only calls on a CUDA device have a stream; leave it out");
    return placement;
  }
  void* current = current_stream(poses, placement.index);
  Placement found = placement;
  found.stream = stream.is_none() ? current : address_of(argument, stream);
  found.is_current_stream = is_same_stream(found.stream, current);
  wait_for_current_stream(found, poses);
  return found;
}

void wait_for_current_stream(const Placement& placement, nb::handle poses) {
  if (!placement.on_cuda || placement.is_current_stream) return;
  detail::let_stream_wait(placement.index, placement.stream, current_stream(poses, placement.index));
}

void require_current_stream(const Placement& placement, const Argument& argument) {
  if (placement.is_current_stream) return;
  argument.wrong_value(
      "arrays are made on the current stream of their library, not on `stream`; give it in `out`, or make `stream` the "
      "current one");
}

}  // namespace isopatch::python
