// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of floating point and conversions.
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <type_traits>

#include "bench/cycle_model/operations.h"

namespace isopatch::cycle_model {

namespace {

float flushed(float x) { return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x; }

Lanes<float> floats(const Warp& w, const Operand& o, bool flushes) {
  const Lanes<float> value = w.floats(o);
  return flushes ? map(flushed, value) : value;
}

int rounding_of(const Instruction& i) {
  if (i.has("RP")) return FE_UPWARD;
  if (i.has("RM")) return FE_DOWNWARD;
  if (i.has("RZ") || i.has("TRUNC")) return FE_TOWARDZERO;
  return FE_TONEAREST;
}

/// f(values) as rounded so. The values pass through memory, so that the compiler keeps the order.
template <class F, class... A>
auto rounded(int rounding, F f, A... a) {
  std::fesetround(rounding);
  volatile auto value = f(static_cast<volatile A&>(a)...);
  std::fesetround(FE_TONEAREST);
  return static_cast<decltype(f(a...))>(value);
}

/// A sum, product or both, of float or double.
template <class T, class F, class... A>
void arithmetic(Warp& w, const Instruction& i, bool flushes, int rounding, F f, const Lanes<A>&... a) {
  Lanes<T> value =
      rounding == FE_TONEAREST ? map(f, a...) : map([&](A... x) { return rounded(rounding, f, x...); }, a...);
  if constexpr (std::is_same_v<T, float>) {
    if (flushes) value = map(flushed, value);
  }
  w.set(i[0], value);
}

template <class F>
Operation of_two_floats(const Instruction& form, F f) {
  return [=, flushes = form.has("FTZ"), rounding = rounding_of(form)](Warp& w, const Instruction& i) {
    arithmetic<float>(w, i, flushes, rounding, f, floats(w, i[1], flushes), floats(w, i[2], flushes));
  };
}

template <class F>
Operation of_two_doubles(const Instruction& form, F f) {
  return [=, rounding = rounding_of(form)](Warp& w, const Instruction& i) {
    arithmetic<double>(w, i, false, rounding, f, w.doubles(i[1]), w.doubles(i[2]));
  };
}

constexpr auto kAdd = [](auto a, auto b) { return a + b; };
constexpr auto kMultiply = [](auto a, auto b) { return a * b; };
constexpr auto kMultiplyAdd = [](auto a, auto b, auto c) { return std::fma(a, b, c); };

Operation ffma(const Instruction& form) {
  return [flushes = form.has("FTZ"), rounding = rounding_of(form)](Warp& w, const Instruction& i) {
    arithmetic<float>(w, i, flushes, rounding, kMultiplyAdd, floats(w, i[1], flushes), floats(w, i[2], flushes),
                      floats(w, i[3], flushes));
  };
}

Operation dfma(const Instruction& form) {
  return [rounding = rounding_of(form)](Warp& w, const Instruction& i) {
    arithmetic<double>(w, i, false, rounding, kMultiplyAdd, w.doubles(i[1]), w.doubles(i[2]), w.doubles(i[3]));
  };
}

/// Sets a predicate to a comparison and another to its opposite, each joined with a third.
void set_pair(Warp& w, const Instruction& i, Join join, u32 found) {
  const u32 with = w.mask(i[4]);
  w.set_mask(i[0], joined(join, found, with));
  w.set_mask(i[1], joined(join, ~found, with));
}

Operation fsetp(const Instruction& form) {
  const Comparison compare = comparison(form.modifiers.at(0));
  if (compare.accepts == 0) return {};
  return [=, flushes = form.has("FTZ"), join = join_of(form)](Warp& w, const Instruction& i) {
    set_pair(w, i, join, where(compare, floats(w, i[2], flushes), floats(w, i[3], flushes)));
  };
}

Operation dsetp(const Instruction& form) {
  if (form.has("MAX") || form.has("MIN")) {  // whether the first is the result; it is, too, if the second is no number
    return [maximum = form.has("MAX")](Warp& w, const Instruction& i) {
      const Lanes<double> a = w.doubles(i[2]), b = w.doubles(i[3]);
      const auto unordered = [](double y) { return std::isnan(y); };
      const auto chosen = [&](double x, double y) { return std::isnan(y) || (maximum ? x > y : x < y); };
      w.set_mask(i[0], where(chosen, a, b));
      w.set_mask(i[1], where(unordered, b));
    };
  }
  const Comparison compare = comparison(form.modifiers.at(0));
  if (compare.accepts == 0) return {};
  return [=, join = join_of(form)](Warp& w, const Instruction& i) {
    set_pair(w, i, join, where(compare, w.doubles(i[2]), w.doubles(i[3])));
  };
}

Operation fsel(const Instruction&) {
  return [](Warp& w, const Instruction& i) { w.set(i[0], select(w.mask(i[3]), w.floats(i[1]), w.floats(i[2]))); };
}

float lesser(float a, float b) {
  if (a == b) return std::signbit(a) ? a : b;  // -0 is less than 0
  return std::fmin(a, b);
}

Operation fmnmx(const Instruction& form) {
  return [keeps_nan = form.has("NAN")](Warp& w, const Instruction& i) {
    const auto with_nan = [=](float a, float b, float value) {
      return keeps_nan && (std::isnan(a) || std::isnan(b)) ? std::numeric_limits<float>::quiet_NaN() : value;
    };
    const auto least =
        map([&](float a, float b) { return with_nan(a, b, lesser(a, b)); }, w.floats(i[1]), w.floats(i[2]));
    const auto most =
        map([&](float a, float b) { return with_nan(a, b, -lesser(-a, -b)); }, w.floats(i[1]), w.floats(i[2]));
    w.set(i[0], select(w.mask(i[3]), least, most));
  };
}

/// Approximations are exact here, and less so on a device. What is computed with them does not depend on it.
Operation mufu(const Instruction& form) {
  if (form.has("RCP"))
    return [](Warp& w, const Instruction& i) { w.set(i[0], map([](float x) { return 1 / x; }, w.floats(i[1]))); };
  if (form.has("RSQ")) {
    return [](Warp& w, const Instruction& i) {
      w.set(i[0], map([](float x) { return static_cast<float>(1 / std::sqrt(double{x})); }, w.floats(i[1])));
    };
  }
  if (!form.has("RCP64H") && !form.has("RSQ64H")) return {};
  return [root = form.has("RSQ64H")](Warp& w, const Instruction& i) {  // between the upper halves of doubles
    Operand plain = i[1];
    plain.negative = false;
    const auto upper = [&](u32 bits) {
      const double x = std::bit_cast<double>(u64{bits} << 32) * (i[1].negative ? -1 : 1);
      return static_cast<u32>(std::bit_cast<u64>(1 / (root ? std::sqrt(x) : x)) >> 32);
    };
    w.set(i[0], map(upper, w.raw(plain)));
  };
}

/// Whether a division needs more than the usual sequence: where an exponent is extreme.
Operation fchk(const Instruction&) {
  return [](Warp& w, const Instruction& i) {
    const auto extreme = [](float a, float b) {
      const auto exponent = [](float x) { return static_cast<int>(std::bit_cast<u32>(x) >> 23 & 255); };
      const int ratio = exponent(a) - exponent(b);
      return exponent(a) <= 24 || exponent(a) == 255 || exponent(b) == 0 || exponent(b) >= 252 || ratio < -124 ||
             ratio > 125;
    };
    w.set_mask(i[0], where(extreme, w.floats(i[1]), w.floats(i[2])));
  };
}

Operation f2f(const Instruction& form) {
  if (rounding_of(form) != FE_TONEAREST || form.modifiers.size() != 2) return {};
  if (form.modifiers[0] == "F32") {
    return [](Warp& w, const Instruction& i) {
      w.set(i[0], map([](double x) { return static_cast<float>(x); }, w.doubles(i[1])));
    };
  }
  return [](Warp& w, const Instruction& i) { w.set(i[0], map([](float x) { return double{x}; }, w.floats(i[1]))); };
}

/// To an integer, which is the nearest one of its type if the number has none.
template <class T>
T integer(double x, bool truncates) {
  if (std::isnan(x)) return std::is_signed_v<T> && sizeof(T) == 8 ? std::numeric_limits<T>::min() : T{0};
  const double whole = truncates ? std::trunc(x) : std::nearbyint(x);
  if (whole <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  if (whole >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  return static_cast<T>(whole);
}

Operation f2i(const Instruction& form) {
  const bool flushes = form.has("FTZ"), from_double = form.has("F64"), truncates = form.has("TRUNC");
  const auto to_integer = [=](auto convert) -> Operation {
    return [=](Warp& w, const Instruction& i) {
      const auto widened = [](float x) { return double{x}; };
      w.set(i[0], map(convert, from_double ? w.doubles(i[1]) : map(widened, floats(w, i[1], flushes))));
    };
  };
  if (form.has("S64")) {
    return to_integer([=](double x) { return static_cast<u64>(integer<std::int64_t>(x, truncates)); });
  }
  if (form.has("U64")) return to_integer([=](double x) { return integer<u64>(x, truncates); });
  if (form.has("U32")) return to_integer([=](double x) { return integer<u32>(x, truncates); });
  return to_integer([=](double x) { return static_cast<u32>(integer<std::int32_t>(x, truncates)); });
}

/// To T, from 32 or 64 bits, signed or not.
template <class T>
Operation from_integer(const Instruction& form) {
  const auto rounded_to = [rounding = rounding_of(form)](auto x) {
    return rounded(
        rounding, [](auto y) { return static_cast<T>(y); }, x);
  };
  if (form.has("S64") || form.has("U64")) {
    return [=, is_signed = form.has("S64")](Warp& w, const Instruction& i) {
      const auto convert = [&](u64 x) { return is_signed ? rounded_to(static_cast<std::int64_t>(x)) : rounded_to(x); };
      w.set(i[0], map(convert, w.longs(i[1])));
    };
  }
  return [=, is_signed = !form.has("U32")](Warp& w, const Instruction& i) {
    const auto convert = [&](u32 x) { return is_signed ? rounded_to(static_cast<std::int32_t>(x)) : rounded_to(x); };
    w.set(i[0], map(convert, w.words(i[1])));
  };
}

Operation i2f(const Instruction& i) { return i.has("F64") ? from_integer<double>(i) : from_integer<float>(i); }

/// Only as the compiler uses it, to set a register to two halves: -0 * 0 + constant.
Operation hfma2(const Instruction& form) {
  if (form.operands.size() != 5 || form[3].bank != Bank::kImmediate || form[1].text != "-RZ") return {};
  return [](Warp& w, const Instruction& i) { w.set(i[0], w.raw(i[3])); };
}

}  // namespace

Operations float_operations() {
  return {{"FADD", [](const Instruction& i) { return of_two_floats(i, kAdd); }},
          {"FMUL", [](const Instruction& i) { return of_two_floats(i, kMultiply); }},
          {"FFMA", ffma},
          {"DADD", [](const Instruction& i) { return of_two_doubles(i, kAdd); }},
          {"DMUL", [](const Instruction& i) { return of_two_doubles(i, kMultiply); }},
          {"DFMA", dfma},
          {"FSETP", fsetp},
          {"DSETP", dsetp},
          {"FSEL", fsel},
          {"FMNMX", fmnmx},
          {"MUFU", mufu},
          {"FCHK", fchk},
          {"F2F", f2f},
          {"F2I", f2i},
          {"I2F", i2f},
          {"I2FP", i2f},
          {"HFMA2", hfma2}};
}

}  // namespace isopatch::cycle_model
