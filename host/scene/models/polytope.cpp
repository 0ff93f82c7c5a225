// SPDX-License-Identifier: Apache-2.0
#include "host/scene/models/models.h"

namespace isopatch::detail {
namespace {

Incompatibility incompatibility_of_polytopes(const PartKind& a, const PartKind& b, const PairKind&) {
  if (a.polygon != b.polygon) return {"a polygon and a solid", "polygons touch polygons alone"};
  if (!a.rigid || !b.rigid) return {"not both rigid", "model polytope is for rigid parts"};
  if (a.half_space && b.half_space) return {"both half spaces", "one must be a box, a convex_hull or a cylinder"};
  constexpr std::string_view kRemedy = "take a box, a convex_hull, a cylinder, a polygon or a half_space";
  if (!a.has_faces && !b.has_faces) return {"of shapes that are no polytopes", kRemedy};
  if (!a.has_faces) return {"of shapes of which the first is no polytope", kRemedy};
  if (!b.has_faces) return {"of shapes of which the second is no polytope", kRemedy};
  return {};
}

}  // namespace

ContactModelInfo polytope_model() {
  return {.name = "polytope",
          .incompatibility = incompatibility_of_polytopes,
          .mixed_incompatibilities =
              "not both rigid, or no polytopes; take rigid boxes, convex hulls, cylinders, polygons or half spaces",
          .measures_distance = true,
          .touches_faces = true,
          .prepare = prepare_polytopes,
          .warn = warn_of_polytopes};
}

}  // namespace isopatch::detail
