// SPDX-License-Identifier: Apache-2.0
//
// Mass, centre of mass and inertia of geometries, bodies and what is composed of them.
#pragma once

#include <array>
#include <span>

#include "isopatch/geometry/geometry.h"
#include "isopatch/scene/scene.h"

namespace isopatch {

/// Mass properties of a solid of uniform density, or of several. What has no volume of its own may leave it 0.
struct MassProperties {
  double volume = 0;                ///< m^3
  double mass = 0;                  ///< kg
  Point3 center{};                  ///< centre of mass, m
  std::array<Point3, 3> inertia{};  ///< rows of the symmetric tensor about `center`, axes of the frame, kg m^2
};

/// Those of a geometry in its own frame, at 1 kg/m^3: integrals over the inside of its surface mesh, so a primitive has
/// those of its mesh, and where a surface cuts through itself an overlap counts as often as the surface winds around
/// it. Relative to the largest element of each, centre to the size, they are exact to about 1e-14 for good meshes,
/// whatever the number of triangles and the distance from the origin. A polygon is the middle of a plate 1 m thick.
/// Throws Error for a half space, and for a geometry made by hand with an index out of range or a volume that is not
/// positive.
MassProperties mass_properties(const Geometry& geometry);

/// The same solid at another density [kg/m^3]. Throws Error where that, the volume or the mass is not positive and
/// finite.
MassProperties with_density(const MassProperties& properties, double density);

/// The same solid with another mass [kg], spread as before. Throws Error where one of the two masses is not positive
/// and finite.
MassProperties with_mass(const MassProperties& properties, double mass);

/// The same solid seen from the frame to which `pose` takes its coordinates: x y z [m], quaternion w x y z, normalised
/// on use, as of Body. Throws Error for a pose beyond limits.h.
MassProperties placed(const MassProperties& properties, const std::array<double, 7>& pose);

/// All parts together, whose properties are in one frame already. What lies in two parts counts twice. Throws Error
/// without parts, and where a mass is not positive and finite.
MassProperties combined(std::span<const MassProperties> parts);

/// Those of a body of the scene in its own frame: of all its parts together, each at 1 kg/m^3. Throws Error for a half
/// space among them, and for an index or a pose that Scene would refuse.
MassProperties mass_properties(const SceneDescription& scene, const Body& body);

/// kg/m^3, of a body that states neither mass nor density.
inline constexpr double kDefaultDensity = 1000;

/// Those with which a body of the scene moves, in its own frame: what Body states of mass, centre of mass and inertia,
/// and the rest from its parts, each filled with Body::density. A given mass without an inertia scales that of the
/// parts; a given centre of mass without an inertia keeps that about the parts' own centre. A half space adds nothing.
/// Where mass, centre and inertia are all given, no mesh is needed and the volume is 0. Throws Error for a body of half
/// spaces alone that does not state all three, for values that Scene would refuse, and as mass_properties() does.
MassProperties body_mass(const SceneDescription& scene, const Body& body);

}  // namespace isopatch
