// SPDX-License-Identifier: Apache-2.0
//
// What each instruction does to the active lanes. Arithmetic follows the PTX ISA, chapter 9.7: IEEE, to nearest,
// subnormals kept; a shift by the width or more leaves zeros or signs; min and max ignore a NaN beside a number, and -0
// is less than +0.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "tests/emulator/warp.h"

namespace isopatch::emulator {

using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

inline constexpr u32 kAll = ~0u;

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

/// Byte i of the result is that of the eight of a and b which number i of four bits names; with its upper bit set, it
/// is the sign of that byte.
inline constexpr auto kPermuteBytes = [](u32 a, u32 b, u32 selectors) {
  const u64 bytes = static_cast<u64>(b) << 32 | a;
  u32 out = 0;
  for (u32 i = 0; i < 4; ++i) {
    const u32 selector = selectors >> 4 * i & 15u;
    u32 byte = static_cast<u32>(bytes >> 8 * (selector & 7u)) & 0xFFu;
    if ((selector & 8u) != 0) byte = (byte & 0x80u) != 0 ? 0xFFu : 0u;
    out |= byte << 8 * i;
  }
  return out;
};

/// The lowest `length` bits of a replace those of b from bit `first` on.
inline constexpr auto kInsertBits = [](u32 a, u32 b, u32 first, u32 length) {
  first &= 0xFFu, length &= 0xFFu;
  const u32 low = length >= 32 ? ~0u : (1u << length) - 1u;
  const u32 field = first >= 32 ? 0u : low << first;
  return (b & ~field) | ((first >= 32 ? 0u : a << first) & field);
};

inline void insert_bits(Warp& w, const Instruction& i) {
  const u32 *a = w.lanes<u32>(i.slots[1]), *b = w.lanes<u32>(i.slots[2]);
  const u32 *first = w.lanes<u32>(i.slots[3]), *length = w.lanes<u32>(i.slots[4]);
  each<u32>(w, i.slots[0], [=](int lane) { return kInsertBits(a[lane], b[lane], first[lane], length[lane]); });
}

inline void set_mask(Warp& w, Slot to, u32 bits) { w.mask(to) = (w.mask(to) & ~w.active()) | (bits & w.active()); }

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
inline void not_mask(Warp& w, const Instruction& i) { set_mask(w, i.slots[0], ~w.mask(i.slots[1])); }
inline void move_mask(Warp& w, const Instruction& i) { set_mask(w, i.slots[0], w.mask(i.slots[1])); }

template <class D, class A>
inline constexpr auto kCast = [](A a) { return static_cast<D>(a); };
inline constexpr auto kSame = [](auto a) { return a; };
inline constexpr auto kLowS32 = [](s64 a) { return static_cast<s64>(static_cast<s32>(a)); };
inline constexpr auto kLowS8 = [](s32 a) { return static_cast<s32>(static_cast<std::int8_t>(a)); };
inline constexpr auto kLowU8 = [](u16 value) { return static_cast<u16>(value & 255u); };
inline constexpr auto kAdd = [](auto a, auto b) { return static_cast<decltype(a)>(a + b); };
inline constexpr auto kSub = [](auto a, auto b) { return static_cast<decltype(a)>(a - b); };
inline constexpr auto kMul = [](auto a, auto b) { return static_cast<decltype(a)>(a * b); };
inline constexpr auto kAnd = [](auto a, auto b) { return static_cast<decltype(a)>(a & b); };
inline constexpr auto kOr = [](auto a, auto b) { return static_cast<decltype(a)>(a | b); };
inline constexpr auto kXor = [](auto a, auto b) { return static_cast<decltype(a)>(a ^ b); };
inline constexpr auto kNot = [](auto a) { return static_cast<decltype(a)>(~a); };
inline constexpr auto kFma = [](auto a, auto b, auto c) { return std::fma(a, b, c); };
inline constexpr auto kDivFloat = [](auto a, auto b) { return a / b; };
inline constexpr auto kSqrt = [](auto a) { return std::sqrt(a); };
inline constexpr auto kReciprocal = [](auto a) { return decltype(a)(1) / a; };
/// What counts as 0 gives an infinity; a device is less exact.
inline constexpr auto kApproximateReciprocal = [](float a) {
  return 1.0f / (std::fabs(a) < std::numeric_limits<float>::min() ? std::copysign(0.0f, a) : a);
};
inline constexpr auto kNegate = [](auto a) { return -a; };
inline constexpr auto kNegateBits = [](auto a) { return static_cast<decltype(a)>(decltype(a)(0) - a); };
inline constexpr auto kAbs = [](auto a) { return std::fabs(a); };
inline constexpr auto kAbsInteger = [](auto a) {
  return a < 0 ? static_cast<decltype(a)>(0u - static_cast<u32>(a)) : a;
};
inline constexpr auto kLess = [](auto a, auto b) { return a < b; };
inline constexpr auto kLessEqual = [](auto a, auto b) { return a <= b; };
inline constexpr auto kGreater = [](auto a, auto b) { return a > b; };
inline constexpr auto kGreaterEqual = [](auto a, auto b) { return a >= b; };
inline constexpr auto kEqual = [](auto a, auto b) { return a == b; };
inline constexpr auto kNotEqual = [](auto a, auto b) { return a != b; };
inline constexpr auto kNotOrdered = [](auto a, auto b) {
  return a < b || a > b;
};                                                                         // "ne" is false where one is not a number
inline constexpr auto kLessOr = [](auto a, auto b) { return !(a >= b); };  // or not a number
inline constexpr auto kLessEqualOr = [](auto a, auto b) { return !(a > b); };
inline constexpr auto kGreaterOr = [](auto a, auto b) { return !(a <= b); };
inline constexpr auto kGreaterEqualOr = [](auto a, auto b) { return !(a < b); };
inline constexpr auto kEqualOr = [](auto a, auto b) { return !(a < b || a > b); };

inline constexpr auto kMinFloat = [](auto a, auto b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
};
inline constexpr auto kMaxFloat = [](auto a, auto b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
};
inline constexpr auto kMin = [](auto a, auto b) { return a < b ? a : b; };
inline constexpr auto kMax = [](auto a, auto b) { return a > b ? a : b; };
/// The second with the sign of the first.
inline constexpr auto kCopySign = [](float a, float b) { return std::copysign(b, a); };

template <class T>
inline constexpr auto kShiftLeft = [](T a, u32 by) { return by >= 8 * sizeof(T) ? T(0) : static_cast<T>(a << by); };
template <class T>
inline constexpr auto kShiftRight = [](T a, u32 by) {
  constexpr u32 kLast = 8 * sizeof(T) - 1;
  if (by > kLast) return std::is_signed_v<T> ? static_cast<T>(a >> kLast) : T(0);
  return static_cast<T>(a >> by);
};

inline constexpr auto kMulWideU16 = [](u16 a, u16 b) { return static_cast<u32>(a) * b; };
inline constexpr auto kMulHi32 = [](s32 a, s32 b) { return static_cast<s32>(static_cast<s64>(a) * b >> 32); };
inline constexpr auto kMulWide32 = [](s32 a, s32 b) { return static_cast<s64>(a) * b; };
inline constexpr auto kMulWideU32 = [](u32 a, u32 b) { return static_cast<u64>(a) * b; };
inline constexpr auto kMulAdd = [](u32 a, u32 b, u32 c) { return a * b + c; };
inline constexpr auto kPopCount = [](u32 a) { return static_cast<u32>(std::popcount(a)); };

template <class T>
inline constexpr auto kDivide = [](T a, T b) {
  if (b == 0) throw DeviceFault("integer division by zero");
  return static_cast<T>(a / b);
};

template <class T>
inline constexpr auto kRemainder = [](T a, T b) {
  if (b == 0) throw DeviceFault("integer division by zero");
  return static_cast<T>(a % b);
};

/// To the nearest, ties to even; saturated, and the least number for what is none.
inline constexpr auto kToS64 = [](auto a) {
  const auto nearest = std::nearbyint(a);
  if (!(nearest >= decltype(a)(-0x1p63))) return std::numeric_limits<s64>::min();
  if (nearest >= decltype(a)(0x1p63)) return std::numeric_limits<s64>::max();
  return static_cast<s64>(nearest);
};

/// d = {a, b}
template <class Whole, class Half>
void pack(Warp& w, const Instruction& i) {
  const Half *low = w.lanes<Half>(i.slots[1]), *high = w.lanes<Half>(i.slots[2]);
  each<Whole>(w, i.slots[0], [=](int lane) {
    return static_cast<Whole>(static_cast<Whole>(high[lane]) << 8 * sizeof(Half) | low[lane]);
  });
}

/// {d0, d1} = a
template <class Whole, class Half>
void unpack(Warp& w, const Instruction& i) {
  alignas(64) Whole a[kLanes];
  std::memcpy(a, w.lanes<Whole>(i.slots[2]), sizeof(a));
  each<Half>(w, i.slots[0], [&](int lane) { return static_cast<Half>(a[lane]); });
  each<Half>(w, i.slots[1], [&](int lane) { return static_cast<Half>(a[lane] >> 8 * sizeof(Half)); });
}

inline void thread_number(Warp& w, const Instruction& i) {
  each<u32>(w, i.slots[0], [&](int lane) { return w.thread(lane); });
}
inline void lane_number(Warp& w, const Instruction& i) {
  each<u32>(w, i.slots[0], [](int lane) { return static_cast<u32>(lane); });
}
inline void block_number(Warp& w, const Instruction& i) {
  each<u32>(w, i.slots[0], [&](int) { return w.block(); });
}
inline void block_size(Warp& w, const Instruction& i) {
  each<u32>(w, i.slots[0], [&](int) { return w.launch().block; });
}
inline void grid_size(Warp& w, const Instruction& i) {
  each<u32>(w, i.slots[0], [&](int) { return w.launch().grid; });
}

inline void fence(Warp&, const Instruction&) {}     // warps take turns, and see all that others wrote
inline void prefetch(Warp&, const Instruction&) {}  // there are no caches

inline void synchronize(Warp& w, const Instruction& i) {
  const u32* members = w.lanes<u32>(i.slots[0]);
  w.require_members(members);
  for (u32 left = w.active(); left != 0;) {
    const u32 lanes = members[std::countr_zero(left)] & w.active();
    w.pass_warp_barrier(lanes);
    left &= ~lanes;
  }
}

inline void synchronize_block(Warp& w, const Instruction& i) {
  if (*w.lanes<u32>(i.slots[0]) != 0) throw DeviceFault("a barrier of another number than 0, which is not emulated");
  w.require_together(kAll);
  w.wait_for_block();
}

inline void vote(Warp& w, const Instruction& i) {
  const u32* members = w.lanes<u32>(i.slots[2]);
  w.require_members(members);
  const u32 votes = w.mask(i.slots[1]) & w.active();
  each<u32>(w, i.slots[0], [=](int lane) { return votes & members[lane]; });
}

/// d = a of all lanes that the mask names, combined by f.
template <class T, auto f>
void reduce(Warp& w, const Instruction& i) {
  const u32* members = w.lanes<u32>(i.slots[2]);
  w.require_members(members);
  alignas(64) T value[kLanes];
  std::memcpy(value, w.lanes<T>(i.slots[1]), sizeof(value));
  each<T>(w, i.slots[0], [&](int lane) {
    T result = value[lane];
    for (u32 left = members[lane] & w.active() & ~(1u << lane); left != 0; left &= left - 1) {
      result = f(result, value[std::countr_zero(left)]);
    }
    return result;
  });
}

enum class Shuffle { kUp, kDown, kExclusiveOr, kIndex };

/// d | p = the value of another lane of the segment; p, which may be left out, is false, and the value the lane's own,
/// where there is none. Operand c holds the last lane in bits 0 to 4, and in bits 8 to 12 those bits of a lane that
/// number its segment.
template <Shuffle mode>
void shuffle(Warp& w, const Instruction& i) {
  const u32* members = w.lanes<u32>(i.slots[5]);
  w.require_members(members);
  alignas(64) u32 value[kLanes];
  std::memcpy(value, w.lanes<u32>(i.slots[2]), sizeof(value));
  const u32 *b = w.lanes<u32>(i.slots[3]), *c = w.lanes<u32>(i.slots[4]);
  u32 from[kLanes], inside = 0;
  for (u32 left = w.active(); left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left), by = static_cast<int>(b[lane] & 31);
    const int segment = static_cast<int>(c[lane] >> 8 & 31), first = lane & segment;
    const int last = first | (static_cast<int>(c[lane] & 31) & ~segment);
    const int other = mode == Shuffle::kUp            ? lane - by
                      : mode == Shuffle::kDown        ? lane + by
                      : mode == Shuffle::kExclusiveOr ? lane ^ by
                                                      : first | (by & ~segment);
    const bool found = mode == Shuffle::kUp ? other >= last : other <= last;
    from[lane] = static_cast<u32>(found ? other : lane);
    inside |= static_cast<u32>(found) << lane;
  }
  each<u32>(w, i.slots[0], [&](int lane) {
    if ((w.active() >> from[lane] & 1u) == 0) throw DeviceFault("a shuffle from a lane that has ended");
    if ((members[lane] >> from[lane] & 1u) == 0) throw DeviceFault("a shuffle from a lane that the mask does not name");
    return value[from[lane]];
  });
  if (i.slots[1] >= 0) set_mask(w, i.slots[1], inside);
}

/// d = memory; memory = f(memory, b). The lanes take turns.
template <class T, auto f>
void atomic(Warp& w, const Instruction& i) {
  Warp::Pointers pointers;
  w.access(Warp::Access::kAtomic, i, sizeof(T), pointers);
  T* d = w.lanes<T>(i.slots[0]);
  const T* b = w.lanes<T>(i.slots[1]);
  for (u32 left = w.active(); left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    T before;
    std::memcpy(&before, pointers[static_cast<std::size_t>(lane)], sizeof(T));
    const T after = f(before, b[lane]);
    std::memcpy(pointers[static_cast<std::size_t>(lane)], &after, sizeof(T));
    d[lane] = before;
  }
}

inline constexpr auto kSecond = [](auto, auto b) { return b; };

/// A register can be wider than what is in memory; then a signed element is extended.
template <class Element, class Register>
void load(Warp& w, const Instruction& i) {
  Warp::Pointers from;
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
  Warp::Pointers to;
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

}  // namespace isopatch::emulator
