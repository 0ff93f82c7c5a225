// SPDX-License-Identifier: Apache-2.0
#include "host/pictures/vtk_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "isopatch/isopatch.h"
#include "tests/support/temporary_folder.h"

namespace isopatch::detail {
namespace {

TEST(VtkFiles, HoldEveryPolygonWithItsData) {
  Polygon polygon = {};
  polygon.pair = 2;
  polygon.num_vertices = 3;
  polygon.vertices[1][0] = 1;
  polygon.vertices[2][1] = 0.5f;
  polygon.pressures[2] = 1000;
  polygon.normal[2] = 1;
  polygon.area = 0.25f;
  EXPECT_EQ(
      patches_vtk({polygon, polygon}, {{1, 2, 3, 4, 5, 6, 0.5, 0, 0, 0, 0, -0.25}}),
      "# vtk DataFile Version 3.0\ncontact patches: pressure [Pa], area [m^2], wrenches of pairs [N, N m]\nASCII\n"
      "DATASET POLYDATA\nFIELD forces 1\npair_wrench 6 2 double\n1 2 3 4 5 6\n0.5 0 0 0 0 -0.25\n"
      "POINTS 6 float\n0 0 0\n1 0 0\n0 0.5 0\n0 0 0\n1 0 0\n0 0.5 0\n"
      "POLYGONS 2 8\n3 0 1 2\n3 3 4 5\n"
      "POINT_DATA 6\nSCALARS pressure float 1\nLOOKUP_TABLE default\n0\n0\n1000\n0\n0\n1000\n"
      "CELL_DATA 2\nSCALARS area float 1\nLOOKUP_TABLE default\n0.25\n0.25\n"
      "SCALARS pair int 1\nLOOKUP_TABLE default\n2\n2\nNORMALS normal float\n0 0 1\n0 0 1\n");
}

// VTK's reader ends with an error at "POLYGONS 0 0", and leaves out arrays of no element.
TEST(VtkFiles, HaveAPointOfNoAreaWhereNothingTouches) {
  const std::string text = patches_vtk({}, {});
  EXPECT_NE(text.find("POINTS 1 float\n0 0 0\nPOLYGONS 1 2\n1 0\n"), std::string::npos) << text;
  for (const char* array : {"pressure", "area", "pair", "normal"}) EXPECT_NE(text.find(array), std::string::npos);
}

TEST(VtkFiles, HoldContactsOfPolytopesAsPoints) {
  PotentialContact contact = {};
  contact.pair = 3;
  contact.kind = kEdgeOnEdge;
  contact.point[1] = 0.5f;
  contact.normal[2] = -1;
  contact.gap = 0.25f;
  contact.applicability = -0.125f;
  EXPECT_EQ(contacts_vtk({contact, {}}),
            "# vtk DataFile Version 3.0\ncontacts of rigid polytopes: gap [m]\nASCII\nDATASET POLYDATA\n"
            "POINTS 2 float\n0 0.5 0\n0 0 0\nVERTICES 2 4\n1 0\n1 1\nPOINT_DATA 2\n"
            "SCALARS gap float 1\nLOOKUP_TABLE default\n0.25\n0\n"
            "SCALARS applicability float 1\nLOOKUP_TABLE default\n-0.125\n0\n"
            "SCALARS kind int 1\nLOOKUP_TABLE default\n2\n0\nSCALARS pair int 1\nLOOKUP_TABLE default\n3\n0\n"
            "VECTORS normal float\n0 0 -1\n0 0 0\n");
  const std::string none = contacts_vtk({});
  EXPECT_NE(none.find("POINTS 1 float\n0 0 0\nPOLYGONS 1 2\n1 0\n"), std::string::npos) << none;
  for (const char* array : {"gap", "applicability", "kind", "pair", "normal"}) {
    EXPECT_NE(none.find(array), std::string::npos);
  }
}

/// A tile of polygons 1 mm over another.
SceneDescription tiles() {
  SceneDescription scene;
  scene.geometries = {make_polygon("tile", {{0, 0}, {0.1, 0}, {0.1, 0.05}, {0, 0.05}})};
  scene.bodies.resize(2);
  for (Body& body : scene.bodies) body.rigid = true;
  scene.bodies[0].fixed = true;
  scene.bodies[1].pose[0] = 0.01;
  scene.bodies[1].pose[1] = 0.051;
  scene.bodies[1].velocity[1] = -0.1;
  scene.bodies[1].motion.type = MotionType::kPlanar;
  scene.contact.model = ContactModel::kPolytope;
  return scene;
}

TEST(VtkFiles, HaveAPolygonAsOneFlatCell) {
  const SceneDescription scene = tiles();
  const std::string text = bodies_vtk(scene, StateArrays(scene, 1), 0);
  EXPECT_NE(text.find("POINTS 8 float\n0 0 0\n0.1 0 0\n0.1 0.05 0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("POLYGONS 2 10\n4 0 1 2 3\n4 4 5 6 7\n"), std::string::npos) << text;
  EXPECT_NE(text.find("CELL_DATA 2\n"), std::string::npos) << text;
}

TEST(VtkFiles, OfPolytopesAreWrittenForEveryFrame) {
  const SceneDescription scene = tiles();
  const HostEvaluator evaluator{Scene(scene)};
  const StateArrays states(scene, 1);
  const std::vector<PotentialContact> near = potential_contacts(evaluator, states, 0);
  ASSERT_EQ(near.size(), 2u) << "a corner of each over a side of the other";
  EXPECT_GT(potential_contacts(evaluator, states, 0, 1).size(), near.size()) << "what 0.1 m/s may reach in 1 s";

  const isopatch::testing::TemporaryFolder folder;
  VtkSeries series(states);
  const std::vector<double> wrench(6);
  series.add(0, states.poses, wrench);
  std::vector<double> away = states.poses;
  away[8] = 1;
  series.add(0.5, away, wrench);
  series.write(evaluator, 7, folder.path(""));
  const auto read = [&](const char* name) {
    std::ifstream file(folder.path(name));
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  EXPECT_EQ(read("contacts_0007_000000.vtk"), contacts_vtk(near));
  EXPECT_EQ(read("contacts_0007_000001.vtk"), contacts_vtk({}));
  EXPECT_NE(read("contacts_0007.vtk.series").find("\"contacts_0007_000001.vtk\", \"time\": 0.5"), std::string::npos);
}

TEST(VtkFiles, HaveTheBodiesInTheWorld) {
  SceneDescription scene;
  scene.geometries = {make_half_space("ground", 1), make_box("cube", {2, 2, 2})};
  scene.bodies.resize(2);
  scene.bodies[1].geometry = 1;
  StateArrays states(scene, 1);
  states.poses = {0, 0, 0, 1, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0};
  const std::string text = bodies_vtk(scene, states, 0);
  EXPECT_NE(text.find("POINTS 13 float"), std::string::npos) << "8 corners and a centre, 4 corners of the square";
  EXPECT_NE(text.find("POLYGONS 13 53"), std::string::npos) << "12 triangles and the square";
  EXPECT_NE(text.find("\n-6 -6 0\n"), std::string::npos) << "1.5 times the largest coordinate of the cube";
  EXPECT_NE(text.find("\n1 1 4\n"), std::string::npos);
}

}  // namespace
}  // namespace isopatch::detail
