// SPDX-License-Identifier: Apache-2.0
//
// What `isopatch info` prints of contacts with a memory.
#pragma once

#include "isopatch/scene/scene.h"

namespace isopatch::cli {

/// A row for each part pair of the pairs whose contacts have a memory, if there are any.
void print_contacts(const Scene& scene);

}  // namespace isopatch::cli
