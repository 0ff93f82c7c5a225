// SPDX-License-Identifier: Apache-2.0
//
// The buffers of a call by XLA, as arrays of the library. XLA's are dense and in C order; what was compiled has checked
// their shapes, so that here only sizes and types are.
#pragma once

#include <fmt/format.h>
#include <xla/ffi/api/ffi.h>

#include <stdexcept>
#include <type_traits>

#include "host/python/arrays/array_rules.h"
#include "isopatch/arrays.h"

namespace isopatch::python {

inline bool has_elements(const xla::ffi::AnyBuffer& buffer, Element element) {
  using enum xla::ffi::DataType;
  constexpr xla::ffi::DataType kTypes[][2] = {{F32, F64}, {F64, F64}, {S32, S32},
                                              {U32, U32}, {S64, S64}, {PRED, U8}};  // in the order of Element
  const auto& [one, other] = kTypes[static_cast<std::size_t>(element)];
  return buffer.element_type() == one || buffer.element_type() == other;
}

/// The memory of a buffer for N environments. Throws std::invalid_argument for another size or type.
inline void* checked_memory(const xla::ffi::AnyBuffer& buffer, const ArrayInfo& info, const CallShape& shape,
                            const Placement& placement, Element element) {
  const auto size = static_cast<std::size_t>(shape.counts.size(info, shape.environments));
  if (buffer.element_count() != size || !has_elements(buffer, element)) {
    throw std::invalid_argument(fmt::format("{}: expected {} elements of type {}, found {} of XLA's type {}", info.name,
                                            size, info.type, buffer.element_count(),
                                            static_cast<int>(buffer.element_type())));
  }
  // XLA has no memory for a buffer without elements. An output without memory is not asked for, so on the CPU it has
  // some; on a device, which refuses memory of the host, it has none.
  alignas(double) static char nothing[sizeof(double)];
  if (size == 0) return placement.on_cuda ? nullptr : nothing;
  return buffer.untyped_data();
}

/// Fills in an array of State, Results, RolloutInput or RolloutOutput; of records, the buffer has the words.
template <class Array>
void set_array(Array& array, const xla::ffi::AnyBuffer& buffer, const ArrayInfo& info, const CallShape& shape,
               const Placement& placement) {
  if constexpr (requires { array.type; }) {
    array.data = checked_memory(buffer, info, shape, placement, Element::kReal);
    array.type = buffer.element_type() == xla::ffi::DataType::F64 ? ScalarType::kFloat64 : ScalarType::kFloat32;
  } else {
    using Value = ElementOf<Array>;
    array.data =
        static_cast<Value*>(checked_memory(buffer, as_words<Value>(info), shape, placement, element_of<Value>()));
  }
}

}  // namespace isopatch::python
