// SPDX-License-Identifier: Apache-2.0
//
// What `isopatch info` prints of rigid polytopes.
#pragma once

#include "isopatch/scene/scene.h"

namespace isopatch::cli {

/// A row for each part in a pair of rigid polytopes, and one for each such pair, if there are any.
void print_polytopes(const Scene& scene);

}  // namespace isopatch::cli
