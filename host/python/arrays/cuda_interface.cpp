// SPDX-License-Identifier: Apache-2.0
//
// Version 3 of `__cuda_array_interface__`, for libraries that have neither DLPack nor a buffer
// (https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html).
#include <algorithm>

#include "host/python/arrays/array_view.h"

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

}  // namespace

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
