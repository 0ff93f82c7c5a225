// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace isopatch::detail {

/// How many pairs the calls of this process have put in stages on CUDA devices, a pair counted in each call: for tests,
/// which could not tell otherwise which kernels gave the bits.
std::atomic<std::int64_t>& pairs_in_stages();

}  // namespace isopatch::detail
