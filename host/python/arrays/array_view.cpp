// SPDX-License-Identifier: Apache-2.0
#include "host/python/arrays/array_view.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "host/python/arrays/torch_tensor.h"
#include "host/text/quote.h"

namespace isopatch::python {
namespace {

/// What "<f8" stands for; lanes are 0 for what no array here has.
dlpack::DataType type_of(const std::string& text) {
  if (text.size() < 3 || text[0] == '>') return {0, 0, 0};
  const auto bits = static_cast<std::uint8_t>(8 * std::min(std::atoi(text.c_str() + 2), 31));
  constexpr std::pair<char, dlpack::TypeCode> kCodes[] = {
      {'i', dlpack::kInt}, {'u', dlpack::kUint}, {'f', dlpack::kFloat}, {'b', dlpack::kBool}};
  for (const auto& [letter, code] : kCodes) {
    if (text[1] == letter) return {code, bits, 1};
  }
  return {0, bits, 0};
}

/// The text of Python's current error, which is cleared.
std::string taken_error() {
  if (PyErr_Occurred() == nullptr) return "no reason was given";
  nb::python_error error;
  std::string text = text_of(error.value());
  return text.substr(0, text.find('\n'));
}

/// What a format of the struct module stands for; lanes are 0 for what no array here has.
dlpack::DataType type_of_format(const char* format, Py_ssize_t size) {
  if (format == nullptr) return {dlpack::kUint, 8, 1};
  if (*format == '@' || *format == '=' || *format == '<') ++format;  // this machine is little-endian
  const auto bits = static_cast<std::uint8_t>(8 * std::min<Py_ssize_t>(size, 31));
  const bool one = format[0] != '\0' && format[1] == '\0';
  if (one && std::strchr("bhilqn", *format) != nullptr) return {dlpack::kInt, bits, 1};
  if (one && std::strchr("BHILQN", *format) != nullptr) return {dlpack::kUint, bits, 1};
  if (one && std::strchr("efdg", *format) != nullptr) return {dlpack::kFloat, bits, 1};
  if (one && *format == '?') return {dlpack::kBool, bits, 1};
  return {0, bits, 0};
}

template <class Tensor>
void delete_tensor(Tensor* tensor) {
  if (tensor->deleter != nullptr) tensor->deleter(tensor);
}

/// Calls object.__dlpack__() as the newest versions of it want to be called, then as the oldest.
nb::object dlpack_capsule(const nb::handle& object, bool on_cuda, void* stream) {
  nb::dict arguments;
  if (on_cuda) {
    const auto number = reinterpret_cast<std::intptr_t>(stream);
    arguments["stream"] = number == 0 ? 1 : number;  // 1 is CUDA's default stream here
  }
  nb::dict with_version;
  with_version.update(arguments);
  with_version["max_version"] = nb::make_tuple(1, 3);
  const nb::object method = object.attr("__dlpack__");
  try {
    return method(**with_version);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
  }
  return method(**arguments);
}

/// Throws TypeError for an array of warp.transform, which would be read as other poses.
void refuse_transforms(PyObject* object, const Argument& argument) {
  const nb::object name = nb::getattr(nb::getattr(nb::handle(object), "dtype", nb::none()), "__name__", nb::none());
  if (!PyUnicode_Check(name.ptr()) || text_of(name).rfind("transform", 0) != 0) return;
  argument.wrong_type(
      "expected positions and quaternions w x y z, found warp.transform, which has x y z w; in torch "
      "warp.to_torch({0})[..., [0, 1, 2, 6, 3, 4, 5]] has the order that is meant, and so has "
      "warp.array({0}.numpy()[..., [0, 1, 2, 6, 3, 4, 5]])",
      argument.name);
}

}  // namespace

void throw_type_error(const std::string& message) {
  throw nb::type_error(isopatch::detail::message_text(message).c_str());
}

void throw_value_error(const std::string& message) {
  throw nb::value_error(isopatch::detail::message_text(message).c_str());
}

void Argument::wrong_type(const std::string& problem) const {
  throw_type_error(fmt::format("{}: {}: {}", call, name, problem));
}

void Argument::wrong_value(const std::string& problem) const {
  throw_value_error(fmt::format("{}: {}: {}", call, name, problem));
}

void refuse_derivative(const Argument& argument, const char* reason, const std::string& instead) {
  const std::string name = argument.name == nullptr ? "" : fmt::format("{}: ", argument.name);
  throw_value_error(
      fmt::format("{}: {}{}, and there is no derivative yet; pass {}", argument.call, name, reason, instead));
}

void throw_error_of(const char* call) {
  if (PyErr_Occurred() == nullptr) PyErr_Format(PyExc_RuntimeError, "%s failed and did not say why", call);
  throw nb::python_error();
}

std::string device_name(const dlpack::Device& device) {
  if (device.type == dlpack::kCpu || device.type == dlpack::kCudaHost) return "cpu";
  if (device.type == dlpack::kCuda || device.type == dlpack::kCudaManaged) return fmt::format("cuda:{}", device.index);
  return fmt::format("a device of DLPack's type {}", static_cast<int>(device.type));
}

std::string name_of(dlpack::DataType type) {
  constexpr const char* kKinds[] = {"int", "uint", "float", nullptr, "bfloat", "complex", "bool"};  // by code
  if (type.lanes != 1 || type.code >= std::size(kKinds) || kKinds[type.code] == nullptr) return "";
  return type.code == dlpack::kBool ? "bool" : kKinds[type.code] + std::to_string(type.bits);
}

std::string ArrayView::type_name() const {
  if (std::string name = name_of(type); !name.empty()) return name;
  PyObject* own = PyObject_GetAttrString(object, "dtype");
  if (own == nullptr) {
    PyErr_Clear();
    return "another type";
  }
  return text_of(nb::steal(own));
}

void ArrayView::read(PyObject* from, const Argument& argument, const Placement& placement) {
  object = from;
  const ArrayType& known = array_type_of(from);
  if (known.has_requires_grad) {
    const nb::object flag = nb::steal(PyObject_GetAttr(from, ISOPATCH_INTERNED("requires_grad")));
    if (!flag.is_valid()) PyErr_Clear();
    if (flag.ptr() == Py_True) {
      refuse_derivative(argument, "it requires a gradient", fmt::format("{}.detach()", argument.name));
    }
  }
  if (known.is_warp) refuse_transforms(from, argument);
  const bool found = (known.table != nullptr && read_table(argument, *known.table)) || read_buffer(argument) ||
                     read_dlpack(argument, placement) || read_cuda_interface(argument, placement);
  if (!found) {
    const bool is_list = PyList_Check(from) || PyTuple_Check(from);
    argument.wrong_type("expected an array (of NumPy, torch, JAX, CuPy, ...), found {}{}", name_of_type(from),
                        is_list ? fmt::format("; numpy.asarray({}) makes one of a list", argument.name) : "");
  }
  read_only = read_only || known.is_immutable;
  check_device(argument, placement);
  if (known.has_record_stream) record_stream(from, placement);
}

bool ArrayView::read_table(const Argument& argument, const dlpack::ExchangeTable& table) {
  dlpack::Tensor tensor{};
  int failed = 0;
  if (table.tensor_from_object != nullptr) {
    failed = table.tensor_from_object(object, &tensor);
    if (failed == 0) held_ = Held::kBorrowed;
  } else {
    failed = table.managed_from_object(object, &versioned_);
    if (failed == 0) {
      held_ = Held::kVersionedTensor;
      tensor = versioned_->tensor;
      read_only = (versioned_->flags & dlpack::kReadOnly) != 0;
    }
  }
  if (failed != 0) {
    argument.wrong_type("expected a dense array with memory, found one that has none to share: {}", taken_error());
  }
  take(tensor);
  return true;
}

bool ArrayView::read_buffer(const Argument& argument) {
  if (PyObject_CheckBuffer(object) == 0) return false;
  if (PyObject_GetBuffer(object, &buffer_, PyBUF_RECORDS_RO) != 0) {
    const std::string problem = taken_error();
    if (PyObject_HasAttrString(object, "__dlpack__") != 0 && array_type_of(object).is_numpy == false) return false;
    argument.wrong_type("expected an array of numbers, found {}: {}", type_name(), problem);
  }
  held_ = Held::kBuffer;
  data = buffer_.buf;
  device = {dlpack::kCpu, 0};
  type = type_of_format(buffer_.format, buffer_.itemsize);
  read_only = buffer_.readonly != 0;
  ndim = buffer_.ndim;
  const int count = std::min(ndim, kMaxDimensions);
  std::copy_n(buffer_.shape, count, shape);
  if (buffer_.strides == nullptr) {  // of ctypes, which gives none although it is asked to
    set_contiguous();
    return true;
  }
  const std::int64_t size = std::max<Py_ssize_t>(buffer_.itemsize, 1);
  for (int i = 0; i < count; ++i) {
    // a stride that is no multiple of the element's size cannot be said in elements: it counts as an inner stride
    strides[i] = buffer_.strides[i] % size == 0 ? buffer_.strides[i] / size : -1;
  }
  return true;
}

bool ArrayView::read_dlpack(const Argument& argument, const Placement& placement) {
  if (PyObject_HasAttrString(object, "__dlpack__") == 0) return false;
  nb::object capsule;
  try {
    bool on_cuda = false;
    if (PyObject_HasAttrString(object, "__dlpack_device__") != 0) {
      const nb::object kind_and_index = nb::handle(object).attr("__dlpack_device__")();
      const int kind = static_cast<int>(PyLong_AsLong(nb::object(kind_and_index[0]).ptr()));
      const int index = static_cast<int>(PyLong_AsLong(nb::object(kind_and_index[1]).ptr()));
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      device = {static_cast<dlpack::DeviceType>(kind), index};
      check_device(argument, placement);  // before the library waits for a stream
      on_cuda = placement.on_cuda;
    }
    capsule = dlpack_capsule(object, on_cuda, placement.stream);
  } catch (nb::python_error& error) {
    if (name_of_type(object).find("Tracer") != std::string::npos) {
      const std::string_view call = argument.call;
      argument.wrong_type("expected an array, found a tracer of JAX; in compiled functions call isopatch.jax.{}",
                          call == "evaluate" || call == "bind" ? "evaluate()" : "step()");
    }
    const std::string text = text_of(error.value());
    argument.wrong_type("expected a dense array with memory, found one that cannot be shared: {}",
                        text.substr(0, text.find('\n')));
  }

  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") != 0) {
    auto* tensor = static_cast<dlpack::VersionedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    if (tensor->version.major != 1) {
      argument.wrong_type("expected DLPack of version 1, found version {}", tensor->version.major);
    }
    PyCapsule_SetName(capsule.ptr(), "used_dltensor_versioned");
    versioned_ = tensor;
    held_ = Held::kVersionedTensor;
    read_only = (tensor->flags & dlpack::kReadOnly) != 0;
    take(tensor->tensor);
    return true;
  }
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor") == 0) {
    argument.wrong_type("expected a capsule of DLPack from __dlpack__(), found " + name_of_type(capsule));
  }
  tensor_ = static_cast<dlpack::ManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");
  held_ = Held::kTensor;
  take(tensor_->tensor);
  return true;
}

void ArrayView::take(const dlpack::Tensor& tensor) {
  data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  type = tensor.type;
  device = tensor.device;
  ndim = tensor.ndim;
  const int count = std::min(ndim, kMaxDimensions);
  std::copy_n(tensor.shape, count, shape);
  if (tensor.strides != nullptr) {
    std::copy_n(tensor.strides, count, strides);
  } else {
    set_contiguous();
  }
}

void ArrayView::set_contiguous() {
  std::int64_t stride = 1;
  for (int i = std::min(ndim, kMaxDimensions) - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= shape[i];
  }
}

void ArrayView::check_device(const Argument& argument, const Placement& placement) const {
  const bool on_host = device.type == dlpack::kCpu || device.type == dlpack::kCudaHost;
  const bool fits = placement.on_cuda ? device.type == dlpack::kCudaManaged ||
                                            (device.type == dlpack::kCuda && device.index == placement.index)
                                      : on_host;
  if (fits) return;
  const std::string wanted = placement.on_cuda ? fmt::format("cuda:{}", placement.index) : "cpu";
  argument.wrong_value("expected an array on {}, found one on {}; copy it to {}", wanted, device_name(device), wanted);
}

void ArrayView::release() noexcept {
  if (held_ == Held::kBuffer) PyBuffer_Release(&buffer_);
  if (held_ == Held::kTensor) delete_tensor(tensor_);
  if (held_ == Held::kVersionedTensor) delete_tensor(versioned_);
  held_ = Held::kNothing;
}

// Version 3 of `__cuda_array_interface__`, for libraries that have neither DLPack nor a buffer
// (https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html).
bool ArrayView::read_cuda_interface(const Argument& argument, const Placement& placement) {
  if (PyObject_HasAttrString(object, "__cuda_array_interface__") == 0) return false;
  device = {dlpack::kCuda, placement.index};
  if (!placement.on_cuda) check_device(argument, placement);
  try {
    const nb::dict interface = nb::cast<nb::dict>(nb::handle(object).attr("__cuda_array_interface__"));
    const nb::tuple sizes = nb::cast<nb::tuple>(interface["shape"]), memory = nb::cast<nb::tuple>(interface["data"]);
    type = type_of(text_of(interface["typestr"]));
    data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(memory[0]));
    read_only = nb::cast<bool>(memory[1]);
    ndim = static_cast<int>(nb::len(sizes));

    const int count = std::min(ndim, kMaxDimensions);
    for (int i = 0; i < count; ++i) shape[i] = nb::cast<std::int64_t>(sizes[static_cast<std::size_t>(i)]);
    set_contiguous();
    if (interface.contains("strides") && !interface["strides"].is_none()) {
      const nb::tuple steps = nb::cast<nb::tuple>(interface["strides"]);
      const std::int64_t size = std::max(type.bits / 8, 1);
      for (int i = 0; i < count; ++i) {
        const auto bytes = nb::cast<std::int64_t>(steps[static_cast<std::size_t>(i)]);
        strides[i] = bytes % size == 0 ? bytes / size : -1;
      }
    }
    if (interface.contains("stream") && !interface["stream"].is_none()) {
      const auto stream = nb::cast<std::uintptr_t>(interface["stream"]);
      const auto own = reinterpret_cast<std::uintptr_t>(placement.stream);
      const bool is_default = stream == 1 && own == 0;
      if (stream != own && !is_default) {
        argument.wrong_value("its stream is {:#x}, the stream of the call {:#x}; pass stream={}, or wait for it",
                             stream, own, stream);
      }
    }
  } catch (const nb::cast_error&) {
    argument.wrong_type("expected version 3 of __cuda_array_interface__, found something else");
  }
  held_ = Held::kBorrowed;
  return true;
}

}  // namespace isopatch::python
