// SPDX-License-Identifier: Apache-2.0
//
// Loads, stores, atomics and constants.
#include <fmt/format.h>

#include <cstring>

#include "bench/cycle_model/operations.h"

namespace isopatch::cycle_model {

namespace {

using emulator::DeviceFault;

constexpr u32 kReserved = 0x400;  // bytes of shared memory that the system has

struct Width {
  u32 bytes = 4;
  bool is_signed = false;
};

Width width_of(const Instruction& i) {
  if (i.has("128")) return {16};
  if (i.has("64") || i.has("S64") || i.has("U64")) return {8};
  if (i.has("U8") || i.has("S8")) return {1, i.has("S8")};
  if (i.has("U16") || i.has("S16")) return {2, i.has("S16")};
  return {4};
}

Operand part(Bank bank, int index) {
  Operand o;
  o.bank = bank;
  o.index = index;
  return o;
}

bool is_shared(u64 generic_address) { return generic_address >> 32 == kSharedWindow; }

/// The space that has a generic address.
Space space_of(u64 address) {
  return is_shared(address) ? Space::kShared : address >> 32 == kLocalWindow ? Space::kLocal : Space::kGlobal;
}

/// Where each lane's access goes, and a note of it for its time.
const Lanes<u64>& addresses(Warp& w, const Operand& o, Space space, u32 bytes) {
  const bool global = space == Space::kGlobal || space == Space::kGeneric;
  Lanes<u64> at = {};
  if (o.base >= 0 && o.base != Operand::kZeroRegister) {
    const Operand base = part(Bank::kRegister, o.base);
    at = o.wide ? w.longs(base) : map([&](u32 x) { return u64{x} * static_cast<u64>(o.scale); }, w.raw(base));
  }
  if (o.uniform >= 0) {
    const Operand base = part(Bank::kUniform, o.uniform);
    at = map([](u64 x, u64 y) { return x + y; }, at,
             global ? w.longs(base) : map([](u32 x) { return u64{x}; }, w.raw(base)));
  }
  const auto offset = static_cast<u64>(o.offset);
  Effect& effect = w.effect();
  effect.addresses = map([&](u64 x) { return global ? x + offset : u64{static_cast<u32>(x + offset)}; }, at);
  effect.space = space;
  if (space == Space::kGeneric) effect.space = space_of(effect.addresses[w.first()]);
  effect.bytes = bytes;
  effect.writes = false;
  return effect.addresses;
}

/// The bytes that a lane accesses.
std::byte* pointer(Warp& w, Space space, u64 address, u32 bytes, std::size_t lane) {
  if (space == Space::kGeneric) {
    space = space_of(address);
    if (space != Space::kGlobal) address = static_cast<u32>(address);
  }
  std::byte* base = nullptr;
  u64 size = 0, at = address;
  switch (space) {
    case Space::kShared:
      base = w.shared().data(), size = w.shared().size(), at = address - kReserved;
      break;
    case Space::kLocal:
      base = w.local(static_cast<int>(lane)), size = w.launch().kernel->stack_bytes;
      break;
    default:
      base = reinterpret_cast<std::byte*>(address),
      at = 0;  // NOLINT(performance-no-int-to-ptr): an address of the host
      size = w.launch().memory->contains(base, bytes) ? bytes : 0;
      break;
  }
  if (address % bytes != 0 || at > size || bytes > size - at) {
    throw DeviceFault(fmt::format("lane {} accesses {} bytes at {:#x}", lane, bytes, address));
  }
  return base + at;
}

/// The bytes that a lane reads, which may be parameters too.
const std::byte* source(Warp& w, Space space, u64 address, u32 bytes, std::size_t lane) {
  if (space != Space::kGeneric || address >> 32 != kParameterWindow) return pointer(w, space, address, bytes, lane);
  const auto& parameters = w.launch().parameters;
  const u64 at = static_cast<u32>(address);
  if (address % bytes != 0 || at > parameters.size() || bytes > parameters.size() - at) {
    throw DeviceFault(fmt::format("lane {} reads {} bytes of parameters at {:#x}", lane, bytes, address));
  }
  return parameters.data() + at;
}

u32 extended(u32 value, Width width) {
  const u32 unused = 32 - 8 * width.bytes;
  return width.is_signed ? static_cast<u32>(static_cast<std::int32_t>(value << unused) >> unused) : value;
}

Operation load(const Instruction& form, Space space) {
  return [=, width = width_of(form)](Warp& w, const Instruction& i) {
    const Lanes<u64>& at = addresses(w, i[1], space, width.bytes);
    Lanes<u32> words[4] = {};
    for_active(w, [&](std::size_t lane) {
      const std::byte* from = source(w, space, at[lane], width.bytes, lane);
      u32 value[4] = {};
      std::memcpy(value, from, width.bytes);
      if (width.bytes < 4) value[0] = extended(value[0], width);
      for (std::size_t k = 0; k < 4; ++k) words[k][lane] = value[k];
    });
    if (i[0].index == Operand::kZeroRegister) return;
    for (u32 k = 0; 4 * k < width.bytes; ++k) w.set(part(Bank::kRegister, i[0].index + static_cast<int>(k)), words[k]);
  };
}

Operation store(const Instruction& form, Space space) {
  return [=, width = width_of(form)](Warp& w, const Instruction& i) {
    const Lanes<u64>& at = addresses(w, i[0], space, width.bytes);
    w.effect().writes = true;
    Lanes<u32> words[4] = {};
    for (u32 k = 0; 4 * k < width.bytes && i[1].index != Operand::kZeroRegister; ++k) {
      words[k] = w.raw(part(Bank::kRegister, i[1].index + static_cast<int>(k)));
    }
    for_active(w, [&](std::size_t lane) {
      const u32 value[4] = {words[0][lane], words[1][lane], words[2][lane], words[3][lane]};
      std::memcpy(pointer(w, space, at[lane], width.bytes, lane), value, width.bytes);
    });
  };
}

/// What an atomic operation leaves, of 4 or 8 bytes; nothing for names that are not known.
std::function<u64(u64, u64)> atomic_function(const Instruction& i, u32 bytes) {
  if (bytes > 8 || i.has("F32") || i.has("F64") || i.has("F16x2") || i.has("BF16x2")) return {};
  if (i.has("ADD")) return [](u64 a, u64 b) { return a + b; };
  if (i.has("OR")) return [](u64 a, u64 b) { return a | b; };
  if (i.has("AND")) return [](u64 a, u64 b) { return a & b; };
  if (i.has("EXCH")) return [](u64, u64 b) { return b; };
  if (!i.has("MAX") && !i.has("MIN")) return {};
  const u64 sign = i.has("S32") || i.has("S64") ? u64{1} << (8 * bytes - 1) : 0;
  return [=, greatest = i.has("MAX")](u64 a, u64 b) { return ((a ^ sign) < (b ^ sign)) == greatest ? b : a; };
}

/// (P, R,) address, value: lanes take turns in their order. P is whether a generic address is a global one; other code
/// follows for those that are not.
Operation atomic(const Instruction& form, Space space) {
  const u32 bytes = width_of(form).bytes;
  const auto function = atomic_function(form, bytes);
  if (!function) return {};
  return [=, at = form.operands.size() - 2](Warp& w, const Instruction& i) {
    const Lanes<u64>& to = addresses(w, i[at], space, bytes);
    if (space != Space::kShared) w.effect().space = Space::kAtomic;
    const u32 global = space == Space::kGeneric ? ~where(is_shared, to) : ~0u;
    const Lanes<u64> value = bytes == 8 ? w.longs(i[at + 1]) : map([](u32 x) { return u64{x}; }, w.words(i[at + 1]));
    Lanes<u64> before = {};
    for_active(w, [&](std::size_t lane) {
      if ((global >> lane & 1u) == 0) return;
      std::byte* word = pointer(w, space, to[lane], bytes, lane);
      std::memcpy(&before[lane], word, bytes);
      const u64 after = function(before[lane], value[lane]);
      std::memcpy(word, &after, bytes);
    });
    if (space == Space::kGeneric) w.set_mask(i[0], global);
    if (at == 0) return;  // nobody reads what was there
    if (bytes == 8) {
      w.set(i[at - 1], before);
    } else {
      w.set(i[at - 1], map([](u64 x) { return static_cast<u32>(x); }, before));
    }
  };
}

/// R, address, expected, value: stores the value if what is there is expected. R is 1 if it did, else 0.
Operation compare_and_swap(const Instruction& form) {
  const u32 bytes = width_of(form).bytes;
  if (bytes != 8) return {};
  return [=](Warp& w, const Instruction& i) {
    const Lanes<u64>& at = addresses(w, i[1], Space::kShared, bytes);
    const Lanes<u64> expected = w.longs(i[2]), value = w.longs(i[3]);
    Lanes<u64> swapped = {};
    for_active(w, [&](std::size_t lane) {
      std::byte* word = pointer(w, Space::kShared, at[lane], bytes, lane);
      swapped[lane] = std::memcmp(word, &expected[lane], bytes) == 0;
      if (swapped[lane] == 1) std::memcpy(word, &value[lane], bytes);
    });
    w.set(i[0], swapped);
  };
}

/// Address: brings its sector into the first-level cache; other forms of the instruction are for what the model does at
/// once.
Operation cache_control(const Instruction& form) {
  if (!form.has("PF1")) return [](Warp&, const Instruction&) {};
  return [](Warp& w, const Instruction& i) {
    Operand at = i[0];
    at.wide = true;  // which is not in its text
    addresses(w, at, Space::kGlobal, 1);
  };
}

/// P, R, address: whether it is one of shared memory.
Operation qspc(const Instruction& form) {
  if (!form.has("S")) return {};
  return [](Warp& w, const Instruction& i) {
    w.set_mask(i[0], where(is_shared, w.longs(part(Bank::kRegister, i[2].base))));
  };
}

Operation constant(const Instruction& form) {
  return [width = width_of(form)](Warp& w, const Instruction& i) {
    if (width.bytes == 8) return w.set(i[0], w.longs(i[1]));
    Operand aligned = i[1];
    if (aligned.base >= 0 && width.bytes < 4) throw DeviceFault("an index of constants below a word is not known");
    const int shift = static_cast<int>(aligned.offset % 4) * 8;
    aligned.offset -= aligned.offset % 4;
    const u32 mask = width.bytes < 4 ? (1u << 8 * width.bytes) - 1 : ~0u;
    w.set(i[0], map([=](u32 x) { return extended(x >> shift & mask, width); }, w.raw(aligned)));
  };
}

}  // namespace

Operations memory_operations() {
  const Maker global_load = [](const Instruction& i) { return load(i, Space::kGlobal); };
  const Maker global_store = [](const Instruction& i) { return store(i, Space::kGlobal); };
  const Maker global_atomic = [](const Instruction& i) { return atomic(i, Space::kGlobal); };
  return {
      {"LD", [](const Instruction& i) { return load(i, Space::kGeneric); }},
      {"LDG", global_load},
      {"ST", [](const Instruction& i) { return store(i, Space::kGeneric); }},
      {"STG", global_store},
      {"LDS", [](const Instruction& i) { return load(i, Space::kShared); }},
      {"STS", [](const Instruction& i) { return store(i, Space::kShared); }},
      {"LDL", [](const Instruction& i) { return load(i, Space::kLocal); }},
      {"STL", [](const Instruction& i) { return store(i, Space::kLocal); }},
      {"ATOM", [](const Instruction& i) { return atomic(i, Space::kGeneric); }},
      {"ATOMG", global_atomic},
      {"RED", global_atomic},
      {"REDG", global_atomic},
      {"ATOMS", [](const Instruction& i) { return i.has("CAST") ? compare_and_swap(i) : atomic(i, Space::kShared); }},
      {"CCTL", cache_control},
      {"QSPC", qspc},
      {"LDC", constant}};
}

}  // namespace isopatch::cycle_model
