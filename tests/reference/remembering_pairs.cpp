// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/remembering_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tests/reference/random_single_contacts.h"
#include "tests/support/compounds.h"
#include "tests/support/data_folder.h"
#include "tests/support/random_contacts.h"

namespace isopatch::oracle {
namespace {

double exact_with_a_move(double x) { return std::round(x * 0x1p32) * 0x1p-32; }

/// How far bristles bend before they slide, at friction of a hundredth or more.
double bend_of(const ContactForceLaw& law, double friction = 1) {
  return std::max(friction, 1e-2) * law.bristle.static_ratio / law.bristle.stiffness;
}

/// What all contacts with state have.
void give_friction(const ContactForceLaw& law, SceneDescription& scene, Pair& pair) {
  scene.contact.force_law.small_speed = law.small_speed;
  scene.contact.force_law.latch = law.latch;
  scene.contact.force_law.relaxation_time = law.relaxation_time;
  scene.contact.force_law.normal = law.normal;
  scene.contact.slip_tolerance = law.slip_tolerance;
  pair.friction_model = law.friction_model;
  pair.bristle = law.bristle;
  if (law.friction_model == FrictionModel::kBristle) pair.bristle_flow = law.bristle_flow;
  pair.friction = law.friction;
  pair.dissipation = law.dissipation;
  pair.spin_radius = law.spin_radius;
}

/// Appends the motion of two bodies.
void append_motion(RandomContacts& random, StateArrays& states) {
  const ContactMotion motion = random.motion();
  for (const Point3& v : {motion.velocity_a, motion.angular_velocity_a, motion.velocity_b, motion.angular_velocity_b}) {
    states.velocities.insert(states.velocities.end(), v.begin(), v.end());
  }
}

/// Appends the materials of an environment's parts.
void append_materials(RandomContacts& random, StateArrays& states) {
  for (std::int64_t part = 0; part < states.num_parts; ++part) {
    states.modulus.push_back(random.magnitude(1e4, 1e7));
    states.dissipation.push_back(random.magnitude(1e-2, 10));
    states.friction.push_back(random.between(0, 1));
  }
}

/// Appends a contact state of a part pair.
void append_memory(RandomContacts& random, const ContactForceLaw& law, double metric, StateArrays& states) {
  const ContactStateRow state = random.state(law, metric);
  states.contact_state.insert(states.contact_state.end(), state.begin(), state.end());
}

// ---- balls

struct BallCase {
  const char* name;
  Geometry shape;
  bool inside = false, volumetric = false;
};

std::vector<BallCase> ball_cases() {
  const Geometry ground = make_half_space("ground", 0.1), sphere = make_sphere("sphere", 0.12, 0),
                 box = make_box("box", {0.2, 0.3, 0.25}), cylinder = make_cylinder("cylinder", 0.1, 0.3, 8),
                 capsule = make_capsule("capsule", 0.1, 0.2, 8);
  return {{"half space", ground},
          {"sphere", sphere},
          {"box", box},
          {"cylinder", cylinder},
          {"capsule", capsule},
          {"in a sphere", sphere, true},
          {"in a box", box, true},
          {"in a cylinder", cylinder, true},
          {"in a capsule", capsule, true},
          {"exact ball", ground, false, true}};
}

/// A point of a surface and an outward normal there.
struct Foot {
  Point3 point, normal;
};

/// On faces, edges and corners: the point nearest to one that is drawn beside the shape.
Foot random_foot(const Geometry& shape, RandomContacts& random) {
  if (shape.kind == GeometryKind::kHalfSpace)
    return {{random.between(-0.1, 0.1), random.between(-0.1, 0.1), 0}, {0, 0, 1}};
  const Primitive& p = shape.primitive;
  const bool is_cylinder = p.kind == PrimitiveKind::kCylinder;
  const double length = p.half[2], round = p.kind == PrimitiveKind::kBox || is_cylinder ? 0 : p.radius;
  // a box within, of which the shape is what lies nearer than `round`; of a cylinder a section along its axis
  Point3 half = {0, 0, 0};
  if (p.kind == PrimitiveKind::kBox) half = p.half;
  if (p.kind == PrimitiveKind::kCapsule) half = {0, 0, length};
  if (is_cylinder) half = {p.radius, 0, length};

  Point3 beside = random.vector(1), point, way;
  for (std::size_t k = 0; k < 3; ++k) {
    beside[k] *= 1.5 * half[k] + round;
    point[k] = std::clamp(beside[k], -half[k], half[k]);
    way[k] = beside[k] - point[k];
  }
  double distance = std::hypot(way[0], way[1], way[2]);
  if (distance == 0) {  // it lies within
    const std::size_t axis = random.one_in(2) ? 0 : 2;
    way[axis] = distance = beside[axis] < 0 ? -1 : 1;
    point[axis] = way[axis] * half[axis];
    distance = 1;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    way[k] /= distance;
    point[k] += round * way[k];
  }
  if (!is_cylinder) return {point, way};
  const double turn = random.between(-3, 3), c = std::cos(turn), s = std::sin(turn);
  return {{c * point[0], s * point[0], point[2]}, {c * way[0], s * way[0], way[2]}};
}

/// Body 0 has the balls, body 1 the shapes; of several parts three and two.
SceneDescription ball_scene(const BallCase& tested, bool several, RandomContacts& random) {
  SceneDescription scene;
  const std::size_t balls = several ? 3 : 1, shapes = several ? 2 : 1;
  scene.bodies.resize(2);
  const auto add = [&](Body& body, const Geometry& geometry, double spread) {
    Part& part = body.parts.emplace_back();
    part.geometry = static_cast<int>(scene.geometries.size());
    const Point3 at = random.vector(spread);
    const auto turn = random.quaternion();
    part.pose = {at[0], at[1], at[2], turn[0], turn[1], turn[2], turn[3]};
    scene.geometries.push_back(geometry);
  };
  for (std::size_t i = 0; i < balls; ++i)
    add(scene.bodies[0], make_sphere("ball", random.between(0.02, 0.06), 0), 0.05);
  for (std::size_t i = 0; i < shapes; ++i) add(scene.bodies[1], tested.shape, 0.1);
  for (Body& body : scene.bodies) body.modulus = random.magnitude(1e5, 1e9);
  return scene;
}

/// The law of a scene's pair, with a stiffness of its own where there is no formula for it.
ContactForceLaw give_law(const BallCase& tested, SceneDescription& scene, RandomContacts& random) {
  const ContactForceLaw law = random.law();
  Pair& pair = scene.pairs.emplace().emplace_back();
  pair.b = 1;
  if (random.one_in(2)) std::swap(pair.a, pair.b);
  give_friction(law, scene, pair);
  pair.model = tested.volumetric ? ContactModel::kVolumetric : ContactModel::kPoint;
  pair.exact_spheres = tested.volumetric;
  pair.inside = tested.inside;
  pair.restitution = law.restitution;
  const PrimitiveKind kind = tested.shape.primitive.kind;
  const bool has_formula = !tested.inside && kind != PrimitiveKind::kCylinder && kind != PrimitiveKind::kCapsule;
  if (!has_formula || random.one_in(2)) {
    pair.stiffness = law.stiffness;
    if (!tested.volumetric) pair.exponent = law.exponent;
    for (Body& body : scene.bodies) body.rigid = random.one_in(2);
  }
  if (tested.volumetric && random.one_in(2)) scene.contact.dissipation_model = DissipationModel::kPfc;
  return law;
}

/// Appends poses at which the first ball reaches into the first shape by `depth`.
void append_poses(const SceneDescription& scene, bool inside, double depth, RandomContacts& random,
                  StateArrays& states) {
  const Part &ball = scene.bodies[0].parts[0], &shape = scene.bodies[1].parts[0];
  const double radius = scene.geometries[static_cast<std::size_t>(ball.geometry)].primitive.radius;
  const Foot foot = random_foot(scene.geometries[static_cast<std::size_t>(shape.geometry)], random);
  const double out = inside ? depth - radius : radius - depth;
  std::array<double, 7> center = {0, 0, 0, 1, 0, 0, 0};
  for (std::size_t k = 0; k < 3; ++k) center[k] = foot.point[k] + out * foot.normal[k];

  const auto pose_at = [](const Point3& at, const std::array<double, 4>& turn) {
    return std::array<double, 7>{exact_with_a_move(at[0]),
                                 exact_with_a_move(at[1]),
                                 exact_with_a_move(at[2]),
                                 turn[0],
                                 turn[1],
                                 turn[2],
                                 turn[3]};
  };
  const auto of_shapes = pose_at(random.vector(0.25), random.quaternion());
  const auto turn = random.quaternion();
  const auto in_world = test::pose_in_world(test::pose_in_world(of_shapes.data(), shape.pose).data(), center);
  const auto arm = test::pose_in_world(pose_at({0, 0, 0}, turn).data(), ball.pose);
  const auto of_balls = pose_at({in_world[0] - arm[0], in_world[1] - arm[1], in_world[2] - arm[2]}, turn);
  states.poses.insert(states.poses.end(), of_balls.begin(), of_balls.end());
  states.poses.insert(states.poses.end(), of_shapes.begin(), of_shapes.end());
}

/// What the law of a contact measures, of a ball to this depth in a plane.
double metric_of(bool volumetric, double radius, double depth) {
  return volumetric ? 3.14 * depth * depth * (radius - depth / 3) : depth;
}

RememberingPairs balls_of(const BallCase& tested, bool several, std::int64_t environments, RandomContacts& random) {
  RememberingPairs made;
  made.name = std::string(tested.name) + (several ? ", several parts" : "");
  made.scene = ball_scene(tested, several, random);
  const ContactForceLaw law = give_law(tested, made.scene, random);
  const std::size_t rows = made.scene.bodies[0].parts.size() * made.scene.bodies[1].parts.size();

  StateArrays& states = made.states = StateArrays(made.scene, environments);
  states.poses.clear();
  states.velocities.clear();
  const bool has_materials = random.one_in(2);
  made.bends.assign(rows, has_materials ? bend_of(law) : bend_of(law, law.friction));
  const double radius = made.scene.geometries[0].primitive.radius;
  for (std::int64_t e = 0; e < environments; ++e) {
    const double depth = random.one_in(8) ? -random.between(0, 0.5) * radius : radius * random.magnitude(1e-3, 2.2);
    append_poses(made.scene, tested.inside, depth, random, states);
    append_motion(random, states);
    if (has_materials) append_materials(random, states);
    for (std::size_t row = 0; row < rows; ++row) {
      append_memory(random, law, metric_of(tested.volumetric, radius, std::fabs(depth)), states);
    }
  }
  return made;
}

// ---- pressure fields

const std::array<std::pair<const char*, const char*>, 3> kMeshes = {
    {{"torus", "torus.vtk"}, {"bubble", "bubble.vtk"}, {"pepper", "yellow_bell_pepper_no_stem_low.vtk"}}};

bool is_there(const std::string& shape) {
  const auto mesh = std::find_if(kMeshes.begin(), kMeshes.end(), [&](const auto& m) { return m.first == shape; });
  return mesh == kMeshes.end() || have_data_file(mesh->second);
}

Geometry field_shape(const std::string& name) {
  if (name == "sphere") return make_sphere(name, 0.05, 1);
  if (name == "cylinder") return make_cylinder(name, 0.05, 0.12, 8);
  return random_contacts::shape(name, data_folder());
}

/// One point per polygon does not depend on where rounding puts corners into straight edges.
ContactOptions field_options(RandomContacts& random) {
  ContactOptions contact;
  contact.quadrature = Quadrature::kCentroid;
  contact.gradient_filter = random.one_in(4);
  if (random.one_in(3)) contact.dissipation_model = DissipationModel::kPfc;
  return contact;
}

/// Makes a pair one of overlaps; of bodies that are both rigid it has a stiffness.
void give_volume(const ContactForceLaw& law, bool both_rigid, RandomContacts& random, SceneDescription& scene,
                 Pair& pair) {
  pair.model = ContactModel::kVolumetric;
  pair.restitution = law.restitution;
  if (both_rigid || random.one_in(2)) pair.stiffness = random.magnitude(1e6, 1e9);
  scene.contact.force_law.normal = random.one_in(2) ? OverlapNormal::kArea : OverlapNormal::kInertia;
}

RememberingPairs fields_of(const std::string& a, const std::string& b, std::int64_t environments,
                           RandomContacts& random, unsigned seed, bool volumetric) {
  RememberingPairs made;
  made.name = a + " / " + b;
  made.scene = random_contacts::two_bodies(field_shape(a), field_shape(b), field_options(random));
  const ContactForceLaw law = random.law();
  Pair& pair = made.scene.pairs->front();
  give_friction(law, made.scene, pair);
  made.scene.bodies[1].rigid = random.one_in(3);
  if (volumetric) {
    made.scene.bodies[0].rigid = random.one_in(3);
    give_volume(law, made.scene.bodies[0].rigid && made.scene.bodies[1].rigid, random, made.scene, pair);
  } else {
    pair.friction_model = FrictionModel::kBristle;
  }
  if (random.one_in(2)) std::swap(pair.a, pair.b);
  made.bends = {bend_of(law)};

  const random_contacts::ContactStates contacts = random_contacts::make_contacts(Scene(made.scene), environments, seed);
  StateArrays& states = made.states = contacts;
  made.reach = contacts.size;
  states.num_part_pairs = 1;
  states.contact_state_size = 8;
  for (std::size_t body = 0; body < states.poses.size() / 7; ++body) {
    for (std::size_t k = 0; k < 3; ++k) states.poses[7 * body + k] = exact_with_a_move(states.poses[7 * body + k]);
  }
  states.velocities.clear();
  for (std::int64_t e = 0; e < environments; ++e) {
    append_motion(random, states);
    append_memory(random, law, volumetric ? 1e-3 * made.reach * made.reach * made.reach : 0, states);
  }
  return made;
}

}  // namespace

std::vector<RememberingPairs> remembering_balls(std::int64_t environments, unsigned seed) {
  RandomContacts random(seed);
  std::vector<RememberingPairs> all;
  for (const BallCase& tested : ball_cases()) {
    for (const bool several : {false, true}) all.push_back(balls_of(tested, several, environments, random));
  }
  return all;
}

std::vector<RememberingPairs> remembering_fields(std::int64_t environments, unsigned seed, bool volumetric) {
  constexpr std::pair<const char*, const char*> kShapes[] = {
      {"sphere", "half_space"}, {"box", "half_space"},  {"cylinder", "half_space"}, {"sphere", "box"},
      {"cylinder", "sphere"},   {"box", "box"},         {"torus", "half_space"},    {"torus", "box"},
      {"bubble", "half_space"}, {"bubble", "cylinder"}, {"pepper", "half_space"},   {"pepper", "box"}};
  RandomContacts random(seed);
  std::vector<RememberingPairs> all;
  for (const auto& [a, b] : kShapes) {
    if (is_there(a) && is_there(b)) all.push_back(fields_of(a, b, environments, random, seed + 1, volumetric));
  }
  return all;
}

std::vector<RememberingPairs> remembering_compounds(int scenes, std::int64_t environments, unsigned seed,
                                                    bool volumetric) {
  RandomContacts random(seed);
  std::vector<RememberingPairs> all;
  for (int i = 0; i < scenes; ++i) {
    const unsigned own = seed + 1 + static_cast<unsigned>(i);
    RememberingPairs made;
    made.name = "compounds " + std::to_string(own);
    made.scene = test::random_compounds(own, {.most_bodies = 3, .most_parts = 4, .coarse = true});
    const ContactForceLaw law = random.law();
    made.scene.contact.quadrature = Quadrature::kCentroid;
    for (Pair& pair : *made.scene.pairs) {
      give_friction(law, made.scene, pair);
      if (volumetric) {
        give_volume(law, true, random, made.scene, pair);
      } else {
        pair.friction_model = FrictionModel::kBristle;
      }
    }
    const Scene scene(made.scene);
    made.bends.assign(static_cast<std::size_t>(scene.num_part_pairs()), bend_of(law));
    made.states = test::compound_states(scene, environments, own, true);
    StateArrays& states = made.states;
    states.num_part_pairs = scene.num_part_pairs();
    states.contact_state_size = 8;
    for (std::size_t body = 0; body < states.poses.size() / 7; ++body) {
      for (std::size_t k = 0; k < 3; ++k) states.poses[7 * body + k] = exact_with_a_move(states.poses[7 * body + k]);
    }
    for (std::int64_t row = 0; row < environments * states.num_part_pairs; ++row) append_memory(random, law, 0, states);
    all.push_back(std::move(made));
  }
  return all;
}

std::vector<std::string> missing_meshes() {
  std::vector<std::string> missing;
  for (const auto& [shape, file] : kMeshes) {
    if (!have_data_file(file)) missing.push_back(missing_data_file(file));
  }
  return missing;
}

}  // namespace isopatch::oracle
