// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace isopatch::detail {

/// The index of the device to use: `wanted`, or the current one if it is negative. Throws Error if there is none.
int require_device(int wanted);

}  // namespace isopatch::detail
