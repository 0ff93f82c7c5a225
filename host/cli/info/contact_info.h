// SPDX-License-Identifier: Apache-2.0
//
// What `isopatch info` prints of contacts with state.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "isopatch/scene/scene.h"

namespace isopatch::cli {

inline constexpr std::size_t kMaxContactRows = 40;  // of a table

/// A row for each part pair of the pairs whose contacts have a memory, if there are any.
void print_contacts(const Scene& scene);

/// The parts of all bodies as they are called in tables, in the order of PartView.
std::vector<std::string> names_of_parts(const SceneDescription& scene);

}  // namespace isopatch::cli
