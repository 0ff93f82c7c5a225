// SPDX-License-Identifier: Apache-2.0
#include "host/python/arrays/array_type.h"

#include <unordered_map>

namespace isopatch::python {

std::string text_of(nb::handle object) {
  const nb::object text = nb::steal(PyObject_Str(object.ptr()));
  if (!text.is_valid()) {
    PyErr_Clear();
    return "an object without a text";
  }
  const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
  if (!bytes.is_valid()) throw nb::python_error();
  return nb::cast<nb::bytes>(bytes).c_str();
}

std::string name_of_type(nb::handle object) { return text_of(nb::handle(object.type()).attr("__name__")); }

namespace {

/// The attribute of an object, or nothing.
nb::object attribute(PyObject* object, const char* name) {
  PyObject* value = PyObject_GetAttrString(object, name);
  if (value == nullptr) PyErr_Clear();
  return nb::steal(value);
}

const dlpack::ExchangeTable* exchange_table(PyObject* type) {
  const nb::object capsule = attribute(type, "__dlpack_c_exchange_api__");
  if (!capsule.is_valid() || PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api") == 0) return nullptr;
  auto* header = static_cast<dlpack::ExchangeHeader*>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  while (header != nullptr && header->version.major != 1) header = header->previous;
  return reinterpret_cast<const dlpack::ExchangeTable*>(header);
}

/// The module of the array's library: by the array API standard, else by the first part of the type's own module.
nb::object library_of(PyObject* object, const std::string& module) {
  const nb::object find = attribute(object, "__array_namespace__");
  if (find.is_valid()) {
    PyObject* found = PyObject_CallNoArgs(find.ptr());
    if (found != nullptr) return nb::steal(found);
    PyErr_Clear();
  }
  PyObject* known = PyImport_GetModule(nb::str(module.substr(0, module.find('.')).c_str()).ptr());
  if (known == nullptr) PyErr_Clear();
  return nb::steal(known);
}

ArrayType inspect(PyObject* object, PyObject* type) {
  ArrayType found;
  const nb::object name = attribute(type, "__module__");
  const std::string module = name.is_valid() && PyUnicode_Check(name.ptr()) ? text_of(name) : "";
  found.table = exchange_table(type);
  found.is_numpy = module == "numpy";
  found.is_immutable = module == "jax" || module.rfind("jax.", 0) == 0 || module.rfind("jaxlib", 0) == 0;
  const auto is_of = [&](const std::string& package) {
    return module == package || module.rfind(package + ".", 0) == 0;
  };
  found.is_warp = is_of("warp");
  found.has_columns = found.is_immutable || is_of("torch") || is_of("cupy");
  found.has_requires_grad = PyObject_HasAttrString(type, "requires_grad") != 0;
  found.has_record_stream = PyObject_HasAttrString(type, "record_stream") != 0;
  if (module == "builtins") return found;
  nb::object library = library_of(object, module);
  if (library.is_valid()) {
    found.from_dlpack = attribute(library.ptr(), "from_dlpack").release().ptr();
    found.library = library.release().ptr();
  }
  return found;
}

}  // namespace

const ArrayType& array_type_of(PyObject* object) {
  static std::unordered_map<PyObject*, ArrayType> known;
  static PyObject* last_type = nullptr;
  static const ArrayType* last = nullptr;
  static nb::ft_mutex mutex;
  const nb::ft_lock_guard lock(mutex);

  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  if (last != nullptr && type == last_type) return *last;
  auto at = known.find(type);
  if (at == known.end()) {
    Py_INCREF(type);  // so that no other type gets its address
    at = known.emplace(type, inspect(object, type)).first;
  }
  last_type = type;
  last = &at->second;
  return *last;
}

}  // namespace isopatch::python
