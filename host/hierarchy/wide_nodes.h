// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "isopatch/detail/bvh/node.h"
#include "isopatch/detail/scene/scene_view.h"

namespace isopatch::detail {

/// The nodes of a binary hierarchy as wide nodes; the first holds the root alone.
std::vector<WideNode> wide_nodes(std::span<const Node> nodes);

}  // namespace isopatch::detail
