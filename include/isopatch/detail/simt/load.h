// SPDX-License-Identifier: Apache-2.0
//
// How kernels read the scene.
#pragma once

#include <cstddef>
#include <type_traits>

#include "isopatch/detail/math/macros.h"

namespace isopatch::detail {

/// Copies an object of the scene; on a GPU with loads of 16 bytes instead of one for each member. Scalar is the type of
/// its members.
template <class Scalar, class T>
ISOPATCH_HD T load(const T* from) {
#if defined(__CUDA_ARCH__)
  using Quad = std::conditional_t<sizeof(Scalar) == 8, double2, float4>;
  static_assert(alignof(T) % sizeof(Quad) == 0 && sizeof(T) % sizeof(Quad) == 0);
  T to;
#pragma unroll
  for (std::size_t i = 0; i < sizeof(T) / sizeof(Quad); ++i) {
    reinterpret_cast<Quad*>(&to)[i] = reinterpret_cast<const Quad*>(from)[i];
  }
  return to;
#else
  return *from;
#endif
}

}  // namespace isopatch::detail
