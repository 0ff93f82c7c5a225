// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace isopatch::detail {

/// The index of the device to use: `wanted`, or the current one where it is negative. Throws Error where there is none.
int require_device(int wanted);

}  // namespace isopatch::detail
