// SPDX-License-Identifier: Apache-2.0
//
// The bodies of a scene and their parts.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "isopatch/geometry/geometry.h"
#include "isopatch/scene/motion.h"

namespace isopatch {

/// A geometry at a pose in a body, with a material. What is not given is the body's.
struct Part {
  int geometry = 0;                                    ///< index into SceneDescription::geometries
  std::string name = {};                               ///< for messages; unique in a body of a scene file
  std::array<double, 7> pose = {0, 0, 0, 1, 0, 0, 0};  ///< x y z [m], quaternion w x y z; geometry to body
  std::optional<double> modulus = {};                  ///< Pa, > 0
  std::optional<double> dissipation = {};              ///< s/m (hunt_crossley) or s (pfc), >= 0
  std::optional<double> friction = {};                 ///< coefficient, >= 0
  std::optional<bool> rigid = {};                      ///< no pressure field
  std::optional<double> foundation_depth = {};         ///< m, > 0

  /// Other geometries that State::geometry_index may name where the pose is not the identity: each is placed when the
  /// Scene is made. At the identity it may name any, and this stays empty.
  std::vector<int> alternatives = {};
};

/// One geometry or several parts, with a pose and a velocity.
struct Body {
  std::string name;        ///< for messages; unique in a scene file
  int geometry = 0;        ///< index into SceneDescription::geometries; see `parts`
  bool rigid = false;      ///< no pressure field: only the other body yields
  bool one_sided = false;  ///< a thin wall: see README.md of detail/pressure_field
  bool fixed = false;      ///< does not move; two fixed bodies are no default pair
  double modulus = 1e5;    ///< Pa, > 0; ignored where rigid
  double dissipation = 0;  ///< s/m (hunt_crossley) or s (pfc), >= 0
  double friction = 0;     ///< coefficient, >= 0; limits.h says how large these may be

  /// H, m, > 0: the depth of the layer that ContactModel::kVolumetric presses together, of stiffness modulus / H.
  /// Without it that in which the extent reaches 1 where it grows fastest; a geometry with a strain map needs it.
  std::optional<double> foundation_depth = {};
  std::array<double, 7> pose = {0, 0, 0, 1, 0, 0, 0};   ///< x y z [m], quaternion w x y z; body to world
  std::array<double, 6> velocity = {0, 0, 0, 0, 0, 0};  ///< linear [m/s] of the body origin, angular [rad/s], world

  std::array<double, 7> offset = {0, 0, 0, 1, 0, 0, 0};  ///< of `geometry`, as Part::pose
  std::vector<int> alternatives = {};                    ///< to `geometry`, as Part::alternatives

  /// At most 64, which never touch each other. Without any, the body is one part: `geometry` at `offset`.
  std::vector<Part> parts = {};

  // Below is what only a rollout reads; what is not given comes from the mesh, see body_mass(). Bodies that are fixed
  // or prescribed need no mass.

  std::optional<double> mass = {};            ///< kg, > 0, of all parts together
  std::optional<double> density = {};         ///< kg/m^3, > 0, of every part; not together with `mass`
  std::optional<Point3> center_of_mass = {};  ///< body frame, m

  /// Entries xx, yy, zz, xy, xz, yz of the tensor about the centre of mass, axes of the body, kg m^2: xx is the
  /// integral of y^2 + z^2, xy that of -x y, as in URDF. Positive definite, and no principal moment above the sum of
  /// the others.
  std::optional<std::array<double, 6>> inertia = {};

  Motion motion = {};  ///< how it moves; must be kFree if `fixed`
};

/// The parts of a body with everything filled in: the body's own values where a part has none, and the one part of a
/// body that lists none.
std::vector<Part> parts_of(const Body& body);

}  // namespace isopatch
