// SPDX-License-Identifier: Apache-2.0
//
// Scenes of polygons and of other polytopes made in C++: what they may be, with errors that name the object and the
// value, and what they warn of. tests/broken has the same of files.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "isopatch/isopatch.h"
#include "tests/polytope/polytope_scenes.h"

namespace isopatch::test {
namespace {

/// Two tiles, one above the other, and geometries of solids.
SceneDescription tiles() {
  SceneDescription scene;
  scene.geometries = {make_polygon("tile", {{0, 0}, {0.1, 0}, {0.1, 0.1}, {0, 0.1}}), make_box("cube", {0.1, 0.1, 0.1}),
                      make_half_space("ground", 1), make_sphere("ball", 0.1, 0),
                      make_polygon("wedge", {{0, 0}, {0.2, 0}, {0, 0.1}})};
  scene.bodies = {rigid_polytope("floor", 0), rigid_polytope("top", 0, {0, 0.12, 0, 1, 0, 0, 0})};
  scene.bodies[0].fixed = true;
  scene.contact.model = ContactModel::kPolytope;
  return scene;
}

std::string error_with(const std::function<void(SceneDescription&, Body&)>& change) {
  SceneDescription scene = tiles();
  change(scene, scene.bodies[1]);
  try {
    Scene{scene};
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

using Description = SceneDescription;

TEST(PlanarBodies, StayInTheirPlane) {
  EXPECT_EQ(error_with([](Description&, Body&) {}), "no error");
  EXPECT_EQ(error_with([](Description&, Body& top) { top.pose[2] = 0.01; }),
            "scene: body 'top': position: z is 0.01 m; a body of polygons stays in the plane z = 0, so it must be 0");
  EXPECT_EQ(error_with([](Description&, Body& top) { top.pose[4] = 0.1; }),
            "scene: body 'top': orientation: the quaternion [1, 0.1, 0, 0] is tilted; a body of polygons turns about z "
            "alone, so x and y must be 0");
  EXPECT_EQ(error_with([](Description&, Body& top) { top.pose[6] = 0.7; }), "no error");
  EXPECT_EQ(
      error_with([](Description&, Body& top) { top.velocity[2] = 2; }),
      "scene: body 'top': linear velocity: z is 2 m/s; a body of polygons moves along x and y alone, so it must be "
      "0");
  EXPECT_EQ(
      error_with([](Description&, Body& top) { top.velocity[4] = 3; }),
      "scene: body 'top': angular velocity: x and y are 0 and 3 rad/s; a body of polygons turns about z alone, so "
      "they must be 0");
  EXPECT_EQ(error_with([](Description&, Body& top) { top.offset[2] = 0.5; }),
            "scene: body 'top': offset: position: z is 0.5 m; a polygon stays in the plane z = 0, so it must be 0");
  EXPECT_EQ(
      error_with([](Description&, Body& top) {
        top.center_of_mass = {0, 0, 1};
      }),
      "scene: body 'top': center_of_mass: z is 1 m; a body of polygons stays in the plane z = 0, so it must be 0");
  EXPECT_EQ(
      error_with([](Description&, Body& top) {
        top.parts = {{.geometry = 0, .name = "left"}, {.geometry = 4, .name = "right", .pose = {0, 0, 0, 1, 0, 1, 0}}};
      }),
      "scene: body 'top': part 'right': orientation: the quaternion [1, 0, 1, 0] is tilted; a polygon turns about "
      "z alone, so x and y must be 0");
}

TEST(PlanarBodies, MoveInTheirPlane) {
  const auto with_joint = [](MotionType type, const std::array<double, 3>& axis) {
    return error_with([&](Description&, Body& top) {
      top.motion.type = type;
      top.motion.axis = axis;
      if (type == MotionType::kRevolute) top.motion.anchor = {0, 0, 0.5};
    });
  };
  EXPECT_EQ(with_joint(MotionType::kPrismatic, {1, -2, 0}), "no error");
  EXPECT_EQ(with_joint(MotionType::kRevolute, {0, 0, -2}), "no error");
  EXPECT_EQ(
      with_joint(MotionType::kPrismatic, {0, 1, 1}),
      "scene: body 'top': motion: axis is [0, 1, 1]; a body of polygons slides in the plane z = 0, so z must be 0");
  EXPECT_EQ(with_joint(MotionType::kRevolute, {1, 0, 0}),
            "scene: body 'top': motion: axis is [1, 0, 0]; a body of polygons turns about z, so x and y must be 0");
  EXPECT_EQ(
      error_with([](Description&, Body& top) {
        top.motion.type = MotionType::kPrescribed;
        top.motion.path = {{0, 1}, {top.pose, {0, 0.2, 0.1, 1, 0, 0, 0}}};
      }),
      "scene: body 'top': motion: path: row 1: position: z is 0.1 m; a body of polygons stays in the plane z = 0, "
      "so it must be 0");
  EXPECT_EQ(error_with([](Description&, Body& top) { top.motion.type = MotionType::kPlanar; }), "no error");
}

TEST(PlanarBodies, OfSolidsHaveAnyHeightButNoTilt) {
  const auto error = [](const std::array<double, 7>& pose, MotionType type) {
    return error_with([&](Description& scene, Body& top) {
      scene.bodies[0].geometry = top.geometry = 1;
      top.pose = pose;
      top.motion.type = type;
    });
  };
  EXPECT_EQ(error({0, 0, 3, 1, 0, 0, 1}, MotionType::kPlanar), "no error");
  EXPECT_EQ(error({0, 0, 3, 1, 0.1, 0, 0}, MotionType::kFree), "no error");
  EXPECT_EQ(
      error({0, 0, 3, 1, 0.1, 0, 0}, MotionType::kPlanar),
      "scene: body 'top': orientation: the quaternion [1, 0.1, 0, 0] is tilted; a planar body turns about z alone, "
      "so x and y must be 0");
  EXPECT_EQ(error_with([](Description&, Body& floor) { floor.motion.type = static_cast<MotionType>(5); }),
            "scene: body 'top': motion: type is 5; it must be one of MotionType");
}

TEST(PlanarBodies, HavePolygonsOrSolids) {
  EXPECT_EQ(error_with([](Description&, Body& top) {
              top.parts = {{.geometry = 0}, {.geometry = 1, .name = "foot"}};
            }),
            "scene: body 'top': part 'foot': geometry 'cube' is a solid in a body of polygons; a body has one or the "
            "other, so give each a body of its own");
  EXPECT_EQ(error_with([](Description&, Body& top) {
              top.parts = {{.geometry = 2}, {.geometry = 0, .name = "foot"}};
            }),
            "scene: body 'top': part 'foot': geometry 'tile' is a polygon in a body of solids; a body has one or the "
            "other, so give each a body of its own");
  EXPECT_EQ(error_with([](Description&, Body& top) {
              top.alternatives = {4, 1};
            }),
            "scene: body 'top': alternative 'cube' is a solid in a body of polygons; a body has one or the other, so "
            "give each a body of its own");
  EXPECT_EQ(error_with([](Description&, Body& top) { top.alternatives = {4}; }), "no error");
  EXPECT_EQ(error_with([](Description&, Body& top) { top.rigid = false; }),
            "scene: body 'top': geometry 'tile': a polygon has no inside to press on; make 'top' rigid");
}

// ---- pairs

std::string error_of_pair(int a, int b, const std::optional<ContactModels>& model, bool rigid = true,
                          const ContactModels& scene_model = ContactModel::kPolytope) {
  return error_with([&](Description& scene, Body& top) {
    scene.bodies[0].geometry = a;
    top.geometry = b;
    top.rigid = rigid;
    scene.pairs = {{0, 1, {}, {}, model}};
    scene.contact.model = scene_model;
  });
}

TEST(PlanarBodies, OfAGeometryMadeByHandHaveTheMeshOfAPolygon) {
  const auto error_of = [](const std::function<void(Geometry&)>& change) {
    return error_with([&](Description& scene, Body&) { change(scene.geometries[0]); });
  };
  EXPECT_EQ(error_of([](Geometry&) {}), "no error");
  EXPECT_NE(error_of([](Geometry& g) { g.mesh.points[1][2] = 1e-3; }).find("lies in the plane z = 0"),
            std::string::npos);
  EXPECT_NE(error_of([](Geometry& g) { std::swap(g.mesh.points[1], g.mesh.points[3]); }).find("counter-clockwise"),
            std::string::npos);
  const std::function<void(Geometry&)> changes[] = {
      [](Geometry& g) { g.surface[1][2] = 1000; },  // beyond the points
      [](Geometry& g) { g.surface[0] = {0, 2, 1}; }, [](Geometry& g) { g.extent[0] = 1; },
      [](Geometry& g) { g.convex = false; },         [](Geometry& g) { g.primitive.kind = PrimitiveKind::kBox; },
  };
  for (const auto& change : changes) {
    EXPECT_EQ(error_of(change),
              "scene: geometry 'tile': it is not the surface mesh of a polygon; build it with a make_ function");
  }
}

TEST(PolytopeRules, SayWhyAPairIsNone) {
  const std::string pair = "scene: pair 0: 'floor' and 'top' are ";
  EXPECT_EQ(error_of_pair(0, 1, {}), pair + "a polygon and a solid; polygons touch polygons alone");
  EXPECT_EQ(error_of_pair(2, 0, {}), pair + "a polygon and a solid; polygons touch polygons alone");
  EXPECT_EQ(error_of_pair(2, 2, {}), pair + "both half spaces; one must be a box, a convex_hull or a cylinder");
  const std::string shapes = "; take a box, a convex_hull, a cylinder, a polygon or a half_space";
  EXPECT_EQ(error_of_pair(1, 3, {}), pair + "of shapes of which the second is no polytope" + shapes);
  EXPECT_EQ(error_of_pair(3, 2, {}), pair + "of shapes of which the first is no polytope" + shapes);
  EXPECT_EQ(error_of_pair(3, 3, {}), pair + "of shapes that are no polytopes" + shapes);
  for (const ContactModel model : {ContactModel::kPressureField, ContactModel::kPoint, ContactModel::kVolumetric}) {
    const std::string polygons = "of polygons, which have no pressure; polygons touch in model polytope alone";
    EXPECT_EQ(error_of_pair(0, 0, {}, true, model), pair + polygons);
    EXPECT_EQ(error_of_pair(0, 0, model), pair + polygons);
    EXPECT_EQ(error_of_pair(0, 4, ContactModel::kPolytope, true, model), "no error");
  }
}

/// The scene's model is for the part pairs that it fits; what a pair says itself must fit one of its own.
TEST(PolytopeRules, APairThatNamesTheModelHasTwoRigidParts) {
  EXPECT_EQ(error_of_pair(1, 1, {}, false), "no error");
  EXPECT_EQ(error_of_pair(1, 1, ContactModel::kPolytope, false),
            "scene: pair 0: 'floor' and 'top' are not both rigid; model polytope is for rigid parts");
  ContactModels both = ContactModel::kPolytope;
  both.push_back(ContactModel::kPressureField);
  EXPECT_EQ(error_of_pair(1, 1, both, false), "no error");
  EXPECT_EQ(error_with([](Description& scene, Body& top) {  // a finger of a steel bar and a soft tip
              scene.bodies[0].geometry = 1;
              top.parts = {{.geometry = 1}, {.geometry = 3, .rigid = false}};
              scene.pairs = {{0, 1, {}, {}, ContactModels(ContactModel::kPolytope)}};
            }),
            "no error");
}

TEST(PolytopeRules, SayHowManyFacesAPartHasTooMany) {
  const auto error = [](const Geometry& geometry) {
    return error_with([&](Description& scene, Body& top) {
      scene.geometries.push_back(geometry);
      scene.bodies[0].geometry = 1;
      top.parts = {{.geometry = 1, .name = "handle"}, {.geometry = 5, .name = "rod", .pose = {0.3, 0, 0, 1, 0, 0, 0}}};
    });
  };
  const std::string part = "scene: body 'top', part 'rod', in a pair of model polytope: ";
  EXPECT_EQ(error(make_cylinder("rod", 0.01, 0.1, 60)), "no error");
  EXPECT_EQ(error(make_cylinder("rod", 0.01, 0.1, 64)),
            part + "cylinder: it has 66 faces, the limit for contact of polytopes is 64; use fewer segments");
  std::vector<Point3> ball;
  for (int i = 0; i < 40; ++i) {
    const double z = (2 * i + 1) / 40.0 - 1, r = std::sqrt(1 - z * z);
    ball.push_back({r * std::cos(2.4 * i), r * std::sin(2.4 * i), z});
  }
  EXPECT_EQ(error(make_convex_hull_surface("ball", ball)),
            part + "convex hull: it has 76 faces, the limit for contact of polytopes is 64; use fewer points");
}

TEST(PolytopeRules, HoldForTheOptionsOfTheContactLaw) {
  const auto error = [](const std::function<void(ContactOptions&)>& change) {
    return error_with([&](Description& scene, Body&) { change(scene.contact); });
  };
  EXPECT_EQ(error([](ContactOptions& c) { c.polytope.margin = -1e-3; }),
            "scene: contact: margin is -0.001 m; it must be in [0, 1000000000]");
  EXPECT_EQ(error([](ContactOptions& c) { c.polytope.tolerance = 0; }),
            "scene: contact: tolerance is 0 m; it must be in [1e-15, 1000000000]");
  EXPECT_EQ(error([](ContactOptions& c) { c.polytope.tolerance = -1e-6; }),
            "scene: contact: tolerance is -1e-06 m; it must be in [1e-15, 1000000000]");
  EXPECT_EQ(error([](ContactOptions& c) { c.polytope.tolerance = std::nan(""); }),
            "scene: contact: tolerance is nan m; it must be in [1e-15, 1000000000]");
  EXPECT_EQ(error([](ContactOptions& c) { c.polytope.relations = static_cast<ContactRelations>(4); }),
            "scene: contact: relations is 4; it must be one of ContactRelations");
  EXPECT_EQ(error([](ContactOptions& c) { c.polytope.margin = 0, c.polytope.tolerance = 1e-15; }), "no error");
}

// ---- warnings

using Lines = std::vector<std::string>;

Lines warnings_with(const std::function<void(SceneDescription&)>& change) {
  SceneDescription scene = tiles();
  change(scene);
  return warnings_of(Scene(scene));
}

TEST(PolytopeWarnings, AreNoneOfPolygonsThatTouch) {
  EXPECT_EQ(warnings_with([](Description&) {}), Lines{});
  // level parts, and a list of pairs that leaves some out
  EXPECT_EQ(warnings_with([](Description& scene) {
              scene.bodies[0].parts = {{.geometry = 0}, {.geometry = 0, .pose = {0.1, 0, 0, 1, 0, 0, 0}}};
              scene.bodies.push_back(rigid_polytope("third", 4, {0, 1, 0, 1, 0, 0, 0}));
              scene.pairs = {{0, 1, {}, {}}};
              scene.contact.polytope.margin = 0.01;
              scene.contact.polytope.tolerance = 1e-7;
              scene.contact.polytope.relations = ContactRelations::kLnc;
            }),
            Lines{});
}

TEST(PolytopeWarnings, AreNoneOfAPolygonAndASolid) {
  EXPECT_EQ(warnings_with([](Description& scene) {
              scene.bodies.push_back(rigid_polytope("cube", 1));
              scene.bodies.push_back(rigid_polytope("ground", 2));
            }),
            Lines{});
}

TEST(PolytopeWarnings, SayThatPolygonsNeedTheModel) {
  EXPECT_EQ(warnings_with([](Description& scene) { scene.contact.model = ContactModel::kPressureField; }),
            Lines{"bodies 'floor' and 'top' are polygons, which touch in contact model polytope alone, so they pass "
                  "through each other; take that model, or exclude the pair"});
}

TEST(PolytopeWarnings, NameRigidBodiesThatAreNoPolytopes) {
  EXPECT_EQ(warnings_with([](Description& scene) {
              scene.bodies.push_back(rigid_polytope("cube", 1));
              scene.bodies.push_back(rigid_polytope("ball", 3));
            }),
            Lines{"bodies 'cube' and 'ball' are both rigid, but not both polytopes, so they pass through each other; "
                  "make one of them compliant, or exclude the pair"});
}

/// Of a tile whose farthest corner is 0.1/sqrt(2) from its centre of mass.
TEST(PolytopeWarnings, NameAMarginOrToleranceThatIsLargerThanAPart) {
  EXPECT_EQ(warnings_with([](Description& scene) {
              scene.bodies.push_back(rigid_polytope("wedge", 4, {0, 1, 0, 1, 0, 0, 0}));
              scene.contact.polytope.margin = 0.071;
              scene.contact.polytope.tolerance = 1;
            }),
            (Lines{"contact: margin is 0.071 m, more than the radius of a part of 'floor', 0.0707107 m; it is usually "
                   "0.02 of that",
                   "contact: tolerance is 1 m, more than the radius of a part of 'floor', 0.0707107 m; it is usually "
                   "1e-6 of that"}));
  EXPECT_EQ(warnings_with([](Description& scene) { scene.contact.polytope.margin = 0.07; }), Lines{});
  EXPECT_EQ(warnings_with([](Description& scene) {  // a half space has no size
              scene.bodies = {rigid_polytope("ground", 2), rigid_polytope("cube", 1)};
              scene.contact.polytope.margin = 0.08;
            }),
            Lines{});
}

TEST(PolytopeWarnings, SayThatWhatIsInTwoPartsCountsTwice) {
  const auto with_parts = [](int geometry) {
    return warnings_with([&](Description& scene) {
      scene.bodies[0].geometry = geometry;
      scene.bodies[1].parts = {{.geometry = geometry, .name = "first"},
                               {.geometry = geometry, .name = "second", .pose = {0.07, 0, 0, 1, 0, 0, 0}}};
    });
  };
  for (const int geometry : {0, 1}) {
    const Lines found = with_parts(geometry);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].find("body 'top': "), 0u) << found[0];
    EXPECT_NE(found[0].find("what a body has in common with both counts twice in its overlap"), std::string::npos);
  }
}

TEST(PolytopeWarnings, NameOptionsThatNoPairHas) {
  EXPECT_EQ(warnings_with([](Description& scene) {
              scene.bodies = {rigid_polytope("cube", 1), rigid_polytope("ball", 3)};
              scene.bodies[0].rigid = false;
              scene.bodies[0].friction = scene.bodies[1].friction = 0.5;
              scene.contact.polytope.margin = 0.01;
              scene.contact.polytope.tolerance = 1e-7;
              scene.contact.polytope.relations = ContactRelations::kSeparating;
            }),
            (Lines{"contact: margin is given, but no pair is of model polytope; it has no effect",
                   "contact: tolerance is given, but no pair is of model polytope; it has no effect",
                   "contact: relations is given, but no pair is of model polytope; it has no effect"}));
}

}  // namespace
}  // namespace isopatch::test
