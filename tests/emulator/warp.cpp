// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/warp.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace isopatch::emulator {

Warp::Warp(const Launch& launch, SharedMemory& shared, std::uint32_t block, std::uint32_t first_thread)
    : launch_(launch),
      shared_(shared),
      local_(launch.kernel->local_bytes, kLanes),
      slots_(std::make_unique_for_overwrite<Lanes[]>(static_cast<std::size_t>(launch.kernel->num_slots))),
      paths_{{0, -1, ~0u}},
      number_(launch.memory->count_warp()),
      block_(block),
      first_thread_(first_thread) {
  for (const Constant& c : launch.kernel->constants) {
    for (int lane = 0; lane < kLanes; ++lane) std::memcpy(lanes<std::byte>(c.slot) + lane * c.bytes, &c.bits, c.bytes);
  }
}

bool Warp::advance(int most) {
  const Instruction* current = nullptr;
  try {
    for (int n = 0; n < most && alive_ != 0 && !waits_; ++n) {
      current = &launch_.kernel->code[static_cast<std::size_t>(paths_.back().at)];
      execute(*current);
    }
  } catch (const DeviceFault& fault) {
    throw DeviceFault(fmt::format("{}, block {}, threads {} to {}: {}", launch_.location_of(*current), block_,
                                  first_thread_, first_thread_ + kLanes - 1, fault.what()));
  }
  return alive_ != 0;
}

void Warp::execute(const Instruction& i) {
  Path& path = paths_.back();
  std::uint32_t chosen = path.lanes;
  if (i.guard >= 0) chosen &= i.unless ? ~mask(i.guard) : mask(i.guard);
  Count& count = launch_.counts[static_cast<std::size_t>(path.at)];
  ++count.issued;
  count.lanes += static_cast<std::uint64_t>(std::popcount(chosen));
  switch (i.flow) {
    case Flow::kNext:
      active_ = chosen;
      if (chosen != 0) i.run(*this, i);
      ++path.at;
      break;
    case Flow::kBranch:
      branch(i, chosen);
      break;
    case Flow::kExit:
      ++path.at;
      end(chosen);
      break;
  }
  meet();
}

void Warp::branch(const Instruction& i, std::uint32_t taken) {
  Path& path = paths_.back();
  const std::uint32_t stay = path.lanes & ~taken;
  if (taken == 0 || stay == 0) {
    path.at = taken == 0 ? path.at + 1 : i.target;
    return;
  }
  const Path others = {path.at + 1, i.reconvergence, stay}, first = {i.target, i.reconvergence, taken};
  path.at = i.reconvergence;
  if (i.reconvergence == path.until) paths_.pop_back();  // its lanes meet others there too, or at the end
  paths_.push_back(others);
  paths_.push_back(first);
}

void Warp::end(std::uint32_t lanes) {
  alive_ &= ~lanes;
  for (Path& p : paths_) p.lanes &= ~lanes;
}

void Warp::meet() {
  while (!paths_.empty() && (paths_.back().lanes == 0 || paths_.back().at == paths_.back().until)) paths_.pop_back();
}

void Warp::require_together(std::uint32_t members) const {
  if (active_ == alive_ && (members & alive_) == alive_) return;
  throw DeviceFault(fmt::format("lanes {:#010x} meet alone; {:#010x} have not ended and {:#010x} are named", active_,
                                alive_, members));
}

void Warp::require_members(const std::uint32_t* members) const {
  for (std::uint32_t left = active_; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint32_t named = members[lane] & alive_;
    bool same = (named >> lane & 1u) != 0 && (named & ~active_) == 0;
    for (std::uint32_t other = named; same && other != 0; other &= other - 1) {
      same = members[std::countr_zero(other)] == members[lane];
    }
    if (same) continue;
    throw DeviceFault(fmt::format("lanes {:#010x} meet alone; {:#010x} have not ended and lane {} names {:#010x}",
                                  active_, alive_, lane, members[lane]));
  }
}

void Warp::pass_warp_barrier(std::uint32_t lanes) {
  std::uint32_t most = 0;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    most = std::max(most, warp_barriers_[static_cast<std::size_t>(std::countr_zero(left))]);
  }
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    warp_barriers_[static_cast<std::size_t>(std::countr_zero(left))] = most + 1;
  }
}

std::uint64_t Warp::address(const Instruction& i, int lane) const {
  const auto offset = static_cast<std::uint64_t>(i.offset);
  if (i.base < 0) return offset;
  if (i.base_bytes == 8) return offset + lanes<std::uint64_t>(i.base)[lane];
  return static_cast<std::uint32_t>(offset + lanes<std::uint32_t>(i.base)[lane]);  // which wraps
}

bool Warp::is_uniform(const Instruction& i, std::uint64_t at) const {
  for (std::uint32_t left = active_; left != 0; left &= left - 1) {
    if (address(i, std::countr_zero(left)) != at) return false;
  }
  return true;
}

void Warp::access(Access access, const Instruction& i, std::size_t size, Pointers& pointers) {
  count_transactions(i, size);
  if (i.space == Space::kLocal || i.space == Space::kParameter) {  // nearly always at one address
    const int first = std::countr_zero(active_);
    const std::uint64_t at = address(i, first);
    if (is_uniform(i, at)) {
      std::byte* const pointer = check(access, i, at, size, active_);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        pointers[lane] = i.space == Space::kLocal ? local_.at(static_cast<int>(lane), at) : pointer;
      }
      return;
    }
  }
  for (std::uint32_t left = active_; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    pointers[static_cast<std::size_t>(lane)] = check(access, i, address(i, lane), size, 1u << lane);
  }
}

std::byte* Warp::check(Access access, const Instruction& i, std::uint64_t at, std::size_t size, std::uint32_t lanes) {
  const int lane = std::countr_zero(lanes);
  const bool writes = access == Access::kWrite;
  Space space = i.space;
  if (space == Space::kGlobal && at >= kParameterWindow) {
    space = at >= kSharedWindow ? Space::kShared : at >= kLocalWindow ? Space::kLocal : Space::kParameter;
    at &= kParameterWindow - 1;
  }
  switch (space) {
    case Space::kShared: {
      const Toucher by = {thread(lane), warp_barriers_[static_cast<std::size_t>(lane)], block_barriers_};
      return writes ? shared_.write(at, size, by) : shared_.read(at, size, by, i.used_bytes);
    }
    case Space::kLocal:
      // at generic addresses structures are copied byte by byte, with what is between their members
      writes ? local_.write(at, size, lanes) : local_.read(at, size, lanes, i.space == space ? i.used_bytes : 0);
      return local_.at(lane, at);
    case Space::kParameter: {
      const std::size_t total = launch_.parameters.size();
      if (writes || at > total || size > total - at) {
        throw DeviceFault(
            fmt::format("{} of {} bytes at {} of {} bytes of parameters", writes ? "write" : "read", size, at, total));
      }
      return const_cast<std::byte*>(launch_.parameters.data()) + at;  // no instruction writes there
    }
    case Space::kGlobal:
      break;
  }
  LaneStamp by;
  if (access != Access::kAtomic) {
    by = {number_, warp_barriers_[static_cast<std::size_t>(lane)] + block_barriers_, lane};
  }
  return writes ? launch_.memory->write(at, size, by) : launch_.memory->read(at, size, i.used_bytes, by);
}

void Warp::count_transactions(const Instruction& i, std::size_t size) {
  if (!launch_.counts_transactions || (i.space != Space::kGlobal && i.space != Space::kShared)) return;
  const std::uint64_t unit = i.space == Space::kGlobal ? 32 : 4;
  std::array<std::uint64_t, 4 * kLanes> units;  // an access has 16 bytes at most
  std::size_t count = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!is_active(lane)) continue;
    const std::uint64_t at = address(i, lane);
    for (std::uint64_t u = at / unit; u <= (at + size - 1) / unit; ++u) units[count++] = u;
  }
  std::sort(units.begin(), units.begin() + count);
  const auto end = std::unique(units.begin(), units.begin() + count);
  Count& c = launch_.counts[static_cast<std::size_t>(&i - launch_.kernel->code.data())];
  if (i.space == Space::kGlobal) {
    c.transactions += static_cast<std::uint64_t>(end - units.begin());
    return;
  }
  std::array<std::uint64_t, 32> words_of_bank = {};
  for (auto at = units.begin(); at != end; ++at) ++words_of_bank[*at % 32];
  c.transactions += *std::max_element(words_of_bank.begin(), words_of_bank.end());
}

}  // namespace isopatch::emulator
