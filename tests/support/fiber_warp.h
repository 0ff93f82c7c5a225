// SPDX-License-Identifier: Apache-2.0
//
// A warp whose lanes are fibers on one CPU thread. Lanes run one after another from one collective to the next, in an
// order that changes every time, so that code which relies on an order between two collectives gives other bits.
// All lanes must meet at the same line of the source: anything else is divergence, and an error.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>

#include "isopatch/detail/math/vec.h"

#if defined(__SANITIZE_ADDRESS__)
#define ISOPATCH_TEST_FIBERS_TELL_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ISOPATCH_TEST_FIBERS_TELL_ASAN 1
#endif
#endif
#if defined(ISOPATCH_TEST_FIBERS_TELL_ASAN)
#include <sanitizer/common_interface_defs.h>
#endif

namespace isopatch::test {

/// Lanes that met at different collectives, or of which some ended while others waited.
struct Divergence : std::logic_error {
  using std::logic_error::logic_error;
};

#if defined(__cpp_lib_source_location)
using SourceLocation = std::source_location;
#else  // Clang 14
class SourceLocation {
 public:
  static SourceLocation current(unsigned line = __builtin_LINE(), unsigned column = __builtin_COLUMN()) {
    SourceLocation here;
    here.line_ = line;
    here.column_ = column;
    return here;
  }
  unsigned line() const { return line_; }
  unsigned column() const { return column_; }

 private:
  unsigned line_ = 0, column_ = 0;
};
#endif

template <int size>
class FiberWarp;

/// Runs code on `size` lanes in lockstep.
template <int size>
class FiberGroup {
 public:
  using Location = SourceLocation;
  using Code = std::function<void(FiberWarp<size>&)>;

  FiberGroup() : stacks_(std::make_unique<std::array<std::byte, kStackSize>[]>(size)) {}

  /// Runs `code` on every lane to its end. Throws Divergence; lanes are then left where they are.
  void run(const Code& code) {
    code_ = &code;
    for (int i = 0; i < size; ++i) start(i);
    for (bool more = true; more; ++round_) {
      for (int i = 0; i < size; ++i) resume(lane_in_order(i));
      more = meet();
    }
  }

 private:
  friend class FiberWarp<size>;
  static constexpr std::size_t kStackSize = 512 * 1024;

  enum class Kind : std::uint8_t { kBallot, kSum, kMax, kTreeSum, kSync, kEnd };

  /// What a lane brings to a collective, and where it is.
  struct Arrival {
    Kind kind;
    Location location;
    std::int64_t integer;
    double real;
  };

  struct Lane {
    ucontext_t context;
    Arrival arrival;
    void* fake_stack;
  };

  void start(int index) {
    Lane& lane = lanes_[static_cast<std::size_t>(index)];
    getcontext(&lane.context);
    lane.context.uc_stack.ss_sp = stack(index);
    lane.context.uc_stack.ss_size = kStackSize;
    lane.context.uc_link = nullptr;
    makecontext(&lane.context, &FiberGroup::enter, 0);
  }

  void* stack(int index) { return stacks_[static_cast<std::size_t>(index)].data(); }

  static void enter() {
    FiberGroup& group = *active_;
    const int index = group.current_;
    finish_switch(nullptr, &group.scheduler_stack_, &group.scheduler_stack_size_);
    // with this size AddressSanitizer's swapcontext() forgets what it knows of the stack, which takes ten times as long
    // as all the rest
    group.lanes_[static_cast<std::size_t>(index)].context.uc_stack.ss_size = 0;
    {
      FiberWarp<size> warp(group, index);
      (*group.code_)(warp);
    }
    Lane& lane = group.lanes_[static_cast<std::size_t>(index)];
    lane.arrival = {Kind::kEnd, {}, 0, 0};
    start_switch(nullptr, group.scheduler_stack_, group.scheduler_stack_size_);
    swapcontext(&lane.context, &group.scheduler_);
  }

  /// The lane waits until all others have arrived. Afterwards the totals are there.
  void arrive(int index, const Arrival& arrival) {
    Lane& lane = lanes_[static_cast<std::size_t>(index)];
    lane.arrival = arrival;
    start_switch(&lane.fake_stack, scheduler_stack_, scheduler_stack_size_);
    swapcontext(&lane.context, &scheduler_);
    finish_switch(lane.fake_stack, nullptr, nullptr);
  }

  void resume(int index) {
    current_ = index;
    active_ = this;
    start_switch(&scheduler_fake_stack_, stack(index), kStackSize);
    swapcontext(&scheduler_, &lanes_[static_cast<std::size_t>(index)].context);
    finish_switch(scheduler_fake_stack_, nullptr, nullptr);
  }

  /// Forward, backward, and forward from some lane in the middle.
  int lane_in_order(int i) const {
    switch (round_ % 3) {
      case 0:
        return i;
      case 1:
        return size - 1 - i;
      default:
        return (i + round_) % size;
    }
  }

  /// Checks that all lanes are at one location and adds up what they brought. False once all have ended.
  bool meet() {
    const Arrival& first = lanes_[0].arrival;
    ballot_ = 0;
    sum_ = 0;
    max_ = first.real;
    for (int i = 0; i < size; ++i) {
      const Arrival& a = lanes_[static_cast<std::size_t>(i)].arrival;
      if (a.kind != first.kind || a.location.line() != first.location.line() ||
          a.location.column() != first.location.column()) {
        throw Divergence("lane 0 is at " + describe(first) + ", lane " + std::to_string(i) + " at " + describe(a));
      }
      ballot_ |= a.integer != 0 ? 1u << i : 0u;
      sum_ = detail::wrapping_sum(sum_, a.integer);
      max_ = a.real > max_ ? a.real : max_;
    }
    if (first.kind == Kind::kTreeSum) add_up_tree();
    return first.kind != Kind::kEnd;
  }

  /// In the order of lane_sums.h.
  void add_up_tree() {
    std::array<double, size> sums;
    for (std::size_t i = 0; i < size; ++i) sums[i] = lanes_[i].arrival.real;
    for (std::size_t half = size / 2; half > 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
    }
    tree_sum_ = sums[0];
  }

  static std::string describe(const Arrival& a) {
    static constexpr const char* kNames[] = {"ballot", "sum", "max", "sum of a tree", "sync", "its end"};
    const std::string name = kNames[static_cast<int>(a.kind)];
    return a.kind == Kind::kEnd ? name : name + " in line " + std::to_string(a.location.line());
  }

#if defined(ISOPATCH_TEST_FIBERS_TELL_ASAN)
  static void start_switch(void** keep, const void* bottom, std::size_t bytes) {
    __sanitizer_start_switch_fiber(keep, bottom, bytes);
  }
  static void finish_switch(void* kept, const void** bottom, std::size_t* bytes) {
    __sanitizer_finish_switch_fiber(kept, bottom, bytes);
  }
#else
  static void start_switch(void**, const void*, std::size_t) {}
  static void finish_switch(void*, const void**, std::size_t*) {}
#endif

  inline static thread_local FiberGroup* active_ = nullptr;

  const Code* code_ = nullptr;
  std::unique_ptr<std::array<std::byte, kStackSize>[]> stacks_;
  std::array<Lane, size> lanes_ = {};
  ucontext_t scheduler_ = {};
  void* scheduler_fake_stack_ = nullptr;
  const void* scheduler_stack_ = nullptr;
  std::size_t scheduler_stack_size_ = 0;
  int current_ = 0;
  int round_ = 0;

  std::uint32_t ballot_ = 0;
  std::int64_t sum_ = 0;
  double max_ = 0, tree_sum_ = 0;
};

/// One lane's view of the warp; see isopatch/detail/warp.h.
template <int size>
class FiberWarp {
 public:
  static constexpr int kSize = size;
  static constexpr bool kCompactLines = false;  // as on the GPU
  using Location = SourceLocation;

  FiberWarp(FiberGroup<size>& group, int lane) : group_(group), lane_(lane) {}

  int lane() const { return lane_; }
  std::uint32_t ballot(bool value, Location location = Location::current()) {
    group_.arrive(lane_, {Kind::kBallot, location, value ? 1 : 0, 0});
    return group_.ballot_;
  }
  std::int64_t sum(std::int64_t value, Location location = Location::current()) {
    group_.arrive(lane_, {Kind::kSum, location, value, 0});
    return group_.sum_;
  }
  float max(float value, Location location = Location::current()) {
    return static_cast<float>(max(static_cast<double>(value), location));
  }
  double max(double value, Location location = Location::current()) {
    group_.arrive(lane_, {Kind::kMax, location, 0, value});
    return group_.max_;
  }
  double tree_sum(double value, Location location = Location::current()) {
    static_assert(size == 32);
    group_.arrive(lane_, {Kind::kTreeSum, location, 0, value});
    return group_.tree_sum_;
  }
  int from_first(int value, Location location = Location::current()) {
    return static_cast<int>(sum(lane_ == 0 ? value : 0, location));
  }
  int from_lane(int value, int lane, Location location = Location::current()) {
    return static_cast<int>(sum(lane_ == lane ? value : 0, location));
  }
  double from_lane(double value, int lane, Location location = Location::current()) {
    const auto bits = std::bit_cast<std::int64_t>(value);
    return std::bit_cast<double>(sum(lane_ == lane ? bits : 0, location));
  }
  void sync(Location location = Location::current()) { group_.arrive(lane_, {Kind::kSync, location, 0, 0}); }

  int reserve(std::int32_t* counter, int count) {
    const int before = *counter;
    *counter += count;
    return before;
  }
  std::int64_t reserve(std::int64_t* counter, std::int64_t count) {
    const std::int64_t before = *counter;
    *counter += count;
    return before;
  }
  void set_bits(std::uint32_t* word, std::uint32_t bits) { *word |= bits; }
  void add(std::int64_t* word, std::int64_t value) { *word = detail::wrapping_sum(*word, value); }
  void raise(std::int64_t* word, std::int64_t value) { *word = std::max(*word, value); }
  int arrive(std::int32_t* counter) { return (*counter)++; }
  std::int64_t take(std::int64_t* word) { return std::exchange(*word, 0); }

 private:
  using Kind = typename FiberGroup<size>::Kind;

  FiberGroup<size>& group_;
  int lane_;
};

}  // namespace isopatch::test
