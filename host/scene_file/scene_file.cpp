// SPDX-License-Identifier: Apache-2.0
//
// Scene files. Whatever is not understood is an error that names its location.
#include <nlohmann/json.hpp>

#include <filesystem>

#include "host/files/input_file.h"
#include "host/scene/scene_rules.h"
#include "host/scene_file/json_value.h"
#include "host/scene_file/polytopes.h"
#include "host/scene_file/read_keys.h"
#include "host/scene_file/robot_file.h"
#include "host/scene_file/scene_bodies.h"
#include "host/scene_file/scene_geometries.h"
#include "host/scene_file/scene_values.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/limits.h"
#include "isopatch/scene/scene.h"
#include "isopatch/scene/scene_file.h"

namespace isopatch {

using namespace detail;

namespace {

// ---- pairs

Pair parse_names(const JsonValue& names, const Names& bodies) {
  const std::vector<JsonValue> ends = names.elements();
  if (ends.size() != 2) names.fail("must be two body names, found {}", ends.size());
  Pair pair;
  pair.a = index_of(ends[0], bodies, "body");
  pair.b = index_of(ends[1], bodies, "body");
  return pair;
}

void read_contact_state(const JsonValue& value, Pair& pair) {
  const auto states = value.optional("contact_state");
  if (!states) return;
  const std::vector<JsonValue> rows = states->elements();
  if (!rows.empty() && rows[0].is_array()) {
    for (const JsonValue& row : rows) pair.contact_state.push_back(row.numbers<8>());
  } else {
    pair.contact_state.push_back(states->numbers<8>());
  }
}

Pair parse_pair(const JsonValue& value, const Names& bodies, const ContactOptions& contact) {
  if (value.is_array()) return parse_names(value, bodies);
  value.allow(key_names(Pair()));
  Pair pair = parse_names(value.required("bodies"), bodies);
  if (value.optional("bristle")) pair.bristle = contact.force_law.bristle;  // only the keys that are given change
  read_keys(value, pair);
  read_contact_state(value, pair);
  return pair;
}

std::vector<Pair> parse_pairs(const JsonValue& value, const SceneDescription& scene) {
  const Names bodies = names_of(scene.bodies);
  std::vector<Pair> pairs;
  DistinctPairs distinct;
  for (const JsonValue& element : value.elements()) {
    const Pair pair = parse_pair(element, bodies, scene.contact);
    with_location(element, [&] {
      check_bodies_of(pair, scene);
      check_law_of(pair, scene);
      distinct.add(pair, scene);
    });
    pairs.push_back(pair);
  }
  return pairs;
}

/// One that is no default pair can be excluded too: no warning is about it then.
std::vector<std::array<int, 2>> parse_exclude(const JsonValue& value, const SceneDescription& scene) {
  const Names bodies = names_of(scene.bodies);
  std::vector<std::array<int, 2>> exclude;
  DistinctPairs distinct;
  for (const JsonValue& element : value.elements()) {
    const Pair pair = parse_names(element, bodies);
    with_location(element, [&] {
      check_two_bodies(pair, scene);
      distinct.add(pair, scene);
    });
    exclude.push_back({pair.a, pair.b});
  }
  return exclude;
}

std::vector<Loop> parse_loops(const JsonValue& value, const SceneDescription& scene) {
  const Names bodies = names_of(scene.bodies);
  std::vector<Loop> loops;
  for (const JsonValue& element : value.elements()) {
    element.allow({"type", "bodies", "anchor", "axis"});
    Loop loop;
    loop.type = static_cast<LoopType>(element.required("type").one_of(kLoopTypeNames));
    const Pair pair = parse_names(element.required("bodies"), bodies);
    loop.a = pair.a;
    loop.b = pair.b;
    read_vector(element.required("anchor"), kPositionRange, loop.anchor.data());
    const auto axis = loop.type == LoopType::kHinge ? element.required("axis") : element.optional("axis");
    if (axis) loop.axis = axis->numbers<3>();
    with_location(element, [&] { check_loop(scene, loop); });
    loops.push_back(loop);
  }
  return loops;
}

}  // namespace

SceneDescription parse_scene(const std::string& json, const std::string& directory, const std::string& source) {
  return parse_scene(json, directory, source, {});
}

SceneDescription parse_scene(const std::string& json, const std::string& directory, const std::string& source,
                             const SceneMeshes& meshes) {
  const StandardArithmetic standard;
  refuse_robot_file(json, source);
  const JsonValue::Document document = JsonValue::parse(json, source);
  const JsonValue root(document, source);
  root.allow({"isopatch", "geometries", "bodies", "pairs", "exclude", "loops", "contact", "rollout"});
  refuse_both(root, "pairs", "exclude");
  root.required("isopatch").integer(1, 1);

  SceneDescription scene;
  if (const auto contact = root.optional("contact")) read_value(*contact, scene.contact, Object{});
  if (const auto rollout = root.optional("rollout")) read_value(*rollout, scene.rollout, Object{});
  const JsonValue geometries = root.required("geometries"), bodies = root.required("bodies");
  scene.geometries = parse_geometries(geometries, {directory, meshes}, geometries_of_rigid_parts(root));
  scene.bodies = parse_bodies(bodies, scene.geometries);
  read_motions(bodies, scene);
  check_planar_bodies(bodies, scene);
  if (const auto loops = root.optional("loops")) scene.loops = parse_loops(*loops, scene);
  const auto pairs = root.optional("pairs"), exclude = root.optional("exclude");
  if (exclude) scene.exclude = parse_exclude(*exclude, scene);
  scene.pairs = pairs ? parse_pairs(*pairs, scene) : all_pairs(scene);
  check_shapes_of_parts(bodies, scene);
  return scene;
}

SceneDescription read_scene(const std::string& path, const std::optional<std::string>& directory) {
  return parse_scene(read_input_file(path, limits::kMaxSceneBytes),
                     directory.value_or(std::filesystem::path(path).parent_path().string()), path);
}

}  // namespace isopatch
