// SPDX-License-Identifier: Apache-2.0
//
// Packs: one number for each lane of the CPU's vectors, so that the shared arithmetic (include/isopatch/detail) does a
// whole pack of cell pairs at once. There are as many lanes as a vector holds doubles; a pack of floats is half a
// vector. Every operation is the IEEE one of plain numbers and fma is fused, so each lane has the bits that plain
// arithmetic gives.
//
// For sources that are compiled for one instruction set (host/cpu/pack_kernels_*.cpp). Everything here has internal
// linkage or is inlined, so no other source can be linked to code for another set.
#pragma once

// AES is not used, and x86-64-v3 and -v4 leave it open
#define HWY_DISABLE_PCLMUL_AES 1
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "isopatch/detail/vec.h"

namespace isopatch::detail {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T, int lanes>
using Tag = hn::FixedTag<T, lanes>;

constexpr int kLanes = static_cast<int>(HWY_LANES(double));  // where doubles take part
constexpr int kFloatLanes = 2 * kLanes;                      // where all is float

// --- masks -----------------------------------------------------------------------------------------------------------

/// A truth value for each lane, kept for 32-bit lanes.
template <int lanes>
struct Mask {
  hn::Mask<Tag<float, lanes>> m;

  Mask() = default;
  ISOPATCH_HD explicit Mask(hn::Mask<Tag<float, lanes>> mask) : m(mask) {}
  ISOPATCH_HD explicit Mask(bool all) : m(hn::FirstN(Tag<float, lanes>(), all ? lanes : 0)) {}

  friend ISOPATCH_HD Mask operator&&(Mask a, Mask b) { return Mask(hn::And(a.m, b.m)); }
  friend ISOPATCH_HD Mask operator||(Mask a, Mask b) { return Mask(hn::Or(a.m, b.m)); }
  friend ISOPATCH_HD Mask operator!=(Mask a, Mask b) { return Mask(hn::Xor(a.m, b.m)); }
  friend ISOPATCH_HD Mask operator!(Mask a) { return Mask(hn::Not(a.m)); }
  friend ISOPATCH_HD bool any(Mask a) { return !hn::AllFalse(Tag<float, lanes>(), a.m); }
};

/// Bit i is lane i's.
template <int lanes>
ISOPATCH_HD std::uint32_t bits_of(Mask<lanes> a) {
  std::uint8_t bytes[8] = {0};
  hn::StoreMaskBits(Tag<float, lanes>(), a.m, bytes);
  return bytes[0] | static_cast<std::uint32_t>(bytes[1]) << 8;
}

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86  // masks are bits, whatever the lanes

ISOPATCH_HD Mask<kLanes> narrowed(hn::Mask<Tag<double, kLanes>> mask) {
  return Mask<kLanes>(hn::Mask<Tag<float, kLanes>>{mask.raw});
}
ISOPATCH_HD hn::Mask<Tag<double, kLanes>> widened(Mask<kLanes> mask) {
  return hn::Mask<Tag<double, kLanes>>{mask.m.raw};
}

#else

ISOPATCH_HD Mask<kLanes> narrowed(hn::Mask<Tag<double, kLanes>> mask) {
  const auto bits = hn::BitCast(Tag<std::uint64_t, kLanes>(), hn::VecFromMask(Tag<double, kLanes>(), mask));
  const auto half = hn::TruncateTo(Tag<std::uint32_t, kLanes>(), bits);
  return Mask<kLanes>(hn::MaskFromVec(hn::BitCast(Tag<float, kLanes>(), half)));
}
ISOPATCH_HD hn::Mask<Tag<double, kLanes>> widened(Mask<kLanes> mask) {
  const auto bits = hn::BitCast(Tag<std::int32_t, kLanes>(), hn::VecFromMask(Tag<float, kLanes>(), mask.m));
  return hn::MaskFromVec(hn::BitCast(Tag<double, kLanes>(), hn::PromoteTo(Tag<std::int64_t, kLanes>(), bits)));
}

#endif

/// From and to the mask that Highway has for lanes of type T.
template <class T, int lanes>
ISOPATCH_HD Mask<lanes> to_mask(hn::Mask<Tag<T, lanes>> m) {
  if constexpr (sizeof(T) == sizeof(double)) {
    return narrowed(m);
  } else {
    return Mask<lanes>(hn::RebindMask(Tag<float, lanes>(), m));
  }
}
template <class T, int lanes>
ISOPATCH_HD hn::Mask<Tag<T, lanes>> from_mask(Mask<lanes> m) {
  if constexpr (sizeof(T) == sizeof(double)) {
    return widened(m);
  } else {
    return hn::RebindMask(Tag<T, lanes>(), m.m);
  }
}

// --- numbers ---------------------------------------------------------------------------------------------------------

template <class T, int lanes>
struct Pack {
  using PackTag = Tag<T, lanes>;
  hn::Vec<PackTag> v;

  Pack() = default;
  ISOPATCH_HD explicit Pack(hn::Vec<PackTag> vector) : v(vector) {}
  ISOPATCH_HD explicit Pack(T all) : v(hn::Set(PackTag(), all)) {}
  template <class S>
  ISOPATCH_HD explicit Pack(Pack<S, lanes> other) {
    if constexpr (sizeof(T) < sizeof(S)) {
      v = hn::DemoteTo(PackTag(), other.v);
    } else {
      v = hn::PromoteTo(PackTag(), other.v);
    }
  }

  ISOPATCH_HD static Pack load(const T* from) { return Pack(hn::LoadU(PackTag(), from)); }
  ISOPATCH_HD void store(T* to) const { hn::StoreU(v, PackTag(), to); }

  friend ISOPATCH_HD Pack operator+(Pack a, Pack b) { return Pack(hn::Add(a.v, b.v)); }
  friend ISOPATCH_HD Pack operator-(Pack a, Pack b) { return Pack(hn::Sub(a.v, b.v)); }
  friend ISOPATCH_HD Pack operator*(Pack a, Pack b) { return Pack(hn::Mul(a.v, b.v)); }
  friend ISOPATCH_HD Pack operator/(Pack a, Pack b) { return Pack(hn::Div(a.v, b.v)); }
  friend ISOPATCH_HD Pack operator-(Pack a) { return Pack(hn::Neg(a.v)); }
  friend ISOPATCH_HD Pack operator&(Pack a, Pack b) { return Pack(hn::And(a.v, b.v)); }
  friend ISOPATCH_HD Pack operator|(Pack a, Pack b) { return Pack(hn::Or(a.v, b.v)); }

  friend ISOPATCH_HD Mask<lanes> operator<(Pack a, Pack b) { return to_mask<T, lanes>(hn::Lt(a.v, b.v)); }
  friend ISOPATCH_HD Mask<lanes> operator>(Pack a, Pack b) { return to_mask<T, lanes>(hn::Gt(a.v, b.v)); }
  friend ISOPATCH_HD Mask<lanes> operator<=(Pack a, Pack b) { return to_mask<T, lanes>(hn::Le(a.v, b.v)); }
  friend ISOPATCH_HD Mask<lanes> operator>=(Pack a, Pack b) { return to_mask<T, lanes>(hn::Ge(a.v, b.v)); }
  friend ISOPATCH_HD Mask<lanes> operator!=(Pack a, Pack b) { return to_mask<T, lanes>(hn::Ne(a.v, b.v)); }

  friend ISOPATCH_HD Pack select(Mask<lanes> m, Pack a, Pack b) {
    return Pack(hn::IfThenElse(from_mask<T, lanes>(m), a.v, b.v));
  }
};

template <class T, int lanes>
ISOPATCH_HD Pack<T, lanes> fused(Pack<T, lanes> a, Pack<T, lanes> b, Pack<T, lanes> c) {
  return Pack<T, lanes>(hn::MulAdd(a.v, b.v, c.v));
}
template <class T, int lanes>
ISOPATCH_HD Pack<T, lanes> sqrt(Pack<T, lanes> a) {
  return Pack<T, lanes>(hn::Sqrt(a.v));
}
template <class T, int lanes>
ISOPATCH_HD Pack<T, lanes> abs(Pack<T, lanes> a) {
  return Pack<T, lanes>(hn::Abs(a.v));
}

// x86's own minimum is `a < b ? a : b` too; others' treat signed zeros and NaN in their own ways
template <class T, int lanes>
ISOPATCH_HD Pack<T, lanes> min(Pack<T, lanes> a, Pack<T, lanes> b) {
#if HWY_ARCH_X86
  return Pack<T, lanes>(hn::Min(a.v, b.v));
#else
  return select(a < b, a, b);
#endif
}
template <class T, int lanes>
ISOPATCH_HD Pack<T, lanes> max(Pack<T, lanes> a, Pack<T, lanes> b) {
#if HWY_ARCH_X86
  return Pack<T, lanes>(hn::Max(a.v, b.v));
#else
  return select(a > b, a, b);
#endif
}

// within 2^-11.4 on x86 and 2^-8 on Arm, where a Newton step squares the error
template <int lanes>
ISOPATCH_HD Pack<float, lanes> approximate_inverse(Pack<float, lanes> a) {
  const Pack<float, lanes> inverse(hn::ApproximateReciprocal(a.v));
#if HWY_ARCH_X86
  return inverse;
#else
  return inverse * (Pack<float, lanes>(2.0f) - a * inverse);
#endif
}

}  // namespace

template <class T, int lanes>
struct NumberTraits<Pack<T, lanes>> {
  using Float = Pack<float, lanes>;
  using Double = Pack<double, lanes>;
  using Int = Pack<std::int32_t, lanes>;
  using Mask = detail::Mask<lanes>;
};

}  // namespace isopatch::detail
