// SPDX-License-Identifier: Apache-2.0
//
// What scene files say of polytopes: polygons, planar bodies, options of the contact law, and hulls without tets. Bad
// files are in tests/broken.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "isopatch/isopatch.h"

namespace isopatch {
namespace {

SceneDescription parse(const std::string& text) { return parse_scene(text, "", "test.json"); }

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string scene_text(const std::string& geometries, const std::string& bodies,
                       const std::string& rest = R"("contact": {"model": "polytope"})") {
  return R"({"isopatch": 1, "geometries": {)" + geometries + R"(}, "bodies": [)" + bodies + "], " + rest + "}";
}

// ---- polygons

constexpr char kTiles[] = R"("tile": {"type": "polygon", "points": [[0.1, 0.1], [0, 0], [0.1, 0], [0.05, 0.05],
                                                                    [0.05, 0], [0, 0.1]]},
                             "wedge": {"type": "polygon", "points": [[0, 0], [0.2, 0], [0, 0.1]]})";

/// Every motion that a body of polygons can have.
constexpr char kTileBodies[] = R"(
  {"name": "floor", "geometry": "tile", "rigid": true, "fixed": true},
  {"name": "falls", "geometry": "wedge", "rigid": true, "position": [0, 0.3, 0], "linear_velocity": [1, 2, 0],
   "angular_velocity": [0, 0, 3], "orientation": [0.6, 0, 0, 0.8]},
  {"name": "says", "geometry": "wedge", "rigid": true, "position": [0, 0.5, 0], "motion": "planar"},
  {"name": "slides", "rigid": true, "position": [0.5, 0, 0], "motion": {"type": "prismatic", "axis": [1, 2, 0]},
   "geometries": [{"geometry": "tile", "position": [0.1, 0, 0], "orientation": [0, 0, 0, 1]}, {"geometry": "wedge"}]},
  {"name": "turns", "geometry": "tile", "rigid": true, "position": [1, 0, 0], "offset": {"position": [0, 0.1, 0]},
   "alternatives": ["wedge"], "motion": {"type": "revolute", "axis": [0, 0, -2], "anchor": [1, 1, 1]}},
  {"name": "moved", "geometry": "tile", "rigid": true, "position": [2, 0, 0],
   "motion": {"type": "prescribed", "times": [0, 1], "poses": [[2, 0, 0, 1, 0, 0, 0], [2, 1, 0, 0.8, 0, 0, -0.6]]}})";

TEST(ScenePolytopes, APolygonIsTheHullOfItsPointsFromTheFirstThatIsACorner) {
  const Geometry tile = parse(scene_text(kTiles, kTileBodies)).geometries.at(0);
  EXPECT_EQ(tile.mesh.points, (std::vector<Point3>{{0.1, 0.1, 0}, {0, 0.1, 0}, {0, 0, 0}, {0.1, 0, 0}}));
  EXPECT_TRUE(tile.polygon);
  EXPECT_TRUE(tile.convex);
  EXPECT_EQ(tile.name, "tile");
}

TEST(ScenePolytopes, ABodyOfPolygonsIsPlanarUnlessItSaysOtherwise) {
  const std::vector<Body> bodies = parse(scene_text(kTiles, kTileBodies)).bodies;
  std::vector<MotionType> types;
  for (const Body& body : bodies) types.push_back(body.motion.type);
  EXPECT_EQ(types, (std::vector{MotionType::kFree, MotionType::kPlanar, MotionType::kPlanar, MotionType::kPrismatic,
                                MotionType::kRevolute, MotionType::kPrescribed}));
  EXPECT_TRUE(bodies[0].fixed);
}

TEST(ScenePolytopes, PolygonsAreNoDefaultPairOfSolids) {
  const std::string solids = R"(, "cube": {"type": "box", "size": [1, 1, 1]}, "ground": {"type": "half_space"})";
  const std::string bodies = R"({"name": "a", "geometry": "tile", "rigid": true},
    {"name": "b", "geometry": "wedge", "rigid": true}, {"name": "stiff", "geometry": "cube", "rigid": true},
    {"name": "soft", "geometry": "cube"}, {"name": "ground", "geometry": "ground", "rigid": true, "fixed": true})";
  for (const std::string rest :
       {R"("contact": {"model": "polytope"})", R"("contact": {"model": "pressure_field"})",
        R"("contact": {"model": ["point", "polytope"]})", R"("contact": {"model": "point"})"}) {
    SCOPED_TRACE(rest);
    const SceneDescription scene = parse(scene_text(kTiles + solids, bodies, rest));
    for (const Pair& pair : *scene.pairs) EXPECT_EQ(pair.a < 2, pair.b < 2) << pair.a << " and " << pair.b;
  }
  EXPECT_EQ(parse(scene_text(kTiles + solids, bodies)).pairs->size(), 4u);
}

TEST(ScenePolytopes, ATinyTiltIsRounding) {
  const auto error = [](const std::string& keys) {
    return error_of(scene_text(kTiles, R"({"name": "a", "geometry": "tile", "rigid": true, )" + keys + "}"));
  };
  EXPECT_EQ(error(R"("position": [0, 0, 1e-9], "orientation": [5, 0, 1e-9, 2])"), "no error");
  EXPECT_EQ(
      error(R"("position": [0, 0, 1.1e-9])"),
      "test.json: bodies[0].position: z is 1.1e-09 m; a body of polygons stays in the plane z = 0, so it must be 0");
  EXPECT_NE(error(R"("orientation": [1, 0, 1.1e-9, 0])").find("bodies[0].orientation: the quaternion"),
            std::string::npos);
}

// ---- the contact law

TEST(ScenePolytopes, ReadTheirOptionsOfTheContactLaw) {
  const auto contact = [](const std::string& keys) {
    return parse(scene_text(kTiles, kTileBodies, R"("contact": {"model": "polytope")" + keys + "}")).contact;
  };
  const ContactOptions none = contact("");
  EXPECT_FALSE(none.polytope.margin);
  EXPECT_FALSE(none.polytope.tolerance);
  EXPECT_EQ(none.polytope.relations, ContactRelations::kExact);
  const ContactOptions some = contact(R"(, "margin": 0, "tolerance": 1e-15, "relations": "lnc")");
  EXPECT_EQ(some.polytope.margin, 0);
  EXPECT_EQ(some.polytope.tolerance, 1e-15);
  EXPECT_EQ(some.polytope.relations, ContactRelations::kLnc);
  EXPECT_EQ(contact(R"(, "relations": "exact")").polytope.relations, ContactRelations::kExact);
  EXPECT_EQ(contact(R"(, "relations": "unilateral")").polytope.relations, ContactRelations::kUnilateral);
  EXPECT_EQ(contact(R"(, "relations": "separating")").polytope.relations, ContactRelations::kSeparating);
}

TEST(ScenePolytopes, AreWrittenAndReadAgainAsTheSameScene) {
  for (const char* relations : {"exact", "lnc", "unilateral", "separating"}) {
    const std::string contact = std::string(R"("contact": {"model": ["point", "polytope"], "margin": 0.0125,
      "tolerance": 1.5e-7, "relations": ")") +
                                relations + R"("}, "pairs": [["floor", "falls"],
      {"bodies": ["says", "slides"], "model": "polytope"}])";
    const Scene scene(parse(scene_text(kTiles, kTileBodies, contact)));
    const std::string text = to_json(scene);
    const SceneDescription again = parse_scene(text, "", "text", {.geometries = scene.description().geometries});
    const ContactOptions &a = scene.description().contact, &b = again.contact;
    EXPECT_EQ(a.model, b.model);
    EXPECT_EQ(a.polytope.margin, b.polytope.margin);
    EXPECT_EQ(a.polytope.tolerance, b.polytope.tolerance);
    EXPECT_EQ(a.polytope.relations, b.polytope.relations);
    for (std::size_t i = 0; i < again.bodies.size(); ++i) {
      const Body &x = scene.description().bodies[i], &y = again.bodies[i];
      EXPECT_EQ(x.motion.type, y.motion.type);
      EXPECT_EQ(x.motion.axis, y.motion.axis);
      EXPECT_EQ(x.motion.anchor, y.motion.anchor);
      EXPECT_EQ(x.motion.path.poses, y.motion.path.poses);
      EXPECT_EQ(x.pose, y.pose);
      EXPECT_EQ(x.velocity, y.velocity);
    }
    for (std::size_t i = 0; i < again.geometries.size(); ++i) {
      EXPECT_EQ(scene.description().geometries[i].mesh.points, again.geometries[i].mesh.points);
      EXPECT_TRUE(again.geometries[i].polygon);
    }
    EXPECT_EQ(again.pairs->at(1).model, ContactModels(ContactModel::kPolytope));
    EXPECT_EQ(to_json(Scene(again)), text);
  }
}

TEST(ScenePolytopes, OfAPlanarSolidAreWrittenAndReadAgain) {
  const Scene scene(
      parse(scene_text(R"("cube": {"type": "box", "size": [1, 1, 1]})",
                       R"({"name": "a", "geometry": "cube", "position": [1, 2, 3], "motion": "planar"})")));
  const SceneDescription again =
      parse_scene(to_json(scene), "", "text", {.geometries = scene.description().geometries});
  EXPECT_EQ(again.bodies[0].motion.type, MotionType::kPlanar);
  EXPECT_EQ(again.bodies[0].pose, scene.description().bodies[0].pose);
}

// ---- hulls

// No mesh of tets has the exact distance of these: a plate of 0.2 m and less than 1 mm, and the corners of a block,
// turned and rounded to 10 um.
constexpr char kPlate[] = R"({"type": "convex_hull", "points": [[0.015, 0.055, 0.000165], [-0.054, -0.028, 0.00019],
  [0.047, -0.09, 0.000215], [0.097, -0.045, -0.0002], [-0.098, -0.004, 5e-06], [0.054, -0.058, -0.00011],
  [0.027, -0.002, -0.00036], [-0.03, -0.091, 0.000445]])";
constexpr char kBlock[] = R"({"type": "convex_hull", "points": [[-0.07277, -0.08424, -0.01033],
  [-0.0629, 0.03514, -0.08549], [0.07798, 0.03073, -0.07399], [0.06811, -0.08866, 0.00117],
  [-0.07798, -0.03073, 0.07399], [-0.06811, 0.08866, -0.00117], [0.07277, 0.08424, 0.01033], [0.0629, -0.03514, 0.08549]])";

std::string hull_scene(const std::string& body_keys, const std::string& geometry_keys = "",
                       const std::string& rest = R"("contact": {"model": "polytope"})") {
  return scene_text(std::string(R"("plate": )") + kPlate + geometry_keys + R"(}, "block": )" + kBlock + geometry_keys +
                        R"(}, "ground": {"type": "half_space"}, "table": {"type": "box", "size": [1, 1, 0.1]})",
                    R"({"name": "plate", "geometry": "plate", "position": [0, 0, 0.01])" + body_keys +
                        R"(}, {"name": "block", "geometry": "block", "position": [0, 0, 0.1])" + body_keys +
                        R"(}, {"name": "ground", "geometry": "ground", "rigid": true, "fixed": true},
                        {"name": "table", "geometry": "table", "rigid": true, "position": [3, 0, 0.95]})",
                    rest);
}

TEST(SceneHulls, OfRigidPartsBesidePolytopesNeedNoTets) {
  const Scene scene(parse(hull_scene(R"(, "rigid": true)")));
  for (int i : {0, 1}) {
    const Geometry& hull = scene.description().geometries[static_cast<std::size_t>(i)];
    EXPECT_TRUE(hull.is_surface_mesh());
    EXPECT_TRUE(hull.convex);
    EXPECT_EQ(hull.mesh.points.size(), i == 0 ? 7u : 8u);  // a point of the plate is inside the others
  }
  ResultArrays results(scene, 1, {.distances = true});
  StateArrays states(scene.description(), 1);
  states.poses[21] = 0;  // x of the table, now above the block
  Evaluator(scene).evaluate(states.view(), results.view());
  const auto separation = [&](const char* a, const char* b) {
    return results.separation[static_cast<std::size_t>(scene.pair_index(a, b))];
  };
  constexpr double kRounding = 1e-16;  // of a height and a coordinate
  EXPECT_NEAR(separation("plate", "ground"), 0.01 - 0.00036, kRounding);
  EXPECT_NEAR(separation("block", "ground"), 0.1 - 0.08549, kRounding);
  EXPECT_NEAR(separation("block", "table"), (0.95 - 0.05) - (0.1 + 0.08549), 4 * kRounding);
}

TEST(SceneHulls, NeedTetsWhereAnyPartThatNamesThemIsCompliantOrTheyAreRefinedOrStrained) {
  const auto expect_tets = [&](const std::string& text) {
    const SceneDescription scene = parse(text);
    const auto is_plate = [](const Geometry& geometry) { return geometry.name == "plate"; };
    const auto plate = std::find_if(scene.geometries.begin(), scene.geometries.end(), is_plate);
    ASSERT_NE(plate, scene.geometries.end());
    EXPECT_FALSE(plate->is_surface_mesh()) << text;
  };
  expect_tets(hull_scene(""));
  expect_tets(hull_scene(R"(, "rigid": true)", "", R"("contact": {"model": "pressure_field"})"));
  expect_tets(hull_scene(R"(, "rigid": true)", R"(, "refinement": 0)"));
  expect_tets(hull_scene(R"(, "rigid": true)", R"(, "strain": "linear")"));
  const std::string plate = std::string(R"("plate": )") + kPlate + R"(}, "cube": {"type": "box", "size": [1, 1, 1]})";
  const std::string part = R"({"name": "b", "rigid": true, "position": [0, 0, 3], "geometries": [{"geometry": "plate"},
                              {"geometry": )";
  expect_tets(scene_text(plate, part + R"("plate", "rigid": false, "position": [1, 0, 0]}]})"));
  expect_tets(scene_text(plate, part + R"("cube", "rigid": false, "alternatives": ["plate"]}]})"));
  expect_tets(
      scene_text(plate, part + R"("cube"}]}, {"name": "soft", "geometry": "cube", "alternatives": ["plate"]})"));
  EXPECT_EQ(error_of(scene_text(plate, part + R"("cube", "alternatives": ["plate"]}]})")), "no error");
  EXPECT_EQ(error_of(scene_text(plate, R"({"name": "soft", "geometries": [{"geometry": "plate", "rigid": true},
                                          {"geometry": "cube"}]})")),
            "no error");
  expect_tets(scene_text(plate, R"({"name": "soft", "geometry": "cube"})"));  // any state may choose the plate
}

TEST(SceneHulls, NeedNoTetsWhereAPairHasTheModelAmongOthers) {
  EXPECT_EQ(error_of(hull_scene(R"(, "rigid": true)", "",
                                R"("pairs": [{"bodies": ["plate", "block"], "model": ["point", "polytope"]}])")),
            "no error");
  EXPECT_EQ(error_of(hull_scene(R"(, "rigid": true)", "", R"("contact": {"model": ["pressure_field", "polytope"]})")),
            "no error");
}

/// The surface that a compliant body meets is the same with tets and without.
TEST(SceneHulls, WithoutTetsPressOnCompliantPartsAsWithThem) {
  const std::string geometries = R"("hull": {"type": "convex_hull", "points": [[0.05, 0, 0], [-0.03, 0.04, 0],
    [-0.03, -0.04, 0.01], [0, 0, 0.07], [0.01, 0.02, -0.05]]}, "pad": {"type": "box", "size": [0.2, 0.2, 0.1]})";
  const std::string bodies = R"({"name": "hull", "geometry": "hull", "rigid": true, "position": [0, 0, 0.09]},
                                {"name": "pad", "geometry": "pad"})";
  const auto force = [&](const std::string& model, bool has_tets) {
    const Scene scene(parse(scene_text(geometries, bodies, R"("contact": {"model": ")" + model + R"("})")));
    EXPECT_EQ(scene.description().geometries[0].is_surface_mesh(), !has_tets);
    ResultArrays results(scene, 1);
    const StateArrays states(scene.description(), 1);
    Evaluator(scene).evaluate(states.view(), results.view());
    return results.pair_wrench[2];
  };
  const double with = force("pressure_field", true), without = force("polytope", false);
  constexpr double kRounding = 1e-12;  // of sums in fixed point over triangles that another order cuts
  EXPECT_GT(with, 0.5);
  EXPECT_NEAR(without / with, 1, kRounding);
}

}  // namespace
}  // namespace isopatch
