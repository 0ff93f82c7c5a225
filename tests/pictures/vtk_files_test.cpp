// SPDX-License-Identifier: Apache-2.0
#include "host/pictures/vtk_files.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(patches_vtk({polygon, polygon}),
            "# vtk DataFile Version 3.0\ncontact patches: pressure [Pa], area [m^2]\nASCII\nDATASET POLYDATA\n"
            "POINTS 6 float\n0 0 0\n1 0 0\n0 0.5 0\n0 0 0\n1 0 0\n0 0.5 0\n"
            "POLYGONS 2 8\n3 0 1 2\n3 3 4 5\n"
            "POINT_DATA 6\nSCALARS pressure float 1\nLOOKUP_TABLE default\n0\n0\n1000\n0\n0\n1000\n"
            "CELL_DATA 2\nSCALARS area float 1\nLOOKUP_TABLE default\n0.25\n0.25\n"
            "SCALARS pair int 1\nLOOKUP_TABLE default\n2\n2\nNORMALS normal float\n0 0 1\n0 0 1\n");
}

// VTK's reader ends with an error at "POLYGONS 0 0", and leaves out arrays of no element.
TEST(VtkFiles, HaveAPointOfNoAreaWhereNothingTouches) {
  const std::string text = patches_vtk({});
  EXPECT_NE(text.find("POINTS 1 float\n0 0 0\nPOLYGONS 1 2\n1 0\n"), std::string::npos) << text;
  for (const char* array : {"pressure", "area", "pair", "normal"}) EXPECT_NE(text.find(array), std::string::npos);
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
