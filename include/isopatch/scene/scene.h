// SPDX-License-Identifier: Apache-2.0
//
// The description of a scene: geometries, bodies, pairs and the contact law; and how the bodies move in a rollout.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isopatch/geometry/geometry.h"
#include "isopatch/scene/motion.h"
#include "isopatch/scene/rollout_options.h"

namespace isopatch {

/// Normal traction sigma from pressure p and separating speed v_n.
enum class DissipationModel : std::uint8_t {
  kHuntCrossley,  ///< sigma = p max(0, 1 - d v_n), d in s/m
  kPfc            ///< sigma = p max(0, 1 - chi (g/E) v_n), chi in s (PFC eq. 3)
};

/// Rule for damping and friction. The static normal part is exact under all of them.
enum class Quadrature : std::uint8_t {
  kExact,     ///< damping exact; friction in closed form where its direction turns within a polygon, else as kFan3
  kCentroid,  ///< one point per polygon (VL)
  kFan3,      ///< triangles about the centroid, 3 points each, degree 2 (PFC fig. 5)
  kFan6       ///< the same with 6 points, degree 4
};

/// The contact law of all pairs.
struct ContactOptions {
  DissipationModel dissipation_model = DissipationModel::kHuntCrossley;  ///< how motion along the normal is damped
  Quadrature quadrature = Quadrature::kExact;                            ///< how damping and friction are integrated
  double slip_tolerance = 1e-4;  ///< v_s, m/s, > 0: friction is reduced below about this speed
  bool gradient_filter = false;  ///< drop polygons whose normal is more than 5 pi/8 from either body's inward gradient
};

/// A geometry at a pose in a body, with a material. What is not given is the body's.
struct Part {
  int geometry = 0;                                    ///< index into SceneDescription::geometries
  std::string name = {};                               ///< for messages; unique in a body of a scene file
  std::array<double, 7> pose = {0, 0, 0, 1, 0, 0, 0};  ///< x y z [m], quaternion w x y z; geometry to body
  std::optional<double> modulus = {};                  ///< Pa, > 0
  std::optional<double> dissipation = {};              ///< s/m (hunt_crossley) or s (pfc), >= 0
  std::optional<double> friction = {};                 ///< coefficient, >= 0
  std::optional<bool> rigid = {};                      ///< no pressure field

  /// Other geometries that State::geometry_index may name where the pose is not the identity: each is placed when the
  /// Scene is made. At the identity it may name any, and this stays empty.
  std::vector<int> alternatives = {};
};

/// One geometry or several parts, with a pose and a velocity.
struct Body {
  std::string name;                                     ///< for messages; unique in a scene file
  int geometry = 0;                                     ///< index into SceneDescription::geometries; see `parts`
  bool rigid = false;                                   ///< no pressure field: only the other body yields
  bool one_sided = false;                               ///< a thin wall: see README.md of detail/pressure_field
  bool fixed = false;                                   ///< does not move; two fixed bodies are no default pair
  double modulus = 1e5;                                 ///< Pa, > 0; ignored where rigid
  double dissipation = 0;                               ///< s/m (hunt_crossley) or s (pfc), >= 0
  double friction = 0;                                  ///< coefficient, >= 0; limits.h says how large these may be
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

/// Two bodies that can touch.
struct Pair {
  int a = 0;                          ///< index into SceneDescription::bodies; wrenches are reported on this one
  int b = 0;                          ///< the other body
  std::optional<double> dissipation;  ///< overrides the combination of the two bodies' values
  std::optional<double> friction;     ///< overrides the combination of the two bodies' coefficients
};

/// Everything a scene is made of, plain and editable.
struct SceneDescription {
  std::vector<Geometry> geometries;  ///< bodies can share one
  std::vector<Body> bodies;          ///< at least one, at most 64; with at most 256 parts in all
  std::vector<Pair> pairs;           ///< which bodies can touch; all_pairs() makes the list of all possible pairs
  ContactOptions contact;            ///< the law of all pairs
  RolloutOptions rollout = {};       ///< how it is stepped in time
};

/// Every pair a < b of bodies that are not both fixed, that no joint joins, and that have a part pair: two parts that
/// are not both rigid and not both half spaces. So a prescribed body is paired with fixed ones and with others that are
/// prescribed: none of them yields, but what presses on them can be of interest. Throws Error for a geometry index out
/// of range.
std::vector<Pair> all_pairs(const SceneDescription& scene);

/// Two parts, of the two bodies of a pair, that are not both rigid and not both half spaces. Parts are numbered through
/// the scene: those of body 0, of body 1 and so on.
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
  /// Throws Error for an index out of range, a pair of which all part pairs are rigid or half spaces on both sides, a
  /// pair of a body with itself, the same pair twice, a compliant part with a surface mesh, more than 64 bodies, 64
  /// parts of a body, 256 parts in all or 32 768 part pairs (with each layer of a half space counted), no bodies, an
  /// unknown value of an enumeration, a material value, pose, velocity, slip tolerance, mass property, value of a
  /// motion or rollout option beyond limits.h, an impossible inertia, a motion that does not fit its body or its
  /// parent, and a geometry that is not as a make_ function leaves it. Names are only for messages: here they may be
  /// empty or repeated; in a scene file they may not.
  explicit Scene(SceneDescription description);

  const SceneDescription& description() const;  ///< what it was made from
  int num_bodies() const;                       ///< B in the shapes of State and Results
  int num_pairs() const;                        ///< P in the shapes of State and Results
  int num_parts() const;                        ///< C in the shapes of State: of all bodies
  int num_part_pairs() const;                   ///< Q in the shapes of Results: of all pairs

  /// The part pairs in the order of Results::part_pair_wrench: by pair, then by part of a, then by part of b. Which are
  /// left out depends on the scene's own geometries alone, whatever State::geometry_index says.
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

/// One line for each body with parts that overlap by more than 2 % of the smaller one's volume: where both touch
/// another body, both press on it. The share is found by sampling. Warnings about a single geometry are
/// Geometry::warnings.
std::vector<std::string> warnings_of(const Scene& scene);

/// Reads a scene file (JSON, see README). Relative mesh paths start at `directory`, without one at the scene file's.
/// Throws Error naming the file, the field and the value.
SceneDescription read_scene(const std::string& path, const std::optional<std::string>& directory = {});

/// The same from memory; relative mesh paths start at `directory`, `source` names the text in errors.
SceneDescription parse_scene(const std::string& json, const std::string& directory, const std::string& source);

/// What the text of a scene can name instead of files.
struct SceneMeshes {
  /// What a geometry `{"type": "given"}` is: the one of its name.
  std::vector<Geometry> geometries = {};

  std::map<std::string, TetMesh> tet_meshes = {};     ///< by the `file` of a `tet_mesh` or a `convex_hull`
  std::map<std::string, TriangleMesh> surfaces = {};  ///< by the `file` of a `surface_mesh` or a `convex_hull`
};

/// The same with meshes in memory: a name that is not among them is a file's. `scale`, `units`, `field` and so on hold
/// for them as for files. Throws Error also for a given geometry that is missing or there twice; that it is as a make_
/// function leaves it is checked by Scene.
SceneDescription parse_scene(const std::string& json, const std::string& directory, const std::string& source,
                             const SceneMeshes& meshes);

/// The text of a scene file in which all geometries are given: with them, parse_scene(to_json(scene), "", "",
/// {scene.description().geometries}) makes a Scene of the same bits, and the same text again. Equal scenes have equal
/// texts and equal geometries. Numbers are written so that they read as the same double. Values that no part uses, such
/// as a rigid body's modulus, may be left out. Throws Error for names of bodies or geometries that are empty, repeated
/// or no valid UTF-8, which a scene file cannot have.
std::string to_json(const Scene& scene);

}  // namespace isopatch
