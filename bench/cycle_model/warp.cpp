// SPDX-License-Identifier: Apache-2.0
#include "bench/cycle_model/warp.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "bench/cycle_model/operations.h"

namespace isopatch::cycle_model {

using emulator::DeviceFault;

namespace {

constexpr std::int64_t kParameters = 0x210;  // where they begin in the constants

Lanes<u32> same(u32 value) {
  Lanes<u32> lanes;
  lanes.fill(value);
  return lanes;
}

}  // namespace

Warp::Warp(const Launch& launch, std::vector<std::byte>& shared, u32 block, u32 first_thread)
    : launch_(launch),
      shared_(shared),
      block_(block),
      first_thread_(first_thread),
      registers_(std::make_unique<Lanes<u32>[]>(256)),
      local_(std::size_t{kLanes} * launch.kernel->stack_bytes) {
  for (int r = 0; r < Operand::kZeroRegister; ++r) registers_[static_cast<std::size_t>(r)].fill(0xdeadbeef);
  predicates_[Operand::kTrue] = ~0u;
  uniform_predicates_[Operand::kTrue] = true;
}

const Effect& Warp::step() {
  const Instruction& i = next();
  effect_.jumped = effect_.waits_for_block = false;
  effect_.space = Space::kNone;
  effect_.lanes = together_ & mask(i.guard);
  const std::int32_t before = at_++;
  if (effect_.lanes == 0) return effect_;
  try {
    if (!i.run) throw DeviceFault("the instruction is not known");
    i.run(*this, i);
  } catch (const std::exception& fault) {
    throw DeviceFault(fmt::format("{}, at {:#x}: {}: {}", launch_.kernel->name, 16 * before, i.text, fault.what()));
  }
  return effect_;
}

std::size_t Warp::first() const { return static_cast<std::size_t>(std::countr_zero(effect_.lanes)); }

u32 Warp::constant(int bank, std::int64_t offset) const {
  if (bank == 2 && offset % 4 == 0) return launch_.kernel->jumps.at(static_cast<std::size_t>(offset / 4));
  if (bank != 0) throw DeviceFault("the bank of constants is not known");
  switch (offset) {
    case 0x0:
      return launch_.block;
    case 0xc:
      return launch_.grid;
    case 0x20:
    case 0x198:
      return 0;  // where generic addresses have a thread's local memory, and parameters: low words
    case 0x24:
      return kLocalWindow;
    case 0x19c:
      return kParameterWindow;
    case 0x28:
      return launch_.kernel->stack_bytes;  // the stack grows down from here
    case 0x208:
    case 0x20c:
      return 0;  // how global memory is cached
    default:
      break;
  }
  const std::int64_t at = offset - kParameters;
  u32 value = 0;
  if (at < 0 || at >= static_cast<std::int64_t>(launch_.parameters.size())) {
    throw DeviceFault(fmt::format("the constant at {:#x} is not known", offset));
  }
  std::memcpy(&value, launch_.parameters.data() + at,
              std::min<std::size_t>(4, launch_.parameters.size() - static_cast<std::size_t>(at)));
  return value;
}

u32 Warp::special(const Operand& o, int lane) const {
  if (o.text == "SR_TID.X") return first_thread_ + static_cast<u32>(lane);
  if (o.text == "SR_CTAID.X") return block_;
  if (o.text == "SR_LANEID") return static_cast<u32>(lane);
  if (o.text == "SR_LTMASK") return (1u << lane) - 1;
  if (o.text == "SR_LEMASK") return (2u << lane) - 1;
  if (o.text == "SR_EQMASK") return 1u << lane;
  if (o.text == "SR_GEMASK") return ~0u << lane;
  if (o.text == "SR_GTMASK") return ~1u << lane;
  if (o.text == "SR_CgaCtaId") return 0;  // the first of one block
  if (o.text == "SR_SWINHI") return kSharedWindow;
  throw DeviceFault("the special register is not known");
}

Lanes<u32> Warp::raw(const Operand& o) const {
  switch (o.bank) {
    case Bank::kRegister:
      return registers_[static_cast<std::size_t>(o.index)];
    case Bank::kUniform:
      return same(uniform_[static_cast<std::size_t>(o.index)]);
    case Bank::kImmediate:
      return same(static_cast<u32>(o.bits));
    case Bank::kConstant: {
      const std::int64_t at = o.offset + (o.uniform >= 0 ? uniform_[static_cast<std::size_t>(o.uniform)] : 0);
      if (o.base < 0 || o.base == Operand::kZeroRegister) return same(constant(o.index, at));
      Lanes<u32> value = {};
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        if (effect_.lanes >> lane & 1u)
          value[lane] = constant(o.index, at + registers_[static_cast<std::size_t>(o.base)][lane]);
      }
      return value;
    }
    default:
      throw DeviceFault("the operand " + o.text + " has no value");
  }
}

Lanes<u32> Warp::words(const Operand& o) const {
  Lanes<u32> value = raw(o);
  if (o.inverted) {
    for (u32& v : value) v = ~v;
  }
  if (o.negative) {
    for (u32& v : value) v = 0u - v;
  }
  return value;
}

Lanes<u64> Warp::longs(const Operand& o) const {
  Lanes<u64> value;
  if (o.bank == Bank::kImmediate) {
    value.fill(static_cast<u64>(static_cast<std::int64_t>(static_cast<std::int32_t>(o.bits))));
  } else {
    Operand upper = o;
    upper.index += o.bank != Bank::kConstant;
    upper.offset += 4;
    const bool zero = (o.bank == Bank::kRegister && o.index == Operand::kZeroRegister) ||
                      (o.bank == Bank::kUniform && o.index == Operand::kZeroUniform);
    const Lanes<u32> low = raw(o), high = zero ? low : raw(upper);
    for (std::size_t lane = 0; lane < kLanes; ++lane) value[lane] = u64{high[lane]} << 32 | low[lane];
  }
  if (o.negative) {
    for (u64& v : value) v = 0ull - v;
  }
  return value;
}

Lanes<float> Warp::floats(const Operand& o) const {
  const Lanes<u32> bits = raw(o);
  Lanes<float> value;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const u32 magnitude = o.absolute ? bits[lane] & 0x7fffffffu : bits[lane];
    value[lane] = std::bit_cast<float>(o.negative ? magnitude ^ 0x80000000u : magnitude);
  }
  return value;
}

Lanes<double> Warp::doubles(const Operand& o) const {
  constexpr u64 kSign = u64{1} << 63;
  Operand plain = o;
  plain.negative = plain.absolute = false;
  Lanes<u64> bits;
  if (o.bank == Bank::kImmediate) {
    bits.fill(o.bits);
  } else {
    bits = longs(plain);
  }
  Lanes<double> value;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const u64 magnitude = o.absolute ? bits[lane] & ~kSign : bits[lane];
    value[lane] = std::bit_cast<double>(o.negative ? magnitude ^ kSign : magnitude);
  }
  return value;
}

u32 Warp::mask(const Operand& o) const {
  const auto index = static_cast<std::size_t>(o.index);
  u32 lanes = 0;
  if (o.bank == Bank::kUniformPredicate) {
    lanes = uniform_predicates_[index] ? ~0u : 0;
  } else if (o.bank == Bank::kPredicate) {
    lanes = predicates_[index];
  } else {
    throw DeviceFault("the operand " + o.text + " is no predicate");
  }
  return o.inverted ? ~lanes : lanes;
}

void Warp::set(const Operand& to, const Lanes<u32>& value) {
  if (to.bank == Bank::kUniform) {
    if (to.index != Operand::kZeroUniform) {
      uniform_[static_cast<std::size_t>(to.index)] = value[first()];
    }
    return;
  }
  if (to.index == Operand::kZeroRegister) return;
  Lanes<u32>& at = registers_[static_cast<std::size_t>(to.index)];
  for (std::size_t lane = 0; lane < kLanes; ++lane) at[lane] = effect_.lanes >> lane & 1u ? value[lane] : at[lane];
}

void Warp::set(const Operand& to, const Lanes<u64>& value) {
  if (to.index == (to.bank == Bank::kUniform ? Operand::kZeroUniform : Operand::kZeroRegister)) return;
  Operand upper = to;
  ++upper.index;
  Lanes<u32> low, high;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    low[lane] = static_cast<u32>(value[lane]);
    high[lane] = static_cast<u32>(value[lane] >> 32);
  }
  set(to, low);
  set(upper, high);
}

void Warp::set(const Operand& to, const Lanes<float>& value) { set(to, std::bit_cast<Lanes<u32>>(value)); }
void Warp::set(const Operand& to, const Lanes<double>& value) { set(to, std::bit_cast<Lanes<u64>>(value)); }

void Warp::set_mask(const Operand& to, u32 value) {
  if (to.index == Operand::kTrue) return;
  const auto index = static_cast<std::size_t>(to.index);
  if (to.bank == Bank::kUniformPredicate) {
    uniform_predicates_[index] = (value >> first() & 1u) != 0;
  } else {
    predicates_[index] = (predicates_[index] & ~effect_.lanes) | (value & effect_.lanes);
  }
}

void Warp::jump(u32 taken, std::int32_t target) {
  if (taken == 0) return;
  if (target < 0 || target >= static_cast<std::int32_t>(launch_.kernel->code.size())) {
    throw DeviceFault("it jumps out of the kernel");
  }
  if (const u32 stay = together_ & ~taken; stay != 0) paths_.push_back({at_, stay});
  together_ = taken;
  at_ = target;
  effect_.jumped = true;
}

void Warp::expect(int barrier, u32 lanes) {
  Barrier& b = barriers_[static_cast<std::size_t>(barrier)];
  b.members = select(effect_.lanes, same(lanes), b.members);
}

void Warp::arrive(int barrier) {
  if (effect_.lanes != together_) throw DeviceFault("some lanes go on without the others");
  Barrier& b = barriers_[static_cast<std::size_t>(barrier)];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (together_ >> lane & 1u) b.at[lane] = at_;
  }
  b.arrived |= together_;
  release(b);
  take_path();
}

void Warp::leave(int barrier, u32 lanes) {
  Barrier& b = barriers_[static_cast<std::size_t>(barrier)];
  const Lanes<u32> before = b.members;
  for (u32 left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const u32 group = before[static_cast<std::size_t>(lane)];
    for (std::size_t other = 0; other < kLanes; ++other) {
      if (before[other] == group) b.members[other] &= ~(1u << lane);
    }
    b.members[static_cast<std::size_t>(lane)] = 0;
  }
  release(b);
}

void Warp::end_lanes() {
  alive_ &= ~effect_.lanes;
  for (Barrier& b : barriers_) release(b);
  together_ &= ~effect_.lanes;
  if (together_ == 0 && alive_ != 0) take_path();
}

bool Warp::misses_any(const Lanes<u32>& members) const {
  u32 named = 0;
  for (u32 left = effect_.lanes; left != 0; left &= left - 1) {
    named |= members[static_cast<std::size_t>(std::countr_zero(left))];
  }
  return (living(named) & ~together_) != 0;
}

void Warp::meet(const Lanes<u32>& members) {
  if (!misses_any(members)) return;
  Barrier& b = barriers_[kUnnumbered];
  b.members = select(effect_.lanes, members, b.members);
  arrive(kUnnumbered);
}

void Warp::part(const Lanes<u32>& members) {
  if (misses_any(members)) return meet(members);  // behind which each group goes on alone
  const u32 others = together_ & ~members[first()];
  if (others == 0) return;
  paths_.push_back({at_ - 1, others});
  together_ &= ~others;
  effect_.lanes = together_;
}

/// Lanes that wait there for each other and for nobody else any more; 0 if there are none.
u32 Warp::complete(const Barrier& barrier) const {
  const auto awaited_by = [&](int lane) {
    return (barrier.members[static_cast<std::size_t>(lane)] | 1u << lane) & alive_;
  };
  for (u32 left = barrier.arrived; left != 0; left &= left - 1) {
    const u32 group = awaited_by(std::countr_zero(left));
    bool all = (barrier.arrived & group) == group;
    for (u32 others = group; all && others != 0; others &= others - 1) {
      all = awaited_by(std::countr_zero(others)) == group;  // not where it is used for something else meanwhile
    }
    if (all) return group;
  }
  return 0;
}

/// Lets the lanes that wait there go on, later, if nobody is missing any more.
void Warp::release(Barrier& barrier) {
  while (u32 lanes = complete(barrier)) {
    barrier.arrived &= ~lanes;
    while (lanes != 0) {
      const std::int32_t at = barrier.at[static_cast<std::size_t>(std::countr_zero(lanes))];
      const u32 here = lanes & where([=](std::int32_t other) { return other == at; }, barrier.at);
      paths_.push_back({at, here});
      lanes &= ~here;
    }
  }
}

void Warp::take_path() {
  if (paths_.empty()) throw DeviceFault("all lanes wait for each other");
  effect_.jumped = at_ != paths_.back().at;
  together_ = paths_.back().lanes;
  at_ = paths_.back().at;
  paths_.pop_back();
}

}  // namespace isopatch::cycle_model
