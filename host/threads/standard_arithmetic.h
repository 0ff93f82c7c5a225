// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace isopatch::detail {

/// While it lives, this thread rounds to nearest, keeps subnormal numbers and traps nothing, whatever mode the caller
/// has set; the destructor restores that mode. The optimiser cannot see into the constructor and the destructor, so it
/// moves no arithmetic on memory across them. If the mode is right already, the cost is two reads.
class StandardArithmetic {
 public:
  StandardArithmetic() noexcept;
  ~StandardArithmetic();
  StandardArithmetic(const StandardArithmetic&) = delete;
  StandardArithmetic& operator=(const StandardArithmetic&) = delete;

 private:
  std::uint64_t mode_ = 0;  // the caller's
  std::uint16_t x87_ = 0;   // the caller's, for long double on x86
};

}  // namespace isopatch::detail
