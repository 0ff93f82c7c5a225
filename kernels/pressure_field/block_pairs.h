// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/scene/call.h"

namespace isopatch::detail {

/// Loads the kernel of evaluate_by_blocks() on the current device. Returns how many blocks that runs at once; 0 if they
/// cannot evaluate the environments of this scene, or need more shared memory than it has.
template <class T>
std::int64_t load_evaluate_by_blocks(const SceneView& scene);

/// begin_environments() and pair wrenches, for calls that want nothing else: a block evaluates an environment, which
/// needs no working memory.
template <class T>
void evaluate_by_blocks(const BatchCall& call, cudaStream_t stream);

}  // namespace isopatch::detail
