// SPDX-License-Identifier: Apache-2.0
//
// The SIMD vectors that a test can ask for.
#pragma once

#include <vector>

#include "host/cpu/isa/kernels.h"
#include "isopatch/error.h"

namespace isopatch::test {

/// The widths that this build and machine have.
inline std::vector<detail::Vectors> widths() {
  std::vector<detail::Vectors> out;
  for (const detail::Vectors v : {detail::Vectors::kBaseline, detail::Vectors::kAvx512}) {
    try {
      if (detail::select_kernels(v) != nullptr) out.push_back(v);
    } catch (const Error&) {  // not on this machine
    }
  }
  return out;
}

inline const char* name_of(detail::Vectors v) { return v == detail::Vectors::kBaseline ? "baseline" : "avx512"; }

/// Those, and plain arithmetic.
inline std::vector<detail::Vectors> widths_and_none() {
  std::vector<detail::Vectors> out = widths();
  out.push_back(detail::Vectors::kNone);
  return out;
}

}  // namespace isopatch::test
