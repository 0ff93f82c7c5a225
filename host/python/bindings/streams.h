// SPDX-License-Identifier: Apache-2.0
//
// The stream of a call on a CUDA device, and its order with what the library of the arrays has enqueued.
#pragma once

#include "host/python/arrays/array_view.h"

namespace isopatch::python {

/// The placement with the stream of a call: a number, an object with `cuda_stream` (torch) or `ptr` (CuPy), or without
/// one the current stream of the library that the poses are of. Another one than this first waits for it.
Placement with_stream(const Placement& placement, const Argument& argument, nb::handle stream, nb::handle poses);

/// Lets the stream of a call wait for the current one of the library that the poses are of, unless it is that.
void wait_for_current_stream(const Placement& placement, nb::handle poses);

/// Throws for an array that would have to be made, by its library's allocator and so in the order of its current
/// stream, for a call on another one.
void require_current_stream(const Placement& placement, const Argument& argument);

}  // namespace isopatch::python
