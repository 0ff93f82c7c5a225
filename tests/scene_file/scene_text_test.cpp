// SPDX-License-Identifier: Apache-2.0
//
// Scenes written as text and read again, and geometries and meshes from memory.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "isopatch/isopatch.h"
#include "tests/support/data_folder.h"
#include "tests/support/paths/paths.h"

namespace isopatch {
namespace {

const std::string kSource = source_path();

// Every key of a body, a part, a motion, a pair, the contact law and the rollout, and none at its default.
constexpr char kEverything[] = R"({"isopatch": 1,
  "geometries": {"ball": {"type": "sphere", "radius": 0.1, "subdivisions": 1},
                 "egg": {"type": "ellipsoid", "semi_axes": [0.1, 0.2, 0.3], "subdivisions": 0},
                 "ground": {"type": "half_space", "thickness": 0.7}},
  "bodies": [
    {"name": "plain", "geometry": "ball", "offset": {"position": [0.1, -0.0, 0.3], "orientation": [0.1, 0.2, 0.3, 0.4]},
     "alternatives": ["egg"], "modulus": 123456.789, "dissipation": 0.1, "friction": 0.3, "position": [1, 2, 0.1],
     "orientation": [0.6, 0.8, 0, 0], "linear_velocity": [0.1, 0.2, 0.3], "angular_velocity": [4, 5, 6.1],
     "mass": 2.1, "center_of_mass": [0.01, 0.02, 0.03], "inertia": [1.1, 1.2, 1.3, 0.01, 0.02, 0.03]},
    {"name": "parts", "rigid": true, "density": 1234.5, "geometries": [
      {"geometry": "egg", "name": "one", "alternatives": ["ball"], "position": [0.3, 0.2, 0.1],
       "orientation": [0.5, 0.5, 0.5, 0.5], "modulus": 1e7, "dissipation": 0.7, "friction": 0.9, "rigid": false},
      {"geometry": "ball"}]},
    {"name": "slider", "geometry": "ball", "motion": {"type": "prismatic", "parent": "wall", "axis": [0.1, 0.2, 0.3],
     "position": 0.01, "velocity": 0.02, "force": [[0, 1.1], [0.5, 2.2]], "stiffness": 3.3, "damping": 4.4,
     "target": [[0.25, 0.1], [0.5, 0.2]], "force_limit": 5.5, "lower": -0.5, "upper": 0.75, "bounce": 0.25,
      "joint_friction": 0.125, "joint_damping": 2.5, "armature": 0.0625}},
    {"name": "door", "geometry": "ball", "position": [7, 8, 9],
     "motion": {"type": "revolute", "axis": [0, 0, 2], "anchor": [0.1, 0.2, 0.3], "force": 6.6}},
    {"name": "moved", "geometry": "ball", "position": [1, 1, 1], "motion": {"type": "prescribed", "times": [-0.5, 0, 1],
     "poses": [[0, 1, 1, 1, 0, 0, 0], [1, 1, 1, 1, 0, 0, 0], [2, 1, 1, 0, 1, 0, 0]]}},
    {"name": "turning", "geometry": "ball", "angular_velocity": [0, 0, 0.1], "motion": "prescribed"},
    {"name": "wall", "geometry": "ground", "rigid": true, "fixed": true},
    {"name": "geared", "geometry": "ball", "position": [9, 8, 7],
     "motion": {"type": "prismatic", "axis": [0, 1, 0], "mimic": {"body": "slider", "ratio": -0.5, "offset": 0.25}}}],
  "pairs": [["wall", "plain"], {"bodies": ["plain", "parts"], "friction": 0.05, "dissipation": 1.5}],
  "contact": {"dissipation_model": "pfc", "quadrature": "fan6", "slip_tolerance": 1e-3, "gradient_filter": true},
  "rollout": {"time_step": 0.002, "duration": 0.9, "integrator": "sdirk2", "points": "fan6", "gravity": [0.1, 0.2, 0.3],
    "tolerance": 1e-7, "max_iterations": 41, "friction_passes": 4, "max_substeps": 3, "polygon_capacity": 99, "speed_limit": 77,
    "variation": {"position": 0.1, "angle": 0.2, "speed": 0.3}}})";

SceneDescription read_again(const Scene& scene) {
  return parse_scene(to_json(scene), "", "the text", {.geometries = scene.description().geometries});
}

void expect_equal(const Motion& a, const Motion& b) {
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.path.times, b.path.times);
  EXPECT_EQ(a.path.poses, b.path.poses);
  EXPECT_EQ(a.parent, b.parent);
  EXPECT_EQ(a.axis, b.axis);
  EXPECT_EQ(a.anchor, b.anchor);
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
  const auto expect_rows = [](const std::vector<TimedValue>& x, const std::vector<TimedValue>& y) {
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(x[i].time, y[i].time);
      EXPECT_EQ(x[i].value, y[i].value);
    }
  };
  expect_rows(a.drive.force, b.drive.force);
  expect_rows(a.drive.target, b.drive.target);
  EXPECT_EQ(a.drive.stiffness, b.drive.stiffness);
  EXPECT_EQ(a.drive.damping, b.drive.damping);
  EXPECT_EQ(a.drive.force_limit, b.drive.force_limit);
  EXPECT_EQ(a.lower, b.lower);
  EXPECT_EQ(a.upper, b.upper);
  EXPECT_EQ(a.bounce, b.bounce);
  EXPECT_EQ(a.friction, b.friction);
  EXPECT_EQ(a.damping, b.damping);
  EXPECT_EQ(a.armature, b.armature);
  ASSERT_EQ(a.mimic.has_value(), b.mimic.has_value());
  if (a.mimic) {
    EXPECT_EQ(a.mimic->body, b.mimic->body);
    EXPECT_EQ(a.mimic->ratio, b.mimic->ratio);
    EXPECT_EQ(a.mimic->offset, b.mimic->offset);
  }
}

void expect_equal(const Body& a, const Body& b) {
  const testing::ScopedTrace trace(__FILE__, __LINE__, a.name);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.geometry, b.geometry);
  EXPECT_EQ(a.rigid, b.rigid);
  EXPECT_EQ(a.fixed, b.fixed);
  EXPECT_EQ(a.modulus, b.modulus);
  EXPECT_EQ(a.dissipation, b.dissipation);
  EXPECT_EQ(a.friction, b.friction);
  EXPECT_EQ(a.pose, b.pose);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.offset, b.offset);
  EXPECT_EQ(a.alternatives, b.alternatives);
  EXPECT_EQ(a.mass, b.mass);
  EXPECT_EQ(a.density, b.density);
  EXPECT_EQ(a.center_of_mass, b.center_of_mass);
  EXPECT_EQ(a.inertia, b.inertia);
  expect_equal(a.motion, b.motion);
  ASSERT_EQ(a.parts.size(), b.parts.size());
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    const Part &x = a.parts[i], &y = b.parts[i];
    EXPECT_EQ(x.geometry, y.geometry);
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.pose, y.pose);
    EXPECT_EQ(x.modulus, y.modulus);
    EXPECT_EQ(x.dissipation, y.dissipation);
    EXPECT_EQ(x.friction, y.friction);
    EXPECT_EQ(x.rigid, y.rigid);
    EXPECT_EQ(x.alternatives, y.alternatives);
  }
}

void expect_equal(const RolloutOptions& a, const RolloutOptions& b) {
  EXPECT_EQ(a.time_step, b.time_step);
  EXPECT_EQ(a.duration, b.duration);
  EXPECT_EQ(a.integrator, b.integrator);
  EXPECT_EQ(a.points, b.points);
  EXPECT_EQ(a.gravity, b.gravity);
  EXPECT_EQ(a.tolerance, b.tolerance);
  EXPECT_EQ(a.max_iterations, b.max_iterations);
  EXPECT_EQ(a.friction_passes, b.friction_passes);
  EXPECT_EQ(a.max_substeps, b.max_substeps);
  EXPECT_EQ(a.polygon_capacity, b.polygon_capacity);
  EXPECT_EQ(a.speed_limit, b.speed_limit);
  EXPECT_EQ(a.variation.position, b.variation.position);
  EXPECT_EQ(a.variation.angle, b.variation.angle);
  EXPECT_EQ(a.variation.speed, b.variation.speed);
}

void expect_equal(const SceneDescription& a, const SceneDescription& b) {
  ASSERT_EQ(a.geometries.size(), b.geometries.size());
  for (std::size_t i = 0; i < a.geometries.size(); ++i) {
    EXPECT_EQ(a.geometries[i].name, b.geometries[i].name);
    EXPECT_EQ(a.geometries[i].kind, b.geometries[i].kind);
    EXPECT_EQ(a.geometries[i].mesh.points, b.geometries[i].mesh.points);
    EXPECT_EQ(a.geometries[i].mesh.tets, b.geometries[i].mesh.tets);
    EXPECT_EQ(a.geometries[i].extent, b.geometries[i].extent);
    EXPECT_EQ(a.geometries[i].thickness, b.geometries[i].thickness);
  }
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t i = 0; i < a.bodies.size(); ++i) expect_equal(a.bodies[i], b.bodies[i]);
  ASSERT_EQ(a.pairs->size(), b.pairs->size());
  for (std::size_t i = 0; i < a.pairs->size(); ++i) {
    EXPECT_EQ((*a.pairs)[i].a, (*b.pairs)[i].a);
    EXPECT_EQ((*a.pairs)[i].b, (*b.pairs)[i].b);
    EXPECT_EQ((*a.pairs)[i].dissipation, (*b.pairs)[i].dissipation);
    EXPECT_EQ((*a.pairs)[i].friction, (*b.pairs)[i].friction);
  }
  EXPECT_EQ(a.contact.dissipation_model, b.contact.dissipation_model);
  EXPECT_EQ(a.contact.quadrature, b.contact.quadrature);
  EXPECT_EQ(a.contact.slip_tolerance, b.contact.slip_tolerance);
  EXPECT_EQ(a.contact.gradient_filter, b.contact.gradient_filter);
  expect_equal(a.rollout, b.rollout);
}

TEST(SceneText, ReadsAgainAsTheSameScene) {
  const Scene scene(parse_scene(kEverything, "", "everything"));
  const SceneDescription again = read_again(scene);
  expect_equal(scene.description(), again);
  EXPECT_TRUE(std::signbit(again.bodies[0].offset[1])) << "a zero keeps its sign";
  EXPECT_EQ(to_json(Scene(again)), to_json(scene));
}

TEST(SceneText, OfEveryExampleReadsAgainAsTheSameScene) {
  int scenes = 0;
  for (const auto& file : std::filesystem::directory_iterator(kSource + "/bench/scenes")) {
    if (file.path().extension() != ".json") continue;
    const bool has_meshes_elsewhere = file.path().stem() == "pepper_drop";
    if (has_meshes_elsewhere && !have_data_file("evo_bowl_coarse3k.vtk")) continue;
    const auto folder = has_meshes_elsewhere ? std::optional(data_folder()) : std::nullopt;
    const Scene scene(read_scene(file.path().string(), folder));
    expect_equal(scene.description(), read_again(scene));
    ++scenes;
  }
  EXPECT_GT(scenes, 10);
}

TEST(SceneText, KeepsEveryDouble) {
  SceneDescription description = parse_scene(kEverything, "", "everything");
  double& x = description.bodies[0].pose[0];
  for (const double value : {0.1, 1.0 / 3, 5e-324, 2.2250738585072014e-308, 123456789.12345679, -1e12, -0.0}) {
    x = value;
    const SceneDescription again = read_again(Scene(description));
    EXPECT_EQ(again.bodies[0].pose[0], value);
    EXPECT_EQ(std::signbit(again.bodies[0].pose[0]), std::signbit(value));
  }
}

TEST(SceneText, LeavesOutWhatNoPartUsesAndNoFileCouldSay) {
  SceneDescription description = parse_scene(kEverything, "", "everything");
  description.bodies[6].modulus = std::nan("");  // of a rigid body
  EXPECT_EQ(read_again(Scene(description)).bodies[6].modulus, Body().modulus);
}

std::string error_of(const SceneDescription& description) {
  try {
    static_cast<void>(to_json(Scene(description)));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(SceneText, NeedsNamesThatAFileCanHave) {
  const SceneDescription good = parse_scene(kEverything, "", "everything");
  const auto named = [&](const std::string& name) {
    SceneDescription bad = good;
    bad.bodies[0].name = name;
    return error_of(bad);
  };
  const std::string advice = "; give each a name of its own, which is not empty";
  EXPECT_EQ(named(""), "to_json: a body is named ''" + advice);
  EXPECT_EQ(named("wall"), "scene: body 6: another body is already named \"wall\"");
  EXPECT_EQ(named("\xff"), "to_json: a name is not valid UTF-8, which JSON text must be");
  SceneDescription bad = good;
  bad.geometries[1].name = "ball";
  EXPECT_EQ(error_of(bad), "to_json: a geometry is named 'ball'" + advice);
  EXPECT_EQ(error_of(good), "no error");
}

std::string error_of_text(const std::string& geometry, const SceneMeshes& meshes) {
  const std::string text = R"({"isopatch": 1, "geometries": {"ball": )" + geometry + R"(}, "bodies": []})";
  try {
    parse_scene(text, "/no", "the text", meshes);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(SceneText, NamesTheGivenGeometryThatIsMissing) {
  const std::string given = R"({"type": "given"})";
  const std::string place = "the text: geometries.ball: ";
  EXPECT_EQ(error_of_text(given, {}), place + "is \"given\", but no geometry of this name was given with the text");
  const Geometry box = make_box("box", {1, 1, 1}), ball = make_box("ball", {1, 1, 1});
  EXPECT_EQ(error_of_text(given, {.geometries = {box}}),
            place + "is \"given\", but no geometry of this name was given with the text; known: \"box\"");
  EXPECT_EQ(error_of_text(given, {.geometries = {ball, ball}}),
            place + "is given more than once; give one of each name");
  EXPECT_EQ(error_of_text(R"({"type": "given", "scale": 2})", {.geometries = {ball}}),
            "the text: geometries.ball.scale: unknown field; known: \"type\"");
}

TEST(SceneText, TakesMeshesInMemoryAsFiles) {
  SceneMeshes meshes;
  meshes.tet_meshes["mesh"] = make_box_mesh({1, 1, 1});
  const std::string text = R"({"isopatch": 1, "geometries": {
      "big": {"type": "tet_mesh", "file": "mesh", "scale": 2, "strain": {"power": 2}},
      "hull": {"type": "convex_hull", "file": "mesh"}}, "bodies": [{"name": "a", "geometry": "big"}]})";
  const SceneDescription scene = parse_scene(text, "/no", "the text", meshes);
  EXPECT_NEAR(scene.geometries[0].report.volume, 8, 1e-13);
  EXPECT_DOUBLE_EQ(scene.geometries[1].report.volume, 1);
  EXPECT_EQ(error_of_text(R"({"type": "tet_mesh", "file": "mesh.vtk"})", meshes),
            "the text: geometries.ball: /no/mesh.vtk: no such file");
}

TEST(SceneText, MeshesInMemoryGiveTheBitsOfTheirFiles) {
  const std::string text = R"({"isopatch": 1, "geometries": {
      "tool": {"type": "surface_mesh", "file": "cube.obj", "units": "cm"},
      "hull": {"type": "convex_hull", "file": "cube.obj", "scale": 3}}, "bodies": [{"name": "a", "geometry": "hull"}]})";
  SceneMeshes meshes;
  meshes.surfaces["cube.obj"] = read_triangle_mesh(kSource + "/tests/scenes/cube.obj");
  expect_equal(parse_scene(text, "/no", "the text", meshes), parse_scene(text, kSource + "/tests/scenes", "the text"));
}

}  // namespace
}  // namespace isopatch
