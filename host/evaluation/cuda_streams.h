// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace isopatch::detail {

/// Lets a stream of a CUDA device wait for what another one has enqueued so far; not while it is captured, as a graph
/// cannot wait for what is not in it. Throws Error.
void let_stream_wait(int device, void* stream, void* for_stream);

}  // namespace isopatch::detail
