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

template <class T>
void load_find_contacts(const SceneView& scene);

/// Finds the contacts of the near pairs.
template <class T>
void find_contacts(const ContactSearchCall& call, cudaStream_t stream);

}  // namespace isopatch::detail
