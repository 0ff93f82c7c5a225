// SPDX-License-Identifier: Apache-2.0
//
// Pictures for ParaView: contact patches and the bodies around them, as legacy VTK POLYDATA in the world frame.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isopatch/pictures.h"

namespace isopatch::detail {

/// Polygons with the pressure at their points, and normal, area and pair as cell data; the wrenches of the pairs, P x 6
/// [N, N m], are the field `pair_wrench`.
std::string patches_vtk(const std::vector<Polygon>& polygons, std::span<const double> pair_wrench);

/// Contacts of rigid convex parts as points, with normal, gap, applicability, kind and pair as point data.
std::string contacts_vtk(const std::vector<PotentialContact>& contacts);

/// The surface of every body with its index as cell data; a half space is a square of about the scene's size.
std::string bodies_vtk(const SceneDescription& scene, const StateArrays& states, std::int64_t environment);

/// Creates a folder if need be. Throws Error if that fails.
void create_directory(const std::string& directory);

/// write_vtk() of the first `count` environments of `states`, which have these wrenches, N x P x 6, named by their
/// numbers NNNN; `directory` is created if need be. The first of them has the number `first`.
void write_vtk_files(const HostEvaluator& evaluator, const StateArrays& states, const std::vector<double>& pair_wrench,
                     std::int64_t first, std::int64_t count, const std::string& directory, double time_step = 0);

/// Keeps the poses of environments at several times, and writes them at the end.
class VtkSeries {
 public:
  /// `states` has the environments that are written; their poses and velocities do not matter.
  explicit VtkSeries(StateArrays states);

  /// The poses and the wrenches of the pairs of all environments at a time [s], of which the first are kept.
  void add(double time, const std::vector<double>& poses, const std::vector<double>& pair_wrench);

  /// Writes patches_NNNN_RRRRRR.vtk and bodies_NNNN_RRRRRR.vtk for environment N and row R, and of each environment
  /// patches_NNNN.vtk.series and bodies_NNNN.vtk.series, into `directory`, which must exist; likewise contacts of rigid
  /// convex parts. The first environment has the number `first`.
  void write(const HostEvaluator& evaluator, std::int64_t first, const std::string& directory) const;

 private:
  StateArrays states_;
  std::vector<double> times_;
  std::vector<std::vector<double>> poses_, wrenches_;  // of each row
};

}  // namespace isopatch::detail
