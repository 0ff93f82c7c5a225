// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace isopatch::detail {

/// The number of devices, of which no error is left behind. If it is 0, `problem` says why.
int count_devices(std::string& problem);

/// The index of the device to use: `wanted`, or the current one if it is negative. Throws Error if there is none.
int require_device(int wanted);

}  // namespace isopatch::detail
