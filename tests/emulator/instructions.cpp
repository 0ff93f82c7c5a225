// SPDX-License-Identifier: Apache-2.0
//
// What each instruction does to the active lanes. Arithmetic follows the PTX ISA, chapter 9.7: IEEE, to nearest,
// subnormals kept; a shift by the width or more leaves zeros or signs; min and max take the number where the other is
// not one, and -0 is less than +0.
#include "emulator/instructions.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

#include "emulator/warp.h"

namespace isopatch::emulator {

namespace {

using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kAll = ~0u;

/// d = f(lane) where a lane is active.
template <class D, class F>
void each(Warp& w, Slot to, const F& f) {
  D* d = w.lanes<D>(to);
  const u32 active = w.active();
  if (active == kAll) {
#pragma GCC ivdep
    for (int lane = 0; lane < kLanes; ++lane) d[lane] = f(lane);
  } else {
    for (u32 left = active; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      d[lane] = f(lane);
    }
  }
}

template <class D, class A, auto f>
void unary(Warp& w, const Instruction& i) {
  const A* a = w.lanes<A>(i.slots[1]);
  each<D>(w, i.slots[0], [=](int lane) { return f(a[lane]); });
}

template <class D, class A, class B, auto f>
void binary(Warp& w, const Instruction& i) {
  const A* a = w.lanes<A>(i.slots[1]);
  const B* b = w.lanes<B>(i.slots[2]);
  each<D>(w, i.slots[0], [=](int lane) { return f(a[lane], b[lane]); });
}

template <class T, auto f>
void ternary(Warp& w, const Instruction& i) {
  const T *a = w.lanes<T>(i.slots[1]), *b = w.lanes<T>(i.slots[2]), *c = w.lanes<T>(i.slots[3]);
  each<T>(w, i.slots[0], [=](int lane) { return f(a[lane], b[lane], c[lane]); });
}

void set_mask(Warp& w, Slot to, u32 bits) { w.mask(to) = (w.mask(to) & ~w.active()) | (bits & w.active()); }

template <class T, auto f>
void compare(Warp& w, const Instruction& i) {
  const T *a = w.lanes<T>(i.slots[1]), *b = w.lanes<T>(i.slots[2]);
  u32 bits = 0;
  for (int lane = 0; lane < kLanes; ++lane) bits |= static_cast<u32>(f(a[lane], b[lane])) << lane;
  set_mask(w, i.slots[0], bits);
}

template <class T>
void select(Warp& w, const Instruction& i) {
  const T *a = w.lanes<T>(i.slots[1]), *b = w.lanes<T>(i.slots[2]);
  const u32 mask = w.mask(i.slots[3]);
  each<T>(w, i.slots[0], [=](int lane) { return (mask >> lane & 1u) != 0 ? a[lane] : b[lane]; });
}

template <auto f>
void masks(Warp& w, const Instruction& i) {
  set_mask(w, i.slots[0], f(w.mask(i.slots[1]), w.mask(i.slots[2])));
}
void not_mask(Warp& w, const Instruction& i) { set_mask(w, i.slots[0], ~w.mask(i.slots[1])); }
void move_mask(Warp& w, const Instruction& i) { set_mask(w, i.slots[0], w.mask(i.slots[1])); }

template <class D, class A>
constexpr auto kCast = [](A a) { return static_cast<D>(a); };
constexpr auto kSame = [](auto a) { return a; };
constexpr auto kAdd = [](auto a, auto b) { return static_cast<decltype(a)>(a + b); };
constexpr auto kSub = [](auto a, auto b) { return static_cast<decltype(a)>(a - b); };
constexpr auto kMul = [](auto a, auto b) { return static_cast<decltype(a)>(a * b); };
constexpr auto kAnd = [](auto a, auto b) { return static_cast<decltype(a)>(a & b); };
constexpr auto kOr = [](auto a, auto b) { return static_cast<decltype(a)>(a | b); };
constexpr auto kXor = [](auto a, auto b) { return static_cast<decltype(a)>(a ^ b); };
constexpr auto kNot = [](auto a) { return static_cast<decltype(a)>(~a); };
constexpr auto kFma = [](auto a, auto b, auto c) { return std::fma(a, b, c); };
constexpr auto kDivFloat = [](auto a, auto b) { return a / b; };
constexpr auto kSqrt = [](auto a) { return std::sqrt(a); };
constexpr auto kReciprocal = [](auto a) { return decltype(a)(1) / a; };
/// What counts as 0 gives an infinity; a device is less exact.
constexpr auto kApproximateReciprocal = [](float a) {
  return 1.0f / (std::fabs(a) < std::numeric_limits<float>::min() ? std::copysign(0.0f, a) : a);
};
constexpr auto kNegate = [](auto a) { return -a; };
constexpr auto kAbs = [](auto a) { return std::fabs(a); };
constexpr auto kAbsInteger = [](auto a) { return a < 0 ? static_cast<decltype(a)>(0u - static_cast<u32>(a)) : a; };
constexpr auto kLess = [](auto a, auto b) { return a < b; };
constexpr auto kLessEqual = [](auto a, auto b) { return a <= b; };
constexpr auto kGreater = [](auto a, auto b) { return a > b; };
constexpr auto kGreaterEqual = [](auto a, auto b) { return a >= b; };
constexpr auto kEqual = [](auto a, auto b) { return a == b; };
constexpr auto kNotEqual = [](auto a, auto b) { return a != b; };
constexpr auto kNotOrdered = [](auto a, auto b) { return a < b || a > b; };  // "ne" is false where one is not a number
constexpr auto kLessOr = [](auto a, auto b) { return !(a >= b); };           // or not a number
constexpr auto kLessEqualOr = [](auto a, auto b) { return !(a > b); };
constexpr auto kGreaterOr = [](auto a, auto b) { return !(a <= b); };
constexpr auto kGreaterEqualOr = [](auto a, auto b) { return !(a < b); };
constexpr auto kEqualOr = [](auto a, auto b) { return !(a < b || a > b); };

constexpr auto kMinFloat = [](auto a, auto b) {
  if (a != a) return b;
  if (b != b) return a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
};
constexpr auto kMaxFloat = [](auto a, auto b) {
  if (a != a) return b;
  if (b != b) return a;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
};
constexpr auto kMin = [](auto a, auto b) { return a < b ? a : b; };
constexpr auto kMax = [](auto a, auto b) { return a > b ? a : b; };
/// The second with the sign of the first.
constexpr auto kCopySign = [](float a, float b) { return std::copysign(b, a); };

template <class T>
constexpr auto kShiftLeft = [](T a, u32 by) { return by >= 8 * sizeof(T) ? T(0) : static_cast<T>(a << by); };
template <class T>
constexpr auto kShiftRight = [](T a, u32 by) {
  constexpr u32 kMost = 8 * sizeof(T) - 1;
  if (by > kMost) return std::is_signed_v<T> ? static_cast<T>(a >> kMost) : T(0);
  return static_cast<T>(a >> by);
};

constexpr auto kMulWide32 = [](s32 a, s32 b) { return static_cast<s64>(a) * b; };
constexpr auto kMulWideU32 = [](u32 a, u32 b) { return static_cast<u64>(a) * b; };
constexpr auto kMulAdd = [](u32 a, u32 b, u32 c) { return a * b + c; };
constexpr auto kPopCount = [](u32 a) { return static_cast<u32>(std::popcount(a)); };

template <class T>
constexpr auto kDivide = [](T a, T b) {
  if (b == 0) throw DeviceFault("integer division by zero");
  return static_cast<T>(a / b);
};

/// To the nearest, ties to even; saturated, and the least number for what is none.
constexpr auto kToS64 = [](auto a) {
  const auto nearest = std::nearbyint(a);
  if (!(nearest >= decltype(a)(-0x1p63))) return std::numeric_limits<s64>::min();
  if (nearest >= decltype(a)(0x1p63)) return std::numeric_limits<s64>::max();
  return static_cast<s64>(nearest);
};

/// d = {a, b}
void pack(Warp& w, const Instruction& i) {
  const u32 *low = w.lanes<u32>(i.slots[1]), *high = w.lanes<u32>(i.slots[2]);
  each<u64>(w, i.slots[0], [=](int lane) { return static_cast<u64>(high[lane]) << 32 | low[lane]; });
}

/// {d0, d1} = a
void unpack(Warp& w, const Instruction& i) {
  alignas(64) u64 a[kLanes];
  std::memcpy(a, w.lanes<u64>(i.slots[2]), sizeof(a));
  each<u32>(w, i.slots[0], [&](int lane) { return static_cast<u32>(a[lane]); });
  each<u32>(w, i.slots[1], [&](int lane) { return static_cast<u32>(a[lane] >> 32); });
}

void thread_number(Warp& w, const Instruction& i) {
  each<u32>(w, i.slots[0], [&](int lane) { return w.thread(lane); });
}
void block_number(Warp& w, const Instruction& i) {
  each<u32>(w, i.slots[0], [&](int) { return w.block(); });
}
void block_size(Warp& w, const Instruction& i) {
  each<u32>(w, i.slots[0], [&](int) { return w.launch().block; });
}
void grid_size(Warp& w, const Instruction& i) {
  each<u32>(w, i.slots[0], [&](int) { return w.launch().grid; });
}

void fence(Warp&, const Instruction&) {}  // warps take turns, and see all that others wrote

void synchronize(Warp& w, const Instruction& i) {
  w.require_together(*w.lanes<u32>(i.slots[0]));
  w.pass_barrier();
}

void vote(Warp& w, const Instruction& i) {
  w.require_together(*w.lanes<u32>(i.slots[2]));
  const u32 votes = w.mask(i.slots[1]) & w.active();
  each<u32>(w, i.slots[0], [=](int) { return votes; });
}

/// d | p = the value of another lane of all 32: p is true where there is one.
template <bool exclusive_or>
void shuffle(Warp& w, const Instruction& i) {
  w.require_together(*w.lanes<u32>(i.slots[5]));
  alignas(64) u32 value[kLanes];
  std::memcpy(value, w.lanes<u32>(i.slots[2]), sizeof(value));
  const u32 *by = w.lanes<u32>(i.slots[3]), clamp = *w.lanes<u32>(i.slots[4]);
  if (clamp != 31) throw DeviceFault("a shuffle among fewer than 32 lanes, which is not emulated");
  each<u32>(w, i.slots[0], [&](int lane) {
    const u32 from = exclusive_or ? static_cast<u32>(lane) ^ (by[lane] & 31) : by[lane] & 31;
    if ((w.active() >> from & 1u) == 0) throw DeviceFault("a shuffle from a lane that has ended");
    return value[from];
  });
  set_mask(w, i.slots[1], kAll);
}

/// d = memory; memory = f(memory, b). The lanes take turns.
template <class T, auto f>
void atomic(Warp& w, const Instruction& i) {
  Warp::Places places;
  w.access(Warp::Access::kRead, i, sizeof(T), places);
  T* d = w.lanes<T>(i.slots[0]);
  const T* b = w.lanes<T>(i.slots[1]);
  for (u32 left = w.active(); left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    T before;
    std::memcpy(&before, places[static_cast<std::size_t>(lane)], sizeof(T));
    const T after = f(before, b[lane]);
    std::memcpy(places[static_cast<std::size_t>(lane)], &after, sizeof(T));
    d[lane] = before;
  }
}

constexpr auto kSecond = [](auto, auto b) { return b; };

template <class T>
constexpr u8 kBytes = sizeof(T);

constexpr u8 kMask = Form::kMask;

using Forms = std::map<std::string, Form>;

template <class D, class A, auto f>
Form unary_form() {
  return {unary<D, A, f>, {kBytes<D>, kBytes<A>}};
}
template <class D, class A, class B, auto f>
Form binary_form() {
  return {binary<D, A, B, f>, {kBytes<D>, kBytes<A>, kBytes<B>}};
}
template <class T, auto f>
Form ternary_form() {
  return {ternary<T, f>, {kBytes<T>, kBytes<T>, kBytes<T>, kBytes<T>}};
}
template <class T, auto f>
Form compare_form() {
  return {compare<T, f>, {kMask, kBytes<T>, kBytes<T>}};
}

template <class T>
void add_comparisons(Forms& forms, const std::string& type) {
  forms["setp.eq." + type] = compare_form<T, kEqual>();
  forms["setp.lt." + type] = compare_form<T, kLess>();
  forms["setp.le." + type] = compare_form<T, kLessEqual>();
  forms["setp.gt." + type] = compare_form<T, kGreater>();
  forms["setp.ge." + type] = compare_form<T, kGreaterEqual>();
  if constexpr (std::is_floating_point_v<T>) {
    forms["setp.ne." + type] = compare_form<T, kNotOrdered>();
    forms["setp.equ." + type] = compare_form<T, kEqualOr>();
    forms["setp.neu." + type] = compare_form<T, kNotEqual>();
    forms["setp.ltu." + type] = compare_form<T, kLessOr>();
    forms["setp.leu." + type] = compare_form<T, kLessEqualOr>();
    forms["setp.gtu." + type] = compare_form<T, kGreaterOr>();
    forms["setp.geu." + type] = compare_form<T, kGreaterEqualOr>();
  } else {
    forms["setp.ne." + type] = compare_form<T, kNotEqual>();
  }
}

template <class T>
void add_float(Forms& forms, const std::string& type) {
  forms["add.rn." + type] = binary_form<T, T, T, kAdd>();
  forms["sub.rn." + type] = binary_form<T, T, T, kSub>();
  forms["mul.rn." + type] = binary_form<T, T, T, kMul>();
  forms["div.rn." + type] = binary_form<T, T, T, kDivFloat>();
  forms["min." + type] = binary_form<T, T, T, kMinFloat>();
  forms["max." + type] = binary_form<T, T, T, kMaxFloat>();
  forms["fma.rn." + type] = ternary_form<T, kFma>();
  forms["sqrt.rn." + type] = unary_form<T, T, kSqrt>();
  forms["rcp.rn." + type] = unary_form<T, T, kReciprocal>();
  forms["neg." + type] = unary_form<T, T, kNegate>();
  forms["abs." + type] = unary_form<T, T, kAbs>();
  forms["mov." + type] = unary_form<T, T, kSame>();
  forms["selp." + type] = {select<T>, {kBytes<T>, kBytes<T>, kBytes<T>, kMask}};
  forms["cvt.rni.s64." + type] = unary_form<s64, T, kToS64>();
  add_comparisons<T>(forms, type);
}

/// T is unsigned; `types` are the names that mean its bits.
template <class T>
void add_bits(Forms& forms, const std::vector<std::string>& types) {
  for (const std::string& type : types) {
    forms["add." + type] = binary_form<T, T, T, kAdd>();
    forms["sub." + type] = binary_form<T, T, T, kSub>();
    forms["mul.lo." + type] = binary_form<T, T, T, kMul>();
    forms["and." + type] = binary_form<T, T, T, kAnd>();
    forms["or." + type] = binary_form<T, T, T, kOr>();
    forms["xor." + type] = binary_form<T, T, T, kXor>();
    forms["not." + type] = unary_form<T, T, kNot>();
    forms["shl." + type] = binary_form<T, T, u32, kShiftLeft<T>>();
    forms["mov." + type] = unary_form<T, T, kSame>();
    forms["selp." + type] = {select<T>, {kBytes<T>, kBytes<T>, kBytes<T>, kMask}};
  }
}

template <class T>
void add_integer(Forms& forms, const std::string& type) {
  forms["min." + type] = binary_form<T, T, T, kMin>();
  forms["max." + type] = binary_form<T, T, T, kMax>();
  forms["div." + type] = binary_form<T, T, T, kDivide<T>>();
  forms["shr." + type] = binary_form<T, T, u32, kShiftRight<T>>();
  add_comparisons<T>(forms, type);
}

template <class D, class A>
Form cast_form() {
  return unary_form<D, A, kCast<D, A>>();
}

Forms make_forms() {
  Forms forms;
  add_float<float>(forms, "f32");
  add_float<double>(forms, "f64");
  forms["rcp.approx.ftz.f32"] = unary_form<float, float, kApproximateReciprocal>();
  forms["copysign.f32"] = binary_form<float, float, float, kCopySign>();

  add_bits<u16>(forms, {"b16", "u16", "s16"});
  add_bits<u32>(forms, {"b32", "u32", "s32"});
  add_bits<u64>(forms, {"b64", "u64", "s64"});
  add_integer<s16>(forms, "s16");
  add_integer<u16>(forms, "u16");
  add_integer<s32>(forms, "s32");
  add_integer<u32>(forms, "u32");
  add_integer<s64>(forms, "s64");
  add_integer<u64>(forms, "u64");
  add_comparisons<u32>(forms, "b32");
  forms["mul.wide.s32"] = binary_form<s64, s32, s32, kMulWide32>();
  forms["mul.wide.u32"] = binary_form<u64, u32, u32, kMulWideU32>();
  forms["mad.lo.s32"] = ternary_form<u32, kMulAdd>();
  forms["abs.s32"] = unary_form<s32, s32, kAbsInteger>();
  forms["popc.b32"] = unary_form<u32, u32, kPopCount>();

  forms["cvt.rn.f32.f64"] = cast_form<float, double>();
  forms["cvt.f64.f32"] = cast_form<double, float>();
  forms["cvt.rn.f64.s64"] = cast_form<double, s64>();
  forms["cvt.rn.f64.s32"] = cast_form<double, s32>();
  forms["cvt.s64.s32"] = cast_form<s64, s32>();
  forms["cvt.u64.u32"] = cast_form<u64, u32>();
  forms["cvt.u32.u64"] = cast_form<u32, u64>();
  forms["cvt.u16.u32"] = cast_form<u16, u32>();
  forms["cvta.to.global.u64"] = unary_form<u64, u64, kSame>();  // a generic address is a global one
  forms["pack.b64"] = {pack, {8, 4, 4}};                        // "mov.b64" with braces
  forms["unpack.b64"] = {unpack, {4, 4, 8}};

  forms["and.pred"] = {masks<kAnd>, {kMask, kMask, kMask}};
  forms["or.pred"] = {masks<kOr>, {kMask, kMask, kMask}};
  forms["xor.pred"] = {masks<kXor>, {kMask, kMask, kMask}};
  forms["not.pred"] = {not_mask, {kMask, kMask}};
  forms["mov.pred"] = {move_mask, {kMask, kMask}};

  forms["%tid.x"] = {thread_number, {4}};
  forms["%ctaid.x"] = {block_number, {4}};
  forms["%ntid.x"] = {block_size, {4}};
  forms["%nctaid.x"] = {grid_size, {4}};

  forms["membar.gl"] = {fence, {}};
  forms["bar.warp.sync"] = {synchronize, {4}};
  forms["vote.sync.ballot.b32"] = {vote, {4, kMask, 4}};
  forms["shfl.sync.idx.b32"] = {shuffle<false>, {4, kMask, 4, 4, 4, 4}};
  forms["shfl.sync.bfly.b32"] = {shuffle<true>, {4, kMask, 4, 4, 4, 4}};
  forms["atom.global.add.u32"] = {atomic<u32, kAdd>, {4, 4}};
  forms["atom.global.add.u64"] = {atomic<u64, kAdd>, {8, 8}};
  forms["atom.global.or.b32"] = {atomic<u32, kOr>, {4, 4}};
  forms["atom.global.max.s64"] = {atomic<s64, kMax>, {8, 8}};
  forms["atom.global.exch.b64"] = {atomic<u64, kSecond>, {8, 8}};
  return forms;
}

/// A register can be wider than what is in memory; then a signed element is extended.
template <class Element, class Register>
void load(Warp& w, const Instruction& i) {
  Warp::Places from;
  w.access(Warp::Access::kRead, i, i.elements * sizeof(Element), from);
  for (std::size_t e = 0; e < i.elements; ++e) {
    each<Register>(w, i.slots[e], [&](int lane) {
      Element value;
      std::memcpy(&value, from[static_cast<std::size_t>(lane)] + e * sizeof(Element), sizeof(Element));
      return static_cast<Register>(value);
    });
  }
}

template <class Element, class Register>
void store(Warp& w, const Instruction& i) {
  Warp::Places to;
  w.access(Warp::Access::kWrite, i, i.elements * sizeof(Element), to);
  for (std::size_t e = 0; e < i.elements; ++e) {
    const Register* from = w.lanes<Register>(i.slots[e]);
    for (u32 left = w.active(); left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const auto value = static_cast<Element>(from[lane]);
      std::memcpy(to[static_cast<std::size_t>(lane)] + e * sizeof(Element), &value, sizeof(Element));
    }
  }
}

template <class Element>
Run access_of(bool loads, std::size_t register_bytes) {
  if (register_bytes == 2) return loads ? load<Element, u16> : store<Element, u16>;
  if (register_bytes == 4) return loads ? load<Element, u32> : store<Element, u32>;
  return loads ? load<Element, u64> : store<Element, u64>;
}

}  // namespace

const Form* find_form(const std::string& name) {
  static const Forms forms = make_forms();
  const auto found = forms.find(name);
  return found == forms.end() ? nullptr : &found->second;
}

Run find_access(bool loads, std::size_t element_bytes, bool is_signed, std::size_t register_bytes) {
  switch (element_bytes) {
    case 1:
      return is_signed ? access_of<std::int8_t>(loads, register_bytes) : access_of<u8>(loads, register_bytes);
    case 2:
      return is_signed ? access_of<s16>(loads, register_bytes) : access_of<u16>(loads, register_bytes);
    case 4:
      return is_signed ? access_of<s32>(loads, register_bytes) : access_of<u32>(loads, register_bytes);
    default:
      return access_of<u64>(loads, register_bytes);
  }
}

}  // namespace isopatch::emulator
