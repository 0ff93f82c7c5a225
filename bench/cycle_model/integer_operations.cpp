// SPDX-License-Identifier: Apache-2.0
//
// Integers, bits and predicates.
#include <algorithm>
#include <bit>

#include "bench/cycle_model/operations.h"

namespace isopatch::cycle_model {

namespace {

using s32 = std::int32_t;
using s64 = std::int64_t;

bool is_predicate(const Operand& o) { return o.bank == Bank::kPredicate || o.bank == Bank::kUniformPredicate; }

Lanes<u32> bit_of_lanes(u32 mask) {
  Lanes<u32> value;
  for (std::size_t lane = 0; lane < kLanes; ++lane) value[lane] = mask >> lane & 1u;
  return value;
}

constexpr auto kLow = [](u64 x) { return static_cast<u32>(x); };

/// A carry into the sum, from the predicate at this place, if the instruction has it.
Lanes<u32> carry_in(const Warp& w, const Instruction& i, std::size_t at) {
  return at < i.operands.size() ? bit_of_lanes(w.mask(i[at])) : Lanes<u32>{};
}

/// R, carries out, a, b, c, carries in. With carries in, -x is ~x; without, a carry of -x means that nothing is
/// borrowed.
Operation iadd3(const Instruction& form) {
  return [carries = form.has("X")](Warp& w, const Instruction& i) {
    std::size_t at = 1;
    while (is_predicate(i[at])) ++at;
    Lanes<u64> sum = {};
    for (std::size_t k = at; k < at + 3; ++k) {
      const bool inverts = i[k].negative || i[k].inverted, adds_one = i[k].negative && !carries;
      sum = map([&](u64 s, u32 x) { return s + (inverts ? ~x : x) + adds_one; }, sum, w.raw(i[k]));
    }
    if (carries) {
      sum = map([](u64 s, u32 a, u32 b) { return s + a + b; }, sum, carry_in(w, i, at + 3), carry_in(w, i, at + 4));
    }
    w.set(i[0], map(kLow, sum));
    for (std::size_t k = 1; k < at; ++k) w.set_mask(i[k], where([&](u64 s) { return s >> 32 >= k; }, sum));
  };
}

/// R, a carry out, a, b, c, a carry in: a * b + c, in 32 bits, in 64 (WIDE), or the upper half of them (HI).
Operation imad(const Instruction& form) {
  const bool is_unsigned = form.has("U32");
  const auto product = [=](u32 a, u32 b) {
    return is_unsigned ? u64{a} * b : static_cast<u64>(s64{static_cast<s32>(a)} * static_cast<s32>(b));
  };
  return [=, wide = form.has("WIDE"), upper = form.has("HI"), carries = form.has("X")](Warp& w, const Instruction& i) {
    const std::size_t at = is_predicate(i[1]) ? 2 : 1;
    const Lanes<u32> a = w.words(i[at]), b = w.words(i[at + 1]);
    if (wide || upper) {
      const Lanes<u64> c = w.longs(i[at + 2]), p = map(product, a, b);
      const Lanes<u64> sum = map([](u64 x, u64 y) { return x + y; }, p, c);
      if (wide) {
        w.set(i[0], sum);
      } else {
        w.set(i[0], map([](u64 x) { return static_cast<u32>(x >> 32); }, sum));
      }
      if (at == 2) w.set_mask(i[1], where([](u64 x, u64 y) { return x < y; }, sum, c));
      return;
    }
    const Lanes<u32> carry = carries ? carry_in(w, i, at + 3) : Lanes<u32>{};
    const auto sum =
        map([](u32 x, u32 y, u32 z, u32 q) { return u64{x * y} + z + q; }, a, b, w.words(i[at + 2]), carry);
    w.set(i[0], map(kLow, sum));
    if (at == 2) w.set_mask(i[1], where([](u64 s) { return s >> 32 != 0; }, sum));
  };
}

/// R, a carry out, a, b, (the upper half of a,) shift, a carry in: (a << shift) + b, or the upper half of a << shift.
Operation lea(const Instruction& form) {
  return [upper = form.has("HI"), extends = form.has("SX32"), carries = form.has("X")](Warp& w, const Instruction& i) {
    const std::size_t at = is_predicate(i[1]) ? 2 : 1, shift_at = at + (upper && !extends ? 3 : 2);
    const u64 shift = i[shift_at].bits;
    const Lanes<u32> a = w.words(i[at]), high = upper && !extends ? w.raw(i[at + 2]) : Lanes<u32>{};
    const auto shifted = [&](u32 low, u32 top) {
      const u64 whole = extends ? static_cast<u64>(s64{static_cast<s32>(low)}) : u64{top} << 32 | low;
      return upper ? u64{static_cast<u32>(whole << shift >> 32)} : u64{low << shift};
    };
    const Lanes<u32> carry = carries ? carry_in(w, i, shift_at + 1) : Lanes<u32>{};
    const auto sum =
        map([](u64 x, u32 y, u32 c) { return x + y + c; }, map(shifted, a, high), w.words(i[at + 1]), carry);
    w.set(i[0], map(kLow, sum));
    if (at == 2) w.set_mask(i[1], where([](u64 s) { return s >> 32 != 0; }, sum));
  };
}

/// The bit of a table for each bit of three inputs.
u32 looked_up(u64 table, u32 a, u32 b, u32 c) {
  u32 found = 0;
  for (u32 k = 0; k < 8; ++k) {
    if (table >> k & 1u) found |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  }
  return found;
}

/// (P,) R, a, b, c, table, Q: P is whether any bit is set, or Q.
Operation lop3(const Instruction&) {
  return [](Warp& w, const Instruction& i) {
    const std::size_t at = is_predicate(i[0]) ? 2 : 1;
    const u64 table = i[at + 3].bits;
    const auto value = map([=](u32 a, u32 b, u32 c) { return looked_up(table, a, b, c); }, w.words(i[at]),
                           w.words(i[at + 1]), w.words(i[at + 2]));
    w.set(i[at - 1], value);
    if (at == 2) w.set_mask(i[0], where([](u32 x) { return x != 0; }, value) | w.mask(i[at + 4]));
  };
}

Operation plop3(const Instruction&) {
  return [](Warp& w, const Instruction& i) {
    const u32 a = w.mask(i[2]), b = w.mask(i[3]), c = w.mask(i[4]);
    w.set_mask(i[0], looked_up(i[5].bits, a, b, c));
    w.set_mask(i[1], looked_up(i[6].bits, a, b, c));
  };
}

/// Each byte of the result is one of the eight of a and c, or 8 times its sign.
Operation prmt(const Instruction&) {
  return [](Warp& w, const Instruction& i) {
    const auto permuted = [](u32 a, u32 order, u32 c) {
      u32 value = 0;
      for (u32 k = 0; k < 4; ++k) {
        const u32 wanted = order >> 4 * k & 15;
        u32 byte = static_cast<u32>((u64{c} << 32 | a) >> 8 * (wanted & 7)) & 255;
        if (wanted & 8) byte = byte & 128 ? 255 : 0;
        value |= byte << 8 * k;
      }
      return value;
    };
    w.set(i[0], map(permuted, w.raw(i[1]), w.raw(i[2]), w.raw(i[3])));
  };
}

/// R, the lower half, shift, the upper half.
Operation shf(const Instruction& form) {
  const bool is_long = form.has("S64") || form.has("U64"), is_signed = form.has("S32") || form.has("S64");
  const u32 limit = is_long ? 63 : 32;
  const bool wraps = form.has("W"), left = form.has("L"), upper = form.has("HI");
  const auto shifted = [=](u32 low, u32 by, u32 high) {
    const u64 whole = u64{high} << 32 | low;
    const u32 shift = wraps ? by & (is_long ? 63 : 31) : std::min(by, limit);
    const bool out = is_long && !wraps && by > 63;  // nothing is left of it
    const u64 sign = is_signed && high >> 31 ? ~u64{0} : 0;
    const u64 right = out ? sign : is_signed ? static_cast<u64>(static_cast<s64>(whole) >> shift) : whole >> shift;
    const u64 value = left ? (out ? 0 : whole << shift) : right;
    return static_cast<u32>(upper ? value >> 32 : value);
  };
  return [=](Warp& w, const Instruction& i) { w.set(i[0], map(shifted, w.words(i[1]), w.words(i[2]), w.words(i[3]))); };
}

Operation isetp(const Instruction& form) {
  const Comparison compare = comparison(form.modifiers.at(0));
  if (compare.accepts == 0) return {};
  return [=, is_unsigned = form.has("U32"), extends = form.has("EX"), join = join_of(form)](Warp& w,
                                                                                            const Instruction& i) {
    const Lanes<u32> a = w.words(i[2]), b = w.words(i[3]);
    const u32 equal = where([](u32 x, u32 y) { return x == y; }, a, b);
    u32 found = is_unsigned
                    ? where(compare, a, b)
                    : where([=](u32 x, u32 y) { return compare(static_cast<s32>(x), static_cast<s32>(y)); }, a, b);
    if (extends) found = (equal & w.mask(i[5])) | (~equal & found);  // the lower halves decide
    const u32 with = w.mask(i[4]);
    w.set_mask(i[0], joined(join, found, with));
    w.set_mask(i[1], joined(join, ~found, with));
  };
}

u32 least(u32 a, u32 b, bool is_unsigned) {
  if (is_unsigned) return std::min(a, b);
  return static_cast<s32>(a) < static_cast<s32>(b) ? a : b;
}

/// The lesser of two where a predicate holds, else the greater.
void set_least_or_most(Warp& w, const Operand& to, u32 wants_least, bool is_unsigned, const Lanes<u32>& a,
                       const Lanes<u32>& b) {
  const auto low = map([=](u32 x, u32 y) { return least(x, y, is_unsigned); }, a, b);
  const auto high = map([](u32 x, u32 y, u32 l) { return l == x ? y : x; }, a, b, low);
  w.set(to, select(wants_least, low, high));
}

/// The low bits of a number, as a number with the sign of the highest of them.
Operation sgxt(const Instruction& form) {
  if (form.has("U32") || form.has("W")) return {};
  return [](Warp& w, const Instruction& i) {
    const auto extended = [](u32 x, u32 bits) {
      if (bits == 0 || bits >= 32) return bits == 0 ? 0u : x;
      return static_cast<u32>(static_cast<std::int32_t>(x << (32 - bits)) >> (32 - bits));
    };
    w.set(i[0], map(extended, w.words(i[1]), w.words(i[2])));
  };
}

Operation vimnmx(const Instruction& form) {
  return [is_unsigned = form.has("U32")](Warp& w, const Instruction& i) {
    set_least_or_most(w, i[0], w.mask(i[3]), is_unsigned, w.words(i[1]), w.words(i[2]));
  };
}

/// R, a, b, c, P: the least of three, or the greatest where P is false.
Operation vimnmx3(const Instruction& form) {
  return [is_unsigned = form.has("U32")](Warp& w, const Instruction& i) {
    const Lanes<u32> c = w.words(i[3]);  // before it may be written
    set_least_or_most(w, i[0], w.mask(i[4]), is_unsigned, w.words(i[1]), w.words(i[2]));
    set_least_or_most(w, i[0], w.mask(i[4]), is_unsigned, w.raw(i[0]), c);
  };
}

constexpr auto kSum = [](u32 a, u32 b) { return a + b; };

Operation viaddmnmx(const Instruction& form) {
  return [is_unsigned = form.has("U32")](Warp& w, const Instruction& i) {
    const Lanes<u32> sum = map(kSum, w.words(i[1]), w.words(i[2]));
    set_least_or_most(w, i[0], w.mask(i[4]), is_unsigned, sum, w.words(i[3]));
  };
}

template <class F>
Operation of_one(F f) {
  return [=](Warp& w, const Instruction& i) { w.set(i[0], map(f, w.words(i[1]))); };
}

Operation flo(const Instruction& i) {
  if (!i.has("U32")) return {};
  return of_one([from_top = i.has("SH")](u32 x) {
    if (x == 0) return ~0u;
    return static_cast<u32>(from_top ? std::countl_zero(x) : 31 - std::countl_zero(x));
  });
}

u32 reversed(u32 x) {
  u32 value = 0;
  for (int bit = 0; bit < 32; ++bit) value |= (x >> bit & 1u) << (31 - bit);
  return value;
}

Operand predicate(int index) {
  Operand o;
  o.bank = Bank::kPredicate;
  o.index = index;
  return o;
}

/// R, PR, a, bits: the predicates as bits, those of `bits`; the others from a.
Operation p2r(const Instruction&) {
  return [](Warp& w, const Instruction& i) {
    Lanes<u32> all = {};
    for (int k = 0; k < Operand::kTrue; ++k) {
      all = map([=](u32 x, u32 p) { return x | p << k; }, all, bit_of_lanes(w.mask(predicate(k))));
    }
    w.set(i[0], map([](u32 p, u32 a, u32 bits) { return (p & bits) | (a & ~bits); }, all, w.raw(i[2]), w.raw(i[3])));
  };
}

Operation r2p(const Instruction&) {
  return [](Warp& w, const Instruction& i) {
    const Lanes<u32> a = w.raw(i[1]);
    for (int k = 0; k < Operand::kTrue; ++k) {
      if (i[2].bits >> k & 1u) w.set_mask(predicate(k), where([=](u32 x) { return (x >> k & 1u) != 0; }, a));
    }
  };
}

/// The clock, and other system registers; only as zero.
Operation cs2r(const Instruction& form) {
  if (form[1].text != "SRZ") return {};
  if (form.has("32")) return [](Warp& w, const Instruction& i) { w.set(i[0], Lanes<u32>{}); };
  return [](Warp& w, const Instruction& i) { w.set(i[0], Lanes<u64>{}); };
}

}  // namespace

Operations integer_operations() {
  return {
      {"IADD3", iadd3},
      {"IMAD", imad},
      {"LEA", lea},
      {"LOP3", lop3},
      {"PLOP3", plop3},
      {"PRMT", prmt},
      {"SHF", shf},
      {"SGXT", sgxt},
      {"ISETP", isetp},
      {"VIMNMX", vimnmx},
      {"VIMNMX3", vimnmx3},
      {"VIADDMNMX", viaddmnmx},
      {"FLO", flo},
      {"P2R", p2r},
      {"R2P", r2p},
      {"CS2R", cs2r},
      {"VIADD",
       [](const Instruction&) -> Operation {
         return [](Warp& w, const Instruction& i) { w.set(i[0], map(kSum, w.words(i[1]), w.words(i[2]))); };
       }},
      {"SEL",
       [](const Instruction&) -> Operation {
         return [](Warp& w, const Instruction& i) { w.set(i[0], select(w.mask(i[3]), w.words(i[1]), w.words(i[2]))); };
       }},
      {"MOV", [](const Instruction&) { return of_one([](u32 x) { return x; }); }},
      {"IABS", [](const Instruction&) { return of_one([](u32 x) { return x >> 31 ? 0u - x : x; }); }},
      {"POPC", [](const Instruction&) { return of_one([](u32 x) { return static_cast<u32>(std::popcount(x)); }); }},
      {"BREV", [](const Instruction&) { return of_one(reversed); }},
  };
}

}  // namespace isopatch::cycle_model
