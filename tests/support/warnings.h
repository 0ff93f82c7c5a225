// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isopatch/status.h"

namespace isopatch::test {

/// A status without the warning of bodies that reach each other's far sides, as they do where they lie at random or one
/// in another: for tests that ask for faults.
inline std::uint32_t but_far_side(std::uint32_t status) { return status & ~std::uint32_t{kFarSide}; }

}  // namespace isopatch::test
