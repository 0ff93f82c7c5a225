// SPDX-License-Identifier: Apache-2.0
//
// Pictures for ParaView: contact patches and the bodies around them, as legacy VTK POLYDATA in the world frame.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isopatch/pictures.h"

namespace isopatch::detail {

/// Polygons with the pressure at their points, and normal, area and pair as cell data.
std::string patches_vtk(const std::vector<Polygon>& polygons);

/// Contacts of rigid polytopes as points, with normal, gap, applicability, kind and pair as point data.
std::string contacts_vtk(const std::vector<PotentialContact>& contacts);

/// The surface of every body with its index as cell data; a half space is a square of about the scene's size.
std::string bodies_vtk(const SceneDescription& scene, const StateArrays& states, std::int64_t environment);

/// Creates a folder if need be. Throws Error if that fails.
void create_directory(const std::string& directory);

/// write_vtk() of the first `count` environments of `states`, named by their numbers NNNN; `directory` is created if
/// need be. The first of them has the number `first`.
void write_vtk_files(const HostEvaluator& evaluator, const StateArrays& states, std::int64_t first, std::int64_t count,
                     const std::string& directory, double time_step = 0);

/// Keeps the poses of environments at several times, and writes them at the end.
class VtkSeries {
 public:
  /// `states` has the environments that are written; their poses and velocities do not matter.
  explicit VtkSeries(StateArrays states);

  /// The poses of all environments at a time [s], of which the first are kept.
  void add(double time, const std::vector<double>& poses);

  /// Writes patches_NNNN_RRRRRR.vtk and bodies_NNNN_RRRRRR.vtk for environment N and row R, and of each environment
  /// patches_NNNN.vtk.series and bodies_NNNN.vtk.series, into `directory`, which must exist; likewise contacts of rigid
  /// polytopes. The first environment has the number `first`.
  void write(const HostEvaluator& evaluator, std::int64_t first, const std::string& directory) const;

 private:
  StateArrays states_;
  std::vector<double> times_;
  std::vector<std::vector<double>> poses_;  // of each row
};

}  // namespace isopatch::detail
