// SPDX-License-Identifier: Apache-2.0
//
// The library's contact models as scenes know them, in the order of ContactModel. A new model is a file here and a line
// below.
#pragma once

#include <vector>

#include "host/scene/models/model_info.h"

namespace isopatch::detail {

ContactModelInfo pressure_field_model();
ContactModelInfo volumetric_model();
ContactModelInfo point_model();
ContactModelInfo polytope_model();

/// Hooks of models, beside the scene's data.
void warn_of_foundations(const Scene& scene, std::vector<std::string>& warnings);
void prepare_polytopes(SceneData& data);
void warn_of_polytopes(const Scene& scene, std::vector<std::string>& warnings);

inline std::vector<ContactModelInfo> library_models() {
  return {pressure_field_model(), volumetric_model(), point_model(), polytope_model()};
}

/// Of models that are not for polygons.
inline constexpr Incompatibility kPolygonsRefused = {"of polygons, which have no pressure",
                                                     "polygons touch in model polytope alone"};

}  // namespace isopatch::detail
