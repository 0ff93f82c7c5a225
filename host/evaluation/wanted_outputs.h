// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isopatch/arrays.h"

namespace isopatch::detail {

/// Whether the energy is wanted and no other output, so that nothing has to be integrated over contact surfaces but it.
inline bool wants_only_energy(const Results& results) {
  if (results.energy.data == nullptr) return false;
  bool others = false;
  for_each_output(
      [&](const ArrayInfo& info, const auto& array) {
        others = others || (info.group != OutputGroup::kEnergy && array.data != nullptr);
      },
      results);
  return !others;
}

}  // namespace isopatch::detail
