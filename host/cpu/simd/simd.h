// SPDX-License-Identifier: Apache-2.0
//
// SimdVectors: one number for each lane of the CPU's vectors, so that the shared arithmetic (include/isopatch/detail)
// does a whole SIMD vector of cell pairs at once. A SIMD vector of kLanes doubles, or of kFloatLanes floats, fills a
// register; where float arithmetic needs doubles on the way, a SIMD vector of doubles takes two. Every operation is the
// IEEE one of plain numbers and fma is fused, so each lane has the bits that plain arithmetic gives.
//
// For the sources that are compiled for one instruction set (host/cpu/isa).
// Everything here has internal linkage or is inlined, so no other source can be linked to code for another instruction
// set.
#pragma once

// AES is not used, and x86-64-v3 and -v4 leave it open
#define HWY_DISABLE_PCLMUL_AES 1
#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

#include "isopatch/detail/math/elementary.h"

namespace isopatch::detail {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// For lambdas: without inlining, the values they capture are kept in memory.
#define ISOPATCH_INLINED __attribute__((always_inline))

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
  return Mask<kFloatLanes>(hn::Mask<Tag<float, kFloatLanes>>{_mm512_kunpackb(high.m.raw, low.m.raw)});
}
template <int part>
ISOPATCH_HD Mask<kLanes> half_of(Mask<kFloatLanes> mask) {
  const auto bits = part == 0 ? mask.m.raw : _kshiftri_mask16(mask.m.raw, kLanes);
  return Mask<kLanes>(hn::Mask<Tag<float, kLanes>>{static_cast<__mmask8>(bits)});
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

/// In one register; doubles in two, where as many floats take one.
template <class T, int lanes>
struct Simd {
  static constexpr bool kTwo = sizeof(T) == sizeof(double) && lanes > kLanes;
  static constexpr int kPartLanes = kTwo ? lanes / 2 : lanes;
  using PartTag = Tag<T, kPartLanes>;
  using Vector = hn::Vec<PartTag>;
  struct Nothing {};

  Vector low;
  [[no_unique_address]] std::conditional_t<kTwo, Vector, Nothing> high;

  Simd() = default;
  ISOPATCH_HD explicit Simd(T all) : low(hn::Set(PartTag(), all)) {
    if constexpr (kTwo) high = low;
  }
  ISOPATCH_HD explicit Simd(Vector only) : low(only) { static_assert(!kTwo); }
  ISOPATCH_HD Simd(Vector low_, Vector high_) : low(low_), high(high_) {}

  template <class S>
  ISOPATCH_HD explicit Simd(const Simd<S, lanes>& other) {
    if constexpr (sizeof(T) == sizeof(double)) {
      if constexpr (kTwo) {
        const Tag<S, kPartLanes> half;
        low = hn::PromoteTo(PartTag(), hn::LowerHalf(half, other.low));
        high = hn::PromoteTo(PartTag(), hn::UpperHalf(half, other.low));
      } else {
        low = hn::PromoteTo(PartTag(), other.low);
      }
    } else {
      const Tag<T, Simd<S, lanes>::kPartLanes> half;
      if constexpr (Simd<S, lanes>::kTwo) {
        low = hn::Combine(PartTag(), hn::DemoteTo(half, other.high), hn::DemoteTo(half, other.low));
      } else {
        low = hn::DemoteTo(half, other.low);
      }
    }
  }

  ISOPATCH_HD static Simd load(const T* from) {
    Simd out;
    out.low = hn::LoadU(PartTag(), from);
    if constexpr (kTwo) out.high = hn::LoadU(PartTag(), from + kPartLanes);
    return out;
  }
  ISOPATCH_HD void store(T* to) const {
    hn::StoreU(low, PartTag(), to);
    if constexpr (kTwo) hn::StoreU(high, PartTag(), to + kPartLanes);
  }

#define ISOPATCH_UNARY(name, Op)                                    \
  friend ISOPATCH_HD Simd name(Simd a) {                            \
    if constexpr (kTwo) return Simd(hn::Op(a.low), hn::Op(a.high)); \
    if constexpr (!kTwo) return Simd(hn::Op(a.low));                \
  }
#define ISOPATCH_BINARY(name, Op)                                                  \
  friend ISOPATCH_HD Simd name(Simd a, Simd b) {                                   \
    if constexpr (kTwo) return Simd(hn::Op(a.low, b.low), hn::Op(a.high, b.high)); \
    if constexpr (!kTwo) return Simd(hn::Op(a.low, b.low));                        \
  }
#define ISOPATCH_COMPARISON(name, Op)                                                                    \
  friend ISOPATCH_HD Mask<lanes> name(Simd a, Simd b) {                                                  \
    if constexpr (kTwo) return joined(narrowed(hn::Op(a.low, b.low)), narrowed(hn::Op(a.high, b.high))); \
    if constexpr (!kTwo) return mask_of(hn::Op(a.low, b.low));                                           \
  }
  ISOPATCH_UNARY(operator-, Neg)
  ISOPATCH_UNARY(sqrt, Sqrt)
  ISOPATCH_UNARY(abs, Abs)
  ISOPATCH_UNARY(nearest, Round)  // the nearest integer; of two the even one
  ISOPATCH_BINARY(operator+, Add)
  ISOPATCH_BINARY(operator-, Sub)
  ISOPATCH_BINARY(operator*, Mul)
  ISOPATCH_BINARY(operator/, Div)
  ISOPATCH_BINARY(operator&, And)
  ISOPATCH_BINARY(operator|, Or)
  ISOPATCH_COMPARISON(operator<, Lt)
  ISOPATCH_COMPARISON(operator>, Gt)
  ISOPATCH_COMPARISON(operator<=, Le)
  ISOPATCH_COMPARISON(operator>=, Ge)
  ISOPATCH_COMPARISON(operator!=, Ne)

  // x86's minimum is `a < b ? a : b` too; others treat signed zeros and NaN differently
#if HWY_ARCH_X86
  ISOPATCH_BINARY(min, Min)
  ISOPATCH_BINARY(max, Max)
#else
  friend ISOPATCH_HD Simd min(Simd a, Simd b) { return select(a < b, a, b); }
  friend ISOPATCH_HD Simd max(Simd a, Simd b) { return select(a > b, a, b); }
#endif
#undef ISOPATCH_UNARY
#undef ISOPATCH_BINARY
#undef ISOPATCH_COMPARISON

  friend ISOPATCH_HD Simd fma(Simd a, Simd b, Simd c) {
    if constexpr (kTwo) return Simd(hn::MulAdd(a.low, b.low, c.low), hn::MulAdd(a.high, b.high, c.high));
    if constexpr (!kTwo) return Simd(hn::MulAdd(a.low, b.low, c.low));
  }

  friend ISOPATCH_HD Simd select(Mask<lanes> mask, Simd a, Simd b) {
    if constexpr (sizeof(T) != sizeof(double)) {
      return Simd(hn::IfThenElse(hn::RebindMask(PartTag(), mask.m), a.low, b.low));
    } else if constexpr (kTwo) {
      return Simd(hn::IfThenElse(of_this_type(widened(half_of<0>(mask))), a.low, b.low),
                  hn::IfThenElse(of_this_type(widened(half_of<1>(mask))), a.high, b.high));
    } else {
      return Simd(hn::IfThenElse(of_this_type(widened(mask)), a.low, b.low));
    }
  }

 private:
  static ISOPATCH_HD Mask<lanes> mask_of(hn::Mask<PartTag> mask) {
    if constexpr (sizeof(T) == sizeof(double)) return narrowed(mask);
    if constexpr (sizeof(T) != sizeof(double)) return Mask<lanes>(hn::RebindMask(Tag<float, lanes>(), mask));
  }
  static ISOPATCH_HD auto of_this_type(DoubleMask mask) { return hn::RebindMask(PartTag(), mask); }
};

/// f of each of the one or two registers that the doubles are in.
template <class F>
ISOPATCH_HD Simd<double, kLanes> by_register(Simd<double, kLanes> x, const F& f) {
  return Simd<double, kLanes>(f(x.low));
}
template <class F>
ISOPATCH_HD Simd<double, kFloatLanes> by_register(Simd<double, kFloatLanes> x, const F& f) {
  return {f(x.low), f(x.high)};
}

template <int lanes>
ISOPATCH_HD Simd<float, lanes> guess_reciprocal(Simd<float, lanes> x) {
  const Tag<std::uint32_t, lanes> bits;
  const auto guess = hn::Sub(hn::Set(bits, kFloatReciprocal), hn::BitCast(bits, x.low));
  return Simd<float, lanes>(hn::BitCast(Tag<float, lanes>(), guess));
}
template <int lanes>
ISOPATCH_HD Simd<float, lanes> approximate_reciprocal(Simd<float, lanes> x) {
#if HWY_ARCH_X86  // within 1.5 / 4096
  return Simd<float, lanes>(hn::ApproximateReciprocal(x.low));
#else
  const Simd<float, lanes> y = guess_reciprocal(x), r = fma(-x, y, Simd<float, lanes>(1.0f));
  return fma(y, fma(r, r, r), y);
#endif
}
template <int lanes>
ISOPATCH_HD Simd<float, lanes> multiply_by_sign(Simd<float, lanes> x, Simd<float, lanes> y) {
  return Simd<float, lanes>(hn::Xor(x.low, hn::And(y.low, hn::SignBit(Tag<float, lanes>()))));
}
template <int lanes>
ISOPATCH_HD Simd<double, lanes> guess_reciprocal(Simd<double, lanes> x) {
  return by_register(x, [](auto part) {
    const Tag<std::uint64_t, kLanes> bits;
    return hn::BitCast(Tag<double, kLanes>(), hn::Sub(hn::Set(bits, kDoubleReciprocal), hn::BitCast(bits, part)));
  });
}

template <int lanes>
ISOPATCH_HD Simd<float, lanes> guess_inverse_sqrt(Simd<float, lanes> x) {
  const Tag<std::int32_t, lanes> bits;
  const auto half = hn::ShiftRight<1>(hn::BitCast(bits, x.low));
  return Simd<float, lanes>(hn::BitCast(Tag<float, lanes>(), hn::Sub(hn::Set(bits, kFloatGuess), half)));
}
template <int lanes>
ISOPATCH_HD Simd<double, lanes> guess_inverse_sqrt(Simd<double, lanes> x) {
  return by_register(x, [](auto part) {
    const Tag<std::uint64_t, kLanes> bits;  // the sign is not set
    const auto shifted = hn::ShiftRight<1>(hn::BitCast(bits, part));
    const auto guess = hn::Sub(hn::Set(bits, static_cast<std::uint64_t>(kDoubleGuess)), shifted);
    return hn::BitCast(Tag<double, kLanes>(), guess);
  });
}

template <int lanes>
ISOPATCH_HD Simd<double, lanes> mantissa_of(Simd<double, lanes> x) {
  return by_register(x, [](auto part) {
    const Tag<std::uint64_t, kLanes> bits;
    const auto fraction = hn::And(hn::BitCast(bits, part), hn::Set(bits, kMantissaBits));
    return hn::BitCast(Tag<double, kLanes>(), hn::Or(fraction, hn::Set(bits, kOneBits)));
  });
}
template <int lanes>
ISOPATCH_HD Simd<double, lanes> exponent_of(Simd<double, lanes> x) {
  return by_register(x, [](auto part) {
    const Tag<std::uint64_t, kLanes> bits;
    const auto counting = hn::Or(hn::ShiftRight<52>(hn::BitCast(bits, part)), hn::Set(bits, kCountingBits));
    const Tag<double, kLanes> numbers;
    return hn::Sub(hn::BitCast(numbers, counting), hn::Set(numbers, kCountingBias));
  });
}

/// The nearest integers, of less than 2^31.
template <int lanes>
ISOPATCH_HD Simd<std::int32_t, lanes> nearest_integers(Simd<float, lanes> x) {
  return Simd<std::int32_t, lanes>(hn::NearestInt(x.low));
}
ISOPATCH_HD Simd<std::int32_t, kLanes> nearest_integers(Simd<double, kLanes> x) {
  return Simd<std::int32_t, kLanes>(hn::DemoteTo(Tag<std::int32_t, kLanes>(), nearest(x).low));
}

/// For integers of less than 2^63.
ISOPATCH_HD Simd<std::int64_t, kLanes> to_integers(Simd<double, kLanes> x) {
  return Simd<std::int64_t, kLanes>(hn::ConvertTo(Tag<std::int64_t, kLanes>(), x.low));
}
ISOPATCH_HD Simd<std::int64_t, kFloatLanes> to_integers(Simd<double, kFloatLanes> x) {
  const Tag<std::int64_t, kLanes> tag;
  return {hn::ConvertTo(tag, x.low), hn::ConvertTo(tag, x.high)};
}

/// The lower or the upper half of a SIMD vector's lanes.
template <int half>
struct HalfOfLanes {
  ISOPATCH_HD bool has_any(Mask<kFloatLanes> mask) const { return any(half_of<half>(mask)); }
  ISOPATCH_HD Simd<double, kLanes> get(Simd<float, kFloatLanes> x) const {
    const Tag<float, kLanes> tag;
    return Simd<double, kLanes>(
        hn::PromoteTo(Tag<double, kLanes>(), half == 0 ? hn::LowerHalf(tag, x.low) : hn::UpperHalf(tag, x.low)));
  }
  ISOPATCH_HD Simd<float, kFloatLanes> replace(Simd<float, kFloatLanes> x, Simd<double, kLanes> lanes) const {
    const Tag<float, kLanes> tag;
    const Tag<float, kFloatLanes> both;
    const auto narrow = hn::DemoteTo(tag, lanes.low);
    return Simd<float, kFloatLanes>(half == 0 ? hn::Combine(both, hn::UpperHalf(tag, x.low), narrow)
                                              : hn::Combine(both, narrow, hn::LowerHalf(tag, x.low)));
  }
};

}  // namespace

template <class T, int lanes>
struct NumberTraits<Simd<T, lanes>> {
  using Float = Simd<float, lanes>;
  using Double = Simd<double, lanes>;
  using Int = Simd<std::int32_t, lanes>;
  using Mask = detail::Mask<lanes>;
};

template <>
struct DoubleRegister<Simd<float, kFloatLanes>> {
  template <class Visit>
  ISOPATCH_HD static void for_each(const Visit& visit) {
    visit(HalfOfLanes<0>());
    visit(HalfOfLanes<1>());
  }
};

}  // namespace isopatch::detail
