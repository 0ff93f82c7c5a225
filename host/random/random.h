// SPDX-License-Identifier: Apache-2.0
//
// splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014): integer arithmetic only,
// so the same numbers on every machine.
#pragma once

#include <cstdint>

namespace isopatch::detail {

/// The finalizer of splitmix64, a bijection: for inputs that differ in one bit, about half of all bits of the results
/// differ.
constexpr std::uint64_t scrambled(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

class SplitMix64 {
 public:
  explicit constexpr SplitMix64(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() { return scrambled(state_ += 0x9e3779b97f4a7c15U); }

 private:
  std::uint64_t state_;
};

}  // namespace isopatch::detail
