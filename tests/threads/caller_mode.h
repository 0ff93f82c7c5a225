// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfenv>
#include <cstdint>
#include <string>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace isopatch::test {

/// How a caller's thread may compute.
struct Mode {
  std::string name;
  int rounding = FE_TONEAREST;
  bool flush = false;  // subnormal numbers are 0
};

inline std::uint64_t control_register() {
#if defined(__x86_64__)
  return _mm_getcsr() & 0xffc0U;
#elif defined(__aarch64__)
  std::uint64_t mode;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
#else
  return 0;
#endif
}

inline void flush_subnormals() {
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040U);
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" : : "r"(control_register() | (std::uint64_t{1} << 24)));
#endif
}

inline const std::vector<Mode>& other_modes() {
  static const std::vector<Mode> modes = {{"up", FE_UPWARD},
                                          {"down", FE_DOWNWARD},
                                          {"to zero", FE_TOWARDZERO},
                                          {"flush", FE_TONEAREST, true},
                                          {"up and flush", FE_UPWARD, true}};
  return modes;
}

/// The mode of this thread while it lives.
class CallerMode {
 public:
  explicit CallerMode(const Mode& mode) {
    std::fegetenv(&before_);
    std::fesetround(mode.rounding);
    if (mode.flush) flush_subnormals();
    set_ = control_register();
    rounding_ = mode.rounding;
  }
  ~CallerMode() { std::fesetenv(&before_); }
  CallerMode(const CallerMode&) = delete;
  CallerMode& operator=(const CallerMode&) = delete;

  /// Whether it still is what was set; fegetround() reads the x87 unit there.
  bool intact() const { return control_register() == set_ && std::fegetround() == rounding_; }

 private:
  std::fenv_t before_;
  std::uint64_t set_ = 0;
  int rounding_ = 0;
};

}  // namespace isopatch::test
