// SPDX-License-Identifier: Apache-2.0
#include "host/scene/models/models.h"
#include "isopatch/detail/force_law/contact_state.h"

namespace isopatch::detail {
namespace {

/// A rigid part has no pressure, and a half space no end.
Incompatibility incompatibility_of_pressure_fields(const PartKind& a, const PartKind& b, const PairKind&) {
  if (a.polygon || b.polygon) return kPolygonsRefused;
  if (a.rigid && b.rigid) return {"both rigid", "one must be compliant"};
  if (a.half_space && b.half_space) return {"both half spaces", "one must be a mesh"};
  return {};
}

}  // namespace

ContactModelInfo pressure_field_model() {
  return {.name = "pressure_field",
          .bristle_size = kContactStateSize,
          .incompatibility = incompatibility_of_pressure_fields,
          .mixed_incompatibilities = "both rigid or both half spaces; one must have a compliant mesh",
          .has_patches = true,
          .has_law = true};
}

}  // namespace isopatch::detail
