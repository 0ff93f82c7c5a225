// SPDX-License-Identifier: Apache-2.0
//
// Branches, barriers of lanes, and what lanes tell each other.
#include <algorithm>
#include <bit>

#include "bench/cycle_model/operations.h"

namespace isopatch::cycle_model {

namespace {

using emulator::DeviceFault;

/// The instruction that the label names.
std::int32_t target(const Instruction& i) {
  for (const Operand& o : i.operands) {
    if (o.bank == Bank::kLabel) return o.index;
  }
  return -1;
}

/// The lanes that take part and for which all predicates among the operands hold.
u32 chosen(const Warp& w, const Instruction& i) {
  u32 lanes = w.active();
  for (const Operand& o : i.operands) {
    if (o.bank == Bank::kPredicate || o.bank == Bank::kUniformPredicate) lanes &= w.mask(o);
  }
  return lanes;
}

int barrier(const Instruction& i) {
  for (const Operand& o : i.operands) {
    if (o.bank == Bank::kBarrier) return o.index;
  }
  throw DeviceFault("it names no barrier");
}

Operation bra(const Instruction& form) {
  if (form.has("DIV")) {  // unless those that take part are the lanes of a mask, to code that brings these together
    return [](Warp& w, const Instruction& i) {
      if (w.active() != w.living(w.raw(i[0])[w.first()])) w.jump(w.together(), target(i));
    };
  }
  return [uniform = form.has("U")](Warp& w, const Instruction& i) {
    const u32 lanes = chosen(w, i);
    if (!uniform || lanes == w.together()) w.jump(lanes, target(i));
  };
}

Operation call(const Instruction&) {
  return [](Warp& w, const Instruction& i) { w.jump(w.active(), target(i)); };
}

constexpr std::int32_t kInstruction = 16;  // bytes

/// Jumps by the address in a register, which must be the same in all lanes.
void jump_to(Warp& w, const Operand& o, std::int32_t offset) {
  const Lanes<u32> to = w.raw(o);
  const u32 first = to[w.first()];
  for_active(w, [&](std::size_t lane) {
    if (to[lane] != first) throw DeviceFault("lanes jump to different places");
  });
  w.jump(w.active(), (static_cast<std::int32_t>(first) + offset) / kInstruction);
}

Operation ret(const Instruction&) {
  return [](Warp& w, const Instruction& i) { jump_to(w, i[0], 0); };
}

/// "R2 -0x28940": from the next instruction on.
Operation brx(const Instruction& form) {
  const auto space = form.text.find('-');
  if (space == std::string::npos) return {};
  const auto offset = static_cast<std::int32_t>(std::stol(form.text.substr(space), nullptr, 0));
  return [=](Warp& w, const Instruction& i) { jump_to(w, i[0], offset + kInstruction * w.at()); };
}

/// The lanes that wait at a barrier, as a number that can be stored.
Operation bmov(const Instruction& form) {
  if (form[0].bank == Bank::kBarrier) {
    return [](Warp& w, const Instruction& i) { w.expect(i[0].index, w.raw(i[1])[w.first()]); };
  }
  return [clears = form.has("CLEAR")](Warp& w, const Instruction& i) {
    Lanes<u32> lanes;
    lanes.fill(w.expected(i[1].index));
    w.set(i[0], lanes);
    if (clears) w.expect(i[1].index, 0);
  };
}

/// (R,) P, Q: the lanes where Q holds; P is whether there is any, or whether they are all.
Operation vote(const Instruction& form) {
  return [all = form.has("ALL"), at = form.operands.size() - 2](Warp& w, const Instruction& i) {
    const u32 lanes = w.active() & w.mask(i[at + 1]);
    Lanes<u32> value;
    value.fill(lanes);
    if (at > 0) w.set(i[0], value);
    w.set_mask(i[at], (all ? lanes == w.active() : lanes != 0) ? ~0u : 0);
  };
}

/// P, R, a, b, c: a of the lane that b names, or of this one where that is out of bounds; P is whether it is not. The
/// bounds are in c: a segment's mask from bit 8 on, and a limit.
Operation shfl(const Instruction& form) {
  enum class Kind : std::uint8_t { kIndex, kXor, kUp, kDown };
  const Kind kind = form.has("IDX")    ? Kind::kIndex
                    : form.has("BFLY") ? Kind::kXor
                    : form.has("UP")   ? Kind::kUp
                                       : Kind::kDown;
  const auto from = [=](u32 lane, u32 b, u32 segment) {
    switch (kind) {
      case Kind::kIndex:
        return (lane & segment) | (b & 31 & ~segment);
      case Kind::kXor:
        return lane ^ (b & 31);
      case Kind::kUp:
        return lane - (b & 31);
      default:
        return lane + (b & 31);
    }
  };
  return [=](Warp& w, const Instruction& i) {
    w.effect().space = Space::kExchange;
    const Lanes<u32> a = w.raw(i[2]), b = w.words(i[3]), c = w.words(i[4]);
    Lanes<u32> value = {};
    u32 inside = 0;
    for_active(w, [&](std::size_t at) {
      const u32 lane = static_cast<u32>(at), segment = c[at] >> 8 & 31, other = from(lane, b[at], segment);
      const auto limit = static_cast<std::int32_t>((lane & segment) | (c[at] & 31 & ~segment));
      const auto place = static_cast<std::int32_t>(other);
      const bool good = kind == Kind::kUp ? place >= limit : place <= limit;
      if (good && (w.active() >> other & 1u) == 0) throw DeviceFault("a lane reads from one that takes no part");
      value[at] = a[good ? other : lane];
      inside |= static_cast<u32>(good) << lane;
    });
    w.set(i[1], value);
    w.set_mask(i[0], inside);
  };
}

/// The sum, or, of all lanes' values.
Operation redux(const Instruction& form) {
  if (!form.has("OR") && !form.has("SUM")) return {};
  return [sums = form.has("SUM")](Warp& w, const Instruction& i) {
    w.effect().space = Space::kExchange;
    const Lanes<u32> a = w.words(i[1]);
    u32 total = 0;
    for_active(w, [&](std::size_t lane) { total = sums ? total + a[lane] : total | a[lane]; });
    Lanes<u32> value;
    value.fill(total);
    w.set(i[0], value);
  };
}

/// (P,) UR, R: P is whether the lane has another value than UR gets.
Operation r2ur(const Instruction& form) {
  return [at = form.operands.size() - 2](Warp& w, const Instruction& i) {
    const Lanes<u32> value = w.words(i[at + 1]);
    w.set(i[at], value);
    if (at > 0) w.set_mask(i[0], where([other = value[w.first()]](u32 own) { return own != other; }, value));
  };
}

/// The lanes that take part with the same value.
Operation match(const Instruction& form) {
  if (!form.has("ANY") || form.operands.size() != 2) return {};
  return [](Warp& w, const Instruction& i) {
    w.effect().space = Space::kExchange;
    const Lanes<u32> a = w.words(i[1]);
    Lanes<u32> value = {};
    for_active(w, [&](std::size_t lane) {
      for_active(w, [&](std::size_t other) { value[lane] |= static_cast<u32>(a[other] == a[lane]) << other; });
    });
    w.set(i[0], value);
  };
}

/// Lanes wait for those that each names: all, or in a register and then go on without others, up to where all meet.
Operation warpsync(const Instruction& form) {
  if (form.has("ALL")) {
    Lanes<u32> all;
    all.fill(~0u);
    return [=](Warp& w, const Instruction&) { w.meet(all); };
  }
  return [](Warp& w, const Instruction& i) { w.part(w.raw(i[0])); };
}

Operation s2r(const Instruction&) {
  return [](Warp& w, const Instruction& i) {
    Lanes<u32> value;
    for (std::size_t lane = 0; lane < kLanes; ++lane) value[lane] = w.special(i[1], static_cast<int>(lane));
    w.set(i[0], value);
  };
}

Operation nothing(const Instruction&) {
  return [](Warp&, const Instruction&) {};
}

}  // namespace

Operations control_operations() {
  return {
      {"BRA", bra},
      {"CALL", call},
      {"RET", ret},
      {"BRX", brx},
      {"BMOV", bmov},
      {"VOTE", vote},
      {"VOTEU", vote},
      {"SHFL", shfl},
      {"REDUX", redux},
      {"S2R", s2r},
      {"S2UR", s2r},
      {"R2UR", r2ur},
      {"BSSY",
       [](const Instruction&) -> Operation {
         return [](Warp& w, const Instruction& i) { w.expect(barrier(i), w.active()); };
       }},
      {"BSYNC",
       [](const Instruction&) -> Operation { return [](Warp& w, const Instruction& i) { w.arrive(barrier(i)); }; }},
      {"BREAK",
       [](const Instruction&) -> Operation {
         return [](Warp& w, const Instruction& i) { w.leave(barrier(i), chosen(w, i)); };
       }},
      {"EXIT", [](const Instruction&) -> Operation { return [](Warp& w, const Instruction&) { w.end_lanes(); }; }},
      {"BAR",
       [](const Instruction& i) -> Operation {
         if (!i.has("SYNC")) return {};
         return [](Warp& w, const Instruction&) { w.effect().waits_for_block = true; };
       }},
      {"MATCH", match},
      {"WARPSYNC", warpsync},
      // nothing, or waits for what the model does at once
      {"NOP", nothing},
      {"YIELD", nothing},
      {"MEMBAR", nothing},
      {"ERRBAR", nothing},
      {"CGAERRBAR", nothing},
      {"ENDCOLLECTIVE", nothing},
      {"DEPBAR", nothing},
      {"NANOSLEEP", nothing},
  };
}

}  // namespace isopatch::cycle_model
