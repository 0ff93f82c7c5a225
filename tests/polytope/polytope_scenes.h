// SPDX-License-Identifier: Apache-2.0
//
// Scenes of rigid polytopes: in space, beside compliant parts, and in the plane.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "isopatch/isopatch.h"
#include "tests/support/scenes.h"

namespace isopatch::test {

inline Body rigid_polytope(const std::string& name, int geometry,
                           const std::array<double, 7>& pose = {0, 0, 0, 1, 0, 0, 0}) {
  Body body;
  body.name = name;
  body.geometry = geometry;
  body.rigid = true;
  body.pose = pose;
  return body;
}

inline Part part_of(int geometry, double x, double y, double z) {
  Part part;
  part.geometry = geometry;
  part.pose = {x, y, z, 1, 0, 0, 0};
  return part;
}

/// A box, a hull, a prism and a body of both over a floor.
inline SceneDescription solid_polytopes() {
  SceneDescription scene;
  scene.geometries = {
      make_box("box", {0.1, 0.08, 0.06}),
      make_convex_hull("hull",
                       {{0.05, 0, 0}, {-0.03, 0.04, 0}, {-0.03, -0.04, 0.01}, {0, 0, 0.07}, {0.01, 0.02, -0.05}}),
      make_cylinder("prism", 0.03, 0.09, 8), make_half_space("floor", 1)};
  Body both = rigid_polytope("both", 0);
  both.parts = {part_of(2, 0.04, 0, 0), part_of(1, -0.05, 0.01, 0.01)};
  both.parts[0].pose = {0.04, 0, 0, std::cos(0.4), 0, std::sin(0.4), 0};
  both.parts[0].alternatives = {0};
  scene.bodies = {rigid_polytope("box", 0), rigid_polytope("hull", 1), both, rigid_polytope("prism", 2),
                  rigid_polytope("floor", 3)};
  scene.bodies.back().fixed = true;
  scene.contact.model = ContactModel::kPolytope;
  scene.contact.polytope.margin = 0.01;
  return scene;
}

/// A finger of a soft tip and a steel bar, and two steel boxes: pairs of both models before one of polytopes alone.
inline SceneDescription finger_and_boxes() {
  SceneDescription scene;
  scene.geometries = {make_box("box", {0.06, 0.06, 0.06}), make_sphere("tip", 0.02, 1),
                      make_box("bar", {0.01, 0.01, 0.1})};
  Body finger = rigid_polytope("finger", 2);
  finger.parts = {part_of(1, 0, 0, -0.05), part_of(2, 0.02, 0, 0)};
  finger.parts[0].rigid = false;
  finger.parts[0].modulus = 1e5;
  scene.bodies = {finger, rigid_polytope("box", 0), rigid_polytope("other box", 0)};
  scene.contact.model = ContactModel::kPolytope;
  scene.contact.polytope.margin = 0.02;
  return scene;
}

/// A triangle, a square and a body of both in the plane z = 0.
inline SceneDescription flat_polytopes() {
  SceneDescription scene;
  scene.geometries = {make_polygon("triangle", {{-0.05, -0.03}, {0.06, -0.02}, {0, 0.05}}),
                      make_polygon("square", {{-0.04, -0.04}, {0.04, -0.04}, {0.04, 0.04}, {-0.04, 0.04}})};
  Body both = rigid_polytope("both", 0);
  both.parts = {part_of(0, 0.05, 0, 0), part_of(1, -0.04, 0, 0)};
  scene.bodies = {rigid_polytope("triangle", 0), rigid_polytope("square", 1), both};
  scene.contact.model = ContactModel::kPolytope;
  scene.contact.polytope.margin = 0.02;
  return scene;
}

/// As random_batch(); bodies of polygons lie in their plane.
inline Batch batch_of_polytopes(const Scene& scene, std::int64_t environments, unsigned seed) {
  Batch batch = random_batch(scene, environments, seed, 0.14);
  const auto bodies = scene.description().bodies.size();
  for (std::size_t i = 0; i < static_cast<std::size_t>(environments) * bodies; ++i) {
    if (!scene.description()
             .geometries[static_cast<std::size_t>(scene.description().bodies[i % bodies].geometry)]
             .polygon) {
      continue;
    }
    double* const pose = &batch.poses[7 * i];
    double* const velocity = &batch.velocities[6 * i];
    pose[2] = pose[4] = pose[5] = 0;
    velocity[2] = velocity[3] = velocity[4] = 0;
  }
  return batch;
}

/// Room for an environment's contacts, relations and members.
struct RelationRoom {
  std::int32_t contacts = 200, relations = 200, members = 800;
};

/// Results with everything of polytopes, and with numbers that no evaluation gives.
struct PolytopeResults : UnwrittenResults {
  PolytopeResults(const Scene& scene, std::int64_t environments, const RelationRoom& room = {})
      : UnwrittenResults(scene, environments, detail::Outputs::kWrench) {
    give_polytopes();
    const auto n = static_cast<std::size_t>(environments);
    PotentialContact contact = {};
    contact.pair = -7;
    potential_contacts.assign(n * static_cast<std::size_t>(room.contacts), contact);
    relations.assign(n * static_cast<std::size_t>(room.relations), {-7, -7, -7, -7});
    relation_members.assign(n * static_cast<std::size_t>(room.members), -7);
    relations_needed.assign(3 * n, -7);
  }
};

/// The name of the first array that differs in a byte, of those that both have.
inline std::string different_array(const ResultArrays& a, const ResultArrays& b) {
  std::string found;
  for_each_output(
      [&](const ArrayInfo& info, const auto& x, const auto& y) {
        const bool same = x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(x[0])) == 0;
        if (!x.empty() && !same && found.empty()) found = info.name;
      },
      a, b);
  return found;
}

}  // namespace isopatch::test
