// SPDX-License-Identifier: Apache-2.0
#include "host/python/arrays/new_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

namespace isopatch::python {

/// Held by the NewArray, then by the capsule, then by the library that takes it.
class HostMemory {
 public:
  HostMemory(dlpack::DataType type, std::span<const std::int64_t> shape)
      : type_(type), ndim_(static_cast<int>(shape.size())) {
    std::copy(shape.begin(), shape.end(), shape_);
    std::size_t bytes = type.bits / 8;
    for (const std::int64_t n : shape) bytes *= static_cast<std::size_t>(n);
    data_ = ::operator new(std::max<std::size_t>(bytes, 1), kAlignment);
  }
  ~HostMemory() { ::operator delete(data_, kAlignment); }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  void* data() const { return data_; }
  dlpack::Tensor tensor() { return {data_, {dlpack::kCpu, 0}, ndim_, type_, shape_, nullptr, 0}; }

 private:
  static constexpr std::align_val_t kAlignment{64};

  dlpack::DataType type_;
  int ndim_;
  std::int64_t shape_[ArrayView::kMaxDimensions];
  void* data_;
};

namespace {

/// What from_dlpack() of a library is called with.
struct DlpackSource {
  std::shared_ptr<HostMemory> memory;
};

/// The names of the two versions of capsules.
template <class Managed>
constexpr const char* kCapsule = "dltensor";
template <>
constexpr const char* kCapsule<dlpack::VersionedTensor> = "dltensor_versioned";

template <class Managed>
void delete_memory(Managed* self) {
  delete static_cast<std::shared_ptr<HostMemory>*>(self->context);
  delete self;
}

template <class Managed>
void delete_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, kCapsule<Managed>) == 0) return;  // taken over
  auto* tensor = static_cast<Managed*>(PyCapsule_GetPointer(capsule, kCapsule<Managed>));
  tensor->deleter(tensor);
}

/// Gives the memory away.
template <class Managed>
nb::object capsule_of(DlpackSource& source) {
  auto* tensor = new Managed{};
  tensor->tensor = source.memory->tensor();
  tensor->context = new std::shared_ptr<HostMemory>(std::move(source.memory));
  tensor->deleter = delete_memory<Managed>;
  if constexpr (std::is_same_v<Managed, dlpack::VersionedTensor>) tensor->version = {1, 0};
  return nb::steal(PyCapsule_New(tensor, kCapsule<Managed>, delete_capsule<Managed>));
}

/// Of the newest version that the library knows.
nb::object capsule_for(DlpackSource& source, const nb::kwargs& options) {
  if (source.memory == nullptr) throw nb::value_error("this memory was taken over already");
  const bool is_versioned = options.contains("max_version") && !options["max_version"].is_none() &&
                            nb::cast<int>(options["max_version"][0]) >= 1;
  return is_versioned ? capsule_of<dlpack::VersionedTensor>(source) : capsule_of<dlpack::ManagedTensor>(source);
}

/// A function of NumPy, kept for good in `known`, which is a static null pointer. It is not initialised by a call: a
/// thread that holds the interpreter's lock would wait there for another thread's initialisation, which needs that
/// lock.
PyObject* numpy_function(PyObject*& known, const char* name) {
  if (known == nullptr) {
    nb::object function = nb::module_::import_("numpy").attr(name);
    known = function.release().ptr();
  }
  return known;
}

nb::handle numpy_dtype(dlpack::DataType type) {
  static PyObject* known[4][2] = {};  // by code, and whether there are 64 bits
  PyObject*& dtype = known[type.code & 3][type.bits == 64 ? 1 : 0];
  if (dtype == nullptr) {
    nb::object made = nb::module_::import_("numpy").attr("dtype")(name_of(type).c_str());
    dtype = made.release().ptr();
  }
  return dtype;
}

nb::object tuple_of(std::span<const std::int64_t> shape) {
  nb::object sizes = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    PyTuple_SetItem(sizes.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(shape[i]));
  }
  return sizes;
}

void set_error(void* context, const char* kind, const char* message) {
  *static_cast<std::string*>(context) = fmt::format("{}: {}", kind, message);
}

/// Makes a device current in CuPy, whose new arrays are on the current one.
class CurrentDevice {
 public:
  CurrentDevice(nb::handle library, int index) {
    const nb::object cuda = nb::getattr(library, "cuda", nb::none());
    if (PyObject_HasAttrString(cuda.ptr(), "Device") == 0) return;
    device_ = cuda.attr("Device")(index);
    device_.attr("__enter__")();
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice() {
    if (!device_.is_valid()) return;
    const nb::object left = nb::steal(PyObject_CallMethod(device_.ptr(), "__exit__", "OOO", Py_None, Py_None, Py_None));
    if (!left.is_valid()) PyErr_Clear();
  }

 private:
  nb::object device_;
};

/// On the device of `like`. An array of Warp has at most four axes, so points with a fifth are an array of vectors.
nb::object new_warp_array(nb::handle library, nb::handle like, dlpack::DataType type,
                          std::span<const std::int64_t> shape) {
  constexpr std::size_t kMaxAxes = 4;
  const bool has_vectors = shape.size() > kMaxAxes && shape.back() == 3;
  const std::string name = has_vectors ? (type.bits == 64 ? "vec3d" : "vec3f") : name_of(type);
  const nb::object axes = tuple_of(has_vectors ? shape.first(kMaxAxes) : shape);
  return library.attr("empty")(axes, library.attr(name.c_str()), nb::arg("device") = like.attr("device"));
}

}  // namespace

nb::object new_numpy_array(std::span<const std::int64_t> shape, nb::handle dtype) {
  static PyObject* known = nullptr;
  PyObject* empty = numpy_function(known, "empty");
  return nb::handle(empty)(tuple_of(shape), dtype);
}

NewArray::NewArray(const ArrayView& like, dlpack::DataType type, std::span<const std::int64_t> shape,
                   const Argument& argument) {
  const ArrayType& library = array_type_of(like.object);
  if (library.is_numpy) {
    object_ = new_numpy_array(shape, numpy_dtype(type));
    Py_buffer buffer;
    if (PyObject_GetBuffer(object_.ptr(), &buffer, PyBUF_WRITABLE) != 0) throw nb::python_error();
    data_ = buffer.buf;
    PyBuffer_Release(&buffer);
    return;
  }
  if (library.table != nullptr) {
    std::int64_t sizes[ArrayView::kMaxDimensions];
    std::copy(shape.begin(), shape.end(), sizes);
    dlpack::Tensor prototype{nullptr, like.device, static_cast<std::int32_t>(shape.size()), type, sizes, nullptr, 0};
    dlpack::VersionedTensor* tensor = nullptr;
    std::string problem;
    if (library.table->allocate(&prototype, &tensor, &problem, set_error) != 0) {
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      PyErr_SetString(PyExc_MemoryError, fmt::format("{}: {}: {}", argument.call, argument.name, problem).c_str());
      throw nb::python_error();
    }
    data_ = static_cast<char*>(tensor->tensor.data) + tensor->tensor.byte_offset;
    void* made = nullptr;
    if (library.table->object_from_managed(tensor, &made) != 0) throw_error_of("managed_tensor_to_py_object_no_sync()");
    object_ = nb::steal(static_cast<PyObject*>(made));
    return;
  }
  if (library.is_warp) {
    object_ = new_warp_array(library.library, like.object, type, shape);
    const nb::object address = object_.attr("ptr");  // None if it is empty
    data_ = address.is_none() ? nullptr : PyLong_AsVoidPtr(address.ptr());
    return;
  }
  if (like.device.type == dlpack::kCuda || like.device.type == dlpack::kCudaManaged) {
    if (library.is_immutable) {
      argument.wrong_type("arrays of JAX on a CUDA device are made inside JAX: call isopatch.jax.evaluate()");
    }
    if (library.library == nullptr || PyObject_HasAttrString(library.library, "empty") == 0) {
      argument.wrong_type("arrays of this library cannot be made here on a CUDA device; give them in `out`");
    }
    const CurrentDevice device(library.library, like.device.index);
    object_ = nb::handle(library.library).attr("empty")(tuple_of(shape), numpy_dtype(type));
    ArrayView view;
    void* const waits_for_none = reinterpret_cast<void*>(std::intptr_t{-1});  // as it is new, and on the call's stream
    view.read(object_.ptr(), argument, {true, like.device.index, waits_for_none});
    data_ = view.data;
    return;
  }
  memory_ = std::make_shared<HostMemory>(type, shape);
  data_ = memory_->data();
  static PyObject* known = nullptr;
  PyObject* numpy_from_dlpack = numpy_function(known, "from_dlpack");
  from_dlpack_ = library.from_dlpack != nullptr ? library.from_dlpack : numpy_from_dlpack;
}

nb::object NewArray::take() {
  if (memory_ == nullptr) return std::move(object_);
  const nb::object source = nb::cast(new DlpackSource{std::move(memory_)}, nb::rv_policy::take_ownership);
  return nb::handle(from_dlpack_)(source);
}

void bind_host_memory(nb::module_& module) {
  nb::class_<DlpackSource>(module, "_DlpackSource", "Memory that a library takes over by its from_dlpack().")
      .def(
          "__dlpack__", [](DlpackSource& self, const nb::kwargs& options) { return capsule_for(self, options); },
          "A capsule of DLPack, once.", nb::sig("def __dlpack__(self, **options: object) -> object"))
      .def(
          "__dlpack_device__", [](const DlpackSource&) { return nb::make_tuple(1, 0); }, "(1, 0): the CPU.");
}

}  // namespace isopatch::python
