// SPDX-License-Identifier: Apache-2.0
//
// The description of a scene: geometries, bodies, pairs, the contact law and how it is stepped; and the scene made of
// it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isopatch/geometry/geometry.h"
#include "isopatch/scene/body.h"
#include "isopatch/scene/contact.h"
#include "isopatch/scene/loop.h"
#include "isopatch/scene/rollout_options.h"

namespace isopatch {

/// Two bodies that can touch.
struct Pair {
  int a = 0;                                ///< index into SceneDescription::bodies; wrenches are reported on this one
  int b = 0;                                ///< the other body
  std::optional<double> dissipation;        ///< overrides the combination of the two bodies' values
  std::optional<double> friction;           ///< overrides the combination of the two bodies' coefficients
  std::optional<ContactModels> model = {};  ///< overrides ContactOptions::model

  std::optional<FrictionModel> friction_model = {};  ///< overrides ForceLawOptions::friction_model
  std::optional<BristleFriction> bristle = {};       ///< overrides ForceLawOptions::bristle, all of it
  std::optional<BristleFlow> bristle_flow = {};      ///< overrides ForceLawOptions::bristle_flow; with kBristle

  // Of kVolumetric and kPoint; ContactForceLaw says more.

  /// k_v, N/m^3, or k, N/m^exponent, of each part pair, > 0. Without it that of the parts' moduli, and of their depths
  /// (kVolumetric) or radii (kPoint, by Hertz); two rigid parts, and what Hertz does not have, need it.
  std::optional<double> stiffness = {};
  std::optional<double> exponent = {};     ///< of a depth, with a stiffness; 1.5 without it
  std::optional<double> restitution = {};  ///< e in (0, 1], in place of a dissipation
  bool exact_spheres = false;  ///< kVolumetric: a part made by make_sphere() on a half space is the ball, not its mesh
  bool inside = false;         ///< kPoint: what the ball touches is the hole that has the shape
  double spin_radius = 1;      ///< factor on the radius by which spin slips, >= 0

  /// The contact state at the start of rollouts, and of evaluations that are given none: for each part pair, or one for
  /// all of them; ContactStateRow says what the numbers are. None: no contact before.
  std::vector<std::array<double, 8>> contact_state = {};
};

/// Everything a scene is made of, plain and editable.
struct SceneDescription {
  std::vector<Geometry> geometries;  ///< bodies can share one
  std::vector<Body> bodies;          ///< at least one, at most 64; with at most 256 parts in all

  /// Which bodies can touch. Not given: all_pairs(), which is what Scene::description() has then; an empty list: none.
  std::optional<std::vector<Pair>> pairs = {};

  /// Bodies that are not to touch: two indices each, in any order. all_pairs() leaves them out, and no warning is about
  /// them.
  std::vector<std::array<int, 2>> exclude = {};

  std::vector<Loop> loops = {};  ///< what holds bodies together in rollouts, beside joints

  ContactOptions contact;       ///< the law of all pairs
  RolloutOptions rollout = {};  ///< how it is stepped in time

  std::vector<std::string> notes = {};  ///< what was noticed as a file was read, one line each, for warnings_of()
};

/// Every pair a < b of bodies that are not excluded and not both fixed, that no joint and no loop joins, and that have
/// a part pair: two parts that can touch in the scene's contact models, without a Pair::stiffness. So a prescribed body
/// is paired with fixed ones and with others that are prescribed: none of them yields, but what presses on them can be
/// of interest. Throws Error for a geometry index out of range.
std::vector<Pair> all_pairs(const SceneDescription& scene);

/// The pairs that a scene gives, or all_pairs().
std::vector<Pair> pairs_of(const SceneDescription& scene);

/// Two parts, of the two bodies of a pair, that can touch in a contact model of the pair: with pressure fields, two
/// that are not both rigid and not both half spaces. Parts are numbered through the scene: those of body 0, of body 1
/// and so on.
struct PartPair {
  int pair;    ///< index into SceneDescription::pairs
  int part_a;  ///< of the pair's body a
  int part_b;  ///< of the pair's body b
};

namespace detail {
struct SceneData;
}

/// A checked, immutable scene with its hierarchies, ready to be shared by any number of environments and evaluators.
/// Copies share the data. Every call on a scene that was moved from throws Error.
class Scene {
 public:
  /// Throws Error for an index out of range, a pair whose contact models let none of its parts touch, a
  /// pair of a body with itself, the same pair twice, a compliant part with a surface mesh, more than 64 bodies, 64
  /// parts of a body, 256 parts in all or 32 768 part pairs (with each layer of a half space counted), no bodies, an
  /// unknown value of an enumeration, a material value, pose, velocity, slip tolerance, mass property, value of a
  /// motion or rollout option beyond limits.h, an impossible inertia, a motion that does not fit its body or its
  /// parent, and a geometry that is not as a make_ function leaves it. Names are only for messages: here they may be
  /// empty or repeated; in a scene file they may not.
  explicit Scene(SceneDescription description);

  const SceneDescription& description() const;  ///< what it was made from, and the pairs where it gave none
  const std::vector<Pair>& pairs() const;       ///< in the order of the results
  int num_bodies() const;                       ///< B in the shapes of State and Results
  int num_pairs() const;                        ///< P in the shapes of State and Results
  int num_parts() const;                        ///< C in the shapes of State: of all bodies
  int num_part_pairs() const;                   ///< Q in the shapes of Results: of all pairs

  /// S in the shapes of State and Results: the most numbers that a contact model of the pairs carries from step to step
  /// for a part pair. 0 for pressure fields.
  int contact_state_size() const;

  /// The part pairs in the order of Results::part_pair_wrench: by pair, then by contact model, part of a, part of b.
  /// Which are left out depends on the scene's own geometries alone, whatever State::geometry_index says.
  std::vector<PartPair> part_pairs() const;

  /// The index of the body of this name. Throws Error, with the names that there are, where no body has it, and where
  /// several have.
  int body_index(const std::string& name) const;

  /// The index of the pair whose wrench is that on `a` from `b`, both by name or both by index. Throws Error, with the
  /// pairs that there are, where the scene has no such pair or has it the other way round, and as body_index().
  int pair_index(const std::string& a, const std::string& b) const;
  int pair_index(int a, int b) const;  ///< by the indices of the bodies

  const detail::SceneData& data() const;  ///< for the backends: meshes and hierarchies as they read them

 private:
  std::shared_ptr<const detail::SceneData> data_;
};

/// What may not be meant, one line each: two rigid bodies that meet without touching, unless they are excluded; a half
/// space that is softer than what can lie on it; pairs without friction, unless Pair::friction says so; and a body with
/// parts that overlap by more than 2 % of the smaller one's volume (by sampling), so that both press on what they
/// touch; options of a model that no pair has, or beyond the size of a part; and SceneDescription::notes. Warnings
/// about a single geometry are Geometry::warnings.
std::vector<std::string> warnings_of(const Scene& scene);

}  // namespace isopatch
