// SPDX-License-Identifier: Apache-2.0
#include "host/threads/standard_arithmetic.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace isopatch::detail {

#if defined(__x86_64__)

namespace {

constexpr unsigned kStandard = 0x1f80, kControl = 0xffc0;  // of MXCSR; below the control bits are sticky flags
constexpr std::uint16_t kStandardX87 = 0x037f;             // long double with all of its digits

}  // namespace

StandardArithmetic::StandardArithmetic() noexcept : mode_(_mm_getcsr()) {
  asm volatile("fnstcw %0" : "=m"(x87_));
  if ((mode_ & kControl) != kStandard) _mm_setcsr(kStandard);
  if (x87_ != kStandardX87) asm volatile("fldcw %0" : : "m"(kStandardX87) : "memory");
}

StandardArithmetic::~StandardArithmetic() {
  if ((mode_ & kControl) != kStandard) _mm_setcsr(static_cast<unsigned>(mode_));
  // flags that were raised here must not trap the caller
  if (x87_ != kStandardX87) asm volatile("fnclex\n\tfldcw %0" : : "m"(x87_) : "memory");
}

#elif defined(__aarch64__)

StandardArithmetic::StandardArithmetic() noexcept {
  asm volatile("mrs %0, fpcr" : "=r"(mode_));
  if (mode_ != 0) asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{0}) : "memory");
}

StandardArithmetic::~StandardArithmetic() {
  if (mode_ != 0) asm volatile("msr fpcr, %0" : : "r"(mode_) : "memory");
}

#else

StandardArithmetic::StandardArithmetic() noexcept : mode_(static_cast<std::uint64_t>(std::fegetround())) {
  std::fesetround(FE_TONEAREST);
}

StandardArithmetic::~StandardArithmetic() { std::fesetround(static_cast<int>(mode_)); }

#endif

}  // namespace isopatch::detail
