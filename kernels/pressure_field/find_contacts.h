// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/contact/contact_model.h"
#include "kernels/pressure_field/call.h"

namespace isopatch::detail {

/// The arguments of the search for contacts, by value.
struct ContactSearchCall {
  PressureFieldCall evaluation;
  ContactPoints points;
  ContactLists to;
};

/// Loads the kernels of find_contacts() on the current device; returns the number of warps that it keeps there at once
/// without stages.
template <class T>
std::int64_t load_find_contacts(const SceneView& scene);

/// Finds the contacts of the near pairs, in stages if there is memory for them. With `begins`, the environments begin
/// before.
template <class T>
void find_contacts(const ContactSearchCall& call, bool begins, cudaStream_t stream);

}  // namespace isopatch::detail
