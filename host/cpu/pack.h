// SPDX-License-Identifier: Apache-2.0
//
// Packs: one number for each lane of the CPU's vectors, so that the shared arithmetic (include/isopatch/detail) does a
// whole pack of cell pairs at once. A pack of kLanes doubles, or of kFloatLanes floats, fills a register; where float
// arithmetic needs doubles on the way, a pack of doubles takes two. Every operation is the IEEE one of plain numbers
// and fma is fused, so each lane has the bits that plain arithmetic gives.
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

constexpr int kLanes = static_cast<int>(HWY_LANES(double));
constexpr int kFloatLanes = 2 * kLanes;

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

// Doubles have masks of their own, one for each register of kLanes.
using DoubleMask = hn::Mask<Tag<double, kLanes>>;

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86  // masks are bits, whatever the lanes

ISOPATCH_HD Mask<kLanes> narrowed(DoubleMask mask) { return Mask<kLanes>(hn::Mask<Tag<float, kLanes>>{mask.raw}); }
ISOPATCH_HD DoubleMask widened(Mask<kLanes> mask) { return {mask.m.raw}; }
ISOPATCH_HD Mask<kFloatLanes> joined(Mask<kLanes> low, Mask<kLanes> high) {
  const auto bits = static_cast<unsigned>(low.m.raw) | static_cast<unsigned>(high.m.raw) << kLanes;
  return Mask<kFloatLanes>(
      hn::Mask<Tag<float, kFloatLanes>>{static_cast<decltype(hn::Mask<Tag<float, 16>>::raw)>(bits)});
}
template <int part>
ISOPATCH_HD Mask<kLanes> half_of(Mask<kFloatLanes> mask) {
  const auto bits = static_cast<unsigned>(mask.m.raw) >> (part * kLanes);
  return Mask<kLanes>(hn::Mask<Tag<float, kLanes>>{static_cast<decltype(hn::Mask<Tag<float, 8>>::raw)>(bits)});
}

#else

ISOPATCH_HD Mask<kLanes> narrowed(DoubleMask mask) {
  const auto bits = hn::BitCast(Tag<std::uint64_t, kLanes>(), hn::VecFromMask(Tag<double, kLanes>(), mask));
  const auto half = hn::TruncateTo(Tag<std::uint32_t, kLanes>(), bits);
  return Mask<kLanes>(hn::MaskFromVec(hn::BitCast(Tag<float, kLanes>(), half)));
}
ISOPATCH_HD DoubleMask widened(Mask<kLanes> mask) {
  const auto bits = hn::BitCast(Tag<std::int32_t, kLanes>(), hn::VecFromMask(Tag<float, kLanes>(), mask.m));
  return hn::MaskFromVec(hn::BitCast(Tag<double, kLanes>(), hn::PromoteTo(Tag<std::int64_t, kLanes>(), bits)));
}
ISOPATCH_HD Mask<kFloatLanes> joined(Mask<kLanes> low, Mask<kLanes> high) {
  const Tag<float, kLanes> half;
  return Mask<kFloatLanes>(hn::MaskFromVec(
      hn::Combine(Tag<float, kFloatLanes>(), hn::VecFromMask(half, high.m), hn::VecFromMask(half, low.m))));
}
template <int part>
ISOPATCH_HD Mask<kLanes> half_of(Mask<kFloatLanes> mask) {
  const auto all = hn::VecFromMask(Tag<float, kFloatLanes>(), mask.m);
  const Tag<float, kLanes> half;
  return Mask<kLanes>(hn::MaskFromVec(part == 0 ? hn::LowerHalf(half, all) : hn::UpperHalf(half, all)));
}

#endif

// --- numbers ---------------------------------------------------------------------------------------------------------

/// In one register, or doubles in as many as it takes.
template <class T, int lanes>
struct Pack {
  static constexpr int kParts = sizeof(T) == sizeof(double) ? lanes / kLanes : 1;
  static constexpr int kPartLanes = lanes / kParts;
  using PartTag = Tag<T, kPartLanes>;
  using Vector = hn::Vec<PartTag>;

  Vector part[kParts];

  Pack() = default;
  ISOPATCH_HD explicit Pack(T all) {
    for (Vector& v : part) v = hn::Set(PartTag(), all);
  }
  ISOPATCH_HD explicit Pack(Vector only) : part{only} {}

  template <class S>
  ISOPATCH_HD explicit Pack(const Pack<S, lanes>& other) {
    if constexpr (sizeof(T) == sizeof(double)) {
      if constexpr (kParts == 1) {
        part[0] = hn::PromoteTo(PartTag(), other.part[0]);
      } else {
        const Tag<S, kPartLanes> half;
        part[0] = hn::PromoteTo(PartTag(), hn::LowerHalf(half, other.part[0]));
        part[1] = hn::PromoteTo(PartTag(), hn::UpperHalf(half, other.part[0]));
      }
    } else {
      const Tag<T, Pack<S, lanes>::kPartLanes> half;
      if constexpr (Pack<S, lanes>::kParts == 1) {
        part[0] = hn::DemoteTo(half, other.part[0]);
      } else {
        part[0] = hn::Combine(PartTag(), hn::DemoteTo(half, other.part[1]), hn::DemoteTo(half, other.part[0]));
      }
    }
  }

  ISOPATCH_HD static Pack load(const T* from) {
    Pack out;
    for (int i = 0; i < kParts; ++i) out.part[i] = hn::LoadU(PartTag(), from + i * kPartLanes);
    return out;
  }
  ISOPATCH_HD void store(T* to) const {
    for (int i = 0; i < kParts; ++i) hn::StoreU(part[i], PartTag(), to + i * kPartLanes);
  }

  friend ISOPATCH_HD Pack operator+(Pack a, Pack b) {
    Pack out;
    for (int i = 0; i < kParts; ++i) out.part[i] = hn::Add(a.part[i], b.part[i]);
    return out;
  }
  friend ISOPATCH_HD Pack operator-(Pack a, Pack b) {
    Pack out;
    for (int i = 0; i < kParts; ++i) out.part[i] = hn::Sub(a.part[i], b.part[i]);
    return out;
  }
  friend ISOPATCH_HD Pack operator*(Pack a, Pack b) {
    Pack out;
    for (int i = 0; i < kParts; ++i) out.part[i] = hn::Mul(a.part[i], b.part[i]);
    return out;
  }
  friend ISOPATCH_HD Pack operator/(Pack a, Pack b) {
    Pack out;
    for (int i = 0; i < kParts; ++i) out.part[i] = hn::Div(a.part[i], b.part[i]);
    return out;
  }
  friend ISOPATCH_HD Pack operator&(Pack a, Pack b) {
    Pack out;
    for (int i = 0; i < kParts; ++i) out.part[i] = hn::And(a.part[i], b.part[i]);
    return out;
  }
  friend ISOPATCH_HD Pack operator|(Pack a, Pack b) {
    Pack out;
    for (int i = 0; i < kParts; ++i) out.part[i] = hn::Or(a.part[i], b.part[i]);
    return out;
  }
  friend ISOPATCH_HD Pack operator-(Pack a) {
    Pack out;
    for (int i = 0; i < kParts; ++i) out.part[i] = hn::Neg(a.part[i]);
    return out;
  }
  friend ISOPATCH_HD Pack fused(Pack a, Pack b, Pack c) {
    Pack out;
    for (int i = 0; i < kParts; ++i) out.part[i] = hn::MulAdd(a.part[i], b.part[i], c.part[i]);
    return out;
  }
  friend ISOPATCH_HD Pack sqrt(Pack a) {
    Pack out;
    for (int i = 0; i < kParts; ++i) out.part[i] = hn::Sqrt(a.part[i]);
    return out;
  }
  friend ISOPATCH_HD Pack abs(Pack a) {
    Pack out;
    for (int i = 0; i < kParts; ++i) out.part[i] = hn::Abs(a.part[i]);
    return out;
  }

  // x86's own minimum is `a < b ? a : b` too; others' treat signed zeros and NaN in their own ways
#if HWY_ARCH_X86
  friend ISOPATCH_HD Pack min(Pack a, Pack b) {
    Pack out;
    for (int i = 0; i < kParts; ++i) out.part[i] = hn::Min(a.part[i], b.part[i]);
    return out;
  }
  friend ISOPATCH_HD Pack max(Pack a, Pack b) {
    Pack out;
    for (int i = 0; i < kParts; ++i) out.part[i] = hn::Max(a.part[i], b.part[i]);
    return out;
  }
#else
  friend ISOPATCH_HD Pack min(Pack a, Pack b) { return select(a < b, a, b); }
  friend ISOPATCH_HD Pack max(Pack a, Pack b) { return select(a > b, a, b); }
#endif

  friend ISOPATCH_HD Mask<lanes> operator<(Pack a, Pack b) {
    PartMask mask[kParts];
    for (int i = 0; i < kParts; ++i) mask[i] = hn::Lt(a.part[i], b.part[i]);
    return to_mask(mask);
  }
  friend ISOPATCH_HD Mask<lanes> operator>(Pack a, Pack b) {
    PartMask mask[kParts];
    for (int i = 0; i < kParts; ++i) mask[i] = hn::Gt(a.part[i], b.part[i]);
    return to_mask(mask);
  }
  friend ISOPATCH_HD Mask<lanes> operator<=(Pack a, Pack b) {
    PartMask mask[kParts];
    for (int i = 0; i < kParts; ++i) mask[i] = hn::Le(a.part[i], b.part[i]);
    return to_mask(mask);
  }
  friend ISOPATCH_HD Mask<lanes> operator>=(Pack a, Pack b) {
    PartMask mask[kParts];
    for (int i = 0; i < kParts; ++i) mask[i] = hn::Ge(a.part[i], b.part[i]);
    return to_mask(mask);
  }
  friend ISOPATCH_HD Mask<lanes> operator!=(Pack a, Pack b) {
    PartMask mask[kParts];
    for (int i = 0; i < kParts; ++i) mask[i] = hn::Ne(a.part[i], b.part[i]);
    return to_mask(mask);
  }

  friend ISOPATCH_HD Pack select(Mask<lanes> m, Pack a, Pack b) {
    PartMask mask[kParts];
    from_mask(m, mask);
    Pack out;
    for (int i = 0; i < kParts; ++i) out.part[i] = hn::IfThenElse(mask[i], a.part[i], b.part[i]);
    return out;
  }

 private:
  using PartMask = hn::Mask<PartTag>;

  ISOPATCH_HD static Mask<lanes> to_mask(const PartMask (&mask)[kParts]) {
    if constexpr (sizeof(T) != sizeof(double)) {
      return Mask<lanes>(hn::RebindMask(Tag<float, lanes>(), mask[0]));
    } else if constexpr (kParts == 1) {
      return narrowed(mask[0]);
    } else {
      return joined(narrowed(mask[0]), narrowed(mask[1]));
    }
  }
  ISOPATCH_HD static void from_mask(Mask<lanes> m, PartMask (&mask)[kParts]) {
    if constexpr (sizeof(T) != sizeof(double)) {
      mask[0] = hn::RebindMask(PartTag(), m.m);
    } else if constexpr (kParts == 1) {
      mask[0] = widened(m);
    } else {
      mask[0] = widened(half_of<0>(m));
      mask[1] = widened(half_of<1>(m));
    }
  }
};

template <int lanes>
ISOPATCH_HD Pack<float, lanes> guess_inverse(Pack<float, lanes> x) {
  const Tag<std::uint32_t, lanes> bits;
  const auto guess = hn::Sub(hn::Set(bits, kFloatInverse), hn::BitCast(bits, x.part[0]));
  return Pack<float, lanes>(hn::BitCast(Tag<float, lanes>(), guess));
}
template <int lanes>
ISOPATCH_HD Pack<double, lanes> guess_inverse(Pack<double, lanes> x) {
  const Tag<std::uint64_t, kLanes> bits;
  Pack<double, lanes> out;
  for (int i = 0; i < out.kParts; ++i) {
    const auto guess = hn::Sub(hn::Set(bits, kDoubleInverse), hn::BitCast(bits, x.part[i]));
    out.part[i] = hn::BitCast(Tag<double, kLanes>(), guess);
  }
  return out;
}

template <int lanes>
ISOPATCH_HD Pack<float, lanes> guess_inverse_sqrt(Pack<float, lanes> x) {
  const Tag<std::int32_t, lanes> bits;
  const auto half = hn::ShiftRight<1>(hn::BitCast(bits, x.part[0]));
  return Pack<float, lanes>(hn::BitCast(Tag<float, lanes>(), hn::Sub(hn::Set(bits, kFloatGuess), half)));
}
template <int lanes>
ISOPATCH_HD Pack<double, lanes> guess_inverse_sqrt(Pack<double, lanes> x) {
  const Tag<std::uint64_t, kLanes> bits;  // the sign is not set
  Pack<double, lanes> out;
  for (int i = 0; i < out.kParts; ++i) {
    const auto half = hn::ShiftRight<1>(hn::BitCast(bits, x.part[i]));
    const auto guess = hn::Sub(hn::Set(bits, static_cast<std::uint64_t>(kDoubleGuess)), half);
    out.part[i] = hn::BitCast(Tag<double, kLanes>(), guess);
  }
  return out;
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
