// SPDX-License-Identifier: Apache-2.0
//
// Small fixed-size algebra. Every sum of products is an explicit fma and contraction is off in both compilers, so the
// results have the same bits on the CPU and on the GPU.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "isopatch/detail/math/macros.h"

namespace isopatch::detail {

/// The types that go with a number T: a float or a double, or a SIMD vector of them, one for each lane of a CPU's
/// vector (host/cpu/simd/simd.h). The arithmetic is written for any of these. What may differ from lane to lane is
/// decided with masks and select(); an `if` only tests whether any() lane goes on.
template <class T>
struct NumberTraits {
  using Float = float;
  using Double = double;
  using Int = std::int32_t;
  using Mask = bool;
};

template <class T>
using FloatOf = typename NumberTraits<T>::Float;
template <class T>
using DoubleOf = typename NumberTraits<T>::Double;
template <class T>
using IntOf = typename NumberTraits<T>::Int;
template <class T>
using MaskOf = typename NumberTraits<T>::Mask;

/// float or double
template <class T>
inline constexpr bool kIsFloat = std::is_same_v<T, FloatOf<T>>;

ISOPATCH_HD bool any(bool mask) { return mask; }

ISOPATCH_HD float select(bool mask, float a, float b) { return mask ? a : b; }
ISOPATCH_HD double select(bool mask, double a, double b) { return mask ? a : b; }
ISOPATCH_HD std::int32_t select(bool mask, std::int32_t a, std::int32_t b) { return mask ? a : b; }

template <class T, class S>
ISOPATCH_HD T cast(S x) {
  return static_cast<T>(x);
}

/// The doubles of a number's lanes, one register of the CPU after the other: a SIMD vector of floats has two of them,
/// since its doubles take two, and one of them may have nothing to do.
template <class T>
struct DoubleRegister {
  /// Calls visit(r) for each register r.
  template <class Visit>
  ISOPATCH_HD static void for_each(const Visit& visit) {
    visit(DoubleRegister());
  }
  ISOPATCH_HD bool has_any(MaskOf<T> mask) const { return any(mask); }          ///< of its lanes
  ISOPATCH_HD DoubleOf<T> get(T x) const { return cast<DoubleOf<T>>(x); }       ///< those lanes of x
  ISOPATCH_HD T replace(T, DoubleOf<T> lanes) const { return cast<T>(lanes); }  ///< x with those lanes instead
};

ISOPATCH_HD float abs(float x) { return std::fabs(x); }
ISOPATCH_HD double abs(double x) { return std::fabs(x); }
ISOPATCH_HD float sqrt(float x) { return std::sqrt(x); }
ISOPATCH_HD double sqrt(double x) { return std::sqrt(x); }

/// One comparison: unlike fmin the same on every machine for signed zeros and NaN.
template <class T>
ISOPATCH_HD T min(T a, T b) {
  return a < b ? a : b;
}

template <class T>
ISOPATCH_HD T max(T a, T b) {
  return a > b ? a : b;
}

/// The same for numbers of which at most the first is NaN, and where the sign of a zero does not matter: on a GPU one
/// instruction instead of two.
template <class T>
ISOPATCH_HD T fast_min(T a, T b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) return fminf(a, b);
#endif
  return min(a, b);
}

template <class T>
ISOPATCH_HD T fast_max(T a, T b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) return fmaxf(a, b);
#endif
  return max(a, b);
}

/// a + b modulo 2^64: partial sums may wrap if the total does not.
ISOPATCH_HD std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

template <class T>
struct Vec3 {
  T x, y, z;
};

using Vec3d = Vec3<double>;
using Vec3f = Vec3<float>;

/// a b + c, rounded once
ISOPATCH_HD float fma(float a, float b, float c) { return std::fma(a, b, c); }
ISOPATCH_HD double fma(double a, double b, double c) { return std::fma(a, b, c); }

/// A first guess of 1 / sqrt(x), within 4 %: the exponent halved and negated in the bits of x (Lomont, "Fast inverse
/// square root", 2003).
inline constexpr std::int32_t kFloatGuess = 0x5f375a86;
inline constexpr std::int64_t kDoubleGuess = 0x5fe6eb50c7b537a9;
ISOPATCH_HD float guess_inverse_sqrt(float x) {
  return std::bit_cast<float>(kFloatGuess - (std::bit_cast<std::int32_t>(x) >> 1));
}
ISOPATCH_HD double guess_inverse_sqrt(double x) {
  return std::bit_cast<double>(kDoubleGuess - (std::bit_cast<std::int64_t>(x) >> 1));
}

/// A first guess of 1 / x of the same kind, within 5.1 %.
inline constexpr std::uint32_t kFloatReciprocal = 0x7ef311c7u;
inline constexpr std::uint64_t kDoubleReciprocal = 0x7fde6238da3c2118u;
ISOPATCH_HD float guess_reciprocal(float x) {
  return std::bit_cast<float>(kFloatReciprocal - std::bit_cast<std::uint32_t>(x));
}
ISOPATCH_HD double guess_reciprocal(double x) {
  return std::bit_cast<double>(kDoubleReciprocal - std::bit_cast<std::uint64_t>(x));
}

/// 1 / x within a few roundings, for normal x of either sign up to 2^100; NaN for 0. With r = 1 - x y, 1 / x is y (1 +
/// r + r^2 + ...). A division keeps a vector's divider busy three times as long.
template <class T>
ISOPATCH_HD T reciprocal(T x) {
  constexpr int kSteps = kIsFloat<T> ? 1 : 2;
  T y = guess_reciprocal(x);
  ISOPATCH_UNROLL
  for (int i = 0; i < kSteps; ++i) {
    const T r = fma(-x, y, T(1));
    y = fma(y, fma(r, r, r), y);
  }
  return fma(y, fma(-x, y, T(1)), y);
}

/// 1 / x within kReciprocalError of itself, for conservative tests only: it is the machine's own estimate, so machines
/// differ. For 0 it is infinite, with the sign of the zero.
inline constexpr float kReciprocalError = 0x1p-11f;
ISOPATCH_HD float approximate_reciprocal(float x) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  const float y = guess_reciprocal(x), r = fma(-x, y, 1.0f);
  return fma(y, fma(r, r, r), y);
#endif
}

/// x with its sign flipped where y is negative.
ISOPATCH_HD float multiply_by_sign(float x, float y) {
  constexpr std::uint32_t kSign = 0x80000000u;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) ^ (std::bit_cast<std::uint32_t>(y) & kSign));
}

/// 1 / sqrt(x) within a few roundings, for normal positive x, by Newton iterations: each squares the error. Far cheaper
/// than a root and a division, above all in double on a GPU; finite for 0.
template <class T>
ISOPATCH_HD T inverse_sqrt(T x) {
  constexpr int kSteps = kIsFloat<T> ? 3 : 4;
  const T half = T(0.5) * x;
  T y = guess_inverse_sqrt(x);
  ISOPATCH_UNROLL
  for (int i = 0; i < kSteps; ++i) y = fma(y, fma(-(half * y), y, T(0.5)), y);
  return y;
}

template <class T>
ISOPATCH_HD Vec3<T> operator+(Vec3<T> a, Vec3<T> b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

template <class T>
ISOPATCH_HD Vec3<T> operator-(Vec3<T> a, Vec3<T> b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

template <class T>
ISOPATCH_HD Vec3<T> operator-(Vec3<T> a) {
  return {-a.x, -a.y, -a.z};
}

template <class T>
ISOPATCH_HD Vec3<T> operator*(std::type_identity_t<T> s, Vec3<T> a) {
  return {s * a.x, s * a.y, s * a.z};
}

template <class T>
ISOPATCH_HD T dot(Vec3<T> a, Vec3<T> b) {
  return fma(a.x, b.x, fma(a.y, b.y, a.z * b.z));
}

template <class T>
ISOPATCH_HD Vec3<T> cross(Vec3<T> a, Vec3<T> b) {
  return {fma(a.y, b.z, -(a.z * b.y)), fma(a.z, b.x, -(a.x * b.z)), fma(a.x, b.y, -(a.y * b.x))};
}

/// s a + b
template <class T>
ISOPATCH_HD Vec3<T> fma(std::type_identity_t<T> s, Vec3<T> a, Vec3<T> b) {
  return {fma(s, a.x, b.x), fma(s, a.y, b.y), fma(s, a.z, b.z)};
}

template <class T>
ISOPATCH_HD T norm(Vec3<T> a) {
  return sqrt(dot(a, a));
}

template <class T>
ISOPATCH_HD Vec3<T> min(Vec3<T> a, Vec3<T> b) {
  return {min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)};
}

template <class T>
ISOPATCH_HD Vec3<T> max(Vec3<T> a, Vec3<T> b) {
  return {max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)};
}

template <class T>
ISOPATCH_HD Vec3<T> fast_min(Vec3<T> a, Vec3<T> b) {
  return {fast_min(a.x, b.x), fast_min(a.y, b.y), fast_min(a.z, b.z)};
}

template <class T>
ISOPATCH_HD Vec3<T> fast_max(Vec3<T> a, Vec3<T> b) {
  return {fast_max(a.x, b.x), fast_max(a.y, b.y), fast_max(a.z, b.z)};
}

template <class T>
ISOPATCH_HD Vec3<T> abs(Vec3<T> a) {
  return {abs(a.x), abs(a.y), abs(a.z)};
}

template <class T>
ISOPATCH_HD Vec3<T> select(MaskOf<T> mask, Vec3<T> a, Vec3<T> b) {
  return {select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z)};
}

template <class T, class S>
ISOPATCH_HD Vec3<T> cast(Vec3<S> a) {
  return {cast<T>(a.x), cast<T>(a.y), cast<T>(a.z)};
}

template <class T>
struct Basis {
  Vec3<T> u, v;  // u x v = n
};

/// Two unit vectors normal to the unit vector n, without a branch (Duff et al., "Building an Orthonormal Basis,
/// Revisited", JCGT 2017).
template <class T>
ISOPATCH_HD Basis<T> make_basis(Vec3<T> n) {
  const T sign = select(n.z < T(0), T(-1), T(1));
  const T a = -reciprocal(sign + n.z);
  const T b = n.x * n.y * a;
  return {{fma(sign * n.x * n.x, a, T(1)), sign * b, -(sign * n.x)}, {b, fma(n.y * n.y, a, sign), -n.y}};
}

}  // namespace isopatch::detail
