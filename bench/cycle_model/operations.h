// SPDX-License-Identifier: Apache-2.0
//
// What the files of operations share: functions of 32 lanes, and the tables of names.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "bench/cycle_model/warp.h"

namespace isopatch::cycle_model {

/// Makes the operation of an instruction from its modifiers.
using Maker = Operation (*)(const Instruction&);
using Operations = std::map<std::string, Maker>;

/// The names of each file. Those of the uniform datapath have a U in front, and are not in the tables.
Operations float_operations();
Operations integer_operations();
Operations memory_operations();
Operations control_operations();

/// f of each lane's values.
template <class F, class... A>
auto map(F f, const Lanes<A>&... a) {
  Lanes<decltype(f(a[0]...))> value;
  for (std::size_t lane = 0; lane < kLanes; ++lane) value[lane] = f(a[lane]...);
  return value;
}

/// The lanes in which f is true.
template <class F, class... A>
u32 where(F f, const Lanes<A>&... a) {
  u32 lanes = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) lanes |= static_cast<u32>(f(a[lane]...)) << lane;
  return lanes;
}

/// yes in these lanes, no in the others.
template <class T>
Lanes<T> select(u32 lanes, const Lanes<T>& yes, const Lanes<T>& no) {
  Lanes<T> value;
  for (std::size_t lane = 0; lane < kLanes; ++lane) value[lane] = lanes >> lane & 1u ? yes[lane] : no[lane];
  return value;
}

/// f(lane) for the lanes that take part, in their order.
template <class F>
void for_active(const Warp& w, F f) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (w.active() >> lane & 1u) f(lane);
  }
}

/// A comparison, such as GEU: which of less, equal, greater and not ordered it accepts.
struct Comparison {
  static constexpr int kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8;
  int accepts = 0;

  template <class T>
  bool operator()(T a, T b) const {
    const int found = a < b ? kLess : a == b ? kEqual : a > b ? kGreater : kUnordered;
    return (accepts & found) != 0;
  }
};

/// The comparison by its name; one that accepts nothing if it is not known.
Comparison comparison(const std::string& name);

/// Joins what a comparison found with another predicate: by AND, OR or XOR.
enum class Join : std::uint8_t { kAnd, kOr, kXor };
Join join_of(const Instruction& i);
u32 joined(Join join, u32 a, u32 b);

}  // namespace isopatch::cycle_model
