// SPDX-License-Identifier: Apache-2.0
//
// The list of contact models: this file alone names them for scenes.
#include "host/scene/contact_models.h"

namespace isopatch::detail {
namespace {

/// A rigid part has no pressure, and a half space no end.
Refusal refusal_of_pressure_fields(const PartKind& a, const PartKind& b) {
  if (a.rigid && b.rigid) return {"both rigid", "one must be compliant"};
  if (a.half_space && b.half_space) return {"both half spaces", "one must be a mesh"};
  return {};
}

constexpr ContactModelInfo kModels[] = {{"pressure_field", 0, refusal_of_pressure_fields,
                                         "both rigid or both half spaces; one must have a compliant mesh", true}};

}  // namespace

std::span<const ContactModelInfo> contact_models() { return kModels; }

}  // namespace isopatch::detail
