// SPDX-License-Identifier: Apache-2.0
//
// Keys and values of other tools, and misspelled ones: each error names what is meant.
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "isopatch/isopatch.h"

namespace isopatch {
namespace {

/// The error of a scene in which `text` stands in the object of this name.
std::string error_of(const std::string& place, const std::string& text) {
  const auto at = [&](const char* name) { return place == name ? ", " + text : ""; };
  const std::string shape = place == "box"        ? R"({"type": "box", )" + text + "}"
                            : place == "sphere"   ? R"({"type": "sphere", )" + text + "}"
                            : place == "capsule"  ? R"({"type": "capsule", "radius": 1, )" + text + "}"
                            : place == "cylinder" ? R"({"type": "cylinder", "radius": 1, )" + text + "}"
                            : place == "tet_mesh" ? R"({"type": "tet_mesh", )" + text + "}"
                            : place == "ground"   ? R"({"type": "half_space", )" + text + "}"
                            : place == "type"     ? "{\"type\": " + text + "}"
                                                  : R"({"type": "sphere", "radius": 1})";
  const std::string motion =
      place == "motion" ? R"(, "motion": {"type": "revolute", "axis": [0, 0, 1], "anchor": [0, 0, 0], )" + text + "}"
                        : "";
  const std::string pairs = place == "pair" ? R"(, "pairs": [{"bodies": ["a", "b"], )" + text + "}]" : std::string();
  const std::string scene = R"({"isopatch": 1, "geometries": {"g": )" + shape +
                            R"(}, "bodies": [{"name": "a", "geometry": "g")" + at("body") + motion +
                            R"(}, {"name": "b", "geometry": "g"}])" + pairs +
                            (place == "contact" ? R"(, "contact": {)" + text + "}" : "") +
                            (place == "rollout" ? R"(, "rollout": {)" + text + "}" : "") + at("root") + "}";
  try {
    parse_scene(scene, "", "s");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

struct Case {
  const char* place;
  const char* text;
  const char* meant;  // a part of the message
};

void expect_meant(const std::initializer_list<Case>& cases) {
  for (const Case& c : cases) {
    const std::string message = error_of(c.place, c.text);
    EXPECT_NE(message.find(c.meant), std::string::npos) << c.text << " in " << c.place << ": " << message;
  }
}

TEST(MistakenKeys, OfOtherToolsAreTranslated) {
  expect_meant({
      // daily speech
      {"body", R"("youngs_modulus": 1e6)", R"("modulus" (the elastic modulus of the pressure field, Pa))"},
      {"body", R"("color": [1, 0, 0])", "scenes have no colours"},
      {"body", R"("euler": [0, 0, 0])", R"("orientation" (a quaternion [w, x, y, z]))"},
      {"body", R"("rpy": [0, 0, 0])", R"("orientation" (a quaternion [w, x, y, z]))"},
      {"body", R"("pos": [0, 0, 0])", R"("position")"},
      {"body", R"("mu": 1)", R"("friction")"},
      {"type", R"("mesh")", R"("tet_mesh" (for a rigid body also "surface_mesh"))"},
      {"box", R"("half_size": [1, 1, 1])", R"("size" (the whole length along each axis))"},
      {"sphere", R"("diameter": 1)", R"("radius" (half of it))"},
      {"root", R"("gravity": [0, 0, 0])", R"(a key of "rollout")"},
      {"rollout", R"("dt": 1e-3)", R"("time_step")"},
      {"pair", R"("contact_model": "point")", R"("model")"},
      {"root", R"("slip_tolerance": 1e-3)", R"(a key of "contact")"},
      {"sphere", R"("friction": 1)", "a key of bodies"},
      {"body", R"("axis": [0, 0, 1])", R"("motion" (in which it is a key))"},
      // URDF
      {"body", R"("origin": [0, 0, 0])", R"("position" (and "orientation")"},
      {"body", R"("collision": "g")", R"("geometry")"},
      {"motion", R"("effort": 1)", R"("force_limit")"},
      {"root", R"("links": [])", R"("bodies")"},
      {"tet_mesh", R"("filename": "a.vtk")", R"("file")"},
      // SDF
      {"body", R"("static": true)", R"("fixed")"},
      {"body", R"("mu2": 1)", R"("friction")"},
      {"tet_mesh", R"("uri": "a.vtk")", R"("file")"},
      // MJCF
      {"body", R"("quat": [1, 0, 0, 0])", R"("orientation")"},
      {"body", R"("solref": [0.02, 1])", R"("modulus")"},
      {"body", R"("condim": 6)", "resists rolling and spinning by itself"},
      {"motion", R"("frictionloss": 1)", R"("joint_friction")"},
      {"motion", R"("range": [0, 1])", R"("lower" (and "upper"))"},
      {"body", R"("diaginertia": [1, 1, 1])", R"("inertia" ([xx, yy, zz, xy, xz, yz]))"},
      {"sphere", R"("size": 1)", R"("radius")"},
      // USD
      {"body", R"("physics:dynamicFriction": 1)", R"("friction")"},
      {"body", R"("xformOp:translate": [0, 0, 0])", R"("position")"},
      {"body", R"("xformOp:orient": [1, 0, 0, 0])", R"("orientation")"},
      {"body", R"("physics:density": "1")", R"("density")"},
      {"tet_mesh", R"("metersPerUnit": 0.001)", R"("units")"},
      // Drake
      {"body", R"("hydroelastic_modulus": 1e6)", R"("modulus")"},
      {"body", R"("hunt_crossley_dissipation": 1)", R"("dissipation" (s/m))"},
      {"body", R"("mu_dynamic": 1)", R"("friction" (one coefficient, static and sliding))"},
      {"sphere", R"("resolution_hint": 0.1)", R"("edge_length")"},
      {"ground", R"("slab_thickness": 0.1)", R"("thickness")"},
      {"contact", R"("stiction_tolerance": 1e-3)", R"("slip_tolerance")"},
      {"contact", R"("model": "hydroelastic")", R"("pressure_field")"},
      // Newton
      {"body", R"("ke": 1e4)", R"("modulus")"},
      {"body", R"("kd": 1e2)", R"("dissipation")"},
      {"box", R"("hx": 0.1)", R"("size" (the whole length along each axis))"},
      {"capsule", R"("half_height": 0.1)", R"("length" (of the part between the balls, the whole))"},
      {"cylinder", R"("half_height": 0.1)", R"("height" (the whole height))"},
      // PyBullet
      {"body", R"("basePosition": [0, 0, 0])", R"("position")"},
      {"body", R"("baseOrientation": [0, 0, 0, 1])", R"("orientation" (a quaternion with w first, [w, x, y, z]))"},
      {"body", R"("baseMass": 1)", R"("mass")"},
      {"body", R"("lateralFriction": 1)", R"("friction")"},
      {"body", R"("rollingFriction": 1)", "leave it out"},
      {"body", R"("useFixedBase": true)", R"("fixed")"},
      {"box", R"("halfExtents": [1, 1, 1])", R"("size" (the whole length along each axis))"},
      {"tet_mesh", R"("meshScale": 0.001)", R"("scale")"},
  });
}

// None of these is in the table of foreign words.
TEST(MistakenKeys, ThatAreMisspelledSuggestAKnownOne) {
  expect_meant({
      {"body", R"("linearVelocity": [0, 0, 0])", R"(did you mean "linear_velocity"?)"},
      {"body", R"("angularvelocity": [0, 0, 0])", R"(did you mean "angular_velocity"?)"},
      {"body", R"("CenterOfMass": [0, 0, 0])", R"(did you mean "center_of_mass"?)"},
      {"body", R"("centre_of_mass": [0, 0, 0])", R"(did you mean "center_of_mass"?)"},
      {"body", R"("orientaton": [1, 0, 0, 0])", R"(did you mean "orientation"?)"},
      {"body", R"("oriemtation": [1, 0, 0, 0])", R"(did you mean "orientation"?)"},
      {"body", R"("positions": [0, 0, 0])", R"(did you mean "position"?)"},
      {"body", R"("Friction": 1)", R"(did you mean "friction"?)"},
      {"body", R"("dissapation": 1)", R"(did you mean "dissipation"?)"},
      {"body", R"("moduli": 1)", R"(did you mean "modulus"?)"},
      {"body", R"("oneSided": true)", R"(did you mean "one_sided"?)"},
      {"body", R"("masses": 1)", R"(did you mean "mass"?)"},
      {"sphere", R"("radiuz": 1)", R"(did you mean "radius"?)"},
      {"sphere", R"("radius": 1, "subdivision": 1)", R"(did you mean "subdivisions"?)"},
      {"sphere", R"("radius": 1, "edgeLength": 1)", R"(did you mean "edge_length"?)"},
      {"box", R"("sizes": [1, 1, 1])", R"(did you mean "size"?)"},
      {"rollout", R"("timeSteps": 1)", R"(did you mean "time_step"?)"},
      {"rollout", R"("maxIterations": 1)", R"(did you mean "max_iterations"?)"},
      {"rollout", R"("integrater": "euler")", R"(did you mean "integrator"?)"},
      {"rollout", R"("integrator": "mid_point")", R"(did you mean "midpoint"?)"},
      {"contact", R"("sliptolerence": 1e-3)", R"(did you mean "slip_tolerance"?)"},
      {"root", R"("body": [])", R"(did you mean "bodies"?)"},
      {"type", R"("Half-Space")", R"(did you mean "half_space"?)"},
      {"type", R"("spheres")", R"(did you mean "sphere"?)"},
  });
}

TEST(MistakenKeys, ThatAreLikeNoneListAllThatAreKnown) {
  const std::string message = error_of("body", R"("xyzzy": 1)");
  for (const char* key : {"name", "geometry", "alternatives", "foundation_depth", "angular_velocity", "motion"}) {
    EXPECT_NE(message.find('"' + std::string(key) + '"'), std::string::npos) << message;
  }
  EXPECT_EQ(message.find("..."), std::string::npos) << message;
}

}  // namespace
}  // namespace isopatch
