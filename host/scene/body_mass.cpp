// SPDX-License-Identifier: Apache-2.0
#include "host/scene/motion_check.h"
#include "host/scene/scene_check.h"
#include "host/text/quote.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/scene/mass_properties.h"

namespace isopatch {

using namespace detail;

namespace {

const Geometry& geometry_of(const SceneDescription& scene, const Part& part) { return scene.geometries[part.geometry]; }

/// The parts of a body that have a volume, each at 1 kg/m^3 in the body's frame.
std::vector<MassProperties> solid_parts(const SceneDescription& scene, const Body& body) {
  std::vector<MassProperties> solids;
  for (const Part& part : parts_of(body)) {
    const Geometry& geometry = geometry_of(scene, part);
    if (geometry.kind != GeometryKind::kHalfSpace) solids.push_back(placed(mass_properties(geometry), part.pose));
  }
  return solids;
}

/// The tensor of which these are the entries xx, yy, zz, xy, xz, yz.
std::array<Point3, 3> tensor_of(const std::array<double, 6>& entries) {
  const auto& [xx, yy, zz, xy, xz, yz] = entries;
  return {{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}};
}

}  // namespace

MassProperties mass_properties(const SceneDescription& scene, const Body& body) {
  check_geometry_indices(scene, body);
  std::vector<MassProperties> parts;
  for (const Part& part : parts_of(body)) parts.push_back(placed(mass_properties(geometry_of(scene, part)), part.pose));
  return combined(parts);
}

MassProperties body_mass(const SceneDescription& scene, const Body& body) {
  const StandardArithmetic standard;
  check_geometry_indices(scene, body);
  check_mass(body);
  if (body.mass && body.center_of_mass && body.inertia) {
    return {0, *body.mass, *body.center_of_mass, tensor_of(*body.inertia)};
  }

  const std::vector<MassProperties> solids = solid_parts(scene, body);
  if (solids.empty()) {
    fail_scene("body {} has no part with a volume; give its mass, center_of_mass and inertia", in_quotes(body.name));
  }
  const MassProperties filled = combined(solids);
  MassProperties mass =
      body.mass ? with_mass(filled, *body.mass) : with_density(filled, body.density.value_or(kDefaultDensity));
  if (body.center_of_mass) mass.center = *body.center_of_mass;
  if (body.inertia) mass.inertia = tensor_of(*body.inertia);
  return mass;
}

}  // namespace isopatch
