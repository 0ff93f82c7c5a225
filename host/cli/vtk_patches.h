// SPDX-License-Identifier: Apache-2.0
//
// Pictures for ParaView: contact patches and the bodies around them, as legacy VTK POLYDATA in the world frame.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/cli/batch_runner.h"
#include "isopatch/host_evaluator.h"

namespace isopatch::cli {

/// All contact polygons of one environment, with a buffer that grows until they fit.
std::vector<Polygon> contact_polygons(const HostEvaluator& evaluator, const StateArrays& states,
                                      std::int64_t environment);

/// Polygons with the pressure at their points, and normal, area and pair as cell data.
std::string patches_vtk(const std::vector<Polygon>& polygons);

/// The surface of every body with its index as cell data; a half space is a square of about the scene's size.
std::string bodies_vtk(const SceneDescription& scene, const StateArrays& states, std::int64_t environment);

/// Creates a folder if need be. Throws Error where that fails.
void create_directory(const std::string& directory);

/// Writes patches_NAME.vtk and bodies_NAME.vtk of one environment to `directory`.
void write_vtk_environment(const HostEvaluator& evaluator, const StateArrays& states, std::int64_t environment,
                           const std::string& name, const std::string& directory);

/// The same, named by their numbers NNNN, of the first `count` environments of `states`; `directory` is created if need
/// be. The first of them has the number `first`.
void write_vtk_files(const HostEvaluator& evaluator, const StateArrays& states, std::int64_t first, std::int64_t count,
                     const std::string& directory);

}  // namespace isopatch::cli
