// SPDX-License-Identifier: Apache-2.0
//
// The scenes of random contacts that random_comparison and same_bits go through, and the options that choose them.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "isopatch/scene/scene_file.h"
#include "tests/support/data_folder.h"
#include "tests/support/paths/paths.h"
#include "tests/support/random_contacts.h"

namespace isopatch::random_contacts {

struct Options {
  std::int64_t contacts = 100000, real = 1000, nuts = 0;
  std::uint64_t seed = 1;
  std::string precision = "float", data = data_folder(), scenes = source_path("bench/scenes");

  void add_to(CLI::App& app) {
    app.add_option("--contacts", contacts, "contacts over the pairs of {sphere, box, half space, bubble, torus}");
    app.add_option("--real", real,
                   "contacts of a pepper and a bowl; peppers dropped into the bowl; half as many between two bubbles");
    app.add_option("--nuts", nuts, "nuts on bolts (nut_on_bolt.json); the reference needs a second for four");
    app.add_option("--seed", seed);
    app.add_option("--precision", precision)->check(CLI::IsMember({"float", "double"}));
    app.add_option("--data", data, "folder of the meshes; '' leaves out the shapes that are files")
        ->check(CLI::ExistingDirectory | CLI::IsMember({""}));
    app.add_option("--scenes", scenes, "folder of nut_on_bolt.json");
  }
  Precision arithmetic() const { return precision == "float" ? Precision::kFloat : Precision::kDouble; }
};

/// A row of a table. Scene and states are made only when they are needed.
struct RandomScene {
  std::string name;
  std::function<SceneDescription()> description;
  std::function<ContactStates(const Scene&)> contacts;
};

inline bool is_file(const std::string& shape_name) {
  return shape_name != "sphere" && shape_name != "box" && shape_name != "half_space";
}

/// `count` divided evenly: what the i-th of `parts` gets.
inline std::int64_t part_of_count(std::int64_t count, std::size_t i, std::size_t parts) {
  const auto at = static_cast<std::int64_t>(i), all = static_cast<std::int64_t>(parts);
  return count / all + (at < count % all ? 1 : 0);
}

/// Compliant bodies, and the nut on a rigid bolt.
inline std::vector<RandomScene> random_scenes(const Options& choice, Rules rules) {
  std::vector<RandomScene> scenes;
  const std::string data = choice.data;
  const std::uint64_t seed = choice.seed;
  const auto pairs = shape_pairs();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& [a, b] = pairs[i];
    const std::int64_t part = part_of_count(choice.contacts, i, pairs.size());
    if (part == 0 || (data.empty() && (is_file(a) || is_file(b)))) continue;
    scenes.push_back(
        {a + " / " + b,
         [=, a = a, b = b] { return two_bodies(shape(a, data), shape(b, data), contact_options(i, rules)); },
         [=](const Scene& scene) { return make_contacts(scene, part, seed + i); }});
  }
  if (const std::int64_t real = choice.real; real > 0 && !data.empty()) {
    const auto bowl = [=] { return two_bodies(shape("pepper", data), shape("bowl", data), contact_options(0, rules)); };
    scenes.push_back(
        {"pepper / bowl", bowl, [=](const Scene& scene) { return make_contacts(scene, real, seed + 100); }});
    scenes.push_back({"pepper into the bowl", bowl,
                      [=](const Scene& scene) { return make_contacts(scene, real, seed + 101, Approach::kDrop); }});
    scenes.push_back({"pepper between bubbles", [=] { return squeeze_scene(data, contact_options(1, rules)); },
                      [=](const Scene& scene) { return make_squeezes(scene, (real + 1) / 2, seed + 102); }});
  }
  if (const std::int64_t nuts = choice.nuts; nuts > 0) {
    scenes.push_back(
        {"nut on bolt", [file = choice.scenes + "/nut_on_bolt.json"] { return read_scene(file); },
         [=](const Scene& scene) { return make_nuts_on_bolts(scene, ScrewThread().pitch, nuts, seed + 103); }});
  }
  return scenes;
}

/// The surface of a shape, without tets.
inline Geometry surface_of(const Geometry& shape) {
  return make_surface_mesh(shape.name + " surface", {shape.mesh.points, shape.surface});
}

/// `contacts` where one body is rigid: a solid, a surface or a half space, the first or the second of the pair; with
/// every quadrature, both dissipation laws, and the gradient filter in every other scene.
inline std::vector<RandomScene> rigid_scenes(const Options& choice, std::int64_t contacts) {
  struct Pairing {
    std::string a, b;
    std::size_t rigid;  // 0 or 1
    bool surface;
  };
  std::vector<Pairing> pairings;
  for (const char* rigid : {"sphere", "box", "bubble", "torus", "half_space"}) {
    pairings.push_back({"sphere", rigid, 1, false});
    pairings.push_back({"box", rigid, 1, false});
  }
  for (const char* rigid : {"sphere", "box", "torus"}) {
    pairings.push_back({rigid, "half_space", 0, false});
    pairings.push_back({rigid, "box", 0, true});
    pairings.push_back({"torus", rigid, 1, true});
  }
  std::vector<RandomScene> scenes;
  for (std::size_t i = 0; i < pairings.size(); ++i) {
    const Pairing& p = pairings[i];
    const std::int64_t part = part_of_count(contacts, i, pairings.size());
    if (part == 0 || (choice.data.empty() && (is_file(p.a) || is_file(p.b)))) continue;
    const auto description = [=, data = choice.data] {
      Geometry a = shape(p.a, data), b = shape(p.b, data);
      if (p.surface) (p.rigid == 0 ? a : b) = surface_of(p.rigid == 0 ? a : b);
      ContactOptions contact = contact_options(i, Rules::kAll);
      contact.gradient_filter = i % 4 == 1 || i % 4 == 2;
      SceneDescription scene = two_bodies(std::move(a), std::move(b), contact);
      scene.bodies[p.rigid].rigid = true;
      return scene;
    };
    const std::string mark = p.surface ? "rigid surface of " : "rigid ";
    scenes.push_back(
        {p.rigid == 0 ? mark + p.a + " / " + p.b : p.a + " / " + mark + p.b, description,
         [=, seed = choice.seed + 200 + i](const Scene& scene) { return make_contacts(scene, part, seed); }});
  }
  return scenes;
}

}  // namespace isopatch::random_contacts
