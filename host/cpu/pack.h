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

using DoubleTag = hn::ScalableTag<double>;
using FloatTag = hn::Rebind<float, DoubleTag>;
using IntTag = hn::Rebind<std::int32_t, DoubleTag>;
using LongTag = hn::Rebind<std::int64_t, DoubleTag>;

constexpr int kLanes = static_cast<int>(HWY_LANES(double));

template <class T>
struct TagFor;
template <>
struct TagFor<float> {
  using type = FloatTag;
};
template <>
struct TagFor<double> {
  using type = DoubleTag;
};
template <>
struct TagFor<std::int32_t> {
  using type = IntTag;
};
template <class T>
using Tag = typename TagFor<T>::type;

// --- masks -----------------------------------------------------------------------------------------------------------

/// A truth value for each lane, kept for 32-bit lanes.
struct Mask {
  hn::Mask<FloatTag> m;

  Mask() = default;
  ISOPATCH_HD explicit Mask(hn::Mask<FloatTag> mask) : m(mask) {}
  ISOPATCH_HD explicit Mask(bool all) : m(hn::FirstN(FloatTag(), all ? kLanes : 0)) {}
};

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86  // masks are bits, whatever the lanes

ISOPATCH_HD Mask narrowed(hn::Mask<DoubleTag> mask) { return Mask(hn::Mask<FloatTag>{mask.raw}); }
ISOPATCH_HD hn::Mask<DoubleTag> widened(Mask mask) { return hn::Mask<DoubleTag>{mask.m.raw}; }

#else

ISOPATCH_HD Mask narrowed(hn::Mask<DoubleTag> mask) {
  const hn::RebindToUnsigned<DoubleTag> wide;
  const hn::RebindToUnsigned<FloatTag> narrow;
  const auto bits = hn::BitCast(wide, hn::VecFromMask(DoubleTag(), mask));
  return Mask(hn::MaskFromVec(hn::BitCast(FloatTag(), hn::TruncateTo(narrow, bits))));
}
ISOPATCH_HD hn::Mask<DoubleTag> widened(Mask mask) {
  const auto bits = hn::BitCast(IntTag(), hn::VecFromMask(FloatTag(), mask.m));
  return hn::MaskFromVec(hn::BitCast(DoubleTag(), hn::PromoteTo(LongTag(), bits)));
}

#endif

ISOPATCH_HD Mask operator&&(Mask a, Mask b) { return Mask(hn::And(a.m, b.m)); }
ISOPATCH_HD Mask operator||(Mask a, Mask b) { return Mask(hn::Or(a.m, b.m)); }
ISOPATCH_HD Mask operator!=(Mask a, Mask b) { return Mask(hn::Xor(a.m, b.m)); }
ISOPATCH_HD Mask operator!(Mask a) { return Mask(hn::Not(a.m)); }
ISOPATCH_HD bool any(Mask a) { return !hn::AllFalse(FloatTag(), a.m); }

/// Bit i is lane i's.
ISOPATCH_HD std::uint32_t bits_of(Mask a) {
  std::uint8_t bytes[8] = {0};
  hn::StoreMaskBits(FloatTag(), a.m, bytes);
  return bytes[0];
}

// --- conversions -----------------------------------------------------------------------------------------------------

ISOPATCH_HD hn::Vec<FloatTag> convert(FloatTag, hn::Vec<DoubleTag> v) { return hn::DemoteTo(FloatTag(), v); }
ISOPATCH_HD hn::Vec<DoubleTag> convert(DoubleTag, hn::Vec<FloatTag> v) { return hn::PromoteTo(DoubleTag(), v); }
ISOPATCH_HD hn::Vec<FloatTag> convert(FloatTag, hn::Vec<FloatTag> v) { return v; }
ISOPATCH_HD hn::Vec<DoubleTag> convert(DoubleTag, hn::Vec<DoubleTag> v) { return v; }

// --- numbers ---------------------------------------------------------------------------------------------------------

template <class T>
struct Pack {
  hn::Vec<Tag<T>> v;

  Pack() = default;
  ISOPATCH_HD explicit Pack(hn::Vec<Tag<T>> vector) : v(vector) {}
  ISOPATCH_HD explicit Pack(T all) : v(hn::Set(Tag<T>(), all)) {}
  template <class S>
  ISOPATCH_HD explicit Pack(Pack<S> other) : v(convert(Tag<T>(), other.v)) {}

  ISOPATCH_HD static Pack load(const T* from) { return Pack(hn::LoadU(Tag<T>(), from)); }
  ISOPATCH_HD void store(T* to) const { hn::StoreU(v, Tag<T>(), to); }

  friend ISOPATCH_HD Pack operator+(Pack a, Pack b) { return Pack(hn::Add(a.v, b.v)); }
  friend ISOPATCH_HD Pack operator-(Pack a, Pack b) { return Pack(hn::Sub(a.v, b.v)); }
  friend ISOPATCH_HD Pack operator*(Pack a, Pack b) { return Pack(hn::Mul(a.v, b.v)); }
  friend ISOPATCH_HD Pack operator/(Pack a, Pack b) { return Pack(hn::Div(a.v, b.v)); }
  friend ISOPATCH_HD Pack operator-(Pack a) { return Pack(hn::Neg(a.v)); }
};

ISOPATCH_HD Mask to_mask(hn::Mask<DoubleTag> m) { return narrowed(m); }
ISOPATCH_HD Mask to_mask(hn::Mask<FloatTag> m) { return Mask(m); }

template <class T>
ISOPATCH_HD Mask operator<(Pack<T> a, Pack<T> b) {
  return to_mask(hn::Lt(a.v, b.v));
}
template <class T>
ISOPATCH_HD Mask operator>(Pack<T> a, Pack<T> b) {
  return to_mask(hn::Gt(a.v, b.v));
}
template <class T>
ISOPATCH_HD Mask operator<=(Pack<T> a, Pack<T> b) {
  return to_mask(hn::Le(a.v, b.v));
}
template <class T>
ISOPATCH_HD Mask operator>=(Pack<T> a, Pack<T> b) {
  return to_mask(hn::Ge(a.v, b.v));
}
template <class T>
ISOPATCH_HD Mask operator!=(Pack<T> a, Pack<T> b) {
  return to_mask(hn::Ne(a.v, b.v));
}

// masks of integers are those of floats of the same size
ISOPATCH_HD Mask operator==(Pack<std::int32_t> a, Pack<std::int32_t> b) {
  return Mask(hn::RebindMask(FloatTag(), hn::Eq(a.v, b.v)));
}
ISOPATCH_HD Mask operator!=(Pack<std::int32_t> a, Pack<std::int32_t> b) { return !(a == b); }
ISOPATCH_HD Pack<std::int32_t> operator&(Pack<std::int32_t> a, Pack<std::int32_t> b) {
  return Pack<std::int32_t>(hn::And(a.v, b.v));
}
ISOPATCH_HD Pack<std::int32_t> operator|(Pack<std::int32_t> a, Pack<std::int32_t> b) {
  return Pack<std::int32_t>(hn::Or(a.v, b.v));
}

ISOPATCH_HD Pack<float> select(Mask m, Pack<float> a, Pack<float> b) {
  return Pack<float>(hn::IfThenElse(m.m, a.v, b.v));
}
ISOPATCH_HD Pack<double> select(Mask m, Pack<double> a, Pack<double> b) {
  return Pack<double>(hn::IfThenElse(widened(m), a.v, b.v));
}
ISOPATCH_HD Pack<std::int32_t> select(Mask m, Pack<std::int32_t> a, Pack<std::int32_t> b) {
  return Pack<std::int32_t>(hn::IfThenElse(hn::RebindMask(IntTag(), m.m), a.v, b.v));
}

template <class T>
ISOPATCH_HD Pack<T> fused(Pack<T> a, Pack<T> b, Pack<T> c) {
  return Pack<T>(hn::MulAdd(a.v, b.v, c.v));
}
template <class T>
ISOPATCH_HD Pack<T> sqrt(Pack<T> a) {
  return Pack<T>(hn::Sqrt(a.v));
}
template <class T>
ISOPATCH_HD Pack<T> abs(Pack<T> a) {
  return Pack<T>(hn::Abs(a.v));
}

// x86's own minimum is `a < b ? a : b` too; others' treat signed zeros and NaN in their own ways
template <class T>
ISOPATCH_HD Pack<T> min(Pack<T> a, Pack<T> b) {
#if HWY_ARCH_X86
  return Pack<T>(hn::Min(a.v, b.v));
#else
  return select(a < b, a, b);
#endif
}
template <class T>
ISOPATCH_HD Pack<T> max(Pack<T> a, Pack<T> b) {
#if HWY_ARCH_X86
  return Pack<T>(hn::Max(a.v, b.v));
#else
  return select(a > b, a, b);
#endif
}

}  // namespace

template <>
struct NumberTraits<Pack<float>> {
  using Float = Pack<float>;
  using Double = Pack<double>;
  using Int = Pack<std::int32_t>;
  using Mask = detail::Mask;
};
template <>
struct NumberTraits<Pack<double>> : NumberTraits<Pack<float>> {};

}  // namespace isopatch::detail
