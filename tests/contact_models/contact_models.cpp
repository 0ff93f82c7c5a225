// SPDX-License-Identifier: Apache-2.0
//
// The contact models of this program: the library's, and one with a state in which any two parts can touch.
#include "host/scene/contact_models.h"

namespace isopatch::detail {

std::span<const ContactModelInfo> contact_models() {
  static constexpr ContactModelInfo kModels[] = {
      {"pressure_field", 0,
       [](const PartKind& a, const PartKind& b) { return !(a.rigid && b.rigid) && !(a.half_space && b.half_space); }},
      {"sticky", 3, [](const PartKind&, const PartKind&) { return true; }}};
  return kModels;
}

}  // namespace isopatch::detail
