// SPDX-License-Identifier: Apache-2.0
//
// What DLPack does not say of torch's tensors, and what torch has to be told of them.
#pragma once

#include <nanobind/nanobind.h>

#include "host/python/arrays/array_view.h"

namespace isopatch::python {

/// Throws TypeError for a tensor whose values are not those in its memory, ValueError for one with a tangent of
/// forward-mode differentiation. Other objects are left to other checks.
void check_tensor(nb::handle array, const Argument& argument);

/// Tells torch that the stream of a call uses a tensor, unless it is torch's current one: once nothing holds the
/// tensor, its memory is not given to another before the stream has done what is enqueued by then.
void record_stream(nb::handle array, const Placement& placement);

/// The tensors that a call writes. Torch has to be told: a graph that has kept one of them for its derivatives raises
/// an error then, as after torch's own writes in place.
class WrittenTensors {
 public:
  /// Adds an array if it is a tensor.
  void add(nb::handle array);

  /// Tells torch that they were written.
  void tell() const;

  void clear() { tensors_ = {}; }

  /// For a call that is made often: from now on tell() needs no memory of Python's.
  void keep();

 private:
  nb::object tensors_;  // a list, which keep() replaces by what goes through it; null if there are none
};

/// Tells torch that the arrays of a state, all of one library, were written.
void mark_written(nb::handle state);

void bind_written_tensors(nb::module_& module);

}  // namespace isopatch::python
