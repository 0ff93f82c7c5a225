// SPDX-License-Identifier: Apache-2.0
//
// The list of contact models: this file alone names them for scenes.
#include "host/scene/contact_models.h"

namespace isopatch::detail {
namespace {

/// A rigid part has no pressure, and a half space no end.
bool pressure_fields_can_touch(const PartKind& a, const PartKind& b) {
  return !(a.rigid && b.rigid) && !(a.half_space && b.half_space);
}

constexpr ContactModelInfo kModels[] = {{"pressure_field", 0, pressure_fields_can_touch}};

}  // namespace

std::span<const ContactModelInfo> contact_models() { return kModels; }

}  // namespace isopatch::detail
