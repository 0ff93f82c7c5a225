// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "isopatch/detail/bvh/node.h"
#include "isopatch/detail/scene/scene_view.h"

namespace isopatch {

/// The nodes of a binary hierarchy side by side; the first holds the root alone.
std::vector<detail::WideNode> wide_nodes(std::span<const detail::Node> nodes);

}  // namespace isopatch
