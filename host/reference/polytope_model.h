// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/reference/contact/pair_result.h"

namespace isopatch::reference {

/// The separation and the overlap of the rigid polytopes of a pair.
PairResult evaluate_polytopes(const PairInput& input);

}  // namespace isopatch::reference
